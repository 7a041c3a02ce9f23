"""Populations: which simulated crowds there are."""

from __future__ import annotations

__all__ = ["LABEL_UNITS", "essays", "gaussian", "height_weight", "jelly_beans"]

import csv
from importlib import resources
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from manyjudges.arrays.types import Floats
from manyjudges.exceptions import ManyJudgesError
from manyjudges.simulate.crowd import Population, SimulatedCrowd, check_count, indicator_covariance, normal_density
from manyjudges.simulate.ratings import RatingPopulation


def gaussian(
    n_objects: int = 200,
    n_attributes: int = 20,
    *,
    noise: tuple[float, float] = (0.3, 3.0),
    r_squared: float = 0.8,
    random_state: int | None = None,
) -> SimulatedCrowd:
    """A crowd with numeric attributes that vary together at random.

    Parameters
    ----------
    n_objects, n_attributes : int
    noise : pair of float
        Smallest and largest noise variance; an attribute's true values have variance 1.
    r_squared : float
        Share of the label's variance that the true values of all attributes explain.
    random_state : int, optional
    """
    rng = np.random.default_rng(random_state)
    # Common causes, a third as many as attributes, and something of its own for each; scaled to variance 1.
    factors = rng.standard_normal((n_attributes, max(2, n_attributes // 3)))
    latent = factors @ factors.T + np.diag(rng.uniform(0.5, 2.0, n_attributes))
    latent /= np.sqrt(np.outer(np.diag(latent), np.diag(latent)))
    # The label is a weighted sum of about half of the attributes: Cov[x, y] = R w. The 1e-3 keeps w from being 0.
    direction = latent @ (rng.standard_normal(n_attributes) * (rng.random(n_attributes) < 0.5) + 1e-3)
    # Scaled to make c'R⁻¹c, the variance that all attributes together explain of a label with variance 1, r_squared.
    with_label = direction * np.sqrt(r_squared / (direction @ np.linalg.solve(latent, direction)))
    nothing = np.full(n_attributes, np.nan)
    population = Population(
        attributes=tuple(f"a{i:0{len(str(n_attributes - 1))}d}" for i in range(n_attributes)),
        correlation=np.block([[latent, with_label[:, None]], [with_label, 1.0]]),
        label_mean=10.0,
        label_deviation=2.0,
        mean=rng.uniform(-1, 1, n_attributes),
        deviation=np.ones(n_attributes),
        noise=rng.uniform(*noise, n_attributes),
        threshold=nothing,
        loading=nothing,
        costs={},
    )
    return SimulatedCrowd(population, n_objects, rng)


def jelly_beans(n_objects: int = 200, *, random_state: int | None = None) -> SimulatedCrowd:
    """Jars of jelly beans, the paper's example: guess the number of beans from a picture.

    The guess is too high for round jars and too low for beautiful ones, so that asking about those corrects it.
    """
    #                        beautiful  mono  number  round  label
    correlation = np.array([[1.00, 0.10, -0.20, 0.10, 0.15],
                            [0.10, 1.00, -0.10, 0.00, 0.15],
                            [-0.20, -0.10, 1.00, 0.35, 0.75],
                            [0.10, 0.00, 0.35, 1.00, 0.00],
                            [0.15, 0.15, 0.75, 0.00, 1.00]])  # fmt: skip
    nan = np.nan
    population = Population(
        attributes=("beautiful", "monochromatic", "number of beans", "round jar"),
        correlation=correlation,
        label_mean=1000.0,
        label_deviation=300.0,
        mean=np.array([nan, nan, 950.0, nan]),
        deviation=np.array([nan, nan, 280.0, nan]),
        noise=np.array([nan, nan, 250.0**2, nan]),
        threshold=np.array([0.2, -0.8, nan, 0.0]),
        loading=np.sqrt([0.35, 0.97, nan, 0.90]),
        costs={},
        label="beans",
    )
    return SimulatedCrowd(population, n_objects, np.random.default_rng(random_state))


def essays(n_objects: int = 300, *, random_state: int | None = None) -> SimulatedCrowd:
    """Essays that 40 graders rate on eight criteria from 1 to 6, to predict the final grade (0 to 100 points).

    Graders agree well on grammar and hardly on originality. Structure says little that clarity does not, and vocabulary
    little that grammar does not; handwriting has nothing to do with the grade. Some graders are stricter than others,
    each about other criteria. All numbers are made up.

    Parameters
    ----------
    n_objects : int
    random_state : int, optional
    """
    check_count("n_objects", n_objects)
    rng = np.random.default_rng(random_state)
    rows = dict(sorted(_CRITERIA.items()))
    grade, mean, noise = np.array([(row.grade, row.mean, row.noise) for row in rows.values()]).T
    d = len(rows)
    # What criteria have in common beyond the grade: each pair that overlaps does so by a theme of its own.
    themes = [row.theme or name for name, row in rows.items()]
    rest = np.array([[1.0 if i == j else _OVERLAP * (themes[i] == themes[j]) for j in range(d)] for i in range(d)])
    left = np.sqrt(1 - grade**2)
    latent = np.outer(grade, grade) + rest * np.outer(left, left)
    # Leniency of all graders about a criterion: evenly spread over a normal distribution, in an order of its own.
    spread = ndtri((np.arange(_GRADERS) + 0.5) / _GRADERS)
    leniency = np.column_stack([rng.permutation(spread) * np.sqrt(_LENIENCY * v) for v in noise])
    nothing = np.full(d, np.nan)
    population = RatingPopulation(
        attributes=tuple(rows),
        correlation=np.block([[latent, grade[:, None]], [grade, 1.0]]),
        label_mean=62.0,
        label_deviation=11.0,
        mean=mean,
        deviation=np.full(d, 0.9),
        noise=noise,
        threshold=nothing,
        loading=nothing,
        costs={},
        label="grade",
        object_name="essay",
        worker_name="grader",
        leniency=leniency,
    )
    return SimulatedCrowd(population, n_objects, rng)


class _Criterion(NamedTuple):
    """A criterion of a rubric: its correlation with the grade, its mean rating, its noise, and what it overlaps in."""

    grade: float
    mean: float
    noise: float
    theme: str = ""


_CRITERIA = {
    "argument": _Criterion(0.72, 3.6, 1.30),
    "clarity": _Criterion(0.52, 3.8, 0.70, "style"),
    "evidence": _Criterion(0.60, 3.3, 0.65),
    "grammar": _Criterion(0.50, 4.2, 0.30, "language"),
    "handwriting": _Criterion(0.00, 3.9, 0.35),
    "originality": _Criterion(0.30, 3.0, 2.20),
    "structure": _Criterion(0.46, 3.7, 1.40, "style"),
    "vocabulary": _Criterion(0.42, 3.9, 0.90, "language"),
}
"""A guess at what a rubric's criteria are like; variances are in squared steps of the scale, where essays have 0.81."""

_OVERLAP = 0.8
"""Correlation of two criteria of the same theme, beyond what both say of the grade."""

_GRADERS, _LENIENCY = 40, 0.15
"""How many graders there are, and the share of a rating's noise that is how lenient its grader is."""


def height_weight(n_objects: int = 880, *, label: str = "height", random_state: int | None = None) -> SimulatedCrowd:
    """People on photos, after the paper's table of attributes: predict their height (inches) or weight (pounds).

    The paper publishes, for 37 binary and 2 numeric attributes, how noisy each is and how it goes with both labels, but
    no judgments. This crowd has those numbers, read as v/σ² and as b/σ with the label divided by its range (a standard
    deviation of 0.25 for height and 0.18 for weight); the paper does not state the units. How often each answer is yes
    and how attributes go together beyond the labels is our own guess. A numeric judgment costs 4.
    """
    if label not in _LABELS:
        raise ManyJudgesError(f"label must be 'height' or 'weight', not {label!r}.", value=label, column="label")
    check_count("n_objects", n_objects)
    with resources.files("manyjudges.simulate").joinpath("data/height_weight.csv").open(encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["attribute"])
    population = _height_weight(rows, label)
    return SimulatedCrowd(population, n_objects, np.random.default_rng(random_state))


LABEL_UNITS = {"height": "inches", "weight": "pounds"}
"""What people on photos are measured in, by label."""

_LABELS = {"height": (67.5, 4.0), "weight": (170.0, 45.0)}
"""Mean and standard deviation of each label in a crowd of adults, in inches and pounds: a guess, the paper has none."""

_PUBLISHED_DEVIATION = {"height": 0.25, "weight": 0.18}
"""Standard deviation of each label divided by its range, a guess: the paper does not state its units, and with these
its numeric estimates correlate about 0.65 with the truth."""

_HEIGHT_WITH_WEIGHT = 0.45
"""Correlation of both labels: a guess, near what adults have; the paper has none."""


def _height_weight(rows: list[dict[str, str]], label: str) -> Population:
    """The latent model that has the published numbers.

    Each attribute is a normal variable behind the photo: partly what both labels say, partly a theme that it shares
    with others of its group (hair, clothes), partly its own. Workers of a numeric attribute see it with noise.
    Those of a yes or no question see it with noise, too, and answer yes above a threshold: the threshold sets how
    often, and the loading, how much of what they see is the photo's, sets how far they agree.
    """
    ratio = np.array([float(row["noise_ratio"]) for row in rows])
    binary = np.array([row["kind"] == "binary" for row in rows])
    rate = np.array([float(row["rate"] or "nan") for row in rows])
    threshold = ndtri(rate)
    loading = np.array([_loading(t, r) if b else np.nan for t, r, b in zip(threshold, ratio, binary, strict=True)])
    # From the correlation of the yes-probability with the label to that of the latent value: by Stein's lemma the first
    # is λ φ(t) times the second, over the standard deviation of the yes-probability, √(p (1 - p) / (1 + ratio)).
    spread = np.sqrt(rate * (1 - rate) / (1 + ratio))
    steeper = np.where(binary, spread / (loading * normal_density(threshold)), 1.0)
    with_labels = np.column_stack(
        [np.array([float(row[y]) for row in rows]) / _PUBLISHED_DEVIATION[y] * steeper for y in _LABELS]
    )
    labels_of_rows = [
        {"height (numerical)": "height", "weight (numerical)": "weight"}.get(row["attribute"], label) for row in rows
    ]
    # Not in the paper: its numeric estimates correlate about 0.65 with the truth (see _PUBLISHED_DEVIATION), and the
    # best linear guess of a label varies by its correlation times the label's deviation.
    deviation = np.array([0.65 * _LABELS[y][1] for y in labels_of_rows])
    chosen = ("height", "weight").index(label)
    return Population(
        attributes=tuple(row["attribute"] for row in rows),
        correlation=_latent_correlation(rows, with_labels, chosen),
        label_mean=_LABELS[label][0],
        label_deviation=_LABELS[label][1],
        mean=np.array([_LABELS[y][0] for y in labels_of_rows]),
        deviation=deviation,
        noise=ratio * deviation**2,
        threshold=threshold,
        loading=loading,
        costs={row["attribute"]: 4.0 for row in rows if row["kind"] == "number"},
        label=label,
    )


def _latent_correlation(rows: list[dict[str, str]], with_labels: Floats, chosen: int) -> Floats:
    """Latent values follow from both labels, one shared factor for each group of attributes, and their own share."""
    labels = np.array([[1.0, _HEIGHT_WITH_WEIGHT], [_HEIGHT_WITH_WEIGHT, 1.0]])
    # What both labels say of two attributes: c' L⁻¹ c, L the correlation of height and weight.
    by_labels = with_labels @ np.linalg.solve(labels, with_labels.T)
    names = sorted({row["factor"] for row in rows})
    shared = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        shared[i, names.index(row["factor"])] = float(row["loading"])
    rest = shared @ shared.T
    np.fill_diagonal(rest, 1.0)
    # What labels leave of each latent value, √(1 - R²), is scaled to make its variance 1 again.
    scale = np.sqrt(1 - np.diag(by_labels))
    latent = by_labels + rest * np.outer(scale, scale)
    c = with_labels[:, chosen]
    return np.block([[latent, c[:, None]], [c, 1.0]])


def _loading(threshold: float, ratio: float) -> float:
    """How strongly the latent value must count for the judgments to have this ratio of noise to variance."""
    rate = ndtr(threshold)
    # A yes varies by p (1 - p) in all, of which noise takes ratio parts and the object 1: Cov[yes, yes'] of two workers
    # about one object, whose latent values correlate by λ².
    target = rate * (1 - rate) / (1 + ratio)
    at = np.array([threshold])
    return float(
        np.sqrt(brentq(lambda rho: float(indicator_covariance(np.array([[rho]]), at)[0, 0]) - target, 1e-6, 1 - 1e-9))
    )
