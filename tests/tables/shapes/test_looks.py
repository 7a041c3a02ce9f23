"""What the cells of a column look like."""

from __future__ import annotations

import datetime

import pandas as pd
import pytest

from manyjudges.tables.shapes.looks import Look, look_at, reason_of_heading, reason_to_leave_out

NAMES = [f"R_{number:04d}x" for number in range(20)]


def reason(heading, cells):
    return reason_to_leave_out(heading, look_at(pd.Series(cells, dtype=object)))


@pytest.mark.parametrize(
    ("heading", "cells", "why"),
    [
        ("started", ["2024-03-01 12:30:00", "2024-03-02 09:00:00"], "a date or time"),
        ("when", ["1/3/2024 9:05:00 AM", "12/31/2024 11:05:00 PM"], "a date or time"),
        ("when", ["2024/03/05 10:00:02 AM GMT+1"], "a date or time"),
        ("when", [datetime.datetime(2024, 3, 1, tzinfo=datetime.UTC), None], "a date or time"),
        ("when", [datetime.timedelta(seconds=4)], "a date or time"),
        ("contact", ["ann@example.org", "bob@example.org", ""], "an e-mail address"),
        ("from", ["192.0.2.1", "192.0.2.17"], "an IP address"),
        ("page", ["https://example.org/a", "https://example.org/b"], "a web address"),
        ("Duration (in seconds)", ["12", "40"], "a duration"),
        ("LocationLatitude", ["48.1", "48.2"], "a place"),
        ("I agree to take part", ["Yes", "Yes"], "consent"),
        ("Q1", ["I agree to participate"] * 3, "consent"),
        ("code", NAMES, "each text is different: a name or free text"),
        (
            "opinion",
            ["A long sentence that says what somebody thinks of the essay and of its author."] * 2,
            "free text",
        ),
        ("Comments", ["good", "good", "fine"], "free text"),
        ("nothing", ["", None, "NA"], "empty"),
        ("", [str(number) for number in range(12)], "it numbers the rows"),
        ("count", [str(number) for number in range(1, 12)], "it numbers the rows"),
        ("__index_level_0__", ["17", "4", "17"], "it numbers the rows"),
        ("annotation_id", [str(number) for number in range(500, 520, 2)], "an identifier"),
        ("AssignmentId", [str(number) for number in range(520, 500, -1)], "an identifier"),
        ("response_id", [*NAMES, NAMES[0]], "an identifier"),
        ("Unnamed: 7", ["see below", "x", "x"], "it has no heading"),
        ("column H", ["3", "4", "3"], "it has no heading"),
        ("clarity_rt", ["412", "380"], "a duration"),
        ("slider.rt", ["0.4", "1.2"], "a duration"),
        ("embedding", [[0.1, 0.2], [0.3]], "lists, and not single values"),
    ],
)
def test_columns_without_judgments_are_left_out(heading, cells, why):
    if why == "free text" and heading == "opinion":
        cells = [f"{cell} {at}" for at, cell in enumerate(cells)]
    assert reason(heading, cells) == why


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("clarity", ["1", "7", "3", "3"]),
        ("clarity", ["never", "rarely", "often", "always"]),
        ("clarity", ["3"] * 40),  # an attribute that says nothing is still one
        ("clarity", ["0.5", "0,25", "1e-3"]),
        ("clarity", [f"{number / 7}" for number in range(2, 40)]),
        ("comments on the essay are fair", ["yes", "no", "yes"]),
        ("time pressure", ["1", "2"]),
        ("agreement", ["strongly agree", "agree"] * 5),
        ("tall", [True, False, None]),
        ("person_id", ["1", "2", "1"] * 4),  # a question may be about names
        ("valid", [str(number) for number in range(500, 520, 2)]),
        ("worth", [f"{number}.5 points" for number in range(20)]),  # to be read, or refused with a word
        ("worth", [f"{number}.{number + 100},50" for number in range(1, 20)]),
        ("part", ["4", "5"] * 8),
    ],
)
def test_columns_with_judgments_are_kept(heading, cells):
    assert reason(heading, cells) is None


def test_headings_are_known_whatever_their_case_and_marks():
    assert {reason_of_heading(name) for name in ("IP Address", "ipaddress", "IP_address")} == {"an IP address"}
    assert reason_of_heading("Einwilligung zur Teilnahme") == "consent"
    assert reason_of_heading("ship") is None


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2, 1, 10**30],
        ["a ", "a", "NA", ""],
        [1, "1", "01", None],
        [True, 1, 1.0, 0.0, -0.0, False],
        [1.5, float("nan"), 2.0],
    ],
)
@pytest.mark.parametrize("kind", [object, None])
def test_cells_that_come_again_look_as_each_by_itself(cells, kind):
    column = pd.Series(cells * 3, dtype=kind)
    alone = [text for cell in column.tolist() for text in look_at(pd.Series([cell], dtype=object)).cells]
    assert list(look_at(column).cells) == alone


def test_numbers_with_marks_between_their_thousands_are_not_left_out():
    cells = tuple(f"{number:,}".replace(",", "'") for number in range(400, 4000, 300))
    assert reason_to_leave_out("price", Look(cells)) is None


def test_a_slip_among_different_numbers_is_not_left_out():
    numbers = [f"{number}.{number % 7}" for number in range(20)]
    assert reason("length", [*numbers, "2.1o5"]) is None
    assert reason("length", [*numbers[:5], *NAMES]) == "each text is different: a name or free text"
