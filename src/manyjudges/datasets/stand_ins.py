"""Stand-ins: stand-ins for data that nobody published, or that is not at hand."""

from __future__ import annotations

__all__ = ["make_height_weight", "make_slice"]

from dataclasses import dataclass

import numpy as np
import pandas as pd

from manyjudges import simulate
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.base.seeds import generator
from manyjudges.datasets.ct_slices import Slices, named
from manyjudges.exceptions import DatasetError
from manyjudges.simulate.crowd import SimulatedCrowd

_BONE, _AIR = (24, 10), (18, 8)
"""Sectors and rings of the two histograms; the rings of a sector are adjacent bins."""
_OUTSIDE = -0.25
_MOST_PATIENTS = 97
_ANATOMY = 20_110_206
"""The seed of the one anatomy that all patients are variations of."""


def make_height_weight(
    n_objects: int = 880, *, label: str = "height", random_state: int | None = None
) -> SimulatedCrowd:
    """People on photos, after the paper's table of attributes: predict their height or weight.

    The paper published no judgments, but for 37 binary and 2 numeric attributes how noisy each is and how it goes with
    both labels. Its units are not stated. Here, as in :func:`manyjudges.simulate.height_weight`, its noise is read as
    v/σ², and its correlation as b/σ with the label divided by its range, which gives the label a standard deviation of
    0.25 (height) or 0.18 (weight). Read literally as v/σ, a guess of weight from a photo would be good to 6 pounds.
    How often an answer is yes, and how attributes go together beyond the labels, is our own guess. A numeric judgment
    costs 4, the others 1.

    Parameters
    ----------
    n_objects : int
    label : {"height", "weight"}
        In inches or pounds.
    random_state : int, optional

    Returns
    -------
    SimulatedCrowd

    Examples
    --------
    >>> crowd = make_height_weight(50, random_state=0)
    >>> len(crowd.attributes), crowd.costs
    (39, {'height (numerical)': 4.0, 'weight (numerical)': 4.0})
    """
    return simulate.height_weight(n_objects, label=label, random_state=random_state)


