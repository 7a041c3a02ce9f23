from __future__ import annotations

import pickle

import pandas as pd

from manyjudges.exceptions import MissingJudgmentsError


def test_missing_judgments_survive_pickling():
    error = MissingJudgmentsError("two are missing", pd.DataFrame({"object": [1], "count": [2]}))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "two are missing"
    assert again.missing.equals(error.missing)
