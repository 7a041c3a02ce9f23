"""Reliability of judgments: textbook numbers, a plain analysis of variance, and laws."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from manyjudges import Judgments, simulate
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.judges.icc import judgments_needed, spearman_brown
from manyjudges.summary import reliability
from tests.support.messages import refused
from tests.support.plain import plain_icc, unbalanced_frame

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

ratings = st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=4), min_size=2, max_size=8).filter(
    lambda groups: max(map(len, groups)) > 1 and len({v for g in groups for v in g}) > 1
)


def frame_of(groups, name="a"):
    rows = [(f"o{i}", name, float(v)) for i, g in enumerate(groups) for v in g]
    return pd.DataFrame(rows, columns=["object", "attribute", "value"])


def judged(groups):
    return Judgments.from_frame(frame_of(groups))


def test_the_table_of_shrout_and_fleiss():
    found = reliability(judged(SHROUT_FLEISS))
    assert found.icc1.round(2) == [0.17]
    assert found.icck.round(2) == [0.44]
    assert found.k == [4]
    # The analysis of variance that they print: 11.24 between targets, 6.26 within.
    assert found.noise_variance.round(2) == [6.26]
    assert found.object_variance == pytest.approx([(11.24 - 6.26) / 4], abs=0.005)
    # McGraw and Wong's limits of the same table, as R's irr and psych print them.
    assert found.icc1_low.round(3) == [-0.133]
    assert found.icc1_high.round(3) == [0.723]


def test_limits_are_where_the_f_test_is_just_significant():
    """At its lower limit, an ICC would give so large an F in one of forty samples."""
    found = reliability(judged(SHROUT_FLEISS))
    ratio = 1 / (1 - found.icck[0])
    for limit, chance in ((found.icc1_low[0], 0.025), (found.icc1_high[0], 0.975)):
        inflated = (1 + 3 * limit) / (1 - limit)  # E[MSB] / E[MSW] at that ICC
        assert stats.f.sf(ratio / inflated, 5, 18) == pytest.approx(chance)


def test_unbalanced_tables_as_in_the_textbook(rng):
    frame = unbalanced_frame(rng)
    found = reliability(Judgments.from_frame(frame))
    for i, name in enumerate(found.attributes):
        icc, mean_icc, k, between, within = plain_icc(frame, name)
        assert found.icc1[i] == pytest.approx(icc)
        assert found.icck[i] == pytest.approx(mean_icc)
        assert found.k[i] == pytest.approx(k)
        assert found.noise_variance[i] == pytest.approx(within)
        assert found.object_variance[i] == pytest.approx(max((between - within) / k, 0))
        own = frame[frame["attribute"] == name]
        assert (found.n_objects[i], found.n_judgments[i]) == (own["object"].nunique(), len(own))


@given(ratings)
def test_any_table_as_in_the_textbook(groups):
    found = reliability(judged(groups))
    icc, _, k, _, within = plain_icc(frame_of(groups), "a")
    assert found.k == pytest.approx([k])
    assert found.icc1 == pytest.approx([1.0 if within == 0 else icc])
    if np.isfinite(found.icc1_low[0]):  # not where objects do not differ at all
        assert found.icc1_low[0] <= found.icc1[0] + 1e-12
        assert found.icc1[0] <= found.icc1_high[0] + 1e-12


def test_objects_that_do_not_differ_leave_the_limits_open():
    found = reliability(judged([[0, 1], [0, 1], [1, 0]]))
    assert found.icc1 == pytest.approx([-1])
    assert np.isnan([found.icc1_low[0], found.icc1_high[0], found.icck[0]]).all()
    assert found.object_variance == pytest.approx([0])


@given(ratings)
def test_more_judgments_are_more_reliable(groups):
    found = reliability(judged(groups))
    assert (np.diff(found.projected) >= 0).all()
    assert (found.needed[0, :-1] <= found.needed[0, 1:]).all()
    if found.icc1[0] > 0:
        assert found.icck[0] >= found.icc1[0]
        assert found.projected[0, 0] == pytest.approx(found.icc1[0])
        assert spearman_brown(found.icc1[0], found.k[0]) == pytest.approx(found.icck[0])
    else:
        assert (found.projected == 0).all()
        assert np.isinf(found.needed).all()


@given(ratings, st.sampled_from([-3.0, 0.25, 8.0]), st.integers(-1000, 1000), st.randoms(use_true_random=False))
def test_neither_units_nor_order_matter(groups, unit, shift, random):
    moved = [[unit * v + shift for v in random.sample(g, len(g))] for g in random.sample(groups, len(groups))]
    found, again = reliability(judged(groups)), reliability(judged(moved))
    if np.isnan(found.icc1_low[0]) or np.isnan(again.icc1_low[0]):
        return  # objects do not differ, up to rounding
    for name in ("icc1", "icc1_low", "icc1_high", "icck"):
        assert getattr(again, name) == pytest.approx(getattr(found, name), rel=1e-6, abs=1e-9, nan_ok=True)
    assert again.noise_variance == pytest.approx(found.noise_variance * unit**2, rel=1e-6, abs=1e-9)


@given(st.floats(1e-6, 1), st.floats(0.01, 0.99))
def test_the_number_needed_is_the_least(single, target):
    needed = judgments_needed(single, target)
    assert spearman_brown(single, needed) >= target * (1 - 1e-9)
    if needed > 1:
        assert spearman_brown(single, needed - 1) < target * (1 + 1e-9)


def test_attributes_of_which_nothing_can_be_known_are_named():
    frame = pd.concat(
        [
            frame_of(SHROUT_FLEISS, "fine"),
            frame_of([[1], [2], [3]], "once"),
            frame_of([[4, 4], [4, 4]], "constant"),
            frame_of([[1, 2, 3]], "one object"),
        ]
    )
    found = reliability(Judgments.from_frame(frame))
    assert set(found.unknown) == {"constant", "once", "one object"}
    rows = found.to_frame()
    assert rows.loc[list(found.unknown), ["icc1", "icck", "needed_0.8"]].isna().all(axis=None)
    assert rows.loc["fine", "icc1"].round(2) == 0.17
    assert rows.loc["constant", "noise_variance"] == 0
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert document["icc1"][found.attributes.index("once")] is None
    assert document["needed"][found.attributes.index("once")] == [None, None, None]


def test_nobody_disagrees():
    found = reliability(judged([[1, 1], [2, 2], [0.1, 0.1, 0.1]]))
    for name in ("icc1", "icc1_low", "icc1_high", "icck"):
        assert getattr(found, name) == [1]
    assert (found.needed == 1).all()
    assert (found.projected == 1).all()


def test_less_than_chance_is_below_zero_and_never_enough():
    found = reliability(judged([[0, 2], [2, 0], [1, 1]]))
    assert found.icc1 == [-1]
    assert found.object_variance == [0]
    assert json.loads(found.to_json())["needed"] == [[None, None, None]]


def test_workers_who_are_always_higher(rng):
    truth, bias = rng.normal(size=(200, 1)), rng.normal(size=(1, 200)) * np.sqrt(0.5)
    value = truth + bias + rng.normal(size=(200, 200)) * np.sqrt(0.5)
    who = np.array([rng.choice(200, 6, replace=False) for _ in range(200)])
    rows = [(o, "a", f"w{w}", value[o, w]) for o in range(200) for w in who[o]]
    named = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    found = reliability(Judgments.from_frame(named))
    assert found.noise_variance == pytest.approx([1.0], abs=0.15)
    assert found.worker_variance == pytest.approx([0.5], abs=0.15)
    assert np.isnan(reliability(Judgments.from_frame(named.drop(columns="worker"))).worker_variance).all()


def test_simulated_crowds_are_as_reliable_as_they_are_made():
    crowd = simulate.gaussian(2000, 4, random_state=1)
    found, truth = reliability(crowd.pilot(3)), 1 / (1 + crowd.truth.noise)  # true values have a variance of 1
    assert found.icc1 == pytest.approx(truth, abs=0.06)
    assert ((found.icc1_low <= truth) & (truth <= found.icc1_high)).sum() >= 3


def test_wrong_questions():
    with refused(JudgmentsError, value=[], column="judgments"):
        reliability([])
    for target in (0, 1, "0.8", True):
        with refused(PlanError, value=target, column="targets"):
            reliability(judged(SHROUT_FLEISS), targets=[target])
    for number in (0, 1.5, True):
        with refused(PlanError, value=number, column="numbers"):
            reliability(judged(SHROUT_FLEISS), numbers=[number])


def test_tables():
    found = reliability(judged(SHROUT_FLEISS), targets=[0.8], numbers=[1, 4])
    assert list(found.to_frame().columns)[-1] == "needed_0.8"
    rows = found.projected_frame()
    assert rows["judgments"].tolist() == [1, 4]
    assert rows["reliability"].round(2).tolist() == [0.17, 0.44]
    with pytest.raises(ValueError, match="read-only"):
        found.icc1[0] = 1
