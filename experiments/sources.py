"""Where objects and judgments come from: one split of each data set into training and test objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from manyjudges import Judgments, ManyJudgesError, RecordedJudge, datasets

Judge = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test objects, and who judges them.

    A judge never repeats itself. Of recorded judgments, a new judge starts anew, in the same order; of simulated
    ones, it goes on with new ones.
    """

    train: Any
    test: Any
    labels: pd.Series
    attributes: tuple[str, ...]
    train_judge: Callable[[], Judge]
    test_judge: Callable[[], Judge]
    costs: dict[str, float] = field(default_factory=dict)
    max_repeats: dict[str, int] | None = None


@dataclass(frozen=True)
class Source:
    """A data set and how it is split."""

    key: str
    title: str
    label: str
    about: str
    simulated: bool
    training: int
    budgets: tuple[int, ...]
    few_budgets: tuple[int, ...]
    split: Callable[[int], Split]
    numeric: str | None = None


def requests(objects: Any, repeats: dict[str, int]) -> pd.DataFrame:
    """Ask for so many judgments of each attribute of each object."""
    names = [name for name, n in repeats.items() if n]
    return pd.DataFrame(
        {
            "object": np.repeat(np.asarray(objects, dtype=object), len(names)),
            "attribute": np.tile(np.array(names, dtype=object), len(objects)),
            "count": np.tile(np.array([repeats[name] for name in names], dtype=np.int64), len(objects)),
        }
    )


EVERY = tuple(range(1, 101))
MANY = (*range(1, 21), *range(22, 51, 2), *range(55, 101, 5))
FEW = (5, 10, 20, 40, 60, 80, 100)

N_PHOTOS = 880


def photos(label: str, training: int) -> Source:
    """Height or weight from photos."""

    def split(seed: int) -> Split:
        crowd = datasets.make_height_weight(N_PHOTOS, label=label, random_state=seed)
        return Split(
            train=crowd.objects[:training],
            test=crowd.objects[training:],
            labels=crowd.labels,
            attributes=crowd.attributes,
            train_judge=lambda: crowd.judge,
            test_judge=lambda: crowd.judge,
            costs=crowd.costs,
        )

    return Source(
        key=f"{label}-{training}",
        title=f"{label.capitalize()} from photos, {training} for training",
        label=label,
        about=f"{N_PHOTOS} photos of a simulated crowd after the paper's table of attributes: 37 binary attributes at "
        "cost 1, 2 numeric ones at cost 4. Each split draws new photos and new judgments.",
        simulated=True,
        training=training,
        budgets=MANY,
        few_budgets=FEW,
        split=split,
        numeric=f"{label} (numerical)",
    )


SLICE_TRAINING, SLICE_TEST = 1000, 1000


@cache
def slices(*, part: bool) -> Any:
    """The true slices where they can be had, else simulated ones; or the rows of a file with a part of them."""
    if part:
        files = sorted((datasets.get_data_home() / "slice_partial").glob("slice_localization_data*.csv"))
        if not files:
            folder = datasets.get_data_home() / "slice_partial"
            raise ManyJudgesError(
                f"there is no slice_localization_data*.csv, a part of the slices, in {str(folder)!r}."
            )
        return datasets.read_slice(files[0])
    home = datasets.get_data_home()
    there = [path for folder in (home / "slice", home) for path in folder.glob("slice_localization_data*")]
    try:
        return datasets.fetch_slice()
    except ManyJudgesError:
        if there:
            raise  # a file that cannot be used is an error, and no reason to simulate another
        return datasets.make_slice(5000, random_state=2013)


