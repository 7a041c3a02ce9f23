"""Laws that every kind of label must keep: whatever is entered in ``LABEL_KINDS`` is tested here.

A kind that is added enters examples of its labels in ``EXAMPLES``.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, simulate
from manyjudges.arrays.sums import Sums
from manyjudges.core.objective import weights
from manyjudges.exceptions import LabelsError
from manyjudges.learn.checks import CheckedData, HeldOutError
from manyjudges.learn.checks.no_help import CHECK as NO_HELP
from manyjudges.learn.inference.cross_validation import Candidate, validate
from manyjudges.learn.inference.fold_sums import FoldSums
from manyjudges.learn.labels import LABEL_KINDS
from manyjudges.learn.labels.number import NUMBER
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused

SEEDS = st.integers(0, 1_000_000)
every_kind = pytest.mark.parametrize("kind", LABEL_KINDS.values(), ids=LABEL_KINDS)


@dataclass(frozen=True)
class Example:
    """What a kind must read and what it must refuse, and its loss when the true judgments are known."""

    labels: list[Any]
    wrong: list[Any]
    loss: Callable[[Any, Any], Any]


EXAMPLES = {
    "number": Example(
        labels=[3, -0.5, "7", "1e3", True, np.float32(2.5)],
        wrong=["blue", float("inf"), 1j, pd.Timestamp("2020-01-31")],
        loss=lambda predicted, y: (predicted - y) ** 2,
    )
}


def test_names_are_those_they_are_registered_by():
    assert all(name == kind.name for name, kind in LABEL_KINDS.items())
    assert all(kind.summary[0].islower() and kind.error[0].islower() for kind in LABEL_KINDS.values())
    assert set(EXAMPLES) == set(LABEL_KINDS)


@every_kind
def test_labels_become_finite_numbers_each_by_itself(kind):
    labels = np.array(EXAMPLES[kind.name].labels, dtype=object)
    names = np.arange(len(labels))
    encoded = kind.encode(labels, names)
    assert encoded.shape[0] == len(labels)
    assert np.isfinite(encoded).all()
    np.testing.assert_array_equal(kind.encode(labels[::-1], names[::-1]), encoded[::-1])
    np.testing.assert_array_equal(
        np.concatenate([kind.encode(labels[i : i + 1], names[i : i + 1]) for i in names]), encoded
    )


@every_kind
def test_what_is_no_label_is_refused_with_its_object(kind):
    example = EXAMPLES[kind.name]
    judgments = Judgments.from_array(np.ones((len(example.labels), 1, 2)), objects=list("abcdef"))
    for wrong in example.wrong:
        labels = pd.Series([*example.labels[:-1], wrong], index=judgments.objects, dtype=object)
        with refused(LabelsError, row="f", column="label"):
            match_training_data(judgments, labels, label_kind=kind)


@every_kind
@pytest.mark.parametrize("missing", [None, float("nan"), "", "n/a", pd.NA])
def test_an_object_whose_label_is_missing_is_to_be_predicted(kind, missing):
    example = EXAMPLES[kind.name]
    judgments = Judgments.from_array(np.ones((len(example.labels), 1, 2)), objects=list("abcdef"))
    labels = pd.Series([*example.labels[:-1], missing], index=judgments.objects, dtype=object)
    data = match_training_data(judgments, labels, label_kind=kind)
    assert list(data.table.objects) == list("abcde")
    np.testing.assert_array_equal(data.labels, kind.encode(np.array(example.labels[:-1], dtype=object), list("abcde")))


@every_kind
@given(seed=SEEDS, d=st.integers(1, 4))
def test_losses_of_parts_add_up_and_know_neither_units_nor_order(kind, seed, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, d, 3)) + rng.normal(size=(30, d, 1))
    X[:, :, 2][rng.random((30, d)) < 0.4] = np.nan
    encoded = kind.encode(np.resize(np.array(EXAMPLES[kind.name].labels, dtype=object), 30), np.arange(30))
    w, r = rng.normal(size=d), rng.integers(0, 5, size=d)

    def losses(X, w, r, *cuts):
        judgments = Judgments.from_array(X)
        trained = Moments.estimate(judgments[:15], encoded[:15])
        parts = [Sums.over(judgments[a:b].blocks(), encoded[a:b]) for a, b in itertools.pairwise(cuts)]
        return kind.held_out_losses(parts, trained, w, r)

    whole = losses(X, w, r, 15, 30)
    assert whole.shape == (1,)
    np.testing.assert_allclose(losses(X, w, r, 15, 20, 30).sum(), whole[0], rtol=1e-9, atol=1e-8)
    unit, order = 2.0 ** rng.integers(-8, 8, size=d), rng.permutation(d)
    np.testing.assert_allclose(losses(X * unit[:, None], w / unit, r, 15, 30), whole, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(losses(X[:, order], w[order], r[order], 15, 30), whole, rtol=1e-9, atol=1e-8)


@every_kind
def test_the_loss_of_judgments_never_collected_is_that_of_judgments_that_were(kind):
    """From two judgments a pair, the loss when each object has as many as the plan says: without bias."""
    crowd = simulate.gaussian(20_000, 4, random_state=3)
    w, r = np.array([0.5, -0.3, 0.8, 0.1]), np.array([6, 1, 0, 3])
    two = crowd.pilot(2)
    judgments, y = two.match(crowd.labels)
    parts = FoldSums.of(judgments, y, 80, (), np.random.default_rng(0)).sums
    trained = crowd.truth
    losses = kind.held_out_losses(parts, trained, w, r) / 250
    many = crowd.pilot(6)
    # The first r judgments of each pair, all of them new: the plain loss of what they predict.
    rest = {name: int(n) for name, n in zip(many.attributes, r, strict=True) if n}
    means = many.means(rest).loc[judgments.objects].to_numpy()
    chosen = [many.attributes.index(name) for name in rest]
    predicted = trained.label_mean + (means - trained.means[chosen]) @ w[chosen]
    true = EXAMPLES[kind.name].loss(predicted, y)
    error = np.hypot(losses.std() / np.sqrt(80), true.std() / np.sqrt(len(true)))
    assert losses.mean() == pytest.approx(true.mean(), abs=4 * error)
    naive = EXAMPLES[kind.name].loss(trained.label_mean + (judgments.means() - trained.means) @ w, y)
    assert abs(naive.mean() - true.mean()) > 20 * error  # two judgments as they are say something else


YES_NO = replace(
    NUMBER,
    name="yes or no",
    error="root of the Brier score",
    encode=lambda labels, objects: np.array([{"yes": 1.0, "no": 0.0}[label] for label in labels]),
    held_out_losses=lambda *of: 3 * NUMBER.held_out_losses(*of),
)
"""A kind that is not registered, to see that nothing else has to know it."""


def test_a_kind_decides_how_labels_are_read_what_is_lost_and_how_that_is_called():
    crowd = simulate.gaussian(120, 3, random_state=0)
    judgments, y = crowd.pilot(3).match(crowd.labels)
    words = pd.Series(np.where(y > np.median(y), "yes", "no"), index=judgments.objects)
    data = match_training_data(judgments, words, label_kind=YES_NO)
    np.testing.assert_array_equal(data.known_labels, (y > np.median(y)).astype(float))
    assert data.of_objects(np.arange(20)).only(["a1"]).label_kind is YES_NO

    def loss(data):
        rng = np.random.default_rng(0)
        return validate(data.fold_sums(5, rng), [Candidate("full")], [4.0], cv=5, cv_repeats=1, rng=rng).loss

    numbers = match_training_data(judgments, data.known_labels)
    np.testing.assert_allclose(loss(data), 3 * loss(numbers), rtol=1e-12)
    checked = CheckedData.of(data, held_out=HeldOutError(0.36, 0.1, 0.25, 2))
    found = NO_HELP.run(checked).finding
    assert "root of the Brier score is 0.600 (0.449 to 0.802) with judgments, and 0.500 without" in found


@every_kind
def test_a_kind_goes_to_other_processes(kind):
    judgments = simulate.gaussian(30, 2, random_state=0).pilot(2)
    parts = FoldSums.of(judgments, np.arange(30.0), 5, (), np.random.default_rng(0), kind)
    fold = next(iter(parts.folds(parts.splits(5, np.random.default_rng(0)))))
    again = pickle.loads(pickle.dumps(fold))
    assert again.label_kind == kind
    trained, r = fold.trained(), np.array([2, 1])
    w = weights(trained, r)
    np.testing.assert_array_equal(again.losses(trained, w, r), fold.losses(trained, w, r))
