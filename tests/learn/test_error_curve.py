from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from manyjudges import (
    DataWarning,
    Judgments,
    ManyJudgesError,
    Moments,
    answer,
    choose,
    projected_error,
    select,
    simulate,
)
from manyjudges.base.results import loss_limits
from manyjudges.core.objective import expected_loss, weights
from manyjudges.exceptions import DocumentError, JudgmentsError, MomentsError, PlanError
from manyjudges.learn.error_curve import as_budgets
from tests.support.messages import refused

ERRORS = ["error", "low", "high", "explained", "in_sample_error", "loss", "std_error"]
COLUMNS = ["method", "budget", *ERRORS, "searched", "shrinkage"]
PAPER = {"methods": ("scoring", "full"), "shrinkage": 0.0}


CROWD, PILOT = (200, 8, 5), 2


@pytest.fixture(scope="module")
def curve(crowd, pilot):
    return projected_error(pilot, crowd.labels, [4, 16, 200], **PAPER)


def true_loss(crowd, judgments, labels, budget, *, method="full", shrinkage=0.0, ridge=0.0):
    """Loss on the population of a plan and its best linear predictor from some judgments."""
    moments = Moments.estimate(judgments, labels)
    repeats = select(moments, budget, method=method, shrinkage=shrinkage, costs=crowd.costs or None).to_array()
    w = weights(moments.regularized(ridge=ridge), repeats)
    return expected_loss(crowd.truth, w, repeats, bias=moments.label_mean - w @ moments.means)


def test_the_frame(curve, crowd):
    frame = curve.to_frame()
    assert list(frame.columns) == COLUMNS
    assert frame["method"].tolist() == ["scoring"] * 3 + ["full"] * 3
    assert frame["budget"].tolist() == [4, 16, 200] * 2
    assert frame["searched"].tolist() == frame["method"].tolist()
    np.testing.assert_array_equal(frame["error"], np.sqrt(frame["loss"]))
    for name, limit in zip(("low", "high"), loss_limits(frame["loss"], frame["std_error"]), strict=True):
        np.testing.assert_array_equal(frame[name], np.sqrt(limit))
    unclipped = 1 - (frame["error"] / curve.baseline_error) ** 2
    np.testing.assert_array_equal(frame["explained"], unclipped.clip(0, 1))
    assert curve.baseline_error == pytest.approx(np.std(crowd.labels), rel=0.02)
    assert (frame["std_error"] > 0).all()
    assert (frame["in_sample_error"] < frame["error"]).all()


def test_auto_takes_at_each_budget_what_an_answer_takes(crowd, pilot):
    curve = projected_error(pilot, crowd.labels, [4, 16], cv_repeats=1)
    assert curve.methods == ("auto",)
    for k, budget in enumerate(curve.budgets):
        found = answer(pilot, crowd.labels, budget, cv_repeats=1)
        row = curve.to_frame().iloc[k]
        assert (row["error"], row["low"], row["high"]) == (found.error, found.low, found.high)
        assert (row["explained"], row["in_sample_error"]) == (found.explained, found.in_sample_error)
        assert curve.plans[0][k] == found.plan
    assert curve.baseline_error == found.baseline_error
    assert f"{budget}: {found.error:.4g} ({found.low:.4g} to {found.high:.4g})" in repr(curve)


def test_what_stops_a_plan_stops_a_curve(crowd, pilot):
    rows = pilot.to_frame()
    rows.loc[rows.index[:20], "value"] = -99.0
    with refused(JudgmentsError, value=-99.0, column="a0"):
        projected_error(Judgments.from_frame(rows), crowd.labels, [4])


def test_nothing_impossible_is_shown():
    few = simulate.gaussian(12, 2, random_state=3)
    frame = projected_error(few.pilot(2), few.labels, [1, 50], mute=["MJ101", "MJ103"]).to_frame()
    assert frame["explained"].between(0, 1).all()
    assert (frame[["error", "low", "high", "in_sample_error"]] >= 0).all(axis=None)


def test_the_best_and_the_cheapest(curve):
    best = curve.best(16)
    assert best["budget"] == 16
    assert best["loss"] == curve.loss[:, 1].min()
    assert curve.best()["loss"] == curve.loss.min()
    assert curve.cheapest_within(1000) == 4
    assert curve.cheapest_within(0) == curve.best()["budget"]
    errors = curve.error.min(axis=0)
    as_good_as_the_first = errors[0] / errors.min() - 1
    assert curve.cheapest_within(as_good_as_the_first * 1.001) == 4
    assert curve.cheapest_within(as_good_as_the_first * 0.999) > 4
    with refused(PlanError, value=5, column="budget"):
        curve.best(5)
    for wrong in (-0.1, "much", True, float("nan")):
        with refused(PlanError, value=wrong, column="tolerance"):
            curve.cheapest_within(wrong)


