"""Drawings as SVG that belongs to the page: its colours, its font, its text."""

from __future__ import annotations

import re

import matplotlib as mpl
import numpy as np
import pytest

from manyjudges.plots import canvas
from manyjudges.reports.figures import NARROW, WIDE, figure
from tests.support.pages import Page


def test_every_figure_says_what_it_shows(page, beans_report):
    pictures = page.all("svg")
    assert len(pictures) == 12
    assert all(p["role"] == "img" and p["aria-labelledby"] and p["aria-describedby"] for p in pictures)
    assert all(len(text) > 20 for text in page.text["desc"])
    assert not page.all("img")
    assert any("beans" in text for text in page.text["text"])  # words stay words


def test_figures_have_the_colours_of_the_page(beans_report):
    pictures = "".join(re.findall(r"<svg.*?</svg>", beans_report.html, flags=re.S))
    assert re.findall(r"#[0-9a-fA-F]{6}\b", pictures) == []
    assert "var(--mj-blue)" in pictures
    assert "font-family" not in pictures


def draw(ax):
    """Two points, a curve that is cut off by the axes, and words."""
    ax.set(xlim=(0, 10), ylim=(0, 1), xlabel="budget", title="errors")
    ax.plot([-5, 0, 10, 15], [0.5, 0, 1, 0.5], color=canvas.BLUE)
    ax.scatter([0, 10], [0, 1], color=canvas.ORANGE)
    return ax


@pytest.fixture(scope="module")
def made():
    return figure("key", "A <title>", "It finds & says", draw, (3.0, 2.0), [(0, 0), (10, 1), (5, 0.5)])


def test_a_figure_is_drawn_for_a_desk_and_for_a_phone(made):
    boxes = [[float(x) for x in Page(text).all("svg")[0]["viewbox"].split()[2:]] for text in (made.wide, made.narrow)]
    np.testing.assert_allclose(boxes, 72 * np.array([[WIDE, 3.0], [NARROW, 2.0]]))
    for text in (made.wide, made.narrow):
        picture = Page(text)
        assert picture.open == []
        assert not {"width", "height"} & set(picture.all("svg")[0]), "the page says how large"
        assert not picture.all("style")
        assert not picture.all("metadata")


def test_places_are_those_of_the_points_in_per_cent(made):
    for (left, bottom), (right, top), (middle, half) in made.places:
        assert 0 < left < middle < right < 100
        assert 0 < top < half < bottom < 100, "counted from above"
        assert middle == pytest.approx((left + right) / 2, abs=0.02)
        assert half == pytest.approx((top + bottom) / 2, abs=0.02)
    assert made.places[0] != made.places[1]
    assert figure("key", "t", "f", draw, (3.0, 2.0)).places == ([], [])


def test_two_figures_on_one_page_share_no_id(made):
    other = figure("other", "A title", "It finds", draw, (3.0, 2.0))
    ids = [
        {attributes["id"] for _, attributes in Page(text).tags if "id" in attributes}
        for one in (made, other)
        for text in (one.wide, one.narrow)
    ]
    assert sum(map(len, ids)) == len(set().union(*ids))
    for text, own in zip((made.wide, made.narrow), ids, strict=False):
        targets = re.findall(r'(?:url\(#|href="#)([^")]+)', text)
        assert targets, "the curve is cut off at the axes"
        assert set(targets) <= own


def test_its_text_alternative_is_text(made):
    picture = Page(made.wide)
    assert (picture.text["title"], picture.text["desc"]) == (["A <title>"], ["It finds & says"])
    assert picture.all("svg")[0]["aria-labelledby"] == picture.all("title")[0]["id"]
    assert picture.all("svg")[0]["aria-describedby"] == picture.all("desc")[0]["id"]
    assert {"budget", "errors"} <= set(picture.text["text"])


def test_a_person_s_own_style_is_not_used_and_stays(made):
    mine = {"font.size": 30.0, "axes.facecolor": "red", "lines.linewidth": 9.0, "svg.fonttype": "path"}
    with mpl.rc_context(mine):
        again = figure("key", "A <title>", "It finds & says", draw, (3.0, 2.0), [(0, 0), (10, 1), (5, 0.5)])
        assert {name: mpl.rcParams[name] for name in mine} == mine
    assert again == made


def test_colours_of_ours_are_the_page_s_and_others_stay():
    def odd(ax):
        ax.plot([0, 1], [0, 1], color="#123456")
        ax.plot([1, 0], [0, 1], color=canvas.GREEN)
        return ax

    text = figure("odd", "t", "f", odd, (3.0, 2.0)).wide
    assert set(re.findall(r"#[0-9a-f]{6}\b", text)) == {"#123456"}
    assert {"var(--mj-green)", "var(--mj-ink)", "var(--mj-muted)"} <= set(re.findall(r"var\(--mj-\w+\)", text))


def test_dollars_and_scripts_of_any_kind_are_plain_letters():
    def odd(ax):
        ax.set_title("$x_1$ & שלום 😀")
        return ax

    assert "$x_1$ & שלום 😀" in Page(figure("odd", "t", "f", odd, (3.0, 2.0)).wide).text["text"]
