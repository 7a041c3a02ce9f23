"""Example pictures: drawings of jelly beans, something to judge before you have objects of your own."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass

import numpy as np

_WIDTH, _HEIGHT = 360, 420
_SHARPNESS = 2
"""How much larger a drawing is made before it is reduced, which smooths its edges."""

_PAPER, _GLASS, _EDGE, _LID = "#fbf7f0", "#eef5f7", "#7d97a5", "#b7793f"
_COLOURS = ("#d5473d", "#f0a630", "#4f9d5d", "#3d78b8", "#8a5aa8", "#e58aa8")
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 300.0, 90.0, 390.0

_Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Jar:
    """A drawing of a jar.

    Attributes
    ----------
    beans : int
        How many beans are in it, none of them hidden.
    picture : bytes
        A PNG file.
    """

    beans: int
    picture: bytes


def draw_jars(count: int, *, seed: int = 0) -> list[Jar]:
    """So many jars, the same for the same seed: round or straight, more or less full, with small or big beans."""
    rng = np.random.default_rng(seed)
    return [_draw(rng) for _ in range(count)]


def _draw(rng: np.random.Generator) -> Jar:
    from PIL import Image, ImageDraw

    bulge = 30.0 if rng.random() < 0.5 else 0.0
    size = float(rng.uniform(17, 34))
    fullness = float(rng.uniform(0.25, 0.97))
    colours = rng.permutation(len(_COLOURS))[: int(rng.integers(1, 6))]
    image = Image.new("RGB", (_WIDTH * _SHARPNESS, _HEIGHT * _SHARPNESS), _PAPER)
    pencil = ImageDraw.Draw(image)
    pencil.polygon(_scaled(_outline(bulge)), fill=_GLASS, outline=_EDGE, width=4 * _SHARPNESS)
    places = _places(bulge, size, fullness, rng)
    for x, y in places:
        colour = _COLOURS[colours[int(rng.integers(len(colours)))]]
        bean = _bean(x, y, size, float(rng.uniform(0, math.pi)))
        pencil.polygon(_scaled(bean), fill=colour, outline="#00000055", width=_SHARPNESS)
        pencil.ellipse(_scaled([(x - size / 6, y - size / 5), (x, y - size / 12)]), fill="#ffffff")
    pencil.rounded_rectangle(_scaled([(_LEFT + 10, 52), (_RIGHT - 10, _TOP)]), radius=8 * _SHARPNESS, fill=_LID)
    file = io.BytesIO()
    image.resize((_WIDTH, _HEIGHT), Image.Resampling.LANCZOS).quantize(64).save(file, "PNG", optimize=True)
    return Jar(len(places), file.getvalue())


def _outline(bulge: float) -> _Points:
    """A jar with straight sides, or with sides that bulge."""
    heights = [_TOP + (_BOTTOM - _TOP) * step / 40 for step in range(41)]
    sides = [(y, _reach(y, bulge)) for y in heights]
    return [(180 - reach, y) for y, reach in sides] + [(180 + reach, y) for y, reach in reversed(sides)]


def _reach(y: float, bulge: float) -> float:
    """How far the glass is from the middle at a height."""
    part = (y - _TOP) / (_BOTTOM - _TOP)
    straight = (_RIGHT - _LEFT) / 2 - bulge
    return straight + 2 * bulge * math.sin(math.pi * part) if bulge else straight


def _places(bulge: float, size: float, fullness: float, rng: np.random.Generator) -> _Points:
    """Where the beans lie: in rows from the bottom, somewhat shaken, each to be seen."""
    places: _Points = []
    y, row = _BOTTOM - 4 - size / 2, 0
    while y > _BOTTOM - fullness * (_BOTTOM - _TOP) + size / 2:
        room = min(_reach(y + size / 2, bulge), _reach(y - size / 2, bulge)) - size / 2 - 8
        fitting = int(2 * room // size) + 1 - row % 2
        for place in range(fitting):
            x = 180 + (place - (fitting - 1) / 2) * size
            places.append((x + float(rng.uniform(-0.06, 0.06)) * size, y + float(rng.uniform(-0.06, 0.06)) * size))
        y, row = y - 0.92 * size, row + 1
    return places


def _bean(x: float, y: float, size: float, turn: float) -> _Points:
    """An oval, a little bent, turned."""
    points = []
    for step in range(32):
        angle = 2 * math.pi * step / 32
        along, across = 0.52 * size * math.cos(angle), 0.36 * size * math.sin(angle)
        across += 0.5 * along * along / size
        points.append(
            (x + along * math.cos(turn) - across * math.sin(turn), y + along * math.sin(turn) + across * math.cos(turn))
        )
    return points


def _scaled(points: _Points) -> _Points:
    return [(x * _SHARPNESS, y * _SHARPNESS) for x, y in points]
