"""The mathematics on arrays of other libraries: what comes out is what comes out of NumPy."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, fit_predictor, select
from manyjudges.arrays.judgment_array import JudgedArray
from manyjudges.arrays.libraries import cholesky, is_foreign, set_diagonal, to_numpy
from manyjudges.arrays.sums import Sums
from manyjudges.core.objective import Posterior, expected_loss, explained, weights
from manyjudges.core.psd import make_psd, nearest_psd
from manyjudges.exceptions import JudgmentsError, LabelsError, MomentsError
from manyjudges.learn import check_data
from manyjudges.summary.attributes import attribute_map, next_judgments
from tests.support.folders import ROOT
from tests.support.messages import refused
from tests.support.plain import random_moments

FOREIGN = [name for name in ("array_api_strict", "torch") if importlib.util.find_spec(name)]
"""Libraries at hand. array_api_strict, which comes with the dev extra, refuses whatever the standard does not promise,
and can act as if its arrays lay on a device of their own."""


@pytest.fixture(params=["numpy", *FOREIGN])
def xp(request):
    return importlib.import_module(request.param)


@pytest.fixture(params=FOREIGN)
def other(request):
    """A library that is not NumPy."""
    return importlib.import_module(request.param)


def brought(xp, array):
    """An array in a library, on another device if it has one here."""
    device = {"device": xp.Device("device1")} if xp.__name__ == "array_api_strict" else {}
    return xp.asarray(np.array(array), **device)


def judgments(seed, *, n=40, d=5, k=3, gaps=0.0):
    """Judgments of few objects, noisy enough for negative eigenvalues, and labels."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, size=d)
    X = truth[:, :, None] + rng.normal(size=(n, d, k)) * rng.uniform(0.5, 3) * np.abs(truth).mean(axis=0)[:, None]
    X[rng.random(X.shape) < gaps] = np.nan
    return X, truth[:, :2].sum(axis=1) + rng.normal(size=n)


def assert_same(one, other, rtol=1e-9):
    one, other = one.to_numpy(), other.to_numpy()
    for name in ("cross", "noise", "covariance", "means", "scale"):
        a, b = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max(initial=0), err_msg=name)
    for name in ("label_variance", "label_mean"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=rtol, abs=rtol)
    assert (one.attributes, one.n_objects, one.noiseless) == (other.attributes, other.n_objects, other.noiseless)
    np.testing.assert_array_equal(one.judgments, other.judgments)


def assert_same_plan(one, other):
    assert one.picks.tolist() == other.picks.tolist()
    np.testing.assert_allclose(one.path_explained, other.path_explained, rtol=1e-7)
    assert isinstance(one.picks, np.ndarray)
    assert isinstance(one.path_explained, np.ndarray)


def moved(xp, moments):
    """The same moments in another library."""
    parts = (brought(xp, each) for each in (moments.cross, moments.noise, moments.covariance))
    return Moments.from_values(*parts, moments.label_variance, attributes=moments.attributes)


def lies_there(xp, array):
    return isinstance(array, type(xp.asarray([1.0])))


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_moments_of_an_array_are_those_of_judgments(xp, gaps):
    for seed in range(10):
        X, y = judgments(seed, gaps=gaps)
        there = Moments.from_array(brought(xp, X), brought(xp, y))
        assert_same(there, Moments.estimate(Judgments.from_array(X), y))
        for array in (there.cross, there.noise, there.covariance, there.scale, there.means, there.judgments):
            assert lies_there(xp, array)


