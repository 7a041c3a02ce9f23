"""Laws of moments: they merge, and neither units nor order nor the way in which a table is read matters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, scan_moments
from tests.support.plain import unbalanced_frame

SEEDS = st.integers(0, 1_000_000)
ABSENT = st.sampled_from([0.0, 0.2])
NAMES = ("cross", "noise", "covariance", "means", "scale")


def table_of(seed, absent):
    """Judgments of three attributes, not as many of each pair, and a label for each object."""
    rng = np.random.default_rng(seed)
    frame = unbalanced_frame(rng, absent=absent)
    objects = np.sort(frame["object"].unique())
    return rng, frame, pd.Series(rng.normal(size=len(objects)), index=objects)


def estimate(frame, labels, **options):
    return Moments.estimate(Judgments.from_frame(frame), labels, **options)


def assert_same(one, other, *, rtol=1e-9, atol=1e-11):
    assert one.attributes == other.attributes
    for name in NAMES:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, atol=atol, err_msg=name)
    assert one.label_variance == pytest.approx(other.label_variance, rel=rtol)
    assert one.label_mean == pytest.approx(other.label_mean, rel=rtol, abs=atol)
    assert one.n_objects == other.n_objects
    np.testing.assert_array_equal(one.judgments, other.judgments)


def parts_of(frame, labels, rng, many):
    """Moments of disjoint sets of objects, of which each has enough to be estimated alone; fewer if there are few."""
    share = rng.permutation(np.arange(len(labels)) % max(1, min(many, len(labels) // 12)))
    for part in np.unique(share):
        objects = labels.index[share == part]
        yield estimate(frame[frame["object"].isin(objects)], labels[objects])


@given(seed=SEEDS, absent=ABSENT, many=st.integers(2, 3))
def test_moments_of_parts_add_up_to_those_of_the_whole_in_any_order(seed, absent, many):
    rng, frame, labels = table_of(seed, absent)
    parts = list(parts_of(frame, labels, rng, many))
    whole = estimate(frame, labels)
    for order in (parts, parts[::-1]):
        total = order[0]
        for part in order[1:]:
            total = total + part
        assert_same(total, whole)


@given(seed=SEEDS, absent=ABSENT)
def test_adding_is_associative(seed, absent):
    rng, frame, labels = table_of(seed, absent)
    a, b, c = (*parts_of(frame, labels, rng, 3), *[estimate(frame, labels)] * 2)[:3]
    assert_same((a + b) + c, a + (b + c))


@given(seed=SEEDS, absent=ABSENT)
def test_more_judgments_of_known_objects_replace_the_fewer(seed, absent):
    rng, frame, labels = table_of(seed, absent)
    some = labels.index[rng.random(len(labels)) < 0.3]
    if not len(some):
        return
    before = frame[frame["object"].isin(some)]
    more = before.assign(value=rng.normal(size=len(before)))
    now = Judgments.from_frame(pd.concat([before, more], ignore_index=True))
    updated = estimate(frame, labels).update(now, labels[some], replacing=Judgments.from_frame(before))
    assert_same(updated, estimate(pd.concat([frame, more], ignore_index=True), labels))


@given(seed=SEEDS, absent=ABSENT, exponent=st.integers(-6, 6), shift=st.floats(-1e3, 1e3))
def test_other_units_change_the_moments_by_those_units_alone(seed, absent, exponent, shift):
    """With x' = s x + t and y' = u y: cross s u, noise s², covariance s s, and nothing else."""
    rng, frame, labels = table_of(seed, absent)
    whole, label_unit = estimate(frame, labels), 10.0**exponent
    unit = dict(zip(whole.attributes, rng.choice([-1, 1], size=3) * 10.0 ** rng.uniform(-3, 3, size=3), strict=True))
    scale = np.array([unit[name] for name in whole.attributes])
    rows = frame["attribute"].map(unit)
    other = estimate(frame.assign(value=(frame["value"] + shift) * rows), labels * label_unit + shift)
    size = np.abs(scale)
    standard = np.sqrt(whole.scale**2 + whole.noise)
    wide = np.sqrt(whole.label_variance)
    # Compared without units: rounding of values that were moved by 1,000 is what remains.
    np.testing.assert_allclose(
        other.cross / (scale * label_unit * standard * wide), whole.cross / (standard * wide), atol=1e-8
    )
    np.testing.assert_allclose(other.noise / (size * standard) ** 2, whole.noise / standard**2, atol=1e-8)
    np.testing.assert_allclose(
        other.covariance / np.outer(scale * standard, scale * standard),
        whole.covariance / np.outer(standard, standard),
        atol=1e-8,
    )
    assert other.label_variance == pytest.approx(whole.label_variance * label_unit**2, rel=1e-5)


@pytest.mark.slow
@given(seed=SEEDS, absent=ABSENT)
def test_the_order_of_rows_labels_and_attributes_does_not_matter(seed, absent):
    rng, frame, labels = table_of(seed, absent)
    whole = estimate(frame, labels)
    assert_same(estimate(frame.sample(frac=1, random_state=seed), labels.sample(frac=1, random_state=seed)), whole)
    order = rng.permutation(3)
    names = dict(zip(whole.attributes, [f"b{i}" for i in order], strict=True))
    renamed = estimate(frame.assign(attribute=frame["attribute"].map(names)), labels)
    back = renamed.subset([names[name] for name in whole.attributes])
    for name in ("cross", "noise", "covariance", "means", "scale"):
        np.testing.assert_allclose(getattr(back, name), getattr(whole, name), rtol=1e-9, atol=1e-11, err_msg=name)


@pytest.mark.slow
@given(seed=SEEDS, absent=ABSENT)
def test_a_scan_gives_what_the_table_in_memory_gives(seed, absent):
    _, frame, labels = table_of(seed, absent)
    assert_same(scan_moments(frame, labels), estimate(frame, labels))


@given(seed=SEEDS, k=st.integers(2, 4), gaps=st.sampled_from([0.0, 0.2]))
def test_an_array_gives_what_its_table_gives(seed, k, gaps):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3, 1)) + rng.normal(size=(30, 3, k)), rng.normal(size=30)
    X[:, :, 1:][rng.random((30, 3, k - 1)) < gaps] = np.nan
    judgments = Judgments.from_array(X)
    from_table = Moments.estimate(Judgments.from_frame(judgments.to_frame()), pd.Series(y, index=judgments.objects))
    assert_same(Moments.from_array(X, y), from_table)
    assert_same(Moments.estimate(judgments, y), from_table)


@given(seed=SEEDS, absent=ABSENT)
def test_the_covariance_is_positive_semi_definite(seed, absent):
    """Also where the raw one, the covariance of mean judgments less their error, is not."""
    _, frame, labels = table_of(seed, absent)
    moments = estimate(frame, labels)
    unit = np.where(moments.scale > 0, moments.scale, 1.0)
    values = np.linalg.eigvalsh(moments.covariance / np.outer(unit, unit))
    assert values.min() >= -1e-9
    np.testing.assert_array_equal(moments.covariance, moments.covariance.T)
