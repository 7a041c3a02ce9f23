from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Moments, baseline, select
from manyjudges.core.objective import explained
from manyjudges.exceptions import JudgmentsError, PlanError
from tests.support.messages import refused

CROWD, PILOT = (80, 6, 3), 2


def forward(columns, y, steps):
    """Forward selection by least squares, one fit for each column at each step."""
    chosen = []
    for _ in range(steps):
        errors = {}
        for i in set(range(columns.shape[1])) - set(chosen):
            x = np.column_stack([np.ones(len(y)), columns[:, [*chosen, i]]])
            errors[i] = np.sum((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2)
        chosen.append(min(errors, key=errors.get))
    return chosen


def test_averages_are_forward_least_squares_on_means(crowd, pilot):
    y = crowd.labels.loc[pilot.objects].to_numpy()
    chosen = forward(pilot.means().to_numpy(), y, 4)
    plan = baseline(pilot, crowd.labels, 9, kind="averages")
    assert plan.repeats == {pilot.attributes[i]: 2 for i in sorted(chosen)}
    assert [pilot.attributes.index(step.attribute) for step in plan.path[::2]] == chosen


def test_copies_are_forward_least_squares_on_single_judgments(crowd, pilot):
    y = crowd.labels.loc[pilot.objects].to_numpy()
    first = pilot.means(1).to_numpy()
    chosen = forward(np.hstack([first, 2 * pilot.means(2).to_numpy() - first]), y, 7)
    plan = baseline(pilot, crowd.labels, 7, kind="copies")
    assert plan.picks.tolist() == [i % 6 for i in chosen]
    assert plan.to_array().max() <= 2


def test_single_buys_one_attribute_as_often_as_it_can(crowd, pilot):
    plan = baseline(pilot, crowd.labels, 9, kind="single", attribute="a2", costs={"a2": 4})
    assert plan.repeats == {"a2": 2}


@pytest.mark.parametrize("kind", ["averages", "copies"])
def test_costs_and_budgets_hold(crowd, pilot, kind):
    costs = {"a0": 3, "a1": 0.5}
    for budget in (0, 1, 5, 100):
        plan = baseline(pilot, crowd.labels, budget, kind=kind, costs=costs)
        assert plan.cost <= budget
        assert plan.to_array().max(initial=0) <= 2


def test_plans_are_judged_by_the_same_moments(crowd, pilot):
    moments = Moments.estimate(pilot, crowd.labels)
    for kind in ("averages", "copies"):
        plan = baseline(pilot, crowd.labels, 10, kind=kind)
        assert plan.explained == pytest.approx(explained(moments, plan.to_array()))
        assert plan.label_variance == moments.label_variance
    assert select(moments, 10).explained >= plan.explained


@pytest.mark.parametrize(
    ("options", "value", "column"),
    [
        ({"kind": "average"}, "average", "kind"),
        ({"kind": "single"}, None, "attribute"),
        ({"kind": "copies", "attribute": "a1"}, "a1", "attribute"),
        ({"kind": "single", "attribute": "a9"}, "a9", "attribute"),
    ],
)
def test_baselines_that_make_no_sense(crowd, pilot, options, value, column):
    with refused(PlanError, value=value, column=column):
        baseline(pilot, crowd.labels, 10, **options)


def test_baselines_need_judgments(crowd):
    with refused(JudgmentsError, value=[1], column="judgments"):
        baseline([1], crowd.labels, 5, kind="averages")


@pytest.mark.parametrize("kind", ["averages", "copies"])
def test_the_order_of_rows_does_not_matter(crowd, kind):
    pilot = crowd.pilot(3)
    shuffled = Judgments.from_frame(pilot.to_frame().sample(frac=1, random_state=3))
    assert baseline(shuffled, crowd.labels, 9, kind=kind) == baseline(pilot, crowd.labels, 9, kind=kind)


def test_pairs_with_too_few_judgments_are_left_out(crowd, pilot, rng):
    frame = pilot.to_frame()
    some = Judgments.from_frame(frame[rng.random(len(frame)) < 0.9])
    for kind in ("averages", "copies"):
        assert baseline(some, crowd.labels, 8, kind=kind).cost == 8