def test_the_same_seed_gives_the_same_curve(crowd, pilot, curve):
    again = projected_error(pilot, crowd.labels, [4, 16, 200], **PAPER)
    pd.testing.assert_frame_equal(again.to_frame(), curve.to_frame())
    shuffled = Judgments.from_frame(pilot.to_frame().sample(frac=1, random_state=1))
    other = projected_error(shuffled, crowd.labels, [4, 16, 200], random_state=0, **PAPER)
    np.testing.assert_allclose(other.loss, curve.loss, rtol=1e-9)


class Backwards(Executor):
    """Does the last that was asked for first, and nothing before a result is wanted."""

    def __init__(self):
        self.waiting = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.result = lambda: (self._do_all(), Future.result(future))[1]
        self.waiting.append((future, lambda: fn(*args, **kwargs)))
        return future

    def _do_all(self):
        while self.waiting:
            future, work = self.waiting.pop()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:
                    future.set_exception(error)


def test_folds_may_be_computed_elsewhere_and_in_any_order(crowd, pilot, curve):
    steps = []
    options = PAPER | {"executor": Backwards(), "progress": lambda *step: steps.append(step)}
    elsewhere = projected_error(pilot, crowd.labels, [4, 16, 200], **options)
    pd.testing.assert_frame_equal(elsewhere.to_frame(), curve.to_frame(), check_exact=True)
    assert steps == [(2 * done, 30) for done in range(1, 16)]
    here, there = (choose(pilot, crowd.labels, 10, executor=each) for each in (None, Backwards()))
    pd.testing.assert_frame_equal(here.considered, there.considered, check_exact=True)


@pytest.mark.slow
def test_folds_may_be_computed_by_processes(crowd, pilot):
    options = {"methods": ["full"], "cv_repeats": 1, "random_state": 0}
    here = projected_error(pilot, crowd.labels, [4, 16], **options)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        elsewhere = projected_error(pilot, crowd.labels, [4, 16], executor=executor, **options)
    np.testing.assert_allclose(elsewhere.loss, here.loss, rtol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "value", "row", "column"),
    [
        ({"costs": {"zz": 1}}, "zz", None, "costs"),
        ({"costs": [1, 2]}, (2,), None, "costs"),
        ({"max_repeats": {"a0": -1}}, -1.0, "a0", "max_repeats"),
        ({"shrinkage": 2.0}, 2.0, None, "shrinkage"),
    ],
)
def test_what_is_wrong_is_found_before_folds_are_handed_out(crowd, pilot, wrong, value, row, column):
    executor = Backwards()
    with refused(PlanError, value=value, row=row, column=column):
        projected_error(pilot, crowd.labels, [5], executor=executor, **wrong)
    with refused(PlanError, value=value, row=row, column=column):
        choose(pilot, crowd.labels, 5, executor=executor, **wrong)
    assert executor.waiting == []


def test_ridges_are_checked_before_folds_are_handed_out(crowd, pilot):
    executor = Backwards()
    with refused(PlanError, value=-1, column="predictor_ridge"):
        projected_error(pilot, crowd.labels, [5], executor=executor, predictor_ridge=-1)
    with refused(PlanError, value=-1, column="plan_ridge"):
        choose(pilot, crowd.labels, 5, executor=executor, plan_ridge=-1)
    assert executor.waiting == []


def test_what_goes_wrong_elsewhere_is_said_here(crowd):
    """Alone of its attribute's judgments, an object with two of them is in the test part of some fold."""
    values = crowd.pilot(2).cells().mean[:, :2, None]
    values = np.concatenate([values, np.full_like(values, np.nan)], axis=2)
    values[:, 0, 1], values[3, 1, 1] = values[:, 0, 0] + 1, 0.0
    for executor in (None, Backwards()):
        with refused(MomentsError, column="x1"):
            projected_error(Judgments.from_array(values), crowd.labels.to_numpy(), [5], executor=executor)


def test_executors_that_are_none(crowd, pilot):
    with refused(PlanError, value="tcp://10.0.0.1:8786", column="executor"):
        choose(pilot, crowd.labels, 5, executor="tcp://10.0.0.1:8786")
    with ThreadPoolExecutor(1) as closed:
        pass
    for use in (
        lambda: projected_error(pilot, crowd.labels, [5], executor=closed),
        lambda: choose(pilot, crowd.labels, 5, executor=closed),
    ):
        with refused(PlanError, value=closed, column="executor"):
            use()


class Cancelling(Backwards):
    """Is shut down while it works, and drops what has not begun."""

    def submit(self, fn, /, *args, **kwargs):
        future = super().submit(fn, *args, **kwargs)
        future.cancel()
        return future


