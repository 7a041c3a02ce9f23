"""What attributes tell, and what one more judgment of each is worth."""

from __future__ import annotations

import json

import numpy as np
import pytest

from manyjudges import Moments, select
from manyjudges.core.objective import explained
from manyjudges.exceptions import PlanError
from manyjudges.summary import attribute_map, next_judgments
from tests.support.messages import refused
from tests.support.plain import random_moments


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shrinkage", [0.0, 0.3])
def test_one_more_judgment_is_worth_what_it_adds(seed, shrinkage):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, 6, rank=int(rng.integers(2, 7)))
    plan = select(moments, int(rng.integers(0, 15)), costs=rng.uniform(0.5, 2, 6), shrinkage=shrinkage)
    found = next_judgments(moments, plan)
    repeats = plan.to_array()
    for name, gain, price in zip(found.attributes, found.gain, found.price, strict=True):
        more = repeats.copy()
        more[moments.attributes.index(name)] += 1
        added = explained(moments, more) - explained(moments, repeats)  # whatever tamed them for the plan
        assert gain == pytest.approx(added / moments.label_variance, rel=1e-5, abs=1e-7)
        assert price == plan.costs[moments.attributes.index(name)]
    assert found.gain_per_cost == pytest.approx(found.gain / found.price)
    assert (np.diff(found.gain_per_cost) <= 0).all()
    assert dict(zip(found.attributes, found.repeats, strict=True)) == dict(
        zip(moments.attributes, repeats, strict=True)
    )


def test_what_cannot_be_had_comes_last():
    moments = Moments.from_values([2.0, 1.0], [1.0, 1.0], np.eye(2), 10.0, attributes=["best", "other"])
    found = next_judgments(moments, select(moments, 3, max_repeats={"best": 1}))
    assert found.attributes == ("other", "best")
    assert found.available.tolist() == [True, False]


def test_the_map_is_the_table_of_moments(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    plan = select(moments, 8)
    found = attribute_map(moments, plan)
    table = moments.to_frame()
    assert found.correlation == pytest.approx(table["correlation"].clip(-1, 1).to_numpy())
    assert found.noise_ratio == pytest.approx(table["noise_ratio"].to_numpy())
    assert found.deviation**2 == pytest.approx(moments.variances)
    assert found.mean == pytest.approx(moments.means)
    assert found.repeats.tolist() == plan.to_array().tolist()
    assert found.share.sum() == pytest.approx(1)
    assert found.share[found.repeats == 0].sum() == 0
    assert found.to_frame().index.tolist() == list(moments.attributes)


def test_attributes_that_do_not_vary_or_tell_too_much():
    moments = Moments.from_values([0.0, 3.0], [1.0, 1.0], np.diag([0.0, 1.0]), 4.0)
    found = attribute_map(moments, select(moments, 0))
    assert np.isnan(found.correlation[0])
    assert found.correlation[1] == 1
    assert found.noise_ratio.tolist() == [np.inf, 1]
    assert found.share.tolist() == [0, 0]
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert document["noise_ratio"] == [None, 1]


def test_moments_in_another_order_or_of_others():
    moments = Moments.from_values([2.0, 1.0], [1.0, 1.0], np.eye(2), 10.0, attributes=["a", "b"])
    plan = select(moments, 3, costs={"b": 2})
    turned = moments.subset(["b", "a"])
    assert attribute_map(turned, plan).to_frame().loc["a"].equals(attribute_map(moments, plan).to_frame().loc["a"])
    assert next_judgments(turned, plan).to_frame().equals(next_judgments(moments, plan).to_frame())
    with refused(PlanError, value="a", column="attribute"):
        attribute_map(moments.subset(["b"]), plan)
