from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from manyjudges import ManyJudgesError, Moments
from manyjudges.judges import by_judge
from manyjudges.simulate import simulate_panel
from tests.support.messages import refused


@pytest.mark.slow
def test_the_truth_is_what_many_objects_come_to():
    panel = simulate_panel(
        20_000,
        3,
        2,
        prompts=2,
        between=[0.3, 0.8],
        prompt=0.2,
        within=[[0.2], [0.5], [1.0]],
        shared=0.1,
        random_state=0,
    )
    found = Moments.estimate(by_judge(panel.frame), panel.labels).subset(panel.attributes)
    np.testing.assert_allclose(found.covariance, panel.truth.covariance, atol=0.1)
    np.testing.assert_allclose(found.cross, panel.truth.cross, atol=0.1)
    np.testing.assert_allclose(found.noise, panel.truth.noise, rtol=0.05)
    np.testing.assert_allclose(found.means, panel.truth.means, atol=0.06)
    assert found.label_variance == pytest.approx(panel.truth.label_variance, rel=0.05)


def test_labels_come_from_true_values_as_far_as_told():
    panel = simulate_panel(20_000, 3, 1, weights=[2, 0, -1], r_squared=0.6, random_state=1)
    design = np.column_stack([panel.values.to_numpy(), np.ones(len(panel.objects))])
    weights, rest, *_ = np.linalg.lstsq(design, panel.labels.to_numpy())
    np.testing.assert_allclose(weights[:3], [2, 0, -1], atol=0.05)
    assert 1 - rest[0] / len(design) / panel.labels.var() == pytest.approx(0.6, abs=0.02)


def test_the_same_seed_gives_the_same_panel_and_another_one_does_not():
    first, again, other = (simulate_panel(20, 2, 2, random_state=seed) for seed in (3, 3, 4))
    assert_frame_equal(first.frame, again.frame)
    assert not first.frame["value"].equals(other.frame["value"])
    assert_frame_equal(first.more(5).frame, again.more(5).frame)


def test_calls_repeat_a_models_view_of_the_object():
    panel = simulate_panel(30, 1, 2, between=1.0, within=0.0, calls=3, random_state=0)
    pairs = panel.frame.groupby(["object", "worker"])["value"]
    assert pairs.size().eq(3).all()
    assert pairs.nunique().eq(1).all()
    again = panel.follow({"criterion 1 @ model a": 1}).to_frame().set_index("object")["value"]
    first = panel.frame[panel.frame["worker"] == "model a"].groupby("object")["value"].first()
    pd.testing.assert_series_equal(again, first, check_names=False)


def test_new_objects_have_the_same_judges_with_the_same_leniency():
    panel = simulate_panel(2000, 1, 4, leniency=5.0, random_state=0)
    more = panel.more(2000)
    assert set(panel.objects).isdisjoint(more.objects)
    assert more.groups == panel.groups
    level, again = (p.frame.groupby("worker")["value"].mean() for p in (panel, more))
    np.testing.assert_allclose(level, again, atol=0.3)
    assert level.std() > 1


def test_no_call_is_counted_twice():
    panel = simulate_panel(3, 1, 1, calls=2, random_state=0)
    requests = pd.DataFrame({"object": panel.objects[:1], "attribute": panel.attributes, "count": [2]})
    assert panel.judge(requests)["worker"].tolist() == ["model a, call 3", "model a, call 4"]
    assert panel.judge(requests)["worker"].tolist() == ["model a, call 5", "model a, call 6"]


def test_names_groups_and_prices():
    panel = simulate_panel(4, ["tone"], ["s", "l"], prompts=2, prices=[1, 3], random_state=0)
    assert panel.attributes == ("tone @ s, prompt 1", "tone @ s, prompt 2", "tone @ l, prompt 1", "tone @ l, prompt 2")
    assert list(panel.costs.values()) == [1, 1, 3, 3]
    assert panel.groups["l, prompt 2"] == "l"
    many = simulate_panel(1, 1, 30, random_state=0)
    assert list(many.groups) == sorted(many.groups)
    assert len(many.groups) == 30


@pytest.mark.parametrize(
    ("options", "column"),
    [
        ({"n_objects": 0}, "n_objects"),
        ({"attributes": 0}, "attributes"),
        ({"attributes": "tone"}, "attributes"),
        ({"models": ["a", "a"]}, "models"),
        ({"models": ["a @ b"]}, "models"),
        ({"models": []}, "models"),
        ({"calls": 1.5}, "calls"),
        ({"prompts": True}, "prompts"),
        ({"overlap": 1}, "overlap"),
        ({"r_squared": 0}, "r_squared"),
        ({"leniency": -1}, "leniency"),
        ({"between": -1}, "between"),
        ({"within": [1, 2, 3]}, "within"),
        ({"within": "x"}, "within"),
        ({"shared": np.nan}, "shared"),
        ({"prices": [-1, 2]}, "prices"),
        ({"weights": [0, 0, 0]}, "weights"),
        ({"weights": [np.inf, 0, 0]}, "weights"),
    ],
)
def test_what_makes_no_sense_is_refused(options, column):
    with refused(ManyJudgesError, column=column):
        simulate_panel(**{"n_objects": 5, "attributes": 3, "models": 2} | options)
