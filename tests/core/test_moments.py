from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, select, simulate
from manyjudges.arrays.sums import Sums
from manyjudges.core.estimation import all_attributes
from manyjudges.exceptions import LabelsError, MomentsError, PlanError
from tests.support.messages import refused
from tests.support.plain import plain_moments, unbalanced_frame


def labels_for(judgments, rng):
    return pd.Series(rng.normal(size=len(judgments.objects)), index=judgments.objects)


def assert_same(left, right, rtol=1e-9):
    for name in ("cross", "noise", "covariance", "label_variance", "means", "label_mean", "scale"):
        np.testing.assert_allclose(getattr(left, name), getattr(right, name), rtol=rtol, atol=1e-11, err_msg=name)
    assert left.n_objects == right.n_objects
    np.testing.assert_array_equal(left.judgments, right.judgments)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.15, 0.4]))
def test_estimates_equal_the_plain_twin(seed, absent):
    rng = np.random.default_rng(seed)
    frame = unbalanced_frame(rng, absent=absent)
    judgments = Judgments.from_frame(frame)
    labels = labels_for(judgments, rng)
    moments, plain = Moments.estimate(judgments, labels), plain_moments(frame, labels)
    for name in ("cross", "noise", "covariance", "label_variance"):
        np.testing.assert_allclose(getattr(moments, name), plain[name], atol=1e-10, err_msg=name)


def test_the_plain_twin_meets_negative_eigenvalues():
    rng = np.random.default_rng(3)
    smallest = []
    for _ in range(10):
        frame = unbalanced_frame(rng, n_objects=12)
        judgments = Judgments.from_frame(frame)
        smallest.append(plain_moments(frame, labels_for(judgments, rng))["smallest"])
    assert min(smallest) < -0.01 < 0.01 < max(smallest)


@given(st.integers(0, 10_000), st.integers(10, 30), st.booleans())
def test_moments_of_parts_add_up(seed, cut, complete):
    rng = np.random.default_rng(seed)
    judgments = Judgments.from_frame(unbalanced_frame(rng, n_objects=40, absent=0.0 if complete else 0.1))
    labels = labels_for(judgments, rng)
    whole = Moments.estimate(judgments, labels)
    parts = [Moments.estimate(part, labels[part.objects]) for part in (judgments[:cut], judgments[cut:])]
    assert_same(parts[0] + parts[1], whole)
    assert_same(parts[1] + parts[0], whole)


def test_every_estimate_is_positive_semi_definite(rng):
    X = rng.normal(size=(30, 4, 2))
    X[1:, 2] = np.nan  # judged on one object only
    X[:, 3] = [1.0, 2.0]  # workers differ, objects do not
    moments = Moments.estimate(Judgments.from_array(X), rng.normal(size=30))
    assert np.linalg.eigvalsh(moments.covariance).min() > -1e-12
    assert (np.diag(moments.covariance)[2:] == 0).all()
    assert np.linalg.eigvalsh(Moments.from_values([1.0, 1.0], [3, 1], [[-1, 0], [0, 1]], 5.0).covariance).min() == 0


def test_parts_must_agree_on_what_has_no_noise(beans):
    crowd, pilot = beans
    y = crowd.labels.loc[pilot.objects].to_numpy()
    exact = Moments.estimate(pilot[:60], y[:60], noiseless=["round jar"])
    with refused(MomentsError, column="round jar"):
        _ = exact + Moments.estimate(pilot[60:], y[60:])
    with refused(MomentsError, value="round jar", column="noiseless"):
        Moments.estimate(pilot, y, noiseless="round jar")


def test_attributes_of_two_moments_keep_their_order(rng):
    parts = [
        Judgments.from_array(rng.normal(size=(9, 3, 2)), attributes=names)
        for names in (["9", "10", "1"], ["2", "9", "1"])
    ]
    left, right = (Moments.estimate(part, rng.normal(size=9)) for part in parts)
    with refused(MomentsError, column="10"):
        _ = left + right
    assert all_attributes(left.attributes, right.attributes) == ("9", "10", "1", "2")
    assert all_attributes(("a", "c"), ("b",)) == ("a", "b", "c")