def test_numpy_arrays_give_the_same_numbers_to_the_bit():
    X, y = judgments(0, gaps=0.2)
    one, other = Moments.from_array(X, y), Moments.estimate(Judgments.from_array(X), y)
    for name in ("cross", "noise", "covariance", "means", "scale"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


def test_blocks_make_no_difference(xp):
    for gaps in (0.0, 0.2):
        X, y = judgments(3, gaps=gaps)
        whole = Moments.from_array(brought(xp, X), brought(xp, y))
        judged = JudgedArray.of(brought(xp, X), brought(xp, y))
        parts = [Sums.of(cells, labels) for cells, labels in judged.blocks(60)]
        assert len(parts) == 4
        assert_same(Moments.from_sums(judged.attributes, sum(parts[1:], start=parts[0]), frozenset()), whole)


def test_one_judgment_without_noise_stays_a_factor(xp):
    X, y = judgments(1, n=30, k=1)
    names = [f"x{i}" for i in range(5)]
    there = Moments.from_array(brought(xp, X), brought(xp, y), noiseless=names)
    here = Moments.estimate(Judgments.from_array(X), y, noiseless=names)
    assert_same_plan(select(there, 4), select(here, 4))
    assert_same(there, here)
    assert (np.abs(to_numpy(there.subset(["x3", "x0"]).covariance) - here.covariance[[3, 0]][:, [3, 0]]) < 1e-9).all()


def test_values_around_a_million_come_out_right(xp):
    X, y = judgments(2)
    low, high = (Moments.from_array(brought(xp, x), brought(xp, y)) for x in (X, X + 1e6))
    np.testing.assert_allclose(to_numpy(high.noise), to_numpy(low.noise), rtol=1e-7)
    np.testing.assert_allclose(to_numpy(high.covariance), to_numpy(low.covariance), atol=1e-6)


def test_what_never_changes_has_no_moments(xp):
    X, y = judgments(4, gaps=0.1)
    X[:, 1] = 0.1
    moments = Moments.from_array(brought(xp, X), brought(xp, y)).to_numpy()
    assert moments.cross[1] == moments.scale[1] == 0
    assert (moments.covariance[1] == 0).all()
    assert np.linalg.eigvalsh(moments.covariance).min() > -1e-9


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_moments_of_parts_add_up(xp, gaps):
    X, y = judgments(5, gaps=gaps)
    parts = [Moments.from_array(brought(xp, X[part]), brought(xp, y[part])) for part in (slice(15), slice(15, None))]
    assert_same(parts[0] + parts[1], Moments.estimate(Judgments.from_array(X), y))


def test_parts_may_lack_attributes_of_each_other(xp):
    X, y = judgments(6, n=60)
    X[40:, 0], X[:20, 4] = np.nan, np.nan
    names = ["a", "b", "c", "d", "e"]
    left = Moments.from_array(brought(xp, X[:20, :4]), brought(xp, y[:20]), attributes=names[:4])
    middle = Moments.from_array(brought(xp, X[20:40]), brought(xp, y[20:40]), attributes=names)
    right = Moments.from_array(brought(xp, X[40:, 1:]), brought(xp, y[40:]), attributes=names[1:])
    whole = Moments.estimate(Judgments.from_array(X, attributes=names), y)
    assert_same(left + middle + right, whole)


def test_moments_in_two_places_do_not_add_up(other):
    X, y = judgments(7)
    here, there = (Moments.from_array(brought(xp, X), brought(xp, y)) for xp in (np, other))
    with refused(MomentsError, value="array_api_strict's array_api_strict.Device('device1')"):
        _ = here + there
    assert_same(here + there.to_numpy(), here + here)


def test_parts_can_be_taken_away_again(xp):
    for gaps in (0.0, 0.2):
        X, y = judgments(7, gaps=gaps)
        whole, part = (Moments.from_array(brought(xp, X[at:]), brought(xp, y[at:])) for at in (0, 15))
        rest = Moments.from_sums(whole.attributes, whole.sums - part.sums, frozenset())
        assert_same(rest, Moments.from_array(X[:15], y[:15]), rtol=1e-8)


def test_tables_update_moments_of_numpy_alone(other):
    X, y = judgments(7)
    there = Moments.from_array(brought(other, X[:20]), brought(other, y[:20]))
    table, labels = Judgments.from_array(X[20:]), y[20:]
    with refused(MomentsError, value="array_api_strict's array_api_strict.Device('device1')"):
        there.update(table, labels)
    assert_same(there.to_numpy().update(table, labels), Moments.from_array(X, y))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["full", "scoring", "exchange", "exact"])
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 8), budget=st.integers(0, 12))
def test_plans_are_the_same(method, seed, d, budget):
    here = random_moments(np.random.default_rng(seed), d)
    costs = np.random.default_rng(seed).integers(1, 4, size=d)
    for library in FOREIGN:
        there = moved(importlib.import_module(library), here)
        for options in ({}, {"costs": costs}, {"max_repeats": np.full(d, 2), "shrinkage": 0.1, "plan_ridge": 0.01}):
            plans = [select(moments, budget, method=method, **options) for moments in (there, here)]
            assert_same_plan(*plans)
        assert plans[0].bound == pytest.approx(plans[1].bound, rel=1e-6, abs=1e-9)


