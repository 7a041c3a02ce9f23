from __future__ import annotations

import pickle

import pandas as pd

from manyjudges.base.messages import list_names, suggest
from manyjudges.exceptions import MissingJudgmentsError


def test_missing_judgments_survive_pickling():
    error = MissingJudgmentsError("two are missing", pd.DataFrame({"object": [1], "count": [2]}))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "two are missing"
    assert again.missing.equals(error.missing)


def test_few_names_are_all_named():
    assert list_names(["a", "b", "c"]) == "'a', 'b', 'c'"


def test_suggestions_ignore_case_and_keep_the_spelling():
    assert suggest("Worker", ["WORKER", "x"]) == " Did you mean 'WORKER'?"
    assert suggest("zzz", ["worker"]) == ""
