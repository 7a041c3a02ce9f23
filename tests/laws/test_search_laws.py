"""Laws that every search must keep: whatever is entered in ``SEARCHES`` is tested here."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, select
from manyjudges.core.search.registry import SEARCHES
from tests.support.plain import (
    all_plans,
    plain_explained,
    random_caps,
    random_costs,
    random_moments,
)

SEEDS = st.integers(0, 1_000_000)
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


def searches(able):
    """Those that can do something."""
    return pytest.mark.parametrize("search", [pytest.param(s, id=s.name) for s in SEARCHES.values() if able(s)])


def takes_what_explains_most(search):
    """Whether each judgment is chosen, one after the other, by what is then explained: a useless one is never taken."""
    return search.nested and search.uses_covariance


def affordable(search, d, budget):
    """Sizes that a search is fast enough for: smaller ones where another stands in for it in cross-validation."""
    return (d, budget) if search.in_folds is None else (min(d, 4), min(budget, 8))


def same_plan(search, plan, other):
    """The same judgments; or, from a search that stops when nothing better is left, others that are as good."""
    if search.anytime:
        return plan.explained == pytest.approx(other.explained, rel=1e-6, abs=1e-12)
    return plan.picks.tolist() == other.picks.tolist()


COSTS = st.sampled_from(["equal", "whole", "real"])


@every_search
@given(seed=SEEDS, d=st.integers(1, 8), rank=st.integers(1, 8), budget=st.floats(0, 30), kind=COSTS)
def test_plans_keep_within_budget_and_every_step_helps(search, seed, d, rank, budget, kind):
    d, budget = affordable(search, d, budget)
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, rank=min(rank, d))
    plan = select(moments, budget, method=search.name, costs=random_costs(rng, d, kind))
    costs = [step.cost for step in plan.path]
    gains = np.diff([0.0, *[step.explained for step in plan.path]])
    assert plan.to_array() @ plan.costs <= budget * (1 + 1e-9)
    assert plan.cost <= budget
    assert costs == sorted(costs)
    assert (gains >= 0).all()
    if takes_what_explains_most(search):
        assert (gains > 0).all()
    assert plan.explained <= plan.bound_at(budget) * (1 + 1e-7) + 1e-12
    assert 0 <= plan.gap <= 1
    assert plan.explained == pytest.approx(plain_explained(moments, plan.to_array()), rel=1e-6, abs=1e-9)
    assert plan.projected_loss == pytest.approx(moments.label_variance - plan.explained)


@every_search
@given(seed=SEEDS, d=st.integers(1, 8), budget=st.integers(0, 12), kind=COSTS, exponent=st.integers(-12, 0))
def test_hardly_any_noise_is_no_excuse_to_overspend(search, seed, d, budget, kind, exponent):
    d, budget = affordable(search, d, budget)
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, least_noise=10.0**exponent)
    plan = select(moments, budget, method=search.name, costs=random_costs(rng, d, kind))
    assert plan.to_array() @ plan.costs <= budget * (1 + 1e-9)
    assert plan.cost <= budget


@pytest.mark.slow
@every_search
@example(seed=1257, ratio=1, unit=2.54)
@given(seed=SEEDS, ratio=st.sampled_from([1e-5, 1e-3, 0.1, 1, 10]), unit=st.sampled_from([1, 2.54, 1e3, 1e-7 / 3]))
def test_a_noisy_copy_in_other_units_changes_nothing(search, seed, ratio, unit):
    """Ties go to the first attribute, however they are rounded."""
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, 3, noiseless=0)
    noise = moments.noise.copy()
    noise[0] = ratio * moments.covariance[0, 0]
    copy = np.array([0, 1, 2, 0])
    scale = np.array([1, 1, 1, unit])
    with_copy = Moments.from_values(
        moments.cross[copy] * scale,
        noise[copy] * scale**2,
        moments.covariance[np.ix_(copy, copy)] * np.outer(scale, scale),
        moments.label_variance,
    )
    plan = select(with_copy, 12, method=search.name)
    if search.uses_covariance:
        alone = Moments.from_values(moments.cross, noise, moments.covariance, moments.label_variance)
        without = select(alone, 12, method=search.name)
        assert plan.explained == pytest.approx(without.explained, rel=1e-6)
        if search.nested:  # others may come to the copy by a detour, as seed 1257 shows for exchange
            assert plan.picks.tolist() == without.picks.tolist()
    else:
        assert 0 <= plan.to_array()[0] - plan.to_array()[3] <= 1


@every_search
@given(seed=SEEDS, d=st.integers(1, 8), budget=st.integers(0, 30), kind=COSTS)
def test_plans_keep_within_caps(search, seed, d, budget, kind):
    d, budget = affordable(search, d, budget)
    rng = np.random.default_rng(seed)
    moments, costs, max_repeats = random_moments(rng, d), random_costs(rng, d, kind), random_caps(rng, d)
    plan = select(moments, budget, method=search.name, costs=costs, max_repeats=max_repeats)
    assert (plan.to_array() <= max_repeats).all()
    assert plan.explained <= plan.bound_at(budget) * (1 + 1e-7) + 1e-12
    loose = select(moments, budget, method=search.name, costs=costs, max_repeats=np.full(d, 1000))
    assert same_plan(search, loose, select(moments, budget, method=search.name, costs=costs))


@searches(lambda search: search.nested)
@given(seed=SEEDS, d=st.integers(1, 8), budget=st.integers(0, 30), smaller=st.integers(0, 30))
def test_a_smaller_budget_is_a_shorter_path(search, seed, d, budget, smaller):
    d, budget = affordable(search, d, budget)
    moments = random_moments(np.random.default_rng(seed), d)
    smaller = min(smaller, budget)
    shorter = select(moments, budget, method=search.name).at(smaller)
    direct = select(moments, smaller, method=search.name)
    assert shorter.picks.tolist() == direct.picks.tolist()
    np.testing.assert_allclose(shorter.path_explained, direct.path_explained, rtol=1e-12)


@every_search
@given(seed=SEEDS, d=st.integers(1, 8), exponent=st.integers(-9, 9))
def test_units_of_given_moments_do_not_matter(search, seed, d, exponent):
    d, budget = affordable(search, d, 15)
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d)
    unit = 10.0 ** rng.uniform(-6, 6, size=d) * rng.choice([-1, 1], size=d)
    label = 10.0**exponent
    other = Moments.from_values(
        moments.cross * unit * label,
        moments.noise * unit**2,
        moments.covariance * np.outer(unit, unit),
        moments.label_variance * label**2,
    )
    scaled, plan = select(other, budget, method=search.name), select(moments, budget, method=search.name)
    assert scaled.explained / label**2 == pytest.approx(plan.explained, rel=1e-6, abs=1e-12)
    if not search.anytime:
        assert scaled.picks.tolist() == plan.picks.tolist()


def random_table(rng, n=25, d=4):
    rows = []
    truth = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    for o in range(n):
        for a in range(d):
            rows += [(f"o{o:02d}", f"a{a}", truth[o, a] + rng.normal() * (1 + a)) for _ in range(rng.integers(2, 5))]
    labels = pd.Series(truth @ rng.normal(size=d) + rng.normal(size=n), index=[f"o{o:02d}" for o in range(n)])
    return pd.DataFrame(rows, columns=["object", "attribute", "value"]), labels


@pytest.mark.slow
@every_search
@settings(max_examples=20)  # each of them makes eight plans
@given(seed=SEEDS)
def test_units_and_orders_of_a_table_do_not_matter(search, seed):
    rng = np.random.default_rng(seed)
    frame, labels = random_table(rng)
    _, budget = affordable(search, 4, 15)

    def repeats_from(frame, labels):
        return select(Moments.estimate(Judgments.from_frame(frame), labels), budget, method=search.name).repeats

    plain = repeats_from(frame, labels)
    shuffled = frame.sample(frac=1, random_state=seed)
    assert repeats_from(shuffled, labels.sample(frac=1, random_state=seed)) == plain
    inches = frame["attribute"] == "a1"
    metric = frame.assign(value=frame["value"].where(~inches, frame["value"] * 2.54 + 100))
    assert repeats_from(metric, labels) == plain
    assert repeats_from(frame, labels * 1e-9) == plain
    assert repeats_from(frame, labels * -3 + 1e4) == plain
    assert repeats_from(frame.assign(value=frame["value"] + 1e6), labels) == plain
    renamed = {f"o{i:02d}": f"p{99 - i}" for i in range(25)}
    assert repeats_from(frame.replace({"object": renamed}), labels.rename(renamed)) == plain
    reversed_names = {f"a{i}": f"b{9 - i}" for i in range(4)}
    back = {new: old for old, new in reversed_names.items()}
    other_order = repeats_from(frame.replace({"attribute": reversed_names}), labels)
    assert {back[name]: n for name, n in other_order.items()} == plain


@every_search
@given(seed=SEEDS, budget=st.floats(0, 20), smaller=st.floats(0, 20))
def test_a_smaller_budget_with_costs_is_the_beginning_of_the_path(search, seed, budget, smaller):
    rng = np.random.default_rng(seed)
    plan = select(random_moments(rng, 5), max(budget, smaller), method=search.name, costs=rng.uniform(0.3, 3, size=5))
    shorter = plan.at(min(budget, smaller))
    steps = len(shorter.picks)
    assert shorter.picks.tolist() == plan.picks[:steps].tolist()
    assert shorter.to_array() @ plan.costs <= min(budget, smaller) * (1 + 1e-9)
    if steps < len(plan.picks):
        assert plan.path[steps].cost > min(budget, smaller)


def noiseless_and_noisy(rng, n=40):
    """A noisy attribute, one without noise, a copy of it in other units, a constant, a sum of the first two."""
    a, b = rng.normal(size=(2, n))
    X = np.repeat(np.column_stack([a, b, 2.54 * b, np.full(n, 0.1), a + b])[:, :, None], 3, axis=2)
    X[:, 0] += rng.normal(size=(n, 3))
    return X, a + 0.5 * b + 0.1 * rng.normal(size=n)


@every_search
@given(seed=SEEDS, budget=st.integers(0, 40))
def test_attributes_without_noise_are_worth_one_judgment(search, seed, budget):
    rng = np.random.default_rng(seed)
    X, y = noiseless_and_noisy(rng)
    repeats = select(Moments.estimate(Judgments.from_array(X), y), budget, method=search.name).to_array()
    assert (repeats[[1, 2, 4]] <= 1).all()
    assert repeats[3] == 0
    if takes_what_explains_most(search):
        assert repeats[[1, 2]].sum() <= 1


@every_search
@pytest.mark.parametrize("budget", [0, 0.5])
def test_no_budget_buys_nothing(search, budget, rng):
    plan = select(random_moments(rng, 4), budget, method=search.name)
    assert (plan.repeats, plan.cost, plan.explained, plan.path) == ({}, 0, 0, ())
    assert plan.projected_loss == plan.label_variance


@searches(lambda search: search.in_folds is None)
def test_ten_thousand_judgments(search, rng):
    moments = random_moments(rng, 6, noiseless=0)
    plan = select(moments, 10_000, method=search.name)
    assert plan.cost == 10_000
    assert plan.explained == pytest.approx(plain_explained(moments, plan.to_array()), rel=1e-9)


@every_search
def test_one_attribute(search):
    moments = Moments.from_values([0.5], [1.0], [[1.0]], 1.0, attributes=["only"])
    plan = select(moments, 7, method=search.name)
    assert plan.repeats == {"only": 7}
    assert plan.explained == pytest.approx(0.25 / (1 + 1 / 7))


@every_search
def test_attributes_that_tell_nothing_are_not_bought(search):
    moments = Moments.from_values([0.5, 0.0], [0.0, 1.0], np.eye(2), 1.0, attributes=["useful", "useless"])
    assert select(moments, 100, method=search.name).repeats == {"useful": 1}


@searches(lambda search: search.any_backend)
@given(seed=SEEDS, d=st.integers(1, 8), budget=st.integers(0, 20), kind=COSTS, capped=st.booleans())
def test_it_runs_where_the_moments_lie(search, seed, d, budget, kind, capped):
    """On arrays that refuse whatever the array API standard does not promise, and lie on a device of their own."""
    rng = np.random.default_rng(seed)
    here = random_moments(rng, d)
    costs = np.ones(d) if (costs := random_costs(rng, d, kind)) is None else costs.astype(float)
    max_repeats = random_caps(rng, d) if capped else np.full(d, np.inf)
    device = strict.Device("device1")
    there = Moments.from_values(
        *(strict.asarray(array.copy(), device=device) for array in (here.cross, here.noise, here.covariance)),
        here.label_variance,
    )
    one, other = (search.run(moments, float(budget), costs, max_repeats) for moments in (here, there))
    assert one.picks.tolist() == other.picks.tolist()
    np.testing.assert_allclose(one.explained, other.explained, rtol=1e-9, atol=1e-12)


@searches(lambda search: search.anytime)
@given(seed=SEEDS, d=st.integers(1, 4), budget=st.integers(0, 8), limit=st.sampled_from([0, 0.001, None]))
def test_it_can_be_stopped_and_then_knows_how_far_it_got(search, seed, d, budget, limit):
    moments, reports = random_moments(np.random.default_rng(seed), d), []
    stopped = select(moments, budget, method=search.name, time_limit=limit, progress=lambda *at: reports.append(at))
    best = max(plain_explained(moments, repeats) for repeats in all_plans(d, budget))
    assert stopped.cost <= budget
    assert stopped.explained <= best * (1 + 1e-6) + 1e-12
    assert stopped.bound >= best * (1 - 1e-6)
    if limit is None:
        assert stopped.explained == pytest.approx(best, rel=1e-6, abs=1e-12)
    reached, bound, seconds = reports[-1]
    assert reached == pytest.approx(stopped.explained)
    assert bound >= reached * (1 - 1e-12)
    assert seconds >= 0


@searches(lambda search: not search.uses_covariance)
@given(seed=SEEDS, d=st.integers(1, 8), budget=st.integers(0, 20), shrinkage=st.floats(0, 1))
def test_shrinkage_changes_nothing_for_a_search_that_ignores_covariance(search, seed, d, budget, shrinkage):
    moments = random_moments(np.random.default_rng(seed), d)
    plan = select(moments, budget, method=search.name, shrinkage=shrinkage)
    assert plan.picks.tolist() == select(moments, budget, method=search.name).picks.tolist()


@every_search
def test_the_registry_is_consistent(search):
    assert SEARCHES[search.name] is search
    assert search.summary[0].islower()  # it goes on after "full: "
    if search.in_folds is not None:
        assert SEARCHES[search.in_folds].in_folds is None
        assert not search.tried_by_auto
