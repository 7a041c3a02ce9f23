from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.base.money import agree_on_currency, format_amount, read_amount, read_currency
from manyjudges.exceptions import PlanError
from tests.support.messages import refused

WRITTEN = {
    "0.05": (0.05, ""),
    ".05": (0.05, ""),
    "0,05": (0.05, ""),
    ",5": (0.5, ""),
    "2.3e-05": (2.3e-5, ""),
    "$0.05": (0.05, "USD"),
    "$.05": (0.05, "USD"),
    "$ 2": (2, "USD"),
    "US$2": (2, "USD"),
    "2 USD": (2, "USD"),
    "2usd": (2, "USD"),
    "$2 USD": (2, "USD"),
    "$2 CAD": (2, "CAD"),
    "$1,234": (1234, "USD"),
    "$1,234,567.5": (1234567.5, "USD"),
    "0,05 €": (0.05, "EUR"),
    "€12.40": (12.4, "EUR"),
    "1.234,50 €": (1234.5, "EUR"),
    "1 234,50 €": (1234.5, "EUR"),
    "1\u202f234,50\u00a0€": (1234.5, "EUR"),
    "1.234.567 EUR": (1234567, "EUR"),
    "EUR 0.05": (0.05, "EUR"),
    "5,- €": (5, "EUR"),
    "0,5 Euro": (0.5, "EUR"),
    "CHF 1.20": (1.2, "CHF"),
    "CHF 5.–": (5, "CHF"),
    "Fr. 1'234.50": (1234.5, "CHF"),
    "1,234.50": (1234.5, ""),
    "£3": (3, "GBP"),
    "5p": (0.05, "GBP"),
    "JPY 1,234": (1234, "JPY"),
    "50円": (50, "JPY"),
    "4 units": (4, ""),
    "1,234 units": (1234, ""),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_amounts_are_read_as_people_write_them(text):
    amount = read_amount(text)
    assert (amount.value, agree_on_currency({"price": amount})) == WRITTEN[text]


def test_numbers_are_amounts_without_a_currency():
    assert read_amount(3)[:2] == (3.0, ())
    assert read_amount(read_amount("$3")) == read_amount("$3")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "free",
        "$",
        "5 $ EUR",
        "$5 EUR",
        "5 dolars",
        "XXX 5",
        "5 x",
        "1,2,3",
        "12,34.5",
        "1.2.3",
        "5-6",
        "$5/h",
        "五",
    ],
)
def test_what_is_not_an_amount_is_refused(text):
    with refused(PlanError, value=text, column="price"):
        read_amount(text)


@pytest.mark.parametrize("value", [None, True, [1], b"1", 10**400], ids=["None", "True", "list", "bytes", "huge"])
def test_other_things_are_not_amounts(value):
    with refused(PlanError, value=value, column="budget"):
        read_amount(value, "budget")


@pytest.mark.parametrize("text", ["1,234", "1.234 €", "€1,234"])
def test_a_thousand_or_one_and_a_bit_is_asked_for(text):
    with refused(PlanError, value=text, column="price"):
        read_amount(text)


def test_the_currency_of_one_amount_is_that_of_all():
    amounts = {"price": read_amount("5 cents"), "budget": read_amount("2 €"), "total": read_amount(500)}
    assert agree_on_currency(amounts) == "EUR"
    assert agree_on_currency({"price": read_amount("$5")}, "CAD") == "CAD"
    assert agree_on_currency({"price": read_amount("5 cents"), "budget": read_amount("$2")}) == "USD"
    assert agree_on_currency({"price": read_amount(5)}, "eur") == "EUR"
    assert agree_on_currency({"price": read_amount(5)}) == ""


def test_different_currencies_are_named_together():
    with refused(PlanError, value="2 €", column="budget"):
        agree_on_currency({"price": read_amount("$0.05"), "budget": read_amount("2 €")})
    with refused(PlanError, value="$5", column="price"):
        agree_on_currency({"price": read_amount("$5")}, "EUR")
    with refused(PlanError, value="5p", column="cost of 'a'"):
        agree_on_currency({"price": read_amount("¥5"), "cost of 'a'": read_amount("5p")})


@pytest.mark.parametrize("text", ["5 cents", "¥5", "5 kr"])
def test_a_sign_of_several_currencies_is_asked_about(text):
    with refused(PlanError, value=text, column="price"):
        agree_on_currency({"price": read_amount(text)})


@pytest.mark.parametrize("currency", ["EUROS?", "XXX", "cents", "units", "5", 5])
def test_what_is_not_a_currency_is_refused(currency):
    with refused(PlanError, value=currency, column="currency"):
        read_currency(currency)


def test_currencies_are_read_by_code_sign_and_name():
    assert [read_currency(text) for text in ("$", " usd", "€", "Euro", "£", "zł")] == [
        "USD",
        "USD",
        "EUR",
        "EUR",
        "GBP",
        "PLN",
    ]


def test_amounts_are_shown_with_as_many_digits_as_they_need():
    shown = [0, 0.05, 0.1 + 0.2, 0.005, 0.000023, 0.99999, 1, 12.4, 1234.567, 1e6]
    assert [format_amount(value, "USD") for value in shown] == [
        "$0.00",
        "$0.05",
        "$0.30",
        "$0.005",
        "$0.000023",
        "$1.00",
        "$1.00",
        "$12.40",
        "$1,234.57",
        "$1,000,000.00",
    ]
    assert [format_amount(value) for value in (1, 4, 0.05, 1234.5)] == [
        "1 unit",
        "4 units",
        "0.05 units",
        "1,234.5 units",
    ]
    assert [format_amount(value, "JPY") for value in (500, 0.5)] == ["JPY 500", "JPY 0.5"]
    assert [format_amount(value) for value in (float("nan"), float("inf"))] == ["– units", "∞ units"]


@given(
    st.floats(min_value=0, max_value=1e9), st.sampled_from(["", "USD", "EUR", "CHF", "JPY", "SEK", "INR", "VND", "CLP"])
)
def test_what_is_shown_is_read_back(value, currency):
    text = format_amount(value, currency)
    amount = read_amount(text)
    assert agree_on_currency({"price": amount}) == currency
    assert format_amount(amount.value, currency) == text
    least = 0.5 if value >= 1 and currency in ("JPY", "VND", "CLP") else 0.005 if value >= 1 else 0.0005 * value
    assert amount.value == pytest.approx(value, rel=1e-9, abs=least + 1e-12 if least else 1e-320)
