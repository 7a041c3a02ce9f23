"""The error of a plan that stands."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import select, simulate
from manyjudges.core.objective import expected_loss, weights
from manyjudges.learn.inference.fixed_plan import error_of_plan
from manyjudges.learn.training_data import match_training_data


@pytest.fixture(scope="module")
def study():
    crowd = simulate.gaussian(120, 4, random_state=0)
    data = match_training_data(crowd.pilot(3), crowd.labels)
    return crowd, data, select(data.moments, 6)


def test_it_is_about_the_error_on_the_population(study):
    crowd, data, plan = study
    loss, std_error = error_of_plan(plan, data)
    moments, repeats = data.moments, plan.to_array()
    w = weights(moments, repeats)
    truth = expected_loss(crowd.truth, w, repeats, bias=moments.label_mean - w @ moments.means)
    assert abs(loss - truth) < 2 * std_error
    assert std_error < loss / 3


def test_another_seed_changes_little(study):
    _, data, plan = study
    losses = [error_of_plan(plan, data, random_state=seed)[0] for seed in range(4)]
    assert np.ptp(losses) < 0.1 * np.mean(losses)
    assert error_of_plan(plan, data) == error_of_plan(plan, data)


def test_attributes_that_the_plan_does_not_ask_for_have_no_part_in_it(study):
    _, data, plan = study
    assert error_of_plan(plan, data.only(plan.repeats)) == error_of_plan(plan, data)


def test_few_objects_or_single_judgments_have_no_error():
    crowd = simulate.gaussian(12, 2, random_state=0)
    data = match_training_data(crowd.pilot(2), crowd.labels)
    plan = select(data.moments, 4)
    assert error_of_plan(plan, data) is not None
    assert error_of_plan(plan, data.of_objects(np.arange(9))) is None
    once = match_training_data(data.in_memory.first(dict.fromkeys(data.attributes, 1)), data.known_labels)
    assert error_of_plan(plan, once) is None
