"""Slices: their attributes, judgments drawn from them, and their crowd."""

from __future__ import annotations

import numpy as np
import pandas as pd

from manyjudges import Judgments, Moments, datasets, select
from manyjudges.campaign import Campaign, drive
from manyjudges.datasets import ct_slices
from manyjudges.exceptions import DatasetError
from tests.support.messages import refused


def test_a_subset_keeps_everything_together():
    made = datasets.make_slice(30, random_state=0)
    for positions in (slice(3, 9), [3, 4, 5, 6, 7, 8], np.isin(np.arange(30), range(3, 9))):
        part = made.subset(positions)
        assert len(part) == 6
        assert np.array_equal(part.values, made.values[3:9])
        assert part.labels.equals(made.labels.iloc[3:9])
        assert part.simulated
    with refused(DatasetError, value=[1, 1], column="positions"):
        made.subset([1, 1])
    assert "6 simulated slices" in repr(made.subset(slice(6)))


def test_attributes_are_eight_adjacent_bins():
    assert len(ct_slices.ATTRIBUTES) == 48
    assert ct_slices.ATTRIBUTES[0] == "bins 000–007"
    assert ct_slices.ATTRIBUTES[-1] == "bins 376–383"
    assert tuple(sorted(ct_slices.ATTRIBUTES)) == ct_slices.ATTRIBUTES


def numbered(n):
    """Slices whose values say where they stand."""
    values = np.arange(n * 384, dtype=float).reshape(n, 384)
    return ct_slices.Slices(
        values, pd.Series(np.arange(n, dtype=float), index=ct_slices.named(n)), np.zeros(n, int), True
    )


def test_draws_come_from_the_right_bins_and_all_of_them():
    drawn = numbered(5).draw(200, np.random.default_rng(0))
    assert drawn.shape == (5, 48, 200)
    assert np.array_equal(drawn // 8, np.broadcast_to(np.arange(5 * 48).reshape(5, 48, 1), drawn.shape))
    assert all(len(np.unique(drawn[i, a])) == 8 for i in range(5) for a in range(48))


def test_draws_of_some_attributes_are_missing_elsewhere():
    some = {ct_slices.ATTRIBUTES[3]: 2, ct_slices.ATTRIBUTES[5]: 1}
    drawn = numbered(4).draw(some, np.random.default_rng(0))
    counts = np.isfinite(drawn).sum(axis=2)
    assert drawn.shape == (4, 48, 2)
    assert (counts[:, 3] == 2).all()
    assert (counts[:, 5] == 1).all()
    assert counts.sum() == 4 * 3
    for wrong in ({"bins": 1}, -1, True, 0):
        with refused(DatasetError, column="repeats"):
            numbered(2).draw(wrong, np.random.default_rng(0))


def test_a_slice_crowd_answers_as_other_crowds_do():
    crowd = numbered(3).crowd(random_state=0)
    asked = pd.DataFrame(
        {"object": ["slice 00002", "slice 00001"], "attribute": ["bins 008–015", "bins 000–007"], "count": [20, 2]}
    )
    answer = pd.concat([crowd.judge(asked), crowd.judge(asked)])
    assert list(answer.columns) == ["object", "attribute", "worker", "value"]
    assert len(answer) == 44
    assert not answer.duplicated(["object", "attribute", "worker"]).any()
    second = answer[answer["object"] == "slice 00002"]["value"]
    assert second.between(384 + 8, 384 + 15).all()
    assert second.nunique() == 8
    assert crowd.costs == {}
    assert len(crowd.follow({"bins 008–015": 3})) == 9
    assert len(crowd.judge(asked.iloc[:0])) == 0
    for column, value in [("object", "slice 9"), ("attribute", "x")]:
        with refused(DatasetError, value=value, column=column):
            crowd.judge(asked.assign(**{column: value}))
    with refused(DatasetError, value=[-1, 1], column="count"):
        crowd.judge(asked.assign(count=[-1, 1]))


def test_a_slice_crowd_repeats():
    made = datasets.make_slice(10, random_state=0)
    one, two = made.crowd(random_state=3).pilot(2), made.crowd(random_state=3).pilot(2)
    assert one.to_frame().equals(two.to_frame())


def test_moments_of_drawn_judgments_are_those_of_the_values():
    made = datasets.make_slice(400, random_state=0)
    drawn = Judgments.from_array(
        made.draw(6, np.random.default_rng(0)), attributes=made.attributes, objects=made.objects
    )
    moments = Moments.estimate(drawn, made.labels)
    eight = made.values.reshape(-1, 48, 8)
    np.testing.assert_allclose(moments.noise, eight.var(axis=2).mean(axis=0), rtol=0.15)
    np.testing.assert_allclose(np.diag(moments.covariance), eight.mean(axis=2).var(axis=0), rtol=0.5)


def test_a_campaign_runs_on_slices():
    crowd = datasets.make_slice(60, random_state=0).crowd(random_state=0)

    def planner(judgments, outlook):
        return select(Moments.estimate(judgments, crowd.labels), budget=12)

    campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=12, spending_limit=6500)
    drive(campaign, crowd.judge)
    assert campaign.done
    assert 0 < campaign.bought <= 6500


def test_positions_that_there_are_not():
    with refused(DatasetError, value=[99], column="positions"):
        datasets.make_slice(5, random_state=0).subset([99])