def test_an_executor_that_breaks_down(crowd, pilot):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        os.kill(executor.submit(os.getpid).result(), signal.SIGKILL)
        with refused(ManyJudgesError, column="executor"):
            projected_error(pilot, crowd.labels, [5], methods=["full"], executor=executor)
        with refused(ManyJudgesError, column="executor"):  # it knows by now
            choose(pilot, crowd.labels, 5, executor=executor)
    with refused(ManyJudgesError, column="executor"):
        projected_error(pilot, crowd.labels, [5], executor=Cancelling())


@pytest.mark.slow
@pytest.mark.parametrize("budget", [6, 60])
def test_the_honest_estimate_is_honest_and_the_optimistic_one_is_not(budget):
    """Over many crowds: the mean is that of the true loss, to within the standard error, also far beyond the pilot."""
    honest, errors, optimistic, true = [], [], [], []
    for seed in range(40):
        crowd = simulate.gaussian(100, 8, random_state=seed)
        pilot = crowd.pilot(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            way = {"methods": ["full"], "shrinkage": 0.0, "cv_repeats": 4, "random_state": seed}
            curve = projected_error(pilot, crowd.labels, [budget], **way)
            at = curve.to_frame().iloc[0]
        scale = crowd.truth.label_variance
        honest.append(at["loss"] / scale)
        errors.append(at["std_error"] / scale)
        optimistic.append(curve.optimistic_loss[0, 0] / scale)
        kept = np.sort(np.random.default_rng(seed).permutation(100)[:80])
        true.append(true_loss(crowd, pilot[kept], crowd.labels.to_numpy()[kept], budget) / scale)
    assert abs(np.mean(honest) - np.mean(true)) <= np.mean(errors)
    spread = np.std(np.array(honest) - np.array(true))
    assert 0.5 < np.mean(errors) / spread < 2  # the standard error says how far off a single estimate is
    assert np.mean(optimistic) < np.mean(true) - 0.05


def test_warnings_are_objects_and_issued(crowd):
    few = crowd.more(20)
    pilot = few.pilot(2)
    with pytest.warns(DataWarning, match="20 objects for 8 attributes"):
        curve = projected_error(pilot, few.labels, [5], random_state=0)
    assert [warning.kind for warning in curve.warnings] == ["few_objects"]
    assert f"warning: {curve.warnings[0]}" in repr(curve)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        assert projected_error(pilot, few.labels, [5], random_state=0, mute=["MJ101"]).warnings == ()


def test_costs_and_caps_are_kept(crowd, pilot):
    costs, max_repeats = {"a0": 3.0}, {"a1": 1}
    curve = projected_error(
        pilot,
        crowd.labels,
        [10],
        methods=["full", "exchange", "exact"],
        costs=costs,
        max_repeats=max_repeats,
        random_state=0,
    )
    plain = projected_error(pilot, crowd.labels, [10], methods=["full"], random_state=0)
    assert curve.loss[0, 0] != plain.loss[0, 0]
    assert curve.loss[2, 0] == curve.loss[1, 0]  # exchange stands in for exact


@pytest.mark.parametrize(
    ("options", "value", "column"),
    [
        ({"budgets": []}, None, "budgets"),
        ({"budgets": "5,10"}, "5,10", "budgets"),
        ({"budgets": True}, True, "budgets"),
        ({"budgets": -5}, -5, "budget"),
        ({"budgets": [5, -1]}, -1, "budget"),
        ({"budgets": [5, 5]}, 5, "budgets"),
        ({"methods": ["fulll"]}, "fulll", "method"),
        ({"shrinkage": "much"}, "much", "shrinkage"),
        ({"methods": []}, None, "methods"),
        ({"methods": None}, None, "methods"),
        ({"methods": ["full", "full"]}, "full", "methods"),
        ({"random_state": -1}, -1, "random_state"),
        ({"cv": 1}, 1, "cv"),
        ({"cv": 2.5}, 2.5, "cv"),
        ({"cv": 500}, 500, "cv"),
        ({"cv_repeats": 0}, 0, "cv_repeats"),
        ({"noiseless": "a0"}, "a0", "noiseless"),
        ({"costs": {"zz": 1}}, "zz", "costs"),
    ],
)
def test_bad_input(crowd, pilot, options, value, column):
    given = {"budgets": [5]} | options
    with refused(PlanError, value=value, column=column):
        projected_error(pilot, crowd.labels, given.pop("budgets"), **given)


@pytest.mark.parametrize("budget", [5, 5.0, np.int64(5), np.float64(5)])
def test_a_single_number_is_one_budget(budget):
    assert as_budgets(budget) == as_budgets([budget]) == (5,)


def test_the_error_at_a_single_budget(crowd, pilot):
    options = {"methods": ["full"], "shrinkage": 0, "cv_repeats": 1}
    alone = projected_error(pilot, crowd.labels, 5, **options)
    pd.testing.assert_frame_equal(alone.to_frame(), projected_error(pilot, crowd.labels, [5], **options).to_frame())


def test_a_budget_of_minus_nothing_is_0():
    assert [str(limit) for limit in as_budgets([-0.0, 2])] == ["0.0", "2"]


def test_attributes_without_noise_must_be_there(crowd, pilot):
    for ask in (
        lambda: projected_error(pilot, crowd.labels, [5], noiseless=["zz"]),
        lambda: choose(pilot, crowd.labels, 5, noiseless=["zz"]),
    ):
        with refused(JudgmentsError, value="zz", column="noiseless") as caught:
            ask()
        assert caught.value.value == "zz"


def test_judgments_are_needed(crowd):
    with refused(JudgmentsError, column="judgments"):
        projected_error(np.zeros((5, 2, 2)), crowd.labels, [5])


@pytest.fixture
def files(crowd, pilot, tmp_path):
    """A table with odd names and two rows that are no judgments, and labels."""
    names = {"object": "it's", "attribute": "asked", "value": 'the "score"', "worker": "who"}
    frame = pilot.to_frame().astype({"value": object}).rename(columns=names)
    wrong = frame.iloc[[5, 77]].assign(**{"who": "somebody", 'the "score"': "so-so"})
    pd.concat([frame[:90], wrong, frame[90:]]).to_csv(tmp_path / "odd.csv", index=False)
    crowd.labels.rename("label").rename_axis("object").to_csv(tmp_path / "labels.csv")
    columns = dict(zip(("object", "attribute", "value", "worker"), names.values(), strict=True))
    return tmp_path / "odd.csv", tmp_path / "labels.csv", columns


def test_rows_are_skipped_and_columns_named_on_a_path(crowd, pilot, files, tmp_path):
    path, labels, columns = files
    options = {"random_state": 0, "cv_repeats": 1}
    with refused(JudgmentsError, value="so-so", row=91, column="value", file="odd.csv"):
        projected_error(path, labels, [4, 16], **columns, **options)
    told = columns | {"on_invalid": "skip", "temp_dir": tmp_path, "memory_limit": "1GB"}
    curve = projected_error(path, labels, [4, 16], **told, **options)
    wanted = projected_error(pilot, crowd.labels, [4, 16], **options)
    np.testing.assert_allclose(curve.loss, wanted.loss, rtol=1e-9)
    assert (curve.skipped, wanted.skipped) == (2, 0)
    choice = choose(path, labels, 10, shrinkage=0.1, **told, **options)
    plain = choose(pilot, crowd.labels, 10, shrinkage=0.1, **options)
    np.testing.assert_allclose(choice.considered["loss"], plain.considered["loss"], rtol=1e-9)
    assert (choice.skipped, plain.skipped) == (2, 0)
    with refused(JudgmentsError, value="who else", column="worker", file="odd.csv"):
        choose(path, labels, 10, **told | {"worker": "who else"})
    with refused(PlanError, value="keep", column="on_invalid"):
        projected_error(path, labels, [4], **told | {"on_invalid": "keep"})
    with refused(ManyJudgesError):
        projected_error(path, labels, [4], temp_dir="/nowhere")


def test_tables_come_one_after_the_other(crowd, pilot):
    frame = pilot.to_frame()
    options = {"random_state": 0, "cv_repeats": 1}
    parts = (frame[at : at + 500] for at in range(0, len(frame), 500))
    curve = projected_error(parts, crowd.labels, [4, 16], **options)
    wanted = projected_error(pilot, crowd.labels, [4, 16], **options)
    np.testing.assert_allclose(curve.loss, wanted.loss, rtol=1e-9)
    choice = choose(iter([frame]), crowd.labels, 10, shrinkage=0.1, **options)
    plain = choose(pilot, crowd.labels, 10, shrinkage=0.1, **options)
    np.testing.assert_allclose(choice.considered["loss"], plain.considered["loss"], rtol=1e-9)


def test_an_address_is_no_path(crowd):
    with refused(DocumentError):
        projected_error("sqlite:///study/judgments.db", crowd.labels, [4])


@pytest.mark.parametrize(
    ("told", "value", "column"),
    [
        ({"on_invalid": "skip"}, "skip", "on_invalid"),
        ({"temp_dir": "."}, ".", "temp_dir"),
        ({"memory_limit": "1GB"}, "1GB", "memory_limit"),
        ({"object": "object"}, "object", "object"),
        ({"worker": None}, None, "worker"),
    ],
)
def test_how_to_read_is_for_paths(crowd, pilot, told, value, column):
    with refused(PlanError, value=value, column=column):
        projected_error(pilot, crowd.labels, [5], **told)
    with refused(PlanError, value=value, column=column):
        choose(pilot, crowd.labels, 5, **told)
