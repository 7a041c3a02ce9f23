from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import pandas as pd
import pytest

from manyjudges import exceptions
from manyjudges.exceptions import ManyJudgesError, MissingJudgmentsError, PlanError

ERRORS = {name: each for name in exceptions.__all__ if issubclass(each := getattr(exceptions, name), ManyJudgesError)}
FIELDS = {"value": -1, "row": 3, "column": "budget", "file": "study.toml"}
FURTHER = {
    "InvalidAnswerError": {"allowed": "a number", "problem": "must be a number."},
    "MechanicalTurkError": {"code": "ServiceFault", "detail": "no"},
    "ProlificError": {"status": 400, "detail": "no", "uncertain": True},
}
"""What some errors know beside the fields of all."""


def in_a_process(name, further):
    """Raise an error of this name."""
    raise ERRORS[name]("it cannot be used", **FIELDS, **further)


@pytest.fixture(scope="module")
def workers():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_comes_back_from_another_process_with_all_that_it_knows(name, workers):
    further = {"missing": pd.DataFrame({"object": ["a"]})} if name == "MissingJudgmentsError" else FURTHER.get(name, {})
    error = workers.submit(in_a_process, name, further).exception()
    assert type(error) is ERRORS[name]
    assert (str(error), error.args, error.fields) == ("it cannot be used", ("it cannot be used",), FIELDS)
    for each, known in further.items():
        assert getattr(error, each).equals(known) if each == "missing" else getattr(error, each) == known


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", ERRORS.values())
def test_an_error_without_fields_survives_pickling_and_copying(kind, protocol):
    error = MissingJudgmentsError("it is gone", pd.DataFrame()) if kind is MissingJudgmentsError else kind("it is gone")
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), str(again)) == (kind, "it is gone")
        assert again.fields == dict.fromkeys(FIELDS)


def test_a_value_that_no_process_can_send_goes_as_text():
    error = PlanError("no planner", value=lambda: None, column="planner")
    again = pickle.loads(pickle.dumps(error))
    assert again.column == "planner"
    assert again.value.startswith("<function ")
    assert len(again.value) <= 80


@pytest.mark.parametrize("kind", ERRORS.values())
def test_the_repr_of_an_error_shows_its_fields(kind):
    further = {"missing": pd.DataFrame()} if kind is MissingJudgmentsError else {}
    shown = "'it is gone', value=-1, row=3, column='budget', file='study.toml'"
    assert repr(kind("it is gone", **FIELDS, **further)) == f"{kind.__name__}({shown})"
    assert repr(kind("it is gone", **further)) == f"{kind.__name__}('it is gone')"


def test_the_repr_of_an_error_shows_a_long_value_shortened():
    assert repr(PlanError("too long", value="x" * 1000)) == f"PlanError('too long', value='{'x' * 78}…)"
