"""Charts of the researcher's page: small drawings as SVG, made on the server. Colours are the style sheet's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from manyjudges.base.formatting import fixed

WIDE_CHART, NARROW_CHART = 640, 320
"""Widths that a chart is drawn for: a desk and a phone."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 12, 34


_NEAR, _TINY = 1e-9, 1e-11
"""Limits that differ by no more than this, as a share or at all, are equal but for rounding; marks have 12 decimals."""


@dataclass(frozen=True)
class Point:
    """A number with its limits, over a place on the axis."""

    x: float
    y: float
    low: float
    high: float
    chosen: bool = False


def _ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers from below the one to above the other.

    >>> _ticks(0, 87), _ticks(0.21, 0.34)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.2, 0.25, 0.3, 0.35])
    """
    if not high - low > max(_NEAR * max(abs(low), abs(high)), _TINY):
        high = low + max(abs(low), abs(high), 1.0 if abs(low) <= _TINY else 0.0)
    rough = (high - low) / about
    size = 10.0 ** math.floor(math.log10(rough))
    step = min((m * size for m in (1, 2, 5, 10)), key=lambda step_size: abs(math.log(step_size / rough)))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(at * step, 12) for at in range(first, last + 1)]


def stacked(parts: Sequence[tuple[str, float]], total: float) -> Markup:
    """A bar of parts of a total, each with the class that colours it."""
    drawn, at = [], 0.0
    for name, size in parts:
        share = 100 * min(max(size / total if total > 0 else 0.0, 0.0), 1.0 - at / 100)
        drawn.append(_tag("rect", x=at, y=0, width=share, height=10, class_=name))
        at += share
    ground = _tag("rect", x=0, y=0, width=100, height=10, class_="ground")
    box = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none"}
    return _svg("bar", "", [ground, *drawn], box)


def columns(values: Sequence[int], labels: Sequence[str], description: str, width: int = WIDE_CHART) -> Markup:
    """Columns side by side; of the labels, which may be empty, as many are written as fit."""
    height, frame = 190, _Frame(width, 190, _ticks(0, max(*values, 4)))
    wide = frame.width / max(len(values), 1)
    drawn = frame.grid()
    for at, value in enumerate(values):
        top = frame.down(value)
        place = {"x": _LEFT + at * wide + wide * 0.14, "width": wide * 0.72}
        drawn.append(_tag("rect", **place, y=top, height=frame.floor - top, class_="column", rx=1.5))
        if labels[at]:
            drawn.append(_text(_LEFT + (at + 0.5) * wide, frame.floor + 20, labels[at], "middle"))
    return _svg("chart", description, drawn, {"viewBox": f"0 0 {width} {height}"})


def errors(
    points: Sequence[Point], labels: Sequence[str], description: str, axis: str, width: int = WIDE_CHART
) -> Markup:
    """Errors with their limits, joined by a line; the label of each is written where there is room."""
    height = 250
    frame = _Frame(width, height, _ticks(min(p.low for p in points), max(p.high for p in points)))
    first, last = min(p.x for p in points), max(p.x for p in points)
    room = frame.width - 30
    places = [_LEFT + 15 + room * ((p.x - first) / (last - first) if last > first else 0.5) for p in points]
    drawn = frame.grid()
    upper = [f"{x:.1f},{frame.down(p.high):.1f}" for x, p in zip(places, points, strict=True)]
    lower = [f"{x:.1f},{frame.down(p.low):.1f}" for x, p in zip(places, points, strict=True)]
    drawn.append(_tag("polygon", points=" ".join([*upper, *reversed(lower)]), class_="band"))
    line = " ".join(f"{x:.1f},{frame.down(p.y):.1f}" for x, p in zip(places, points, strict=True))
    drawn.append(_tag("polyline", points=line, class_="line"))
    for x, p in zip(places, points, strict=True):
        drawn.append(_tag("line", x1=x, x2=x, y1=frame.down(p.low), y2=frame.down(p.high), class_="limits"))
        drawn.append(_tag("circle", cx=x, cy=frame.down(p.y), r=6 if p.chosen else 4, class_=_dot(p)))
    for at in _fitting(places, labels, [p.chosen for p in points]):
        drawn.append(_text(places[at], frame.floor + 18, labels[at], "middle"))
    drawn.append(_text(_LEFT + frame.width / 2, height - 2, axis, "middle", "axis"))
    return _svg("chart", description, drawn, {"viewBox": f"0 0 {width} {height}"})


def _fitting(places: Sequence[float], labels: Sequence[str], chosen: Sequence[bool]) -> list[int]:
    """Which labels can be written without touching each other; the chosen one comes first, then those from the right.

    >>> _fitting([0, 10, 100], ["1", "2", "10"], [False, True, False])
    [1, 2]
    """
    order = sorted(range(len(places)), key=lambda at: (not chosen[at], -at))
    written: list[int] = []
    for at in order:
        half = 4.2 * len(labels[at]) + 4
        if all(abs(places[at] - places[other]) > half + 4.2 * len(labels[other]) for other in written):
            written.append(at)
    return sorted(written)


class _Frame:
    """The plane of a chart, from 0 or the lowest tick up."""

    def __init__(self, width: int, height: int, marks: Sequence[float]) -> None:
        self.marks = marks
        self.width, self.floor = width - _LEFT - _RIGHT, height - _BOTTOM

    def down(self, value: float) -> float:
        low, high = self.marks[0], self.marks[-1]
        return _TOP + (self.floor - _TOP) * (1 - (value - low) / (high - low))

    def grid(self) -> list[Markup]:
        drawn = []
        step = self.marks[1] - self.marks[0]
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        for mark in self.marks:
            y = self.down(mark)
            drawn.append(_tag("line", x1=_LEFT, x2=_LEFT + self.width, y1=y, y2=y, class_="rule"))
            drawn.append(_text(_LEFT - 7, y + 4, fixed(mark, decimals), "end"))
        return drawn


def _dot(point: Point) -> str:
    return "dot chosen" if point.chosen else "dot"


def _text(x: float, y: float, text: str, anchor: str, kind: str = "tick") -> Markup:
    place = Markup('<text x="{}" y="{}" text-anchor="{}" class="{}">{}</text>')
    return place.format(f"{x:.1f}", f"{y:.1f}", anchor, kind, text)


def _tag(name: str, **attributes: object) -> Markup:
    written = [
        Markup('{}="{}"').format(key.rstrip("_"), f"{value:.2f}" if isinstance(value, float) else value)
        for key, value in attributes.items()
    ]
    return Markup("<{} {}/>").format(name, Markup(" ").join(written))


def _svg(kind: str, description: str, drawn: Sequence[Markup], box: dict[str, str]) -> Markup:
    """A drawing; where nothing is said of it, it stands beside its numbers and is passed over."""
    spoken = Markup('role="img" aria-label="{}"').format(description) if description else Markup('aria-hidden="true"')
    box_attributes = Markup(" ").join(Markup('{}="{}"').format(key, value) for key, value in box.items())
    return Markup('<svg class="{}" {} {} focusable="false">{}</svg>').format(
        kind, box_attributes, spoken, Markup("").join(drawn)
    )
