from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from manyjudges import Judgments, simulate
from manyjudges.learn.checks.check import CheckedData
from manyjudges.learn.checks.label_likeness import label_likenesses
from manyjudges.learn.training_data import load_training_data, match_training_data


def with_fact(fact, labels, *, judges=3, noiseless=()):
    """Judgments of an honest attribute, and a fact that each judge has on their row."""
    rng = np.random.default_rng(0)
    rows = [
        (o, attribute, f"w{j}", value)
        for o, true in enumerate(fact)
        for j in range(judges)
        for attribute, value in (("tone", rng.normal()), ("fact", true))
        if not np.isnan(value)
    ]
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    return match_training_data(Judgments.from_frame(frame), pd.Series(labels), noiseless=noiseless)


def only_likeness(*args, **more):
    found = label_likenesses(with_fact(*args, **more))
    assert len(found) <= 1
    return found[0] if found else None


def test_the_correlation_is_spearmans_with_ties():
    rng = np.random.default_rng(1)
    fact, labels = rng.integers(0, 7, 50).astype(float), rng.integers(0, 9, 50).astype(float)
    likeness = only_likeness(fact, labels + fact)
    assert likeness.correlation == pytest.approx(stats.spearmanr(fact, labels + fact).statistic)
    assert (likeness.attribute, likeness.equal, likeness.repeated) == ("fact", False, True)


def test_what_equals_the_label_is_told_from_what_only_follows_it():
    labels = np.random.default_rng(1).normal(size=20)
    assert only_likeness(labels, labels).equal
    assert only_likeness(labels * 3 * (1 / 3), labels).equal  # apart from rounding
    for other in (labels * 2, -labels, labels**3, labels + 1e-6):
        likeness = only_likeness(other, labels)
        assert not likeness.equal
        assert abs(likeness.correlation) == pytest.approx(1)


def test_an_attribute_on_which_judges_differ_is_never_like_the_label():
    labels = np.arange(20.0)
    data = with_fact(labels, labels)
    frame = data.table.to_frame()
    first = frame.index[frame["attribute"] == "fact"][0]
    frame.loc[first, "value"] += 1e-9
    assert label_likenesses(match_training_data(Judgments.from_frame(frame), pd.Series(labels))) == ()


def test_what_is_measured_without_error_may_be_the_same_for_all():
    labels = np.arange(20.0)
    assert only_likeness(labels, labels, noiseless=["fact"]) is None


def test_a_single_judgment_of_each_object_counts_only_where_it_is_the_label():
    labels = np.random.default_rng(1).normal(size=20)
    assert only_likeness(2 * labels, labels, judges=1) is None
    likeness = only_likeness(labels, labels, judges=1)
    assert likeness.equal
    assert not likeness.repeated


@pytest.mark.parametrize(("n", "enough"), [(5, False), (6, True), (30, True)])
def test_few_objects_are_in_the_same_order_by_chance(n, enough):
    labels = np.random.default_rng(1).normal(size=n)
    assert (only_likeness(labels, labels) is not None) == enough


@pytest.mark.parametrize(("n", "enough"), [(6, False), (10, False), (14, False), (18, True)])
def test_about_yes_and_no_more_objects_must_agree(n, enough):
    labels = (np.arange(n) % 2).astype(float)
    assert (only_likeness(labels, labels) is not None) == enough


def test_what_does_not_vary_goes_with_nothing():
    assert only_likeness(np.full(20, 3.0), np.arange(20.0)) is None
    assert only_likeness(np.arange(20.0), np.full(20, 3.0)) is None


def test_objects_without_the_fact_are_left_out():
    labels = np.random.default_rng(1).normal(size=30)
    fact = np.where(np.arange(30) < 20, labels, np.nan)
    assert only_likeness(fact, labels).equal


def test_sums_say_what_a_table_says_where_they_can():
    labels = np.random.default_rng(1).normal(size=40) + 7
    for fact, equal in ((labels, True), (labels * 2, False), (labels + 1, False)):
        data = with_fact(fact, labels)
        frame = data.table.to_frame()
        scanned = load_training_data(iter([frame[:100], frame[100:]]), pd.Series(labels))
        (likeness,) = label_likenesses(scanned)
        assert likeness.attribute == "fact"
        assert likeness.correlation == pytest.approx(1)
        assert likeness.equal is equal
        assert label_likenesses(data)[0].equal is equal


def test_sums_of_few_objects_or_of_honest_judges_say_nothing():
    labels = np.random.default_rng(1).normal(size=20)
    frame = with_fact(labels, labels).table.to_frame()
    assert label_likenesses(load_training_data(iter([frame]), pd.Series(labels))) == ()
    crowd = simulate.gaussian(60, 3, random_state=0)
    assert label_likenesses(load_training_data(iter([crowd.pilot(2).to_frame()]), crowd.labels)) == ()


def test_moments_of_a_known_truth_say_nothing():
    assert label_likenesses(CheckedData.of(simulate.gaussian(30, 3, random_state=0).truth)) is None


def test_chance_hardly_ever_makes_an_attribute_look_like_the_label():
    """Of 400 facts that have nothing to do with the label, of few objects and many ties, none is taken for it."""
    rng = np.random.default_rng(0)
    for n in (6, 8, 10, 12):
        for _ in range(100):
            values = rng.integers(2, 5)
            likeness = only_likeness(rng.integers(0, values, n).astype(float), rng.integers(0, 4, n).astype(float))
            assert likeness is None or abs(likeness.correlation) < 0.995
