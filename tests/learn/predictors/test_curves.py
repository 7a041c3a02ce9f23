"""Curves as arrays: the same numbers as by brute force and by scikit-learn, and files that were edited are refused."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from manyjudges import Judgments, Moments, simulate
from manyjudges.exceptions import DocumentError
from manyjudges.learn.predictors import curves
from manyjudges.learn.predictors.curves import Curve, Forest, Kernel, fit_curves, posterior_means
from tests.support.messages import refused
from tests.support.plain import plain_leave_one_out, unbalanced_frame

TREES, LEAF, SHARE = 100, 3, 0.4


@pytest.fixture(scope="module")
def bent():
    """Points in three dimensions, and what a straight line does not describe."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    return x, np.sin(2 * x[:, 0]) + x[:, 1] ** 2 + 0.2 * rng.normal(size=60)


@pytest.fixture(scope="module")
def forest(bent):
    return Forest.fit(*bent, np.random.default_rng(7))


def test_width_and_ridge_are_those_of_the_lowest_leave_one_out_error(bent):
    x, y = bent
    x, y = x[:25], y[:25]
    kernel = Kernel.fit(x, y, np.random.default_rng(0))
    ways = [(width / 3, penalty) for width in (0.1, 0.4) for penalty in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)]
    gamma, penalty = min(ways, key=lambda way: plain_leave_one_out(x, y, *way))
    assert kernel.gamma == gamma
    matrix = np.exp(-gamma * ((x[:, None] - x[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(kernel.coefficients, np.linalg.solve(matrix + penalty * np.eye(25), y), rtol=1e-8)
    np.testing.assert_allclose(kernel.predict(x), matrix @ kernel.coefficients)


def test_of_many_objects_a_kernel_is_fitted_to_some(bent, monkeypatch):
    monkeypatch.setattr(curves, "MOST_OBJECTS", 20)
    kernel = Kernel.fit(*bent, np.random.default_rng(0))
    assert kernel.points.shape == (20, 3)
    assert {tuple(row) for row in kernel.points} < {tuple(row) for row in bent[0]}


def test_the_forest_as_arrays_predicts_what_scikit_learn_s_does(bent, forest):
    x, y = bent
    seed = int(np.random.default_rng(7).integers(2**31))
    theirs = RandomForestRegressor(TREES, min_samples_leaf=LEAF, max_features=SHARE, random_state=seed)
    theirs.fit(x.astype(np.float32), y)
    new = np.random.default_rng(1).normal(size=(200, 3)) * 2
    np.testing.assert_allclose(forest.predict(new), theirs.predict(new.astype(np.float32)), rtol=1e-12)
    assert len(forest.roots) == TREES


def test_labels_that_are_all_alike_give_a_flat_curve(bent):
    x, _ = bent
    rng = np.random.default_rng(0)
    np.testing.assert_allclose(Forest.fit(x, np.zeros(60), rng).predict(x), 0)
    np.testing.assert_allclose(Kernel.fit(x, np.zeros(60), rng).predict(x), 0)
    assert Forest.fit(np.zeros((60, 1)), np.arange(60.0), rng).predict(x[:, :1]).std() < 1e-9


def plain_posterior(moments, judged):
    """E[true values | judgments] of one object, in standard deviations; ``judged`` are its judgments by attribute."""
    there = [i for i, values in enumerate(judged) if len(values)]
    noise = [moments.noise[i] / len(judged[i]) for i in there]
    matrix = moments.covariance[np.ix_(there, there)] + np.diag(noise)
    away = np.array([np.mean(judged[i]) - moments.means[i] for i in there])
    return moments.covariance[:, there] @ np.linalg.solve(matrix, away) / np.sqrt(moments.variances)


def test_posterior_means_are_those_of_each_object_by_itself():
    frame = unbalanced_frame(np.random.default_rng(3))
    judgments = Judgments.from_frame(frame)
    labels = np.random.default_rng(4).normal(size=len(judgments.objects))
    moments = Moments.estimate(judgments, labels)
    found = posterior_means(moments, judgments.cells())
    for row, name in zip(found, judgments.objects, strict=True):
        own = frame[frame["object"] == name]
        judged = [own.loc[own["attribute"] == attribute, "value"].to_numpy() for attribute in judgments.attributes]
        np.testing.assert_allclose(row, plain_posterior(moments, judged), rtol=1e-7, atol=1e-9)


def test_posterior_means_of_nothing_and_of_attributes_that_do_not_vary():
    values = np.random.default_rng(0).normal(size=(20, 2, 2))
    values[:, 1] = 5.0
    values[3] = np.nan
    judgments = Judgments.from_array(values[np.arange(20) != 3])
    moments = Moments.estimate(judgments, np.arange(19.0))
    cells = judgments.cells()
    found = posterior_means(moments, cells)
    assert not found[:, 1].any()
    nothing = type(cells)(np.zeros((2, 2), dtype=np.int64), np.full((2, 2), np.nan), np.zeros((2, 2)))
    assert not posterior_means(moments, nothing).any()


@pytest.fixture(scope="module")
def curve():
    crowd = simulate.gaussian(40, 3, random_state=0)
    pilot = crowd.pilot(2)
    moments = Moments.estimate(pilot, crowd.labels)
    y = crowd.labels.to_numpy()
    kernel, forest = fit_curves(moments, pilot.cells(), y, np.random.default_rng(0), ("kernel", "forest"))
    return Curve(np.array([0.5, 0.3, 0.2]), kernel, forest, moments, 0.9), pilot, moments


def test_a_curve_is_a_weighted_sum_about_the_mean(curve):
    made, pilot, moments = curve
    linear = np.linspace(0, 1, 40)
    x = posterior_means(moments, pilot.cells())
    parts = 0.3 * made.kernel.predict(x) + 0.2 * made.forest.predict(x)
    wanted = moments.label_mean + 0.5 * (linear - moments.label_mean) + parts
    np.testing.assert_allclose(made.predict(linear, pilot.cells()), wanted)


def test_a_curve_comes_back_from_json(curve):
    made, pilot, moments = curve
    again = Curve.from_document(json.loads(json.dumps(made.to_document())), moments)
    linear = np.linspace(0, 1, 40)
    np.testing.assert_array_equal(again.predict(linear, pilot.cells()), made.predict(linear, pilot.cells()))
    assert again.share == made.share
    assert again.to_document() == made.to_document()


def edit(document, path, value):
    *way, last = path
    for key in way:
        document = document[key]
    if value is None:
        del document[last]
    else:
        document[last] = value(document[last]) if callable(value) else value


def first_inner(forest):
    return next(i for i, looked_at in enumerate(forest["attribute"]) if looked_at >= 0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["forest", "left"], lambda nodes: [0] * len(nodes)),
        (["forest", "right"], lambda nodes: [10**9] * len(nodes)),
        (["forest", "attribute"], lambda nodes: [7] * len(nodes)),
        (["forest", "attribute"], lambda nodes: [-9] * len(nodes)),
        (["forest", "roots"], lambda roots: [-1, *roots[1:]]),
        (["forest", "roots"], lambda _: [10**9]),
        (["forest", "roots"], []),
        (["forest", "value"], lambda values: values[1:]),
        (["forest", "value"], lambda values: [float("nan"), *values[1:]]),
        (["forest", "threshold"], lambda values: [float("inf"), *values[1:]]),
        (["forest", "threshold"], None),
        (["forest", "left"], "left"),
        (["kernel", "points"], lambda points: points[1:]),
        (["kernel", "points"], lambda points: [[float("nan")] * 3, *points[1:]]),
        (["kernel", "points"], [[1.0, 2.0]]),
        (["kernel", "coefficients"], lambda values: [*values[1:], float("inf")]),
        (["kernel", "coefficients"], None),
        (["kernel", "gamma"], -1.0),
        (["weights", "forest"], None),
        (["weights", "kernel"], "much"),
        (["weights", "linear"], float("nan")),
        (["weights", "linear"], -0.5),
        (["share"], -1.0),
    ],
    ids=lambda part: ".".join(part) if isinstance(part, list) and part and isinstance(part[0], str) else "",
)
def test_an_edited_curve_is_refused(curve, path, value):
    made, _, moments = curve
    document = copy.deepcopy(made.to_document())
    edit(document, path, value)
    with refused(DocumentError, column="curve"):
        Curve.from_document(document, moments)


@pytest.mark.parametrize("name", ["weights", "kernel", "forest", "share"])
def test_a_curve_without_a_part_is_refused_by_its_name(curve, name):
    made, _, moments = curve
    document = {key: value for key, value in made.to_document().items() if key != name}
    with refused(DocumentError, column=name):
        Curve.from_document(document, moments)


def test_a_document_that_passes_has_trees_that_end(curve):
    """Children come after their parents: the way through a tree cannot lead back."""
    document = curve[0].to_document()["forest"]
    at = first_inner(document)
    assert document["left"][at] > at
    assert document["right"][at] > at
