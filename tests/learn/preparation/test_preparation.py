"""What was decided is done again to new judgments, and comes back from JSON."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.exceptions import DocumentError
from manyjudges.learn.preparation.preparation import Preparation
from manyjudges.learn.preparation.rescaling import Rescaling
from tests.support.messages import refused


@pytest.fixture(scope="module")
def judgments():
    rng = np.random.default_rng(0)
    rows = [
        (f"o{o:02d}", name, f"w{w}", w + rng.uniform(0, 4))
        for o in range(12)
        for name in "ab"
        for w in rng.choice(5, 3, replace=False)
    ]
    return Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))


@pytest.fixture(scope="module")
def done(judgments):
    wanted = Preparation({"a": Rescaling("root", 0.0, 9.0)}, "random", joint_moments=True)
    return wanted.of_training(judgments)[1]


def test_nothing_is_done_where_nothing_was_decided(judgments):
    plain = Preparation()
    assert plain.is_plain
    assert plain.apply(judgments) is judgments
    assert plain.of_training(judgments) == (judgments, plain)


def test_new_judgments_are_rescaled_and_corrected(judgments, done):
    found = done.apply(judgments).rows()
    rows = judgments.rows()
    values = np.where(rows.attributes == 0, np.sqrt(np.clip(rows.values, 0, 9)), rows.values)
    np.testing.assert_allclose(found.values, values - done.effects.values[rows.workers, rows.attributes])


def test_training_judgments_are_corrected_by_their_workers_judgments_of_other_objects(judgments, done):
    corrected, _ = done.of_training(judgments)
    assert not np.allclose(corrected.rows().values, done.apply(judgments).rows().values)


def test_it_comes_back_from_json(judgments, done):
    document = json.loads(json.dumps(done.to_document(with_effects=True)))
    again = Preparation.from_document(document)
    np.testing.assert_array_equal(again.apply(judgments).rows().values, done.apply(judgments).rows().values)
    assert again.to_document(with_effects=True) == document
    assert Preparation.from_document(None).is_plain


def test_a_plan_keeps_no_effects(done):
    assert "effects" not in done.to_document()


def test_a_part_of_the_attributes(judgments, done):
    part = done.only(["b"])
    assert not part.rescalings
    own = judgments.only(["b"])
    both = done.apply(judgments).only(["b"])
    np.testing.assert_allclose(part.apply(own).rows().values, both.rows().values)


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"worker_effects": "some"}, "worker_effects"),
        ({"worker_effects": 3}, "worker_effects"),
        ({"joint_moments": "yes"}, "joint_moments"),
        ({"curved": 1}, "curved"),
        ({"rescalings": []}, "rescalings"),
        ({"effects": []}, "effects"),
        ({"effects": {"strength": 1.0, "attributes": ["a"], "workers": {"w": [1.0, 2.0]}}}, "effects"),
        ({"effects": {"strength": 1.0, "attributes": ["a"], "workers": {"w": ["x"]}}}, "effects"),
        ({"effects": {"strength": "x", "attributes": ["a"], "workers": {"w": [1.0]}}}, "strength"),
    ],
    ids=str,
)
def test_an_edited_document_is_refused_by_name(done, change, column):
    with refused(DocumentError, column=column):
        Preparation.from_document(done.to_document(with_effects=True) | change)