def slice_source(*, part: bool, data: Any = None) -> Source:
    """Where on the axis of the body a slice lies; by other slices than those that can be had, where they are given."""
    data = slices(part=part) if data is None else data
    training = min(SLICE_TRAINING, len(data) // 2)

    def split(seed: int) -> Split:
        order = np.random.default_rng(seed).permutation(len(data))[: training + SLICE_TEST]
        crowd = data.subset(np.sort(order)).crowd(random_state=seed)
        names = np.asarray(data.labels.index)[order]
        return Split(
            train=names[:training],
            test=names[training:],
            labels=crowd.labels,
            attributes=crowd.attributes,
            train_judge=lambda: crowd.judge,
            test_judge=lambda: crowd.judge,
        )

    where = "simulated slices of the same shape" if data.simulated else "slices of the UCI data"
    return Source(
        key="slice-part" if part else "slice",
        title=f"CT slices{' (a part of the file)' if part else ''}, {training:,} for training",
        label="the location",
        about=f"{len(data):,} {where}; 384 histogram bins, eight adjacent ones an attribute, a judgment one of its "
        "eight values.",
        simulated=data.simulated,
        training=training,
        budgets=EVERY,
        few_budgets=FEW,
        split=split,
    )


FEWEST = 12
"""Judgments of every attribute that an object needs where some have fewer than eight."""


Records = tuple[pd.DataFrame, pd.Series, str]
"""Judgments, labels, and what they are of."""


@cache
def _recorded(name: str) -> Records:
    data = getattr(datasets, f"fetch_{name}")()
    counts = data.judgments.counts()
    fewest = FEWEST if counts.min().min() < 8 else 0
    kept = counts.index[(counts >= fewest).all(axis=1)]
    frame = data.judgments.to_frame()
    return frame[frame["object"].isin(kept)], data.labels[data.labels.index.isin(kept)], data.about


def _why(name: str) -> str:
    return f" (those with {FEWEST} judgments or more of every attribute)" if name == "odours" else ""


def recorded_source(
    name: str, title: str, label: str, max_repeats: int, records: Callable[[str], Records] | None = None
) -> Source:
    """A real crowd: half of its objects for training, judgments drawn from the records without replacement."""
    frame, labels, about = (records or _recorded)(name)
    training = len(labels) // 2

    def split(seed: int) -> Split:
        order = np.random.default_rng(seed).permutation(labels.index.to_numpy())
        train, test = np.sort(order[:training]), np.sort(order[training:])
        records = Judgments.from_frame(frame)
        fewest = records.cells().count.min(axis=0)
        max_repeats = dict(zip(records.attributes, fewest.tolist(), strict=True))
        # As many of every object as there are of each, so that whoever asks gets as many as planned, of all of them.
        judge = RecordedJudge(records, random_state=seed)
        sides = [Judgments.from_frame(judge(requests(names, max_repeats))) for names in (train, test)]
        return Split(
            train=train,
            test=test,
            labels=labels,
            attributes=records.attributes,
            train_judge=lambda: RecordedJudge(sides[0], random_state=seed),
            test_judge=lambda: RecordedJudge(sides[1], random_state=seed),
            max_repeats=max_repeats,
        )

    return Source(
        key=name,
        title=f"{title}, {training:,} for training",
        label=label,
        about=f"{about} Used here: {len(labels):,} objects{_why(name)}, each with as many judgments of an attribute as "
        "every object has.",
        simulated=False,
        training=training,
        budgets=tuple(b for b in MANY if b <= max_repeats),
        few_budgets=tuple(b for b in FEW if b <= max_repeats),
        split=split,
    )


RECORDED = {
    "faces": ("Faces, real judgments", "trustworthiness", 100),
    "odours": ("Odours, real judgments", "pleasantness", 100),
    "skating": ("Figure skating, real judgments", "the base value", 40),
}


@cache
def source(key: str) -> Source:
    """A data set by its key."""
    if key.startswith("slice"):
        return slice_source(part=key == "slice-part")
    if key in RECORDED:
        title, label, max_repeats = RECORDED[key]
        return recorded_source(key, title, label, max_repeats)
    label, training = key.split("-")
    return photos(label, int(training))
