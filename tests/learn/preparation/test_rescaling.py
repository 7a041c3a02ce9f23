"""Scales on which ratings are averaged: chosen by how well they tell objects apart, without looking at a label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.exceptions import DocumentError
from manyjudges.learn.preparation.rescaling import (
    RESCALING_KINDS,
    Rescaling,
    _reliabilities,
    choose_rescalings,
    with_rescalings,
)
from tests.support.messages import refused
from tests.support.plain import plain_reliability, unbalanced_frame


def ratings(seed, way, n_objects=250, each=4):
    """Judgments that are a function of what is noisy alike everywhere."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(size=(n_objects, 1, 1)) if way == "log" else rng.normal(0.5, 0.15, size=(n_objects, 1, 1))
    return Judgments.from_array(WAYS[way](truth + 0.15 * rng.normal(size=(n_objects, 1, each))), attributes=["a"])


WAYS = {
    "plain": lambda x: x,
    "root": lambda x: np.maximum(x - 0.2, 0) ** 2,
    "log": lambda x: np.expm1(np.log(21) * np.clip(x, 0, 1)),
    "left": lambda x: -np.exp(3 * x),
    "binary": lambda x: (x > 0.8).astype(float),
}


@pytest.mark.parametrize("seed", range(3))
def test_skewed_ratings_are_rescaled_and_others_are_not(seed):
    chosen = {name: choose_rescalings(ratings(seed, name)) for name in WAYS}
    assert chosen["log"]["a"].kind == "log"
    assert chosen["root"]["a"].kind == "root"
    assert [name for name, found in chosen.items() if not found] == ["plain", "left", "binary"]


def test_a_long_tail_takes_the_logarithm_and_is_more_reliable_for_it():
    judgments = ratings(0, "log")
    [scale] = choose_rescalings(judgments).values()
    assert scale.kind == "log"
    rows = judgments.rows()
    before = _reliabilities(rows.values, rows.objects)[0]
    assert _reliabilities(scale.apply(rows.values), rows.objects)[0] > before + 0.03


def test_the_root_is_not_taken_of_skewed_judgments_that_it_makes_clearly_worse():
    """Noise among low values that a root would magnify, while large ones are judged alike."""
    rng = np.random.default_rng(0)
    truth = np.where(np.arange(150) % 6 == 0, 100.0, 0.0)[:, None, None]
    values = np.where(truth > 0, truth + rng.normal(size=(150, 1, 4)), rng.choice([0.0, 4.0, 16.0], (150, 1, 4)))
    judgments = Judgments.from_array(values, attributes=["a"])
    skewness = ((values - values.mean()) ** 3).mean() / values.std() ** 3
    assert skewness > 1
    assert choose_rescalings(judgments) == {}


def test_reliability_and_that_without_each_object():
    frame = unbalanced_frame(np.random.default_rng(0), attributes=("a",), n_objects=20)
    judgments = Judgments.from_frame(frame)
    rows = judgments.rows()
    reliability, without = _reliabilities(rows.values, rows.objects)
    assert reliability == pytest.approx(plain_reliability(frame))
    for name, found in zip(judgments.objects, without, strict=True):
        assert found == pytest.approx(plain_reliability(frame[frame["object"] != name]))


def test_units_and_order_do_not_matter():
    judgments = ratings(1, "root")
    frame = judgments.to_frame()
    [scale] = choose_rescalings(judgments).values()
    in_cm = Judgments.from_frame(frame.assign(value=2.54 * frame["value"] + 10))
    [converted] = choose_rescalings(in_cm).values()
    assert converted.kind == scale.kind
    assert (converted.low, converted.high) == pytest.approx((2.54 * scale.low + 10, 2.54 * scale.high + 10))
    values = np.linspace(scale.low, scale.high, 5)
    factor = np.sqrt(2.54) if scale.kind == "root" else 1.0
    np.testing.assert_allclose(converted.apply(2.54 * values + 10), factor * scale.apply(values), atol=1e-6)
    assert choose_rescalings(Judgments.from_frame(frame.sample(len(frame), random_state=0))) == {"a": scale}


