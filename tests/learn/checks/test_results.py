from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.learn.checks.check import Check, Failed, NotApplicable, Passed
from manyjudges.learn.checks.results import CheckResult, CheckResults
from tests.support.messages import refused

OUTCOMES = {
    "MJ101": Passed("Fine."),
    "MJ102": Failed("Found.", "Because.", "Do.", {"n": 3}),
    "MJ103": NotApplicable("No sums."),
    "MJ104": None,
    "MJ105": Failed("Worse.", "Why.", "Stop."),
}


@pytest.fixture
def results():
    made = []
    for code, outcome in OUTCOMES.items():
        severity = "serious" if code == "MJ105" else "note"
        made.append(
            CheckResult(Check(code, severity, f"Title {code}", lambda data: None, kind=f"kind_{code}"), outcome)
        )
    return CheckResults(tuple(made))


def codes(results):
    return [result.check.code for result in results]


def test_results_by_what_came_of_them(results):
    assert codes(results) == list(OUTCOMES)
    assert codes(results.passed) == ["MJ101"]
    assert codes(results.not_applicable) == ["MJ103"]
    assert codes(results.muted) == ["MJ104"]
    assert codes(results.failed) == ["MJ105", "MJ102"]  # the most severe first


def test_failures_are_warnings_with_their_code(results):
    first, second = results.warnings
    assert (first.code, second.code, second.kind, second.values) == ("MJ105", "MJ102", "kind_MJ102", {"n": 3})
    assert str(second) == "Found. Because. Do."
    assert (first.severity, second.severity) == ("serious", "note")


def test_a_table_and_json_of_all_of_them(results):
    frame = results.to_frame()
    assert frame["status"].tolist() == ["passed", "failed", "not applicable", "muted", "failed"]
    assert frame["message"].tolist() == ["Fine.", "Found. Because. Do.", "No sums.", "", "Worse. Why. Stop."]
    document = json.loads(results.to_json())
    assert document["format"] == "manyjudges.checks/1"
    assert document["results"][1]["values"] == {"n": 3}
    assert [row["code"] for row in document["results"]] == list(OUTCOMES)
    assert "5 checks: 2 failed, 1 passed, 1 not applicable, 1 muted" in repr(results)


def of_severity(code, severity, outcome):
    return CheckResult(Check(code, severity, f"Title {code}", lambda data: outcome), outcome)


def test_failures_that_stop_are_raised_as_one_error_and_come_first():
    results = CheckResults(
        (
            of_severity("MJ101", "serious", Failed("Few.", "Why.", "More.")),
            of_severity("MJ501", "stop", Failed("A code.", "Why.", "Say what.", {"n": 3}, value=-99.0, column="tone")),
            of_severity("MJ502", "stop", Failed("A leak.", "Why.", "Drop it.", column="Grade")),
            of_severity("MJ503", "stop", Passed("Fine.")),
        )
    )
    assert codes(results.stops) == ["MJ501", "MJ502"]
    assert [warning.severity for warning in results.warnings] == ["stop", "stop", "serious"]
    with refused(JudgmentsError, value=-99.0, column="tone"):
        results.raise_stops()
    with refused(JudgmentsError, column="Grade"):
        results.raise_stops(mute=["MJ501"])
    results.raise_stops(mute=["MJ501", "MJ502"])


def test_no_other_failure_is_raised(results):
    assert results.stops == ()
    results.raise_stops()


def test_results_are_frozen(results):
    with pytest.raises(FrozenInstanceError):
        results.results = ()
    with pytest.raises(FrozenInstanceError):
        results.results[0].outcome = None
    assert len(CheckResults()) == 0
    assert "none made" in repr(CheckResults())
