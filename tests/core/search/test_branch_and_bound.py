from __future__ import annotations

import gc
import os
import signal
import threading
import time

import cvxpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Moments, select, simulate
from manyjudges.core.objective import explained
from manyjudges.core.search import branch_and_bound
from tests.support.plain import all_plans, plain_explained, random_moments

SEEDS = st.integers(0, 1_000_000)
COSTS = st.sampled_from(["equal", "whole", "real"])


def random_costs(rng, d, kind):
    kinds = {
        "equal": np.ones(d),
        "whole": rng.integers(1, 5, size=d).astype(float),
        "real": rng.uniform(0.4, 3, size=d),
    }
    return kinds[kind]


def unlimited(moments):
    return np.full(len(moments.cross), np.inf)


def best_of_all(moments, budget, costs, max_repeats):
    plans = (plan for plan in all_plans(len(costs), budget, costs) if (plan <= max_repeats).all())
    return max(plain_explained(moments, plan) for plan in plans)


def nothing(moments):
    return np.zeros(len(moments.cross), dtype=np.int64)


def solved(moments, budget, costs=None, max_repeats=None, start=None, **options):
    costs = np.ones(len(moments.cross)) if costs is None else costs
    max_repeats = unlimited(moments) if max_repeats is None else max_repeats
    start = nothing(moments) if start is None else start
    return branch_and_bound.solve(moments, budget, costs, max_repeats, start, **options)


def hard(d=60, seed=3):
    """Without noise and singular: nothing that is proven in seconds."""
    return random_moments(np.random.default_rng(seed), d, noiseless=1, rank=d // 2)


@pytest.mark.slow
@settings(max_examples=250)
@given(
    seed=SEEDS,
    d=st.integers(1, 5),
    rank=st.integers(1, 5),
    budget=st.sampled_from([0, 0.5, 1, 2, 3.7, 6]),
    kind=COSTS,
    noiseless=st.sampled_from([0, 0.3, 0.7, 1]),
    capped=st.booleans(),
)
def test_the_best_of_all_plans_is_found_and_proven(seed, d, rank, budget, kind, noiseless, capped):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, rank=min(rank, d), noiseless=noiseless)
    costs = random_costs(rng, d, kind)
    max_repeats = rng.choice([0, 1, 2, np.inf], size=d) if capped else np.full(d, np.inf)
    proof = solved(moments, budget, costs, max_repeats)
    value = explained(moments, proof.repeats)
    assert proof.optimal
    assert proof.bound == value
    assert value == pytest.approx(best_of_all(moments, budget, costs, max_repeats), rel=1e-6, abs=1e-12)
    assert proof.repeats @ costs <= budget * (1 + 1e-9)
    assert (proof.repeats <= max_repeats).all()
    assert (proof.repeats[moments.noise == 0] <= 1).all()


@settings(max_examples=40)
@given(
    seed=SEEDS,
    budget=st.integers(1, 5),
    kind=COSTS,
    noiseless=st.sampled_from([0, 0.4, 1]),
    limit=st.sampled_from([0, 1e-3, 5e-3]),
)
def test_the_bound_holds_whenever_the_time_is_up(seed, budget, kind, noiseless, limit):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, 6, noiseless=noiseless, rank=4)
    costs = random_costs(rng, 6, kind) + 0.5
    proof = solved(moments, budget, costs, time_limit=limit)
    assert proof.bound >= best_of_all(moments, budget, costs, np.full(6, np.inf)) * (1 - 1e-6)
    assert proof.bound >= explained(moments, proof.repeats)


@pytest.mark.parametrize("noiseless", [0, 0.2])
@pytest.mark.parametrize("prices", [[1.0], [1.0, 2.0, 4.0]])
@pytest.mark.parametrize("budget", [10, 20])
def test_forty_attributes_take_no_time(noiseless, prices, budget, rng):
    moments = random_moments(rng, 40, noiseless=noiseless)
    costs = rng.choice(prices, size=40)
    start = select(moments, budget, costs=costs).to_array()
    proof = solved(moments, budget, costs, start=start, time_limit=60)
    assert proof.optimal
    assert explained(moments, proof.repeats) >= explained(moments, start)
    assert proof.repeats @ costs <= budget


