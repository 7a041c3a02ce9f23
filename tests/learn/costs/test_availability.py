from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, answer, run_campaign, select, simulate
from manyjudges.campaign.counts import PairCounts, reached_by_half
from manyjudges.learn.costs.availability import never_varying, recorded_caps, too_few_judges
from manyjudges.learn.training_data import TrainingData, load_training_data, match_training_data
from manyjudges.scan.results import Scan
from manyjudges.tables.files import write_table

NAMES = ["clarity", "tone"]


def plan_of(clarity, tone):
    """A plan that wants so many judgments of each."""
    moments = Moments.from_values([1.0, 1.0], [1.0, 1.0], np.eye(2), 3.0, attributes=NAMES)
    return select(moments, clarity + tone, max_repeats=[clarity, tone])


def data_of(counts, n_workers=None):
    """Training data that have so many judgments of each pair, by workers in turn if there are any."""
    rows = [
        {"object": f"o{i:02}", "attribute": NAMES[j], "value": float(k), "worker": k % (n_workers or 10**9)}
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        for k in range(count)
    ]
    frame = pd.DataFrame(rows)
    judgments = Judgments.from_frame(frame, worker=None if n_workers is None else "worker")
    return match_training_data(judgments, {name: float(i) for i, name in enumerate(judgments.objects)})


def test_a_plan_that_needs_more_judges_than_there_are_says_so():
    data = data_of([[2, 2], [3, 2]], n_workers=4)
    assert len(data.in_memory.workers) == 3
    assert too_few_judges(plan_of(3, 2), data) == ""
    assert too_few_judges(plan_of(6, 2), data) == (
        "The plan needs 6 different judges of 'clarity'; the table has 3. "
        "Find more judges, or limit the judgments of an attribute with --max-repeats (max_repeats=)."
    )
    assert "6 different judges of 'clarity' and 4 different judges of 'tone'" in too_few_judges(plan_of(6, 4), data)


def test_where_workers_are_not_known_nothing_is_said_of_them():
    data = data_of([[2, 2], [3, 2]])
    assert too_few_judges(plan_of(6, 4), data) == ""
    scanned = TrainingData(None, None, None, frozenset(), Scan(tuple(NAMES), (), {}, 0, 0, ""))
    assert too_few_judges(plan_of(6, 4), scanned) == ""


def constant(tmp_path, *attributes, tones=(3,)):
    rows = pd.DataFrame(
        [(f"o{i}", name, f"w{w}", 3) for i in range(30) for name in attributes for w in range(2)],
        columns=["object", "attribute", "worker", "value"],
    )
    own = rows["attribute"] == "tone"
    rows.loc[own, "value"] = np.resize(tones, own.sum())
    rows.to_csv(tmp_path / "judgments.csv", index=False)
    return rows, {f"o{i}": float(i % 7) for i in range(30)}


def test_why_nothing_is_worth_buying_where_no_answers_differ(tmp_path):
    rows, labels = constant(tmp_path, "tone", "clarity")
    way = {"cv_repeats": 1}
    said = (
        "For each of 'clarity', 'tone', all answers are equal, so they say nothing about the label. Check the file, or "
        "ask questions to which the answers differ between objects."
    )
    for source, more in ((rows, {}), (tmp_path / "judgments.csv", {"memory_limit": "1GB"})):
        assert answer(source, labels, 5, **way, **more).notes == (said,)
    assert answer(rows[rows["attribute"] == "tone"], labels, 5, **way).notes[0].startswith("All answers to 'tone' are ")
    assert answer(rows, labels, 0.5, **way).notes == ()


def test_where_some_answers_differ_that_is_not_the_reason(tmp_path):
    rows, labels = constant(tmp_path, "tone", "clarity", tones=(1, 2))
    nothing = select(Moments.from_values([0.0, 0.0], [1.0, 1.0], np.eye(2), 1.0, attributes=["clarity", "tone"]), 5)
    assert not nothing.repeats
    assert never_varying(nothing, match_training_data(Judgments.from_frame(rows), labels)) == ""


def test_a_pilot_sets_no_caps():
    crowd = simulate.jelly_beans(n_objects=100, random_state=0)
    pilot = crowd.pilot(2)
    plan = select(Moments.estimate(pilot, crowd.labels), 20)
    assert max(plan.repeats.values()) > 2
    result = run_campaign(
        crowd.judge, crowd.objects, crowd.labels, attributes=crowd.attributes, budget=20, random_state=0
    )
    assert result.campaign.caps == {}
    assert max(result.plan.repeats.values()) > 2


def test_of_a_recording_there_is_no_more_than_was_recorded():
    data = data_of([[2, 3], [4, 3], [4, 0]])
    assert recorded_caps(data) == {"clarity": 4, "tone": 3}
    assert recorded_caps(data, {"clarity": 1, "tone": 9}) == {"clarity": 1, "tone": 3}


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=7))
def test_caps_are_those_of_a_campaign_that_has_run_dry(counts):
    array = np.array(counts)
    dry = PairCounts(array, np.zeros_like(array), array >= 0)
    assert reached_by_half(array).tolist() == dry.caps.tolist()
    for cap, column in zip(dry.caps, array.T, strict=True):
        assert (column >= cap).sum() * 2 >= len(column)
        assert (column > cap).sum() * 2 <= len(column)


@pytest.mark.parametrize("seed", range(5))
def test_a_scanned_table_has_the_same_caps(seed, tmp_path):
    counts = np.random.default_rng(seed).integers(0, 5, size=(6 + seed, 2)).tolist()
    data = data_of([(2, 2), *counts, (2, 2)])
    path = tmp_path / "judgments.csv"
    write_table(path, data.in_memory.to_frame())
    labels = pd.Series(data.known_labels, index=data.in_memory.objects)
    assert recorded_caps(load_training_data(path, labels, scan_from=1)) == recorded_caps(data)
