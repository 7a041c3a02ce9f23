"""What the user entered on the page, read into choices."""

from __future__ import annotations

import pytest
from starlette.datastructures import FormData

from manyjudges.app.choices import Choices, Money
from manyjudges.app.forms import columns_from, money_from, scale_from

LOOK = {"roles": {"object": "Essay", "worker": "Rater"}}
SHOWN = {"object": "Essay", "worker": "Rater", "label": "auto", "time": "auto", "shape": "auto"}


def read(choices=None, **entered):
    fields = SHOWN | entered
    pairs = [(name, each) for name, value in fields.items() for each in (value if isinstance(value, list) else [value])]
    return columns_from(FormData(pairs), choices or Choices(), LOOK)


def test_what_was_recognised_is_not_taken_for_a_choice():
    assert read() == {"columns": {}, "shape": "auto", "drop": ()}


def test_a_column_is_chosen_and_nobody_can_be_chosen():
    assert read(label="Grade")["columns"] == {"label": "Grade"}
    assert read(worker="")["columns"] == {"worker": None}
    assert read(Choices(columns={"label": "Grade"}), label="auto")["columns"] == {}


def test_what_a_form_does_not_have_stays_as_it_was():
    before = Choices(columns={"worker": None, "object": "Nr"})
    assert columns_from(FormData([("label", "Grade")]), before, LOOK)["columns"] == {
        "worker": None,
        "object": "Nr",
        "label": "Grade",
    }


@pytest.mark.parametrize("role", ["object", "label"])
def test_a_column_that_gets_a_second_role_loses_the_first(role):
    before = Choices(columns={"worker": "Rater"})
    assert read(before, **{role: "Rater"})["columns"] == {role: "Rater"}


def test_columns_are_left_out_and_taken_in_again():
    assert read(offered=["clarity", "style"], use=["style"])["drop"] == ("clarity",)
    before = Choices(drop=("clarity", "Grade"))
    assert read(before, offered=["clarity", "style"], use=["clarity", "style"])["drop"] == ("Grade",)


def test_choices_survive_their_way_to_the_worker():
    choices = Choices(columns={"worker": None}, drop=("a",), scales=(("x", "y"),), missing=("-99",), noiseless=("b",))
    assert Choices.from_document(choices.to_document()) == choices
    options = choices.read_options(on_invalid="skip")
    assert (options.columns, options.drop, options.missing) == ({"worker": None}, ("a",), ("-99",))
    assert (options.scales, options.on_invalid) == ((("x", "y"),), "skip")


def test_a_scale_takes_the_place_of_one_with_the_same_words():
    before = Choices(scales=(("low", "high"), ("no", "yes")))
    form = FormData([("words", " high \r\n\r\nmiddle\nlow\nlow")])
    assert scale_from(form, before) == {"scales": (("no", "yes"), ("high", "middle", "low")), "missing": ()}
    turned = scale_from(FormData([("words", "a\nb"), ("reverse", "yes")]), Choices())
    assert turned == {"scales": (("b", "a"),), "missing": ()}
    assert scale_from(FormData([("words", " ")]), before) == {}
    assert scale_from(FormData([("words", "a"), ("drop", "Colour")]), Choices()) == {"drop": ("Colour",)}


def test_words_that_are_taken_out_of_a_scale_mean_that_there_is_no_answer():
    form = FormData([("words", "no\nyes"), ("offered", "yes"), ("offered", "no"), ("offered", "hm")])
    chosen = scale_from(form, Choices(missing=("-99",), scales=(("no", "hm", "yes"),)))
    assert chosen == {"scales": (("no", "yes"),), "missing": ("-99", "hm")}
    back = FormData([("words", "no\nhm\nyes")])
    assert scale_from(back, Choices(**chosen)) == {"scales": (("no", "hm", "yes"),), "missing": ("-99",)}


def test_prices_stay_where_the_form_does_not_have_them():
    look = {"attributes": ["clarity", "style"]}
    form = FormData([("price", " $0.05 "), ("budget", "2"), ("costs-0", "1"), ("costs-1", ""), ("max_repeats-1", "3")])
    money = money_from(form, look, Money(costs={"style": "3"}))
    single = {"costs": {"clarity": "1"}, "max_repeats": {"style": "3"}}
    assert money == Money(price="$0.05", budget="2", **single)
    again = money_from(FormData([("budget", "4"), ("new", "5,000")]), look, money)
    assert again == Money(price="$0.05", budget="4", new="5000", **single)
