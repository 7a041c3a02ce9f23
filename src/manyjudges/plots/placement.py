"""Placement: where names go, so that none hides another. Geometry alone, in pixels, without chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from manyjudges.arrays.types import Floats
from manyjudges.plots.canvas import Name

_RINGS = (2.0, 8.0, 16.0, 28.0, 44.0, 64.0, 90.0, 124.0, 170.0)
"""Distances from a marker's edge at which a name is tried, in points."""

_ANGLES = np.deg2rad(np.array([0, 180, 90, 270, 30, 330, 150, 210, 60, 300, 120, 240, 15, 345, 165, 195]))
"""Directions in the order of preference: beside a marker first, then above and below."""

_NAME_GAP = 1.5
"""Points between two names."""

_LEADER = 5.0
"""Points of distance from which a line shows what a name belongs to."""

_HIDDEN_MARKER, _CROSSED_NAME = 50.0, 25.0
"""What hiding a marker, or leading a line across a name, costs, in points of distance."""


def place(
    points: Floats, sizes: Floats, radii: Floats, frame: tuple[float, float, float, float], reach: Floats | None = None
) -> Floats:
    """Lower left corners of boxes that lie within the frame and do not overlap, the first box served first.

    Parameters
    ----------
    points : (n, 2) array
        What each box belongs to.
    sizes : (k, 2) array
        Widths and heights of the boxes of the first ``k`` points.
    radii : (n,) array
        Of the markers.
    frame : tuple
        Left, bottom, right and top.
    reach : (k,) array, optional
        How far from its marker each box may lie; without it, as far as it takes.

    Returns
    -------
    (k, 2) array
        NaN for a box that has no place.

    Examples
    --------
    >>> place(np.array([[50.0, 50.0], [52.0, 50.0]]), np.array([[20.0, 8.0]] * 2), np.array([3.0, 3.0]), (0, 0, 99, 99))
    array([[55., 46.],
           [27., 46.]])
    """
    corners = np.full(sizes.shape, np.nan)
    boxes, ends = np.empty((0, 4)), np.empty((0, 2, 2))
    for i, size in enumerate(sizes):
        tried, distance = _candidates(points[i], size, float(radii[i]))
        leaders = _leaders(points[i], tried)
        near = distance <= (np.inf if reach is None else reach[i])
        free = near & _inside(tried, frame) & ~_overlaps(tried, boxes).any(axis=1)
        if not free.any():
            continue
        cost = distance + _HIDDEN_MARKER * _covered(tried, points, radii)
        cost += _CROSSED_NAME * (_crossed(leaders, boxes).sum(axis=1) + _crossed(ends, tried).sum(axis=0))
        best = int(np.argmin(np.where(free, cost, np.inf)))
        corners[i] = tried[best, :2]
        boxes, ends = np.vstack([boxes, tried[best]]), np.vstack([ends, leaders[best][None]])
    return corners


def _candidates(point: Floats, size: Floats, radius: float) -> tuple[Floats, Floats]:
    """Boxes (left, bottom, right, top) around a point, and how far off and out of favour each is."""
    away = radius + np.repeat(_RINGS, len(_ANGLES))[:, None]
    angles = np.tile(_ANGLES, len(_RINGS))
    direction = np.column_stack([np.cos(angles), np.sin(angles)])
    middle = point + direction * away + np.round(direction, 9) * size / 2
    preference = np.tile(np.arange(len(_ANGLES)), len(_RINGS)) / len(_ANGLES)
    return np.hstack([middle - size / 2, middle + size / 2]), away[:, 0] - radius + 4 * preference


def _leaders(point: Floats, boxes: Floats) -> Floats:
    """Lines from a point to the nearest point of each box."""
    return np.stack([np.broadcast_to(point, (len(boxes), 2)), np.clip(point, boxes[:, :2], boxes[:, 2:])], axis=1)


def _inside(boxes: Floats, frame: tuple[float, float, float, float]) -> Any:
    left, bottom, right, top = frame
    return (boxes[:, :2] >= [left, bottom]).all(axis=1) & (boxes[:, 2:] <= [right, top]).all(axis=1)


def _overlaps(boxes: Floats, other_boxes: Floats) -> Any:
    a, b = boxes[:, None, :], other_boxes[None, :, :]
    return (a[..., :2] < b[..., 2:] + _NAME_GAP).all(axis=2) & (b[..., :2] < a[..., 2:] + _NAME_GAP).all(axis=2)


def _covered(boxes: Floats, points: Floats, radii: Floats) -> Any:
    """How many markers each box touches."""
    nearest = np.clip(points[None], boxes[:, None, :2], boxes[:, None, 2:])
    return (((nearest - points[None]) ** 2).sum(axis=2) < radii[None] ** 2).sum(axis=1)


def _crossed(lines: Floats, boxes: Floats) -> Any:
    """Which line runs through which box, by points along it."""
    steps = np.linspace(0.05, 0.95, 9)[None, :, None]
    along = lines[:, :1] + steps * (lines[:, 1:] - lines[:, :1])
    inside: Any = (along[:, :, None] > boxes[None, None, :, :2]) & (along[:, :, None] < boxes[None, None, :, 2:])
    return inside.all(axis=3).any(axis=1)


class Arranger(Artist):
    """Finds the names' places whenever the axes are drawn, since only then their size in pixels is known.

    Parameters
    ----------
    ax : Axes
        Gets the arranger, below everything else, so that names are drawn where it has put them.
    points : (n, 2) array
        In units of the data, those with a name first.
    names : list of Name
        Of the first points.
    reach : (k,) array
        How far from its marker each name may lie, in points.
    radii : (n,) array
        Of the markers, in points.
    note : Text
        Says how many have no name.
    """

    def __init__(self, ax: Axes, points: Floats, names: list[Name], reach: Floats, radii: Floats, note: Any) -> None:
        super().__init__()
        self.points, self.names, self.reach, self.radii, self.note = points, names, reach, radii, note
        self.set_zorder(-10)
        self.set_in_layout(False)
        ax.add_artist(self)

    def draw(self, renderer: Any) -> None:
        """Put each name in its place; draw nothing."""
        ax = self.axes
        if ax is None or not len(self.points):
            self.note.set_text("")
            return
        figure = ax.get_figure(root=True)
        scale = (72.0 if figure is None else figure.dpi) / 72
        pixels = np.asarray(ax.transData.transform(self.points), dtype=float)
        for name in self.names:
            name.set_visible(True)  # what is hidden has no size
        extents = [name.get_window_extent(renderer) for name in self.names]
        sizes = np.array([[box.width, box.height] for box in extents]).reshape(-1, 2)
        left, bottom, right, top = (float(value) / scale for value in ax.bbox.extents)
        corners = place(pixels / scale, sizes / scale, self.radii, (left, bottom, right, top), self.reach)
        for i, name in enumerate(self.names):
            point, size = pixels[i] / scale, sizes[i] / scale
            gap = float(np.hypot(*(np.clip(point, corners[i], corners[i] + size) - point))) - float(self.radii[i])
            _move(name, corners[i], point, far=gap > _LEADER)
        unnamed = len(self.points) - int(np.isfinite(corners[:, 0]).sum())
        self.note.set_text(f"{unnamed} more, not named" if unnamed else "")


def _move(name: Name, corner: Floats, point: Floats, far: bool) -> None:
    there = bool(np.isfinite(corner[0]))
    name.set_visible(there)
    if there:
        name.xyann = tuple(corner - point)
        if name.arrow_patch is not None:
            name.arrow_patch.set_visible(far)
