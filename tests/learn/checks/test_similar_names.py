from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.learn.checks.check import CheckedData, Failed, NotApplicable, Passed
from manyjudges.learn.checks.similar_names import CHECK
from manyjudges.learn.training_data import load_training_data, match_training_data

OBJECTS = ["E01", "E02", "E03", "E04"]


def said(frame):
    labels = pd.Series(range(frame["object"].nunique()), index=sorted(frame["object"].unique(), key=str), dtype=float)
    return CHECK.run(CheckedData.of(match_training_data(Judgments.from_frame(frame), labels)))


def ratings(objects=OBJECTS, attributes=("clarity", "style"), workers=("ann", "bob")):
    rng = np.random.default_rng(0)
    rows = [(o, a, w, float(rng.integers(1, 6))) for o in objects for a in attributes for w in workers]
    return pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])


@pytest.mark.parametrize("twin", ["e01", "E01 ", " E01", "E01\u00a0", "E01\u200b"])
def test_objects_that_may_be_one(twin):
    outcome = said(ratings([*OBJECTS, twin]))
    assert isinstance(outcome, Failed)
    assert set(outcome.values["objects"]) == {"E01", twin}
    assert outcome.finding.startswith("2 objects have names")


def test_judges_and_attributes_that_may_be_one():
    outcome = said(ratings(attributes=("Clarity", "clarity "), workers=("Ann", "ann", "ANN", "bob")))
    assert outcome.values == {"judges": ("ANN", "Ann", "ann"), "attributes": ("Clarity", "clarity ")}


def test_accents_that_are_stored_in_two_ways():
    assert isinstance(said(ratings(["e\u0301tude", "\u00e9tude", "etude"])), Failed)


def test_names_that_differ_in_more_pass():
    assert isinstance(said(ratings(["E01", "E1", "E 1", "E-1", "È1"])), Passed)
    assert isinstance(said(ratings([1, 2, 3])), Passed)


def test_sums_have_no_names():
    frame = ratings()
    labels = pd.Series([1.0, 2.0, 3.0, 4.0], index=OBJECTS)
    data = load_training_data(iter([frame]), labels)
    assert isinstance(CHECK.run(CheckedData.of(data)), NotApplicable)