def test_long_plans_that_fold_are_the_same(xp):
    for seed in range(3):
        here = random_moments(np.random.default_rng(seed), 30, noiseless=0.2)
        assert_same_plan(select(moved(xp, here), 400), select(here, 400))


def test_costs_and_caps_may_lie_there_too(xp):
    here = random_moments(np.random.default_rng(0), 6)
    costs, max_repeats = np.array([1.0, 2, 3, 1, 2, 3]), np.array([1, 1, 2, 2, 3, 3])
    one = select(moved(xp, here), 12, costs=brought(xp, costs), max_repeats=brought(xp, max_repeats))
    assert_same_plan(one, select(here, 12, costs=costs, max_repeats=max_repeats))


def test_folding_with_collinear_noiseless_attributes_goes_on(xp, rng):
    root = rng.normal(size=(6, 3))
    noise = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    here = Moments.from_values(root @ root.T @ np.ones(6), noise, root @ root.T, 500.0)
    there = moved(xp, here)
    one, other = Posterior(here), Posterior(there)
    for i in [0, 1, 2, *[3, 4, 5] * 60]:
        assert other.buy(i) == pytest.approx(one.buy(i), rel=1e-5, abs=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_the_nearest_matrix_is_the_same(seed, d):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(d, d))
    scale = rng.uniform(0.1, 10, size=d) * (rng.random(d) < 0.9)
    matrix = (a + a.T) * scale * scale[:, None]
    here = nearest_psd(matrix, scale)
    for library in FOREIGN:
        xp = importlib.import_module(library)
        there = brought(xp, matrix)
        removed = make_psd(there, brought(xp, scale))
        np.testing.assert_allclose(to_numpy(there), here, atol=1e-9 * max(np.abs(matrix).max(), 1))
        np.testing.assert_allclose(removed, make_psd(matrix.copy(), scale), atol=1e-12)


def test_what_is_said_of_moments_is_said_of_those_elsewhere(other):
    X, y = judgments(8, n=30, d=10, k=2)
    there = Moments.from_array(brought(other, X), brought(other, y))
    here = there.to_numpy()
    assert here.to_numpy() is here
    assert there.to_numpy() is there.to_numpy()
    assert repr(there) == repr(here)
    assert there.to_frame().equals(here.to_frame())
    assert check_data(there).to_document() == check_data(here).to_document()
    assert_same(pickle.loads(pickle.dumps(there)), here)
    repeats = np.arange(10) % 3
    assert explained(there, repeats) == explained(here, repeats)
    w = weights(there, repeats)
    assert expected_loss(there, w, repeats) == expected_loss(here, w, repeats)


def test_predictors_and_summaries_of_moments_elsewhere(other):
    X, y = judgments(11, n=60)
    table = Judgments.from_array(X)
    there, here = Moments.from_array(brought(other, X), brought(other, y)), Moments.estimate(table, y)
    plan = select(there, 6)
    one, two = (fit_predictor(plan, table, y, moments=moments) for moments in (there, here))
    np.testing.assert_allclose(one.predict(table), two.predict(table))
    for summary in (attribute_map, next_judgments):
        pd.testing.assert_frame_equal(summary(there, plan).to_frame(), summary(here, plan).to_frame())


def test_given_moments_may_be_told_in_lists_beside_arrays(other):
    there = Moments.from_values(brought(other, [1.0, 0.5]), [1, 0], [[2, 0], [0, 1]], brought(other, 3.0))
    assert lies_there(other, there.covariance)
    assert lies_there(other, there.noise)
    assert there.label_variance == 3.0
    assert_same(there, Moments.from_values([1.0, 0.5], [1, 0], [[2, 0], [0, 1]], 3.0))