def test_the_same_on_each_run(rng):
    moments = random_moments(rng, 20)
    first, second = (solved(moments, 9) for _ in range(2))
    np.testing.assert_array_equal(first.repeats, second.repeats)
    assert first.bound == second.bound


@settings(max_examples=20)
@given(seed=SEEDS, exponent=st.integers(-9, 9))
def test_units_do_not_matter(seed, exponent):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, 8)
    unit = 10.0 ** rng.uniform(-6, 6, size=8) * rng.choice([-1, 1], size=8)
    label = 10.0**exponent
    other = Moments.from_values(
        moments.cross * unit * label,
        moments.noise * unit**2,
        moments.covariance * np.outer(unit, unit),
        moments.label_variance * label**2,
    )
    here, there = solved(moments, 7), solved(other, 7)
    np.testing.assert_array_equal(here.repeats, there.repeats)
    assert there.bound == pytest.approx(here.bound * label**2)


def test_the_start_is_never_made_worse():
    moments = hard()
    start = select(moments, 15).to_array()
    for limit in (0, 0.2):
        proof = solved(moments, 15, start=start, time_limit=limit)
        assert not proof.optimal
        assert explained(moments, proof.repeats) >= explained(moments, start) * (1 - 1e-12)
        assert explained(moments, proof.repeats) < proof.bound < np.inf


def test_the_time_limit_is_kept():
    began = time.monotonic()
    solved(hard(), 15, time_limit=0.5)
    assert time.monotonic() - began < 5


def test_progress_draws_together():
    moments, reports = hard(), []
    proof = solved(moments, 15, time_limit=1, progress=lambda *report: reports.append(report))
    values, bounds, seconds = np.array(reports).T
    assert len(reports) >= 3
    assert (np.diff(values) >= 0).all()
    assert (np.diff(bounds) <= 0).all()
    assert (np.diff(seconds) > 0).all()
    assert (values <= bounds).all()
    assert (values[-1], bounds[-1]) == (explained(moments, proof.repeats), proof.bound)


@pytest.fixture
def ctrl_c():
    """Ctrl-C as Python has it, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.collect()
    gc.disable()  # a signal that falls into the removal of what other tests have left is heard by nobody
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_returns_what_is_known_and_is_itself_again_afterwards():
    moments = hard()
    start = select(moments, 15).to_array()
    handler = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    proof = solved(moments, 15, start=start, time_limit=60)
    timer.join()
    assert not proof.optimal
    assert explained(moments, start) * (1 - 1e-12) <= explained(moments, proof.repeats) < proof.bound < np.inf
    assert signal.getsignal(signal.SIGINT) is handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interruption_loses_no_box(monkeypatch, rng):
    """Wherever it comes, the bound holds for what was in hand."""
    moments = random_moments(rng, 6)
    best = best_of_all(moments, 4, np.ones(6), np.full(6, np.inf))
    bound_boxes = branch_and_bound.bound_boxes
    for when in range(4):
        left = [when]

        def interrupted(*args, left=left):
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return bound_boxes(*args)

        monkeypatch.setattr(branch_and_bound, "bound_boxes", interrupted)
        assert solved(moments, 4).bound >= best * (1 - 1e-6)


def test_one_attribute():
    moments = Moments.from_values([0.5], [1.0], [[1.0]], 1.0)
    proof = solved(moments, 7)
    assert proof.repeats.tolist() == [7]
    assert proof.bound == pytest.approx(0.25 / (1 + 1 / 7))


def test_what_cannot_be_had_is_not_bought():
    """Too dear, limited to none, without variance and noise, or telling nothing at all."""
    covariance = np.diag([1.0, 1.0, 0.0, 1.0, 1.0])
    moments = Moments.from_values([0.9, 0.9, 0.0, 0.0, 0.1], [1.0, 1.0, 0.0, 1.0, 1.0], covariance, 1.0)
    max_repeats = np.array([np.inf, 0, np.inf, np.inf, np.inf])
    proof = solved(moments, 3, np.array([4.0, 1, 1, 1, 1]), max_repeats)
    assert proof.repeats.tolist() == [0, 0, 0, 0, 3]
    assert proof.optimal


def test_what_tells_nothing_by_itself_may_help_others():
    """The second is the first one's disturbance: useless alone, and worth its price with it."""
    moments = Moments.from_values([1.0, 0.0, 0.4], [0.0, 0.0, 0.0], [[2.0, 1, 0], [1, 1, 0], [0, 0, 1]], 1.0)
    assert solved(moments, 2).repeats.tolist() == [1, 1, 0]


