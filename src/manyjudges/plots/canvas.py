"""What all plots have in common: colours, axes, and names that may hold anything."""

from __future__ import annotations

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "any_script"]

import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from manyjudges.exceptions import ManyJudgesError

try:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text
    from matplotlib.ticker import FuncFormatter
except ImportError:
    raise ManyJudgesError(
        "plots need matplotlib, which is not here: pip install 'manyjudges[report]'.", value="matplotlib"
    ) from None

BLUE, ORANGE, GREEN, PURPLE, GREY = "#3b82c4", "#d55e00", "#1a936f", "#a463b0", "#7f8890"
"""All colours there are. Each has a contrast of 3 or more against white and against black."""

CHOSEN, OTHER, TRUTH = BLUE, GREY, GREY
"""What a plan buys, what it does not, and what would be perfect."""

CYCLE = (BLUE, ORANGE, GREEN, PURPLE)
MARKERS = ("o", "s", "^", "D")
"""Methods are told apart by both."""

_LONGEST_SHOWN_NAME = 28
"""Characters of a name that a plot shows."""


def expect(value: object, kind: type) -> None:
    """Refuse what a plot cannot draw."""
    if not isinstance(value, kind):
        raise ManyJudgesError(
            f"this plot draws {kind.__name__}, not {type(value).__name__}; see summarize.", value=value
        )


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (6.4, 4.0)) -> Axes:
    """The axes to draw on; pyplot makes them where none are given."""
    if ax is None:
        from matplotlib import pyplot as plt

        _, made = plt.subplots(figsize=size, layout="constrained")
        ax = made
    if not isinstance(ax, Axes):
        raise ManyJudgesError(
            f"ax must be matplotlib Axes, not {type(ax).__name__}; figure.subplots() makes some.", value=ax, column="ax"
        )
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    return ax


def grid(ax: Axes, which: Any = "both") -> None:
    """Faint lines to read values by."""
    ax.grid(axis=which, color=GREY, alpha=0.25, linewidth=0.8)


def percent(axis: Any) -> None:
    """Write an axis in per cent."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{round(100 * value, 9):g}\u202f%"))


def readable(name: object, most: int = _LONGEST_SHOWN_NAME) -> str:
    r"""A name on one line, without what cannot be drawn, and cut where it is long.

    >>> readable("a  name\nthat goes on and on and on and on", most=16)
    'a name that goe…'
    """
    plain = "".join(" " if unicodedata.category(c) in {"Cc", "Cs", "Cn", "Co"} else c for c in str(name))
    text = " ".join(plain.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


@contextmanager
def any_script() -> Iterator[None]:
    """No warning where matplotlib's font lacks a letter: a box is drawn for it, and an SVG keeps the letter."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+", category=UserWarning)
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support", category=UserWarning)
        yield


class Name(Annotation):
    """A text that somebody else wrote: never mathematics, and in any script."""

    def __init__(self, text: str, xy: Any, **options: Any) -> None:
        super().__init__(text, xy, **{"parse_math": False, "annotation_clip": False, "clip_on": False} | options)

    def draw(self, renderer: Any) -> None:
        """Draw it."""
        with any_script():
            super().draw(renderer)

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Any:
        """The box around it, without its leader."""
        with any_script():
            super().get_window_extent(renderer)  # finds its place
            return Text.get_window_extent(self, renderer, dpi)

    def get_tightbbox(self, renderer: Any = None) -> Any:
        """The box around it."""
        return self.get_window_extent(renderer)


def add_name(ax: Axes, text: str, xy: Any, **options: Any) -> Name:
    """Write a name on axes."""
    name = Name(text, xy, **options)
    ax.add_artist(name)
    return name


def row_names(ax: Axes, names: list[str]) -> None:
    """Names to the left of rows 0, 1, …, the first on top."""
    ax.set_yticks(range(len(names)), labels=[""] * len(names))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    for row, name in enumerate(names):
        add_name(
            ax,
            name,
            (0, row),
            xycoords=ax.get_yaxis_transform(),
            xytext=(-5, 0),
            textcoords="offset points",
            ha="right",
            va="center",
        )


def spread_labels(heights: list[float], gap: float, low: float = -np.inf, high: float = np.inf) -> list[float]:
    """Heights that keep their order and lie ``gap`` or more apart, near to the given ones, and between limits.

    >>> spread_labels([1.0, 1.1, 5.0], gap=1.0)
    [0.55, 1.55, 5.0]
    """
    order = sorted(range(len(heights)), key=lambda i: (heights[i], i))
    groups: list[tuple[float, int]] = []  # middle and number of those that touch
    for i in order:
        middle, many = heights[i], 1
        while groups and middle - groups[-1][0] < gap * (many + groups[-1][1]) / 2:
            other, count = groups.pop()
            middle, many = (middle * many + other * count) / (many + count), many + count
        groups.append((middle, many))
    groups = [(_within(middle, gap * (many - 1) / 2, low, high), many) for middle, many in groups]
    places = [middle + gap * (k - (many - 1) / 2) for middle, many in groups for k in range(many)]
    out = [0.0] * len(heights)
    for i, place in zip(order, places, strict=True):
        out[i] = round(place, 12)
    return out


def _within(middle: float, reach: float, low: float, high: float) -> float:
    return max(min(middle, high - reach), low + reach)