def test_what_was_given_is_not_changed(xp):
    a = np.array([[1.0, 3.0], [3.0, 1.0]])
    covariance, cross = brought(xp, a.copy()), brought(xp, [1.0, 2.0])
    moments = Moments.from_values(cross, brought(xp, [1.0, 1.0]), covariance, 3.0)
    assert np.linalg.eigvalsh(to_numpy(moments.covariance)).min() > -1e-12
    select(moments, 10)
    np.testing.assert_array_equal(to_numpy(covariance), a)
    np.testing.assert_array_equal(to_numpy(cross), [1.0, 2.0])
    np.testing.assert_array_equal(to_numpy(moments.cross), [1.0, 2.0])


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_all_is_computed_in_double_precision(xp, dtype):
    X, y = judgments(9)
    X = np.round(X) if dtype == "int64" else X
    there = Moments.from_array(brought(xp, X.astype(dtype)), brought(xp, y))
    assert there.covariance.dtype == xp.float64
    # All that is lost is what was lost before it came here.
    assert_same(there, Moments.estimate(Judgments.from_array(X.astype(dtype).astype(float)), y))
    given_so = Moments.from_values(
        *(brought(xp, a.astype("float32")) for a in (np.ones(2), np.ones(2), np.eye(2))), 3.0
    )
    assert given_so.covariance.dtype == xp.float64


def test_what_single_precision_loses(xp):
    """Rounding the judgments to 24 bits, as a table in single precision has them, costs about 1e-7 of each number."""
    X, y = judgments(10, n=500, d=8, k=2)
    exact = Moments.from_array(X, y)
    rounded = Moments.from_array(brought(xp, X.astype(np.float32)), brought(xp, y)).to_numpy()
    scale = np.outer(exact.scale, exact.scale)
    assert (np.abs(rounded.covariance - exact.covariance) / scale).max() < 3e-7
    assert (np.abs(rounded.noise - exact.noise) / exact.noise).max() < 3e-7
    assert select(rounded, 20).picks.tolist() == select(exact, 20).picks.tolist()


@pytest.mark.parametrize(
    ("change", "error", "column"),
    [
        (lambda X, y: (X[:, :, 0], y), JudgmentsError, "values"),
        (lambda X, y: (X[:, :0], y), JudgmentsError, "values"),
        (lambda X, y: (X, y[:-1]), LabelsError, "labels"),
        (lambda X, y: (X[:2], y[:2]), MomentsError, "n_samples"),
        (lambda X, y: (X[:, :, :1], y), MomentsError, "x0"),
        (lambda X, y: (X, y * 0), LabelsError, "label"),
        (lambda X, y: (X * 1e200, y), MomentsError, "x0"),
        (lambda X, y: (with_value(X, (7, 2, 1), np.inf), y), JudgmentsError, "x2"),
        (lambda X, y: (X, with_value(y, 3, np.nan)), LabelsError, "labels"),
    ],
    ids=["flat", "nothing", "labels", "objects", "single", "constant", "large", "infinite", "no number"],
)
def test_arrays_that_cannot_be_used(xp, change, error, column):
    X, y = change(*judgments(0))
    with refused(error, column=column):
        Moments.from_array(brought(xp, X), brought(xp, y))


def with_value(array, at, value):
    changed = array.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X + 1j,
        lambda X: X.astype(str),
        lambda X: X.astype("S8"),
        lambda X: X.astype("M8[s]"),
        lambda X: X.astype("m8[s]"),
        lambda X: np.ma.array(X.astype(str), mask=X > 0),
        lambda X: [[["yes", "no"]]],
        lambda X: [[[1.0], [1.0, 2.0]]],
        lambda X: [[[10**400]]],
    ],
    ids=["complex", "text", "bytes", "times", "spans", "masked text", "words", "ragged", "huge"],
)
def test_what_numpy_would_make_numbers_of_is_none(change):
    X, y = judgments(0)
    with refused(MomentsError, column="judgments"):
        Moments.from_array(change(X), y)
    with refused(MomentsError, column="labels"):
        Moments.from_array(X, change(y))


def test_what_lies_under_a_mask_is_not_there(xp):
    X, y = judgments(0)
    mask = np.random.default_rng(1).random(X.shape) < 0.2
    hidden = np.ma.array(np.where(mask, -999.0, X), mask=mask)
    wanted = Moments.from_array(np.where(mask, np.nan, X), y)
    assert_same(Moments.from_array(hidden, brought(xp, y)), wanted)
    assert_same(Moments.from_array(hidden, y), Moments.estimate(Judgments.from_array(hidden), y))
    whole = np.ma.array(np.where(mask, -999, np.rint(10 * X).astype(int)), mask=mask)
    assert_same(Moments.from_array(whole, y), Moments.from_array(np.where(mask, np.nan, np.rint(10 * X)), y))
    with refused(LabelsError, row="3", column="labels"):
        Moments.from_array(brought(xp, X), np.ma.array(y, mask=np.arange(40) == 3))