def test_answers_with_two_values_are_left_alone_whatever_is_asked_for():
    judgments = ratings(0, "binary")
    for kinds in (RESCALING_KINDS, ("root",), ("log",)):
        assert choose_rescalings(judgments, kinds=kinds) == {}


def test_exact_attributes_are_left_alone():
    assert choose_rescalings(ratings(0, "log"), noiseless=["a"]) == {}


@pytest.mark.parametrize("kind", ["root", "log"])
def test_a_scale_that_is_asked_for_is_taken(kind):
    [scale] = choose_rescalings(ratings(0, "plain"), kinds=(kind,)).values()
    assert scale.kind == kind


def test_declared_ranges_are_kept_where_answers_lie_within():
    judgments = ratings(0, "root")
    values = judgments.rows().values
    declared = {"a": (-1.0, values.max() + 5)}
    [scale] = choose_rescalings(judgments, ranges=declared).values()
    assert (scale.low, scale.high) == declared["a"]
    [scale] = choose_rescalings(judgments, ranges={"a": (0.1, 0.2)}).values()
    assert (scale.low, scale.high) == (values.min(), values.max())


@pytest.mark.parametrize("values", [np.full((10, 1, 2), 3.0), np.arange(10.0).repeat(2).reshape(10, 1, 2)])
def test_judgments_that_are_all_alike_or_always_agree_are_left_alone(values):
    assert choose_rescalings(Judgments.from_array(values, attributes=["a"])) == {}


def test_few_objects_and_single_judgments_do_not_stop_it():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"object": ["x", "x", "y", "z"], "attribute": "a", "value": np.exp(3 * rng.normal(size=4))})
    assert set(choose_rescalings(Judgments.from_frame(frame))) <= {"a"}
    assert set(choose_rescalings(Judgments.from_frame(frame.iloc[1:]))) <= {"a"}


def test_values_outside_of_the_range_are_at_its_end():
    for kind in ("root", "log"):
        scale = Rescaling(kind, 0.0, 4.0)
        assert scale.apply(np.array([-3.0, 9.0])).tolist() == scale.apply(np.array([0.0, 4.0])).tolist()
        assert (np.diff(scale.apply(np.linspace(0, 4, 9))) > 0).all()


def test_only_what_is_named_is_rescaled():
    rng = np.random.default_rng(0)
    judgments = Judgments.from_array(rng.uniform(size=(6, 2, 3)), attributes=["a", "b"])
    scale = Rescaling("root", 0.0, 1.0)
    scaled = with_rescalings(judgments, {"b": scale, "elsewhere": scale}).to_frame()
    plain = judgments.to_frame()
    own = plain["attribute"] == "b"
    pd.testing.assert_frame_equal(scaled[~own], plain[~own])
    np.testing.assert_allclose(scaled.loc[own, "value"], np.sqrt(plain.loc[own, "value"]))
    assert with_rescalings(judgments, {"elsewhere": scale}) is judgments


def test_a_scale_comes_back_from_its_document():
    for scale in (Rescaling("root", 1.0, 5.0), Rescaling("log", -2.0, 0.5)):
        assert Rescaling.from_document(scale.to_document()) == scale


@pytest.mark.parametrize("change", [{"rescaling": "cube"}, {"rescaling": "none"}, {"high": 1.0}, {"high": -3.0}])
def test_an_edited_scale_is_refused(change):
    document = Rescaling("root", 1.0, 5.0).to_document() | change
    with refused(DocumentError, value=document["rescaling"], column="rescaling"):
        Rescaling.from_document(document)


@pytest.mark.parametrize("name", ["rescaling", "low", "high"])
def test_a_damaged_scale_is_refused(name):
    document = Rescaling("root", 1.0, 5.0).to_document()
    for damaged in ({**document, name: [1]}, {key: value for key, value in document.items() if key != name}):
        with refused(DocumentError, column=name):
            Rescaling.from_document(damaged)