def test_a_label_that_nothing_tells_about():
    moments = Moments.from_values([0.0, 0.0], [1.0, 0.0], np.eye(2), 1.0)
    proof = solved(moments, 5)
    assert (proof.repeats.tolist(), proof.bound, proof.optimal) == ([0, 0], 0.0, True)


def test_copies_without_noise_are_bought_once():
    copies = np.kron(np.eye(3), np.ones((3, 3)))
    moments = Moments.from_values(np.repeat([0.3, 0.5, 0.4], 3), np.zeros(9), copies, 1.0)
    proof = solved(moments, 5)
    assert proof.repeats.reshape(3, 3).sum(axis=1).tolist() == [1, 1, 1]
    assert proof.bound == pytest.approx(0.5)


def test_judgments_that_tell_nothing_are_dropped_from_the_start():
    moments = Moments.from_values([0.5, 0.0], [0.0, 1.0], np.eye(2), 1.0)
    assert solved(moments, 10, start=np.array([3, 5])).repeats.tolist() == [1, 0]


def test_ten_judgments_at_a_tenth_cost_one():
    moments = Moments.from_values([0.5], [1.0], [[1.0]], 1.0)
    assert solved(moments, 1.0, np.array([0.1])).repeats.tolist() == [10]


def test_a_variance_of_nothing_with_noise(rng):
    """Moments that were given may say so; what is explained then grows with every judgment."""
    moments = Moments.from_values([0.1, 0.2], [1.0, 1.0], np.diag([0.0, 1.0]), 1.0)
    best = best_of_all(moments, 8, np.ones(2), np.full(2, np.inf))
    assert solved(moments, 8).bound == pytest.approx(best, rel=1e-6)


def test_large_budgets(rng):
    moments = random_moments(rng, 5, noiseless=0)
    proof = solved(moments, 100_000, time_limit=20)
    assert proof.optimal
    assert proof.repeats.sum() <= 100_000
    assert explained(moments, proof.repeats) >= select(moments, 2000).explained


def cone_program(moments, budget, costs):
    """The same problem as a mixed-integer cone program, by cvxpy and SCIP: label variance - 2b'w + w'Σw + Σ v w²/r."""
    d = len(costs)
    factor = np.linalg.cholesky(moments.covariance)
    r, w, t = cvxpy.Variable(d, integer=True), cvxpy.Variable(d), cvxpy.Variable(d)
    cones = [cvxpy.quad_over_lin(w[i] * np.sqrt(moments.noise[i]), r[i]) <= t[i] for i in range(d)]
    objective = cvxpy.sum_squares(factor.T @ w) - 2 * moments.cross @ w + cvxpy.sum(t)
    problem = cvxpy.Problem(cvxpy.Minimize(objective), [r >= 0, costs @ r <= budget, *cones])
    problem.solve(solver=cvxpy.SCIP)
    return np.rint(r.value).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_equals_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    truth = simulate.gaussian(4, 10, random_state=seed).truth
    costs = np.ones(10) if seed else rng.integers(1, 4, 10).astype(float)
    ours = select(truth, 8, method="exact", costs=costs)
    theirs = plain_explained(truth, cone_program(truth, 8, costs))
    assert ours.gap == 0
    assert ours.explained >= theirs * (1 - 1e-9)
    assert ours.explained == pytest.approx(theirs, rel=1e-3)  # SCIP's cones hold to a tolerance
