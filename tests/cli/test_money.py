"""Prices, currencies, budgets and totals on the command line, and the bill that is printed."""

from __future__ import annotations

import json

import pytest

PLAN = ("plan", "judgments.csv", "labels.csv")


def planned(run, *options):
    code, out, err = run(*PLAN, *options, "--json")
    assert code == 0, err
    document = json.loads(out)
    return document.get("answer", document | {"plan": document})


def test_money_scales_the_bill_and_keeps_the_plan(run):
    units = planned(run, "--budget", 8, "--new", 100)
    money = planned(run, "--budget", "$0.40", "--price", "$0.05", "--new", 100)
    assert money["plan"]["repeats"] == units["plan"]["repeats"]
    assert (units["bill"]["currency"], money["bill"]["currency"]) == ("", "USD")
    assert money["bill"]["total"]["cost"] == pytest.approx(0.05 * units["bill"]["total"]["cost"])


def test_one_attribute_may_have_another_price(run):
    found = planned(run, "--budget", 2, "--price", "0,05 €", "--cost", "height (numerical)=0.4")
    prices = found["plan"]["prices"]
    assert prices.pop("height (numerical)") == 0.4
    assert set(prices.values()) == {0.05}
    assert found["bill"]["currency"] == "EUR"


def test_a_total_gives_the_budget(run):
    found = planned(run, "--total", "$50", "--price", "$0.05", "--new", 100)
    assert 40 < found["bill"]["total"]["cost"] <= 50
    assert found["notes"][0].startswith("The total of $50.00 covers what the 60 labelled objects at hand lack and 100")


def test_the_bill_is_printed(run):
    code, out, _ = run(*PLAN, "--budget", "$0.40", "--price", "$0.05", "--new", 1000)
    assert code == 0
    assert "in all" in out
    assert "1,000 new" in out
    assert "$0.40" in out
    assert "1,000 new objects take 8,000 judgments for $400.00." in " ".join(out.split())


def test_only_what_was_recorded(run):
    free, kept = planned(run, "--budget", 12), planned(run, "--budget", 12, "--recorded")
    assert max(free["plan"]["repeats"].values()) > 2
    assert max(kept["plan"]["repeats"].values()) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "needs a budget per object"),
        (("--budget", "2", "--total", "500"), "not both"),
        (("--budget", "$2", "--price", "0.05 €"), "different currencies"),
        (("--budget", "$2"), "have no price"),
        (("--budget", "2", "--price", "cheap"), "is not an amount"),
        (("--budget", "2", "--price", "0"), "The price must be a positive, finite number, not '0'."),
        (("--budget", "2", "--currency", "EURO"), "Amounts are in EUR"),
        (("--budget", "2", "--currency", "gold"), "unknown currency"),
        (("--budget", "2", "--new", "many"), "is not a whole number"),
        (("--budget", "2", "--cost", "height (numerical)=x"), "is not an amount"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_words(run, options, message):
    code, _, err = run(*PLAN, *options)
    assert code == 2
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
