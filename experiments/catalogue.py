"""All experiments, by name."""

from __future__ import annotations

from functools import partial

from experiments import curves, tables, tradeoff
from experiments.runner import Experiment
from experiments.sources import source

PHOTOS = ("height-440", "weight-440", "height-100", "weight-100")
"""The paper shows height and weight at two training sizes, and its text does not say which: half of the photos; few."""

CROWDS = ("faces", "odours", "skating")


def _curve(key: str) -> Experiment:
    return Experiment(key, partial(source, key), curves.one_split, curves.gathered)


EXPERIMENTS = {
    experiment.key: experiment
    for experiment in (
        Experiment("tables", lambda: None, tables.one_split, tables.gathered),
        Experiment("tradeoff-slice", partial(source, "slice"), tradeoff.one_split, tradeoff.gathered),
        _curve("slice"),
        _curve("slice-part"),
        *map(_curve, PHOTOS),
        *map(_curve, CROWDS),
    )
}
