"""Drawings of people who do not exist, for studies about a simulated crowd: what a judge sees fits what is true."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

PICTURE_SIZE = (240, 330)
_SCALE = 2
"""Drawn so many times as large, and then made smaller: soft edges."""

_TALLEST = 82.0
"""Inches that the picture is high."""

_SKIN = {"fair": "#f1cfb5", "between": "#d7a47c", "dark": "#8a5a3b"}
_HAIR = {"fair": "#d8b25e", "between": "#8b5a2b", "dark": "#2f2620"}
_OUTDOORS, _INDOORS, _WATER = "#cfe8f5", "#efe9df", "#7db5d8"
_GROUND, _FLOOR = "#a9c78f", "#cdb89b"
_COLOURS = ("#d1495b", "#edae49", "#00798c", "#8e6bbf", "#3f8f5b", "#e07a3f")
_DARK, _LIGHT = "#33383f", "#f4f1ea"


def person(true: Mapping[Any, float], height: float, number: int) -> bytes:
    """A drawing as PNG.

    Parameters
    ----------
    true : mapping
        What all judges would say on average, by attribute of the simulated photos: a share of those who say yes, or a
        number.
    height : float
        In inches.
    number : int
        Of the person; it chooses what no attribute says, such as the colour of a shirt.
    """
    from PIL import Image, ImageDraw

    width, tall = (side * _SCALE for side in PICTURE_SIZE)
    picture = Image.new("RGB", (width, tall), _OUTDOORS if true["outdoors"] > 0.5 else _INDOORS)
    pen = ImageDraw.Draw(picture)
    floor = round(tall * 0.93)
    pen.rectangle((0, floor - 40, width, tall), fill=_GROUND if true["outdoors"] > 0.5 else _FLOOR)
    if true["near-water"] > 0.5:
        pen.rectangle((0, floor - 90, width, floor - 40), fill=_WATER)
    _door(pen, width, floor, tall)
    _figure(pen, true, width / 2 + width * 0.1, floor, height / _TALLEST * floor, number)
    file = io.BytesIO()
    picture.reduce(_SCALE).quantize(64, method=Image.Quantize.FASTOCTREE).save(file, "PNG")
    return file.getvalue()


def _door(pen: Any, width: int, floor: int, tall: int) -> None:
    """A door of 80 inches beside everybody, to compare with."""
    top = floor - 80 / _TALLEST * floor * 0.98
    left, right = width * 0.05, width * 0.3
    pen.rectangle((left, top, right, floor), fill="#b98a5e", outline="#8d6843", width=6)
    pen.ellipse((right - 34, (top + floor) / 2, right - 18, (top + floor) / 2 + 16), fill="#e8cf8b")


def _figure(pen: Any, true: Mapping[str, float], x: float, floor: float, tall: float, number: int) -> None:
    head = tall * 0.075
    broad = tall * (0.062 + 0.0006 * (true["weight (numerical)"] - 150))
    broad = min(max(broad, tall * 0.04), tall * 0.12)
    hips, shoulders, chin = floor - tall * 0.46, floor - tall * 0.8, floor - tall + 2 * head
    skin, shirt = _shade(_SKIN, true, "fair-skin", "dark-skin"), _clothes(true, number)
    trousers = _COLOURS[(number * 3 + 1) % len(_COLOURS)] if true["wearing-colorful-clothes"] > 0.6 else "#4d5563"
    leg = broad * 0.42
    for side in (-1, 1):
        foot = x + side * broad * 0.55
        pen.line((x + side * broad * 0.45, hips, foot, floor), fill=skin, width=round(leg * 1.5))
        if true["wearing-a-dress"] < 0.5:
            ends = hips + (floor - hips) * (0.45 if true["wearing-shorts"] > 0.5 else 0.95)
            to = x + side * broad * (0.45 + 0.1 * (ends - hips) / (floor - hips))
            pen.line((x + side * broad * 0.45, hips, to, ends), fill=trousers, width=round(leg * 2))
        pen.ellipse(
            (foot - leg * 1.1, floor - leg * 0.8, foot + leg * 1.1 + side * leg * 0.4, floor + leg * 0.4), fill=_DARK
        )
        _arm(pen, true, x, side, broad, shoulders, hips, skin, shirt)
    wide = 1.25 if true["wearing-baggy-clothes"] > 0.5 else 1.0
    pen.rounded_rectangle(
        (x - broad * wide, shoulders, x + broad * wide, hips + tall * 0.03), radius=broad * 0.5, fill=shirt
    )
    if true["wearing-a-dress"] >= 0.5:
        hem = hips + (floor - hips) * 0.5
        pen.polygon(
            [(x - broad * wide, hips), (x + broad * wide, hips), (x + broad * 1.8, hem), (x - broad * 1.8, hem)], shirt
        )
    pen.rectangle((x - head * 0.32, chin - head * 0.2, x + head * 0.32, shoulders + head * 0.2), fill=skin)
    _head(pen, true, x, chin - head, head, skin)


def _arm(
    pen: Any,
    true: Mapping[str, float],
    x: float,
    side: int,
    broad: float,
    shoulders: float,
    hips: float,
    skin: str,
    shirt: str,
) -> None:
    start = (x + side * broad * 0.85, shoulders + broad * 0.35)
    out = 2.0 if true["hands-on-hips"] > 0.5 else 1.35
    elbow = (x + side * broad * out, (shoulders + hips) / 2)
    hand = (x + side * broad * (0.95 if out == 2.0 else 1.45), hips)
    thick = round(broad * 0.5)
    pen.line((*start, *elbow), fill=shirt, width=thick)
    pen.line((*elbow, *hand), fill=shirt if true["wearing-long-sleeves"] > 0.5 else skin, width=thick)
    pen.ellipse((hand[0] - thick * 0.6, hand[1] - thick * 0.6, hand[0] + thick * 0.6, hand[1] + thick * 0.6), fill=skin)


def _head(pen: Any, true: Mapping[str, float], x: float, y: float, r: float, skin: str) -> None:
    hair = "#b9b9b9" if true["over-50-years-old"] > 0.5 else _shade(_HAIR, true, "fair-hair", "dark-hair")
    if true["long-hair"] > 0.5:
        pen.rounded_rectangle((x - r * 1.15, y - r * 0.9, x + r * 1.15, y + r * 1.9), radius=r * 0.7, fill=hair)
    pen.ellipse((x - r, y - r * 1.12, x + r, y + r * 1.12), fill=skin)
    pen.chord((x - r * 1.04, y - r * 1.2, x + r * 1.04, y + r * 0.85), 190, 350, fill=hair)
    away = r * 0.3 if true["facing-sideways-(profile)"] > 0.5 else 0.0
    if true["has-beard"] > 0.5:
        pen.chord((x - r * 0.85, y - r * 0.4, x + r * 0.85, y + r * 1.15), 20, 160, fill=hair)
    look = 0.0 if true["looking-at-the-camera"] > 0.5 else r * 0.12
    for side in (-1, 1):
        eye = x + side * r * 0.36 + away + look
        pen.ellipse((eye - r * 0.09, y - r * 0.09, eye + r * 0.09, y + r * 0.09), fill=_DARK)
        if true["wearing-glasses"] > 0.5:
            pen.ellipse((eye - r * 0.28, y - r * 0.24, eye + r * 0.28, y + r * 0.24), outline=_DARK, width=4)
    mouth = (x - r * 0.38 + away, y + r * 0.2, x + r * 0.38 + away, y + r * 0.72)
    if true["smiling"] > 0.5:
        pen.chord(mouth, 15, 165, fill="#fff", outline="#9b4a3f", width=3)
    else:
        pen.line((mouth[0] + r * 0.1, y + r * 0.55, mouth[2] - r * 0.1, y + r * 0.55), fill="#9b4a3f", width=5)


def _shade(shades: Mapping[str, str], true: Mapping[str, float], fair: str, dark: str) -> str:
    if true[dark] > max(true[fair], 0.4):
        return shades["dark"]
    return shades["fair"] if true[fair] > 0.4 else shades["between"]


def _clothes(true: Mapping[str, float], number: int) -> str:
    if true["wearing-dark-colors"] > 0.6:
        return _DARK
    if true["wearing-light-colors"] > 0.6:
        return _LIGHT
    return _COLOURS[number % len(_COLOURS)]