def test_moments_of_some_attributes(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    some = moments.subset(["round jar", "beautiful"])
    assert some.cross.tolist() == moments.cross[[3, 0]].tolist()
    assert some.covariance[0, 1] == moments.covariance[3, 0]
    with refused(MomentsError, value="square jar", column="attributes"):
        moments.subset(["square jar"])


def test_a_complete_part_and_one_with_gaps_add_up(rng):
    complete = unbalanced_frame(rng, n_objects=20, absent=0.0)
    gappy = unbalanced_frame(rng, n_objects=20, absent=0.3).assign(object=lambda f: "p" + f["object"])
    judgments = Judgments.from_frame(pd.concat([complete, gappy]))
    labels = labels_for(judgments, rng)
    parts = [Judgments.from_frame(f) for f in (complete, gappy)]
    left, right = (Moments.estimate(part, labels[part.objects]) for part in parts)
    assert_same(left + right, Moments.estimate(judgments, labels))
    assert_same(right + left, Moments.estimate(judgments, labels))


def test_parts_may_lack_attributes_of_each_other(rng):
    left = unbalanced_frame(rng, attributes=("b", "a"), absent=0.1)
    right = unbalanced_frame(rng, attributes=("c", "a", "b"), absent=0.1).assign(object=lambda f: "p" + f["object"])
    judgments = Judgments.from_frame(pd.concat([left, right]))
    labels = labels_for(judgments, rng)
    parts = [Judgments.from_frame(f) for f in (left, right)]
    merged = Moments.estimate(parts[0], labels[parts[0].objects]) + Moments.estimate(parts[1], labels[parts[1].objects])
    assert merged.attributes == ("a", "b", "c")
    assert_same(merged, Moments.estimate(judgments, labels))


def test_blocks_make_no_difference(rng):
    for absent in (0.0, 0.2):
        judgments = Judgments.from_frame(unbalanced_frame(rng, absent=absent))
        labels = labels_for(judgments, rng)
        blocks = list(judgments.blocks(12))
        assert len(blocks) > 2
        in_blocks = Moments.from_sums(judgments.attributes, Sums.over(blocks, labels.to_numpy()), frozenset())
        assert_same(in_blocks, Moments.estimate(judgments, labels))


def test_values_around_a_million_come_out_right(rng):
    small = rng.normal(size=(50, 3, 1)) + 0.5 * rng.normal(size=(50, 3, 2))
    y = rng.normal(size=50)
    low, high = (Moments.estimate(Judgments.from_array(x), y) for x in (small, small + 1e6))
    np.testing.assert_allclose(high.noise, low.noise, rtol=1e-8)
    np.testing.assert_allclose(high.covariance, low.covariance, atol=1e-8)
    np.testing.assert_allclose(high.cross, low.cross, atol=1e-8)
    halves = [Moments.estimate(Judgments.from_array(small[p] + 1e6), y[p]) for p in (slice(0, 20), slice(20, 50))]
    np.testing.assert_allclose((halves[0] + halves[1]).covariance, low.covariance, atol=1e-8)


def test_a_constant_attribute_has_no_moments_at_all(rng):
    X = rng.normal(size=(30, 2, 3))
    X[:, 1] = 0.1
    X[5, 1, 0] = np.nan
    moments = Moments.estimate(Judgments.from_array(X), rng.normal(size=30))
    assert moments.noise[1] == 0
    assert moments.cross[1] == 0
    assert (moments.covariance[1] == 0).all()
    assert moments.to_frame().loc["x1", ["noise_ratio", "correlation", "icc"]].isna().all()


def test_means_that_differ_by_rounding_do_not_differ(rng):
    t = rng.normal(size=(30, 3))
    X = t[:, :, None] + 0.5 * rng.normal(size=(30, 3, 3))
    two_of_three = np.array([rng.permutation([1.0, 1.0, 0.0]) for _ in range(30)])
    with_it = Moments.estimate(Judgments.from_array(np.concatenate([X, two_of_three[:, None]], axis=1)), t.sum(axis=1))
    without = Moments.estimate(Judgments.from_array(X), t.sum(axis=1))
    np.testing.assert_allclose(with_it.covariance[:3, :3], without.covariance)
    assert (with_it.covariance[3] == 0).all()
    assert with_it.cross[3] == 0


@pytest.mark.slow
def test_estimates_approach_the_truth():
    crowd = simulate.height_weight(n_objects=20_000, random_state=0)
    moments, truth = Moments.estimate(crowd.pilot(2), crowd.labels), crowd.truth
    sigma = np.sqrt(np.diag(truth.covariance))
    np.testing.assert_allclose(moments.noise / truth.noise, 1, atol=0.05)
    np.testing.assert_allclose(
        moments.covariance / np.outer(sigma, sigma), truth.covariance / np.outer(sigma, sigma), atol=0.07
    )
    np.testing.assert_allclose(moments.cross / sigma / 4, truth.cross / sigma / 4, atol=0.04)


def test_noise_and_covariance_are_unbiased_with_unequal_counts():
    rng = np.random.default_rng(0)
    noise, variance = [], []
    for _ in range(200):
        X = rng.normal(size=(200, 1, 1)) + np.sqrt(2.0) * rng.normal(size=(200, 1, 5))
        X[rng.random(X.shape) < 0.5] = np.nan
        X = X[~np.isnan(X).all(axis=(1, 2))]
        moments = Moments.estimate(Judgments.from_array(X), rng.normal(size=len(X)))
        noise.append(moments.noise[0])
        variance.append(moments.covariance[0, 0])
    assert np.mean(noise) == pytest.approx(2.0, abs=4 * np.std(noise) / np.sqrt(200))
    # Centring on the sample's mean takes away a share of 1/200.
    assert np.mean(variance) == pytest.approx(1.0, abs=4 * np.std(variance) / np.sqrt(200) + 0.01)


def test_arrays_cannot_be_written(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    with pytest.raises(ValueError, match="read-only"):
        moments.cross[0] = 1


def test_table_of_attributes(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    table, sigma = moments.to_frame(), np.sqrt(np.diag(moments.covariance))
    assert list(table.index) == list(moments.attributes)
    np.testing.assert_allclose(table["noise_per_sigma"], moments.noise / sigma)
    np.testing.assert_allclose(table["correlation_per_sigma"], moments.cross / sigma)
    np.testing.assert_allclose(table["icc"], sigma**2 / (sigma**2 + moments.noise))
    assert (table["judgments"] == 240).all()
    assert "4 attributes on 120 objects" in repr(moments)
    assert "<table" in moments._repr_html_()


def test_noiseless_attributes_need_one_value(rng):
    X = rng.normal(size=(20, 2, 1))
    y = rng.normal(size=20)
    with refused(MomentsError, column="x0"):
        Moments.estimate(Judgments.from_array(X), y)
    moments = Moments.estimate(Judgments.from_array(X), y, noiseless=["x0", "x1"])
    assert (moments.noise == 0).all()
    np.testing.assert_allclose(moments.covariance, np.cov(X[:, :, 0].T, bias=True))
    with refused(MomentsError, value="x9", column="noiseless"):
        Moments.estimate(Judgments.from_array(X), y, noiseless=["x9"])


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_objects(n, rng):
    with refused(MomentsError, value=n, column="n_samples"):
        Moments.estimate(Judgments.from_array(rng.normal(size=(n, 2, 2))), rng.normal(size=n))


def test_things_that_are_no_judgments(beans):
    _, pilot = beans
    with refused(MomentsError, column="judgments"):
        Moments.estimate(pilot.to_frame(), [1.0])
    with refused(MomentsError, value=0, column="n_samples"):
        Moments.estimate(pilot[:0], [])


def test_labels_too_large_to_square(beans):
    _, pilot = beans
    with refused(MomentsError, column="label"):
        Moments.estimate(pilot, np.linspace(1e200, 2e200, 120))


def test_constant_label(beans):
    _, pilot = beans
    with refused(LabelsError, value=0.1, column="label"):
        Moments.estimate(pilot, np.full(120, 0.1))
    with refused(LabelsError, column="label"):
        Moments.estimate(pilot, np.where(np.arange(120) % 2, 0.1 + 0.2, 0.3))


def test_noise_that_cannot_be_estimated_names_the_attribute(rng):
    X = rng.normal(size=(20, 3, 2))
    X[:, 1, 1] = np.nan
    with refused(MomentsError, column="x1"):
        Moments.estimate(Judgments.from_array(X), rng.normal(size=20))


def test_attributes_never_judgedall_attributes(rng):
    X = rng.normal(size=(20, 3, 2))
    X[:10, 1], X[10:, 2] = np.nan, np.nan
    with refused(MomentsError, column="x1"):
        Moments.estimate(Judgments.from_array(X), rng.normal(size=20))
    X[10:, 0] = np.nan
    with refused(MomentsError, column="x0"):
        Moments.estimate(Judgments.from_array(X), rng.normal(size=20))


def test_values_too_large_to_square(rng):
    X = rng.normal(size=(20, 2, 2))
    X[:, 1] *= 1e200
    with refused(MomentsError, column="x1"):
        Moments.estimate(Judgments.from_array(X), rng.normal(size=20))


@pytest.mark.parametrize(
    ("arguments", "column"),
    [
        (([1.0], [1.0, 2.0], [[1.0]], 1.0), "noise"),
        (([1.0], [1.0], [[1.0, 0.0]], 1.0), "covariance"),
        (([1.0], [-1.0], [[1.0]], 1.0), "noise"),
        (([np.nan], [1.0], [[1.0]], 1.0), "cross"),
        (([1.0], [1.0], [[1.0]], 0.0), "label_variance"),
        (([1.0], [1.0], [[1.0]], "x"), "label_variance"),
        (("a", [1.0], [[1.0]], 1.0), "cross"),
        (([1.0], [{}], [[1.0]], 1.0), "noise"),
        (([1.0], [1.0], np.array([[1.0 + 2j]]), 1.0), "covariance"),
        (([1.0], [1.0], np.array([["2020-01-01"]], "M8[D]"), 1.0), "covariance"),
        ((np.ma.array([1.0], mask=[True]), [1.0], [[1.0]], 1.0), "cross"),
        (([1.0, 1.0], [1.0, 1.0], [[1.0, 0.5], [0.0, 1.0]], 1.0), "covariance"),
    ],
)
def test_given_moments_are_checked(arguments, column):
    with refused(MomentsError, column=column):
        Moments.from_values(*arguments)


def test_given_and_regularized_moments_do_not_add_up(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    for other in (crowd.truth, moments.regularized(ridge=1)):
        with refused(MomentsError):
            _ = moments + other
    with pytest.raises(TypeError):
        _ = moments + 1


def test_regularization(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    assert moments.regularized() is moments
    diagonal = np.diag(np.diag(moments.covariance))
    np.testing.assert_allclose(moments.regularized(shrinkage=1).covariance, diagonal)
    half = moments.regularized(shrinkage=0.5, ridge=0.1).covariance
    np.testing.assert_allclose(half, (moments.covariance + diagonal) / 2 + 0.1 * np.diag(moments.scale**2))
    for wrong in ({"ridge": -1}, {"ridge": np.nan}, {"ridge": "x"}, {"shrinkage": 1.1}, {"shrinkage": None}):
        with refused(PlanError, value=next(iter(wrong.values())), column=next(iter(wrong))):
            moments.regularized(**wrong)


def close(found, wanted):
    assert (found.attributes, found.n_objects) == (wanted.attributes, wanted.n_objects)
    for name in ("cross", "noise", "covariance", "means", "scale", "judgments"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-8, atol=1e-9, err_msg=name)


@given(seed=st.integers(0, 200), gaps=st.booleans(), first=st.integers(8, 20))
def test_new_objects_and_new_judgments_of_old_ones(seed, gaps, first):
    rng = np.random.default_rng(seed)
    frame = simulate.gaussian(30, 4, random_state=seed).pilot(4).to_frame()
    frame["worker"] = frame.groupby(["object", "attribute"]).cumcount()
    labels = pd.Series(rng.normal(size=30), index=sorted(frame["object"].unique()))
    known = labels.index[:first]
    before = frame[frame["object"].isin(known) & (frame["worker"] < 2)]
    if gaps:
        before = before[(rng.random(len(before)) < 0.8) | (before["object"] == known[0])]
    moments = Moments.estimate(Judgments.from_frame(before), labels[known], unmatched="drop")
    now = frame[frame["object"].isin(labels.index[first - 5 :])]
    touched = before[before["object"].isin(known[-5:])]
    found = moments.update(
        Judgments.from_frame(now),
        labels[first - 5 :],
        replacing=Judgments.from_frame(touched) if len(touched) else None,
    )
    whole = pd.concat([before[~before["object"].isin(known[-5:])], now])
    close(found, Moments.estimate(Judgments.from_frame(whole), labels, unmatched="drop"))


def of_rows(rows):
    return Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))


@given(
    seed=st.integers(0, 10_000),
    constant=st.sampled_from([0.0, 5.1, 1e6 / 3]),
    away=st.sampled_from([0.0, 1.0, 1e4]),
    agree=st.booleans(),
    later=st.booleans(),
)
def test_an_attribute_that_becomes_constant_is_constant(seed, constant, away, agree, later):
    """Of "c", what varied is replaced, at once or in two steps; of "a", workers may agree on all that is left."""
    rng = np.random.default_rng(seed)
    odd, n = [0, 1, 2, 3], 12
    usual = {"a": lambda i: float(i % 3) + (0 if agree else rng.normal()), "b": lambda i: rng.normal()}
    usual["c"] = lambda i: constant
    before = [
        (i, name, worker, constant + away + rng.normal() if i in odd and name == "c" else usual[name](i))
        for i in range(n)
        for name in "abc"
        for worker in range(2)
    ]
    y = pd.Series(rng.normal(size=n), index=range(n))
    was = [row for row in before if row[0] in odd]
    now = [(*row[:3], constant if row[1] == "c" else row[3]) for row in was]
    found = Moments.estimate(of_rows(before), y)
    if later:
        half = [row for row in now if row[1] != "c"]
        found = found.update(of_rows(half), y[odd], replacing=of_rows(was))
        found = found.update(of_rows(now), y[odd], replacing=of_rows(half))
    else:
        found = found.update(of_rows(now), y[odd], replacing=of_rows(was))
    whole = Moments.estimate(of_rows([row for row in before if row[0] not in odd] + now), y)
    close(found, whole)
    assert found.scale[2] == found.cross[2] == 0
    for options in ({}, {"plan_ridge": 0.1}, {"shrinkage": 0.1}):
        assert select(found, 6, **options).repeats == select(whole, 6, **options).repeats


def test_small_differences_are_kept_where_small_ones_were_replaced(rng):
    values = 1e3 + 1e-3 * rng.normal(size=(30, 2, 1)) + 1e-4 * rng.normal(size=(30, 2, 2))
    y = rng.normal(size=30)
    table = Judgments.from_array(values)
    found = Moments.estimate(table, y).update(table[:5], y[:5], replacing=table[:5])
    whole = Moments.estimate(table, y)
    np.testing.assert_allclose(found.scale, whole.scale, rtol=1e-6)
    np.testing.assert_allclose(found.noise, whole.noise, rtol=1e-6)


@given(seed=st.integers(0, 1000), centre=st.sampled_from([0.0, 1e6]), left=st.integers(0, 2))
def test_all_objects_may_be_replaced_and_nearly_all(seed, centre, left):
    rng = np.random.default_rng(seed)
    table = Judgments.from_array(rng.normal(size=(30, 3, 2)))
    labels = pd.Series(centre + np.append(rng.normal(size=28), [0.1, 0.1]))
    other = Judgments.from_array(7 + rng.normal(size=(30, 3, 4)))
    moments = Moments.estimate(table[:20], labels[:20]).update(table[20:], labels[20:])
    stop = 30 - left
    found = moments.update(other[:stop], labels[:stop], replacing=table[:stop])
    close(found, Moments.estimate(table[stop:] + other[:stop], labels) if left else Moments.estimate(other, labels))


def test_what_was_never_counted_cannot_be_replaced(rng):
    values, y = rng.normal(size=(40, 3, 2)), rng.normal(size=40)
    known, now = Judgments.from_array(values[:10]), Judgments.from_array(values)
    moments = Moments.estimate(known, y[:10])

    def declined(replacing, *, of=moments, labels=y, **names):
        was = Judgments.from_array(replacing, objects=names.pop("objects", range(len(replacing))), **names)
        with refused(MomentsError, column="replacing"):
            of.update(now, pd.Series(labels), replacing=was)

    declined(values[10:], objects=range(10, 40))
    declined(values[:10, :, [0, 1, 1]])
    declined(values[:10], attributes=["x0", "new", "x1"])
    declined(values[:10] * 3)
    declined(values[:10], labels=y * 2)
    once = values[:10].copy()
    once[:3, 1, 0] = np.nan
    declined(once)
    gaps, other = np.full((2, 10, 2, 2), np.nan)
    gaps[:7, 0], gaps[5:, 1] = 1e-3 * values[:7, 0], 1e-3 * values[5:10, 1]
    other[:4] = gaps[:4, :1]
    of = Moments.estimate(Judgments.from_array(gaps), y[:10])
    declined(other, of=of)


def test_updates_with_what_is_no_table(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    for table, replacing in ((5, None), (pilot.to_frame(), None), (pilot, 5), (pilot, moments)):
        with refused(MomentsError, column="judgments"):
            moments.update(table, crowd.labels, replacing=replacing)
    with refused(MomentsError, value=2, column="n_samples"):
        moments.update(pilot[:2], crowd.labels, replacing=pilot, unmatched="drop")
    with refused(MomentsError, column="x0"):
        moments.update(Judgments.from_array(1e200 * np.arange(12.0).reshape(3, 2, 2)), [1.0, 2.0, 3.0])


def test_what_cannot_be_updated(beans):
    crowd, pilot = beans
    given_ones = Moments.from_values([1.0], [1.0], [[1.0]], 1.0)
    with refused(MomentsError):
        given_ones.update(pilot, crowd.labels)
