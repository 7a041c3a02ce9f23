"""Drawings of the researcher's page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.web.researcher import charts


def test_charts_are_drawings_that_say_what_they_show():
    points = [charts.Point(1.0, 4.0, 3.0, 5.0), charts.Point(2.0, 3.0, 2.5, 3.5, chosen=True)]
    drawn = charts.errors(points, ["1", "2"], 'less than "4"', "units")
    assert drawn.count("<circle") == 2
    assert 'aria-label="less than &#34;4&#34;"' in drawn
    assert charts.errors(points[:1], ["1"], "one", "units").count("<circle") == 1
    assert charts.columns([0, 0], ["", ""], "none").count("<rect") == 2
    bar = charts.stacked([("in", 150.0), ("out", 50.0)], 100.0)  # more than the whole does not stick out
    assert re.findall(r'width="([\d.]+)" height="10" class="(?:in|out)"', bar) == ["100.00", "0.00"]


numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


def drawn(chart):
    """A drawing as a browser reads it."""
    return ElementTree.fromstring(str(chart))


def inside(chart):
    """Whether all that is drawn lies within the drawing; what is written may stick out on the left."""
    box = [float(each) for each in chart.get("viewBox").split()]
    for name, most in (("x", box[2]), ("y", box[3]), ("cx", box[2]), ("cy", box[3]), ("y1", box[3]), ("y2", box[3])):
        assert all(-0.01 <= float(each.get(name)) <= most + 0.01 for each in chart.iter() if each.get(name)), name


@given(st.lists(st.tuples(st.integers(0, 10**6), st.text("ab<&\"'", max_size=6)), min_size=1, max_size=30))
def test_columns_stay_within_the_chart_and_are_as_high_as_their_numbers(given):
    values, labels = zip(*given, strict=True)
    chart = drawn(charts.columns(values, labels, "judgments"))
    inside(chart)
    heights = [float(each.get("height")) for each in chart.iter("rect")]
    highest = max(*values, 4)
    marks = charts._ticks(0, highest)
    for height, value in zip(heights, values, strict=True):
        assert abs(height - 144 * value / marks[-1]) < 0.01  # of 190, without what is above and below
    assert [each.text for each in chart.iter("text") if each.get("y") == "176.0"] == [each for each in labels if each]


@given(st.lists(st.tuples(numbers, numbers, st.floats(0, 1e3)), min_size=1, max_size=12), st.booleans())
def test_errors_and_their_limits_stay_within_the_chart(given, narrow):
    points = [charts.Point(x, y, y - reach, y + reach) for x, y, reach in given]
    chart = drawn(
        charts.errors(
            points, ["1"] * len(points), "errors", "units", charts.NARROW_CHART if narrow else charts.WIDE_CHART
        )
    )
    inside(chart)
    assert len([*chart.iter("circle")]) == len(points)


@given(st.lists(st.floats(0, 1e6), max_size=6), st.floats(0, 1e6))
def test_a_bar_is_never_longer_than_the_whole(sizes, whole):
    bar = drawn(charts.stacked([(f"part{i}", size) for i, size in enumerate(sizes)], whole))
    widths = [float(each.get("width")) for each in bar.iter("rect")][1:]  # the first is the ground
    assert sum(widths) <= 100 + 0.01 * len(widths)
    if sum(sizes) <= whole and whole > 0:
        assert all(abs(width - 100 * size / whole) <= 0.01 for width, size in zip(widths, sizes, strict=True))


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_marks_of_an_axis_are_round_and_enclose_what_is_shown(low, reach):
    marks = charts._ticks(low, low + reach)
    assert marks == sorted(set(marks))
    assert len(marks) >= 2
    assert marks[0] <= low + 1e-6 * max(reach, 1)
    assert marks[-1] >= low + reach - 1e-6 * max(reach, 1)
    assert len(marks) <= 12


@pytest.mark.parametrize("low", [0.0, 3.0, -3.0, 1e6])
@pytest.mark.parametrize("more", [0.0, 1e-16, 1e-13])
def test_limits_that_are_equal_but_for_rounding_have_an_axis_too(low, more):
    high = low + more * max(abs(low), 1.0)
    marks = charts._ticks(low, high)
    assert marks[0] <= low <= high <= marks[-1]
    assert marks == sorted(set(marks))
    points = [charts.Point(1.0, low, low, low), charts.Point(2.0, high, high, high)]
    inside(drawn(charts.errors(points, ["1", "2"], "equal", "units")))