def test_attributes_never_judged_together(xp):
    X, y = judgments(0)
    X[:10, 1], X[10:, 2] = np.nan, np.nan
    with refused(MomentsError, column="x1"):
        Moments.from_array(brought(xp, X), brought(xp, y))


def test_names_that_do_not_fit(xp):
    X, y = judgments(0)
    for names in (["a"], list("abcda")):
        with refused(JudgmentsError, column="attributes"):
            Moments.from_array(brought(xp, X), brought(xp, y), attributes=names)
    with refused(MomentsError, value="z", column="noiseless"):
        Moments.from_array(brought(xp, X), brought(xp, y), noiseless=["z"])


@pytest.mark.parametrize(
    ("arguments", "value", "column"),
    [
        (([1.0], [1.0, 2.0], [[1.0]], 1.0), (2,), "noise"),
        (([1.0], [1.0], [[1.0, 0.0]], 1.0), (1, 2), "covariance"),
        (([1.0], [-1.0], [[1.0]], 1.0), -1.0, "noise"),
        (([np.nan], [1.0], [[1.0]], 1.0), None, "cross"),
        (([1.0], [1.0], [[1.0]], 0.0), 0.0, "label_variance"),
        (([1.0, 1.0], [1.0, 1.0], [[1.0, 0.5], [0.0, 1.0]], 1.0), None, "covariance"),
        (([1.0 + 1j], [1.0], [[1.0]], 1.0), "array_api_strict.complex128", "cross"),
    ],
)
def test_given_moments_are_checked(other, arguments, value, column):
    *arrays, variance = arguments
    with refused(MomentsError, value=value, column=column):
        Moments.from_values(*(brought(other, each) for each in arrays), variance)


def test_no_attribute_at_all(xp):
    assert Moments.from_values(brought(xp, np.zeros(0)), brought(xp, np.zeros(0)), brought(xp, np.zeros((0, 0))), 1.0)


def test_what_lies_in_two_places_is_refused(other):
    strict = importlib.import_module("array_api_strict")
    elsewhere = strict.asarray([1.0], device=strict.Device("device2"))
    with refused(MomentsError, value="array_api_strict's array_api_strict.Device('device2')", column="noise"):
        Moments.from_values(brought(other, [1.0]), elsewhere, [[1.0]], 1.0)


def test_a_diagonal_is_written_where_it_stands(xp):
    matrix = brought(xp, np.ones((3, 3)))
    set_diagonal(matrix, brought(xp, [1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(to_numpy(matrix), np.ones((3, 3)) + np.diag([0, 1, 2]))


def test_cholesky_says_no(xp):
    assert cholesky(brought(xp, np.eye(2))) is not None
    assert cholesky(brought(xp, np.array([[1.0, 2.0], [2.0, 1.0]]))) is None


def test_what_is_no_array_of_another_library():
    for value in (1.0, np.float64(1), np.zeros(2), [1.0], "a", None):
        assert not is_foreign(value)


if "torch" in FOREIGN:

    def test_gradients_are_left_behind():
        torch = importlib.import_module("torch")
        covariance = torch.eye(2, dtype=torch.float64, requires_grad=True)
        moments = Moments.from_values(torch.ones(2, requires_grad=True), torch.ones(2), covariance, 3.0)
        assert not moments.covariance.requires_grad
        assert select(moments, 4).to_array().tolist() == [2, 2]
        X, y = judgments(0)
        leaf = torch.asarray(X).requires_grad_()
        assert not Moments.from_array(leaf, torch.asarray(y)).covariance.requires_grad

    def test_the_example_of_the_documentation():
        page = (ROOT / "docs" / "arrays.md").read_text(encoding="utf-8")
        code = "\n".join(re.findall(r"```py\n(.*?)```", page, flags=re.DOTALL))
        test = doctest.DocTestParser().get_doctest(code, {}, "arrays.md", None, 0)
        reports = []
        assert doctest.DocTestRunner().run(test, out=reports.append).attempted > 3
        assert reports == []

    def test_tensors_without_all_their_numbers_are_refused():
        torch = importlib.import_module("torch")
        X, y = (torch.asarray(each) for each in judgments(0))
        with refused(MomentsError):
            Moments.from_array(X.to_sparse(), y)
        with refused(MomentsError):
            Moments.from_array(X, y.to_sparse())
        with refused(MomentsError):
            Moments.from_array(X.to("meta"), y.to("meta"))
