from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, simulate
from manyjudges.exceptions import JudgmentsError
from manyjudges.learn.checks.check import CheckedData, Failed, NotApplicable, Passed
from manyjudges.learn.checks.missing_codes import CHECK
from manyjudges.learn.checks.registry import raise_stops
from manyjudges.learn.training_data import load_training_data, match_training_data
from manyjudges.scan.options import ScanOptions
from tests.support.messages import refused


def ratings(codes=(), *, low=1, high=7, n_objects=40):
    """Ratings of three questions by three people, the first of which are codes."""
    rng = np.random.default_rng(0)
    rows = [
        (f"essay {o}", question, f"w{j}", float(rng.integers(low, high + 1)))
        for o in range(n_objects)
        for question in ("clarity", "tone", "length")
        for j in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    for (attribute, code), count in codes:
        at = frame.index[(frame["attribute"] == attribute) & frame["value"].between(low, high)][:count]
        frame.loc[at, "value"] = code
    labels = pd.Series(rng.normal(size=n_objects), index=[f"essay {o}" for o in range(n_objects)])
    return match_training_data(Judgments.from_frame(frame), labels)


def said(data):
    return CHECK.run(CheckedData.of(data))


def test_a_code_in_two_questions_stops_with_its_count():
    data = ratings([(("clarity", -99.0), 20), (("tone", -99.0), 17)])
    with refused(JudgmentsError, value=-99.0, column="clarity"):
        raise_stops(data)
    outcome = said(data)
    assert outcome.values == {"attributes": ("clarity", "tone"), "codes": {"-99": 37}}


def test_several_codes_are_named_in_one_option():
    data = ratings([(("clarity", 98.0), 2), (("length", 99.0), 3), (("tone", 999.0), 4)])
    with refused(JudgmentsError, value=98.0, column="clarity"):
        raise_stops(data)
    assert said(data).values["codes"] == {"98": 2, "99": 3, "999": 4}


@pytest.mark.parametrize("valid", [("-99",), ("-99.0",), ("5", "-99")])
def test_a_code_that_is_said_to_be_valid_passes(valid):
    data = ratings([(("clarity", -99.0), 5)])
    raise_stops(replace(data, valid=valid))
    assert isinstance(said(replace(data, valid=valid)), Passed)
    assert isinstance(said(replace(data, valid=("99",))), Failed)


def test_answers_on_a_scale_pass():
    for low, high in ((1, 7), (0, 100), (-3, 3), (0, 1), (1, 9)):
        assert isinstance(said(ratings(low=low, high=high)), Passed)


def test_simulated_judgments_pass():
    for crowd in (simulate.gaussian(60, 3, random_state=0), simulate.jelly_beans(n_objects=60, random_state=0)):
        assert isinstance(said(match_training_data(crowd.pilot(2), crowd.labels)), Passed)


def test_the_check_can_be_muted():
    raise_stops(ratings([(("clarity", -99.0), 5)]), mute=["MJ501"])


def test_codes_are_found_in_tables_that_are_scanned():
    data = ratings([(("clarity", -99.0), 5)])
    labels = pd.Series(data.labels, index=data.table.objects)
    scanned = load_training_data(iter([data.table.to_frame()]), labels)
    assert said(scanned).values == said(data).values == {"attributes": ("clarity",), "codes": {"-99": 5}}


@pytest.mark.parametrize("code", [12345678.0, 1e12, -2147483648.0])
def test_repeated_numbers_far_from_all_others_stop_too(code, tmp_path):
    data = ratings([(("clarity", code), 3)])
    with refused(JudgmentsError, value=code, column="clarity"):
        raise_stops(data)
    data.table.to_frame().to_csv(tmp_path / "judgments.csv", index=False)
    labels = pd.Series(data.labels, index=data.table.objects)
    scanned = load_training_data(tmp_path / "judgments.csv", labels, ScanOptions.of(memory_limit="1GB"))
    assert scanned.table is None
    assert said(scanned).values == said(data).values == {"attributes": ("clarity",), "codes": {f"{code:.15g}": 3}}
    assert isinstance(said(ratings([(("clarity", code), 2)])), Passed)


def test_sums_do_not_show_codes():
    data = ratings([(("clarity", -99.0), 5)])
    assert isinstance(said(replace(data, table=None, parts=data.fold_sums(5, np.random.default_rng(0)))), NotApplicable)


def test_values_are_counted_by_attribute():
    counts = ratings([(("tone", -99.0), 5)]).value_counts()
    assert list(counts) == ["clarity", "length", "tone"]
    values, numbers = counts["tone"]
    assert dict(zip(values, numbers, strict=True))[-99.0] == 5
    assert numbers.sum() == 120


def test_codes_among_the_labels_stop_too():
    data = ratings()
    labels = 60 + 10 * data.labels
    labels[[3, 8]] = -99
    with refused(JudgmentsError, value=-99.0, column="label"):
        raise_stops(replace(data, labels=labels))
    outcome = said(replace(data, labels=labels))
    assert outcome.values == {"attributes": (), "codes": {"-99": 2}}
    both = ratings([(("tone", -99.0), 5), (("tone", 999.0), 2)])
    assert said(replace(both, labels=labels)).values["codes"] == {"-99": 7, "999": 2}
    assert isinstance(said(replace(data, labels=labels, valid=("-99",))), Passed)


def test_a_table_without_attributes_has_no_codes():
    """As what a predictor relies on that was fitted to a plan that buys nothing."""
    nothing = ratings().only(())
    assert nothing.value_counts() == {}
    assert isinstance(said(nothing), Passed)
