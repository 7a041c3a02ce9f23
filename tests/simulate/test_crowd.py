from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from manyjudges import Judgments, ManyJudgesError, select, simulate
from manyjudges.simulate.crowd import indicator_covariance
from tests.support.messages import refused


def test_covariance_of_indicators(rng):
    for _ in range(20):
        h, k, rho = rng.normal(), rng.normal(), rng.uniform(-0.99, 0.99)
        both = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf([h, k])
        one, two = (multivariate_normal(0, 1).cdf(x) for x in (h, k))
        got = indicator_covariance(np.array([[0.5, rho], [rho, 0.5]]), np.array([h, k]))[0, 1]
        assert got == pytest.approx(both - one * two, abs=1e-6)


def test_the_same_seed_gives_the_same_crowd():
    frames = [simulate.height_weight(20, random_state=3).pilot(2).to_frame() for _ in range(2)]
    assert frames[0].equals(frames[1])
    assert not simulate.height_weight(20, random_state=4).pilot(2).to_frame().equals(frames[0])


def test_nobody_judges_the_same_pair_twice():
    crowd = simulate.jelly_beans(10, random_state=0)
    requests = pd.DataFrame({"object": crowd.objects, "attribute": "beautiful", "count": 3})
    total = crowd.pilot(2)
    for _ in range(3):
        total = total + Judgments.from_frame(crowd.judge(requests))
    assert (total.counts()["beautiful"] == 11).all()
    twice = pd.concat([requests, requests])
    assert len(Judgments.from_frame(crowd.judge(twice))) == 60


def test_following_a_plan_buys_exactly_that():
    crowd = simulate.jelly_beans(30, random_state=0)
    plan = select(crowd.truth, 9)
    counts = crowd.follow(plan).counts()
    assert counts.iloc[0].to_dict() == plan.repeats
    assert (counts == counts.iloc[0]).all().all()


def test_new_objects_are_new():
    crowd = simulate.jelly_beans(5, random_state=0)
    first, second = crowd.more(5), crowd.more(5)
    assert not set(crowd.objects) & set(first.objects)
    assert not set(first.objects) & set(second.objects)


def test_unknown_names_are_named():
    crowd = simulate.jelly_beans(3)
    with refused(ManyJudgesError, value="jar", column="object"):
        crowd.judge(pd.DataFrame({"object": ["jar"], "attribute": ["beautiful"], "count": [1]}))


def test_requests_without_a_column_are_refused():
    with refused(ManyJudgesError, column="object"):
        simulate.jelly_beans(3).judge(pd.DataFrame({"attribute": ["beautiful"]}))


@pytest.mark.parametrize("repeats", [0, -1, 2.0, "2"])
def test_a_pilot_has_a_whole_number_of_judgments(repeats):
    with refused(ManyJudgesError, value=repeats, column="repeats"):
        simulate.jelly_beans(3).pilot(repeats)
