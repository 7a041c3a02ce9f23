"""Recognition: tables of judgments are told from tables of features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges.tables.reading.recognition import holds_judgments

LONG = {"item": [1, 2], "question": [1, 1], "rater": [1, 2], "rating": [3, 4]}
SURVEY = {"Essay": ["e1", "e2"], "Rater": ["a", "a"], "clear": [3, 4]}
NUMBERS = {"height": [1.8, 1.7], "judged": [True, False], "text": ["3.5", None]}
FRAMES = (pd.DataFrame, pl.DataFrame, pa.table, lambda columns: pl.DataFrame(columns).lazy())


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(frame):
    assert holds_judgments(frame(LONG))
    assert holds_judgments(frame(SURVEY))
    assert not holds_judgments(frame(NUMBERS))
    assert holds_judgments(frame(NUMBERS), "height")
    assert holds_judgments(frame(NUMBERS), {1: 3.0})


def test_what_can_only_be_one_of_the_two():
    assert holds_judgments("survey.csv")
    assert holds_judgments(["a.csv", "b.csv"])
    assert holds_judgments(NUMBERS)
    for features in (np.eye(2), [[1, 2], [3, 4]], np.array([["a", "b"]]), pd.Series([1, 2]), None, 3):
        assert not holds_judgments(features)


def test_cells_that_nobody_could_read():
    assert holds_judgments(pd.DataFrame({"x": [[1], [2]]}))
    assert not holds_judgments(pd.DataFrame({"x": [1, None], "y": [None, None]}, dtype=object))
