"""Figures: matplotlib's drawings as SVG that belongs to the page: its colours, its font, its text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from manyjudges.plots import canvas

_INK, _FAINT = "#0b0c0d", "#5a5b5c"
"""Colours that stand for the page's own."""

_COLOURS = {
    _INK: "var(--mj-ink)",
    _FAINT: "var(--mj-muted)",
    canvas.BLUE: "var(--mj-blue)",
    canvas.ORANGE: "var(--mj-orange)",
    canvas.GREEN: "var(--mj-green)",
    canvas.PURPLE: "var(--mj-purple)",
    canvas.GREY: "var(--mj-muted)",
}

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "manyjudges",
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": _INK,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.unicode_minus": True,
    "xtick.color": _FAINT,
    "ytick.color": _FAINT,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "legend.labelcolor": _INK,
}

WIDE, NARROW = 7.4, 3.7
"""Inches: for a desk and for a phone, so that letters have a readable size on both."""

Draw = Callable[[Axes], Axes]


@dataclass(frozen=True)
class Figure:
    """A figure in two widths, of which the page shows the one that fits.

    Attributes
    ----------
    key : str
        Prefix of all ids in it.
    title, finding : str
        What it is, and what it says; the text alternative of the drawing.
    wide, narrow : Markup
    places : tuple of two lists
        Where points of the data that were asked for lie in each drawing, in per cent from its left and top.
    """

    key: str
    title: str
    finding: str
    wide: Markup
    narrow: Markup
    places: tuple[list[list[float]], list[list[float]]]


def figure(key: str, title: str, finding: str, draw: Draw, heights: tuple[float, float], points: Any = ()) -> Figure:
    """Draw a figure in both widths.

    Parameters
    ----------
    key, title, finding : str
        As in :class:`Figure`.
    draw : callable
        Draws on axes.
    heights : tuple of two floats
        In inches, of the wide and the narrow one.
    points : sequence of pairs
        Points of the data whose places are wanted.
    """
    made = [
        _drawing(f"{key}-{name}", title, finding, draw, (width, height), points)
        for name, width, height in (("wide", WIDE, heights[0]), ("narrow", NARROW, heights[1]))
    ]
    return Figure(key, title, finding, made[0][0], made[1][0], (made[0][1], made[1][1]))


def _drawing(
    key: str, title: str, finding: str, draw: Draw, size: tuple[float, float], points: Any
) -> tuple[Markup, list[list[float]]]:
    with mpl.rc_context():
        mpl.rcdefaults()  # a person's own style is for that person's plots
        mpl.rcParams.update(_STYLE)
        page = Canvas(figsize=size, dpi=72, layout="constrained")
        ax = draw(page.subplots())
        text = io.StringIO()
        with canvas.any_script():
            page.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    places = []
    if len(points):
        pixels = ax.transData.transform(np.asarray(points, dtype=float)) / (72 * np.array(size))
        places = [[round(100 * float(x), 2), round(100 * (1 - float(y)), 2)] for x, y in pixels]
    return Markup(_for_page(text.getvalue(), key, title, finding)), places  # noqa: S704  # built from escaped parts


def _for_page(text: str, key: str, title: str, finding: str) -> str:
    """An SVG without a prologue, whose ids are its own, whose colours are the page's, with a text alternative."""
    root = ElementTree.fromstring(text)  # noqa: S314  # matplotlib wrote it a moment ago
    for parent in list(root.iter()):
        for child in list(parent):
            if _plain(child.tag) in {"metadata", "style"}:
                parent.remove(child)
    for element in root.iter():
        element.tag = _plain(element.tag)
        element.attrib = {_plain(name): _of_page(_plain(name), value, key) for name, value in element.attrib.items()}
        if element.tag != "text" and element.tail is not None and not element.tail.strip():
            element.tail = None
        if element.tag != "text" and element.text is not None and not element.text.strip():
            element.text = None
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib |= {"id": key, "role": "img", "aria-labelledby": f"{key}-title", "aria-describedby": f"{key}-desc"}
    for position, (tag, words) in enumerate((("title", title), ("desc", finding))):
        element = ElementTree.Element(tag, {"id": f"{key}-{tag}"})
        element.text = words
        root.insert(position, element)
    return ElementTree.tostring(root, encoding="unicode")


def _plain(name: str) -> str:
    return name.rpartition("}")[2]


def _of_page(name: str, value: str, key: str) -> str:
    if name == "id":
        return f"{key}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{key}-{value[1:]}"
    if name in {"style", "clip-path"}:
        value = re.sub(r"url\(#([^)]*)\)", rf"url(#{key}-\1)", value)
        value = re.sub(r"font-family:[^;]*;?\s*", "", value)
        return re.sub(r"#[0-9a-f]{6}", lambda match: _COLOURS.get(match[0], match[0]), value)
    if name == "d":
        return re.sub(r"(\.\d\d)\d+", r"\1", " ".join(value.split()))
    return value