def make_slice(n_objects: int = 2000, *, random_state: int | None = None) -> Slices:
    """Simulated slices through bodies, of the same shape as those of :func:`fetch_slice`.

    One fixed anatomy of bones and hollows is cut at a random height, which is the label (from 0 to about 100), after
    each patient has got a body of their own: shifted along the axis, larger or smaller, with bones of other strength.
    Values depend smoothly, but not linearly, on the label, lie between 0 and 1, and are -0.25 outside of the image.

    Compared with the 682 + 78 genuine rows at hand (genuine → simulated): v/σ² of the 48 attributes has the median
    4.1 → 3.9 and lies between 1.2 and 8.9 → 1.8 and 8.6; correlations between attributes have the median 0.24 and 0.26
    → 0.24 in absolute value, those with the label 0.22 and 0.38 → 0.28; all attributes together explain, linearly, 0.89
    and 0.98 → 0.92 of the label's variance; of all values, 15 % and 16 % → 12 % are outside and 65 % → 68 % are 0.
    Nothing else was fitted: where bones lie is invented, so that no single attribute is like its namesake.

    Parameters
    ----------
    n_objects : int
    random_state : int, optional

    Returns
    -------
    Slices

    Examples
    --------
    >>> slices = make_slice(100, random_state=0)
    >>> slices.values.shape, slices.simulated, slices.attributes[0]
    ((100, 384), True, 'bins 000–007')
    """
    if isinstance(n_objects, bool) or not isinstance(n_objects, int | np.integer) or n_objects < 1:
        raise DatasetError(
            f"n_objects must be a whole number of 1 or more, not {quote_value(n_objects)}.",
            value=n_objects,
            column="n_objects",
        )
    rng = generator(random_state)
    patients = np.sort(rng.integers(0, min(_MOST_PATIENTS, max(2, n_objects // 8)), size=n_objects))
    height = np.empty(n_objects)
    values = np.empty((n_objects, _BONE[0] * _BONE[1] + _AIR[0] * _AIR[1]))
    for patient in np.unique(patients):
        own = patients == patient
        height[own], values[own] = _scan(int(own.sum()), rng)
    labels = pd.Series(height, index=named(n_objects), name="reference")
    return Slices(values, labels, _from_zero(patients), simulated=True, source="simulated by make_slice")


def _scan(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Heights and values of some slices through one patient."""
    first = rng.uniform(0, 75)
    height = np.sort(first + rng.uniform(10, 30) * rng.random(n))
    along = height + rng.normal(0, 1.5)  # the label says where a slice would be in a standard body
    body = np.exp(rng.normal(0, 0.04))
    bone = _histogram(_BONES, along, body, rng)
    air = _histogram(_HOLLOWS, along, body, rng)
    return height, np.hstack([bone, air])


@dataclass(frozen=True)
class _Stuff:
    """What fills a histogram: round things, how many, how wide, and how long along the axis."""

    shape: tuple[int, int]
    n: int
    width: float
    length: float
    least: float
    """How much of them there must be in a bin before it counts."""


_BONES = _Stuff(_BONE, n=91, width=0.094, length=4.8, least=1.06)
_HOLLOWS = _Stuff(_AIR, n=15, width=0.226, length=10.1, least=1.65)


def _histogram(stuff: _Stuff, height: Floats, body: float, rng: np.random.Generator) -> Floats:
    """How full each bin is at each height of one body."""
    x, y, radius, angle = _bins(stuff.shape)
    at_x, at_y, at_height, strength = _anatomy(stuff)
    strength = strength * np.exp(rng.normal(0, 0.25, stuff.n))
    moved = rng.normal(0, 0.02, (2, stuff.n))
    up = (y[:, None] * body - at_y - moved[1]) ** 2
    left, right = ((x[:, None] * body - side * at_x - moved[0]) ** 2 + up for side in (-1, 1))
    across = (np.exp(-left / (2 * stuff.width**2)) + np.exp(-right / (2 * stuff.width**2))) * strength
    here = np.exp(-((height[:, None] - at_height) ** 2) / (2 * stuff.length**2))
    field = here @ across.T - stuff.least + rng.normal(0, 0.06, (len(height), len(x)))
    values = np.clip(1.2 * (1 - np.exp(-1.5 * field)), 0.0, 1.0)
    values[_outside(radius, angle, height, rng)] = _OUTSIDE
    return np.asarray(values)


def _bins(shape: tuple[int, int]) -> tuple[Floats, Floats, Floats, Floats]:
    """Where the middle of each bin is, the image being one unit high and wide from its middle."""
    sectors, rings = shape
    angle = np.repeat((np.arange(sectors) + 0.5) * 2 * np.pi / sectors, rings)
    radius = np.tile((np.arange(rings) + 0.5) / rings, sectors)
    return radius * np.cos(angle), radius * np.sin(angle), radius, angle


def _anatomy(stuff: _Stuff) -> tuple[Floats, Floats, Floats, Floats]:
    """Place, height and strength of what a body consists of on one side, the same for everyone."""
    rng = np.random.default_rng([_ANATOMY, *stuff.shape])
    radius, angle = np.sqrt(rng.random(stuff.n)) * 0.7, rng.uniform(-np.pi / 2, np.pi / 2, stuff.n)
    height = rng.uniform(-10, 115, stuff.n)
    return radius * np.cos(angle), radius * np.sin(angle), height, rng.uniform(0.5, 2.0, stuff.n)


def _outside(radius: Floats, angle: Floats, height: Floats, rng: np.random.Generator) -> Floats:
    """Which bins lie outside of the image, which is cut to the body: wider than high, and more so lower down."""
    high = rng.uniform(0.62, 0.85) - 0.08 * np.sin(height / 25.0)
    reach = np.minimum(0.93 / np.maximum(np.abs(np.cos(angle)), 1e-9), high[:, None] / np.abs(np.sin(angle)))
    return np.asarray(radius > reach)


def _from_zero(codes: Integers) -> Integers:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
