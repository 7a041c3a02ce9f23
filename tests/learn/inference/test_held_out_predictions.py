from __future__ import annotations

import numpy as np

from manyjudges import select, simulate
from manyjudges.exceptions import PlanError
from manyjudges.learn.fitting import fit
from manyjudges.learn.inference.held_out_predictions import predict_held_out
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused


def test_each_object_is_predicted_by_a_fit_to_the_others():
    crowd = simulate.gaussian(60, 3, random_state=0)
    data = match_training_data(crowd.pilot(2), crowd.labels)
    plan, steps = select(data.moments, 5), []
    result = predict_held_out(plan, data, cv=4, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert np.bincount(result.fold).tolist() == [15] * 4
    rest, out = np.flatnonzero(result.fold != 2), np.flatnonzero(result.fold == 2)
    expected, deviations = fit(plan, data.of_objects(rest)).predict(data.in_memory[out], return_std=True)
    np.testing.assert_array_equal(result.predictions[out], expected)
    np.testing.assert_array_equal(result.deviations[out], deviations)
    with refused(PlanError, value=61, column="cv") as caught:
        predict_held_out(plan, data, cv=61)
    assert caught.value.value == 61
