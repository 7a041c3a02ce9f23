"""Laws that every check of the data must keep: whatever is entered in ``CHECKS`` is tested here."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, ManyJudgesError, simulate
from manyjudges.learn import check_data
from manyjudges.learn.checks import CHECKS, Check, CheckedData, Failed, HeldOutError, NotApplicable, Passed
from manyjudges.learn.checks.registry import as_codes
from manyjudges.learn.training_data import load_training_data, match_training_data
from tests.support.folders import ROOT
from tests.support.messages import refused
from tests.support.pages import EVIL

every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)

HEADINGS = ["What was found", "Why it matters", "What to do", "How it is computed", "Mute it"]
NAMES = {"a0": EVIL, "a1": "👩\u200d🔬 שלום $x$ \x00", "a2": "ab " * 166 + "ab"}
"""Names of attributes that somebody may have, 500 letters among them."""

ERRORS = {
    "no error": None,
    "good error": HeldOutError(0.2, 0.01, 1.0, 2),
    "bad error": HeldOutError(1.2, 0.1, 1.0, 2),
    "no standard error": HeldOutError(0.5, float("nan"), 1.0, 2),
    "error zero": HeldOutError(0.0, 0.0, 0.0, 1),
    "nothing bought": HeldOutError(1.0, 0.1, 1.0, 0),
}


def ordinary(n_objects=40, n_attributes=3, n_judgments=3, *, n_workers=7):
    """A table of judgments by named workers, and the labels of its objects."""
    rng = np.random.default_rng(0)
    rows = []
    for o in range(n_objects):
        for a in range(n_attributes):
            true = rng.normal()
            workers = rng.permutation(n_workers)[:n_judgments]
            rows += [(f"o{o}", f"a{a}", f"w{worker}", true + rng.normal()) for worker in workers]
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    return frame, pd.Series(rng.normal(size=n_objects), index=[f"o{o}" for o in range(n_objects)])


FRAME, LABELS = ordinary()
NEAR = LABELS + 0.1 * LABELS.std() * np.random.default_rng(1).normal(size=len(LABELS))
LONG_NAMES = [*NAMES.values(), "duration " * 60, "it's a 'grade'"]
PAIRS = FRAME.groupby(["object", "attribute"])["value"]


def matched(frame, labels=LABELS, **options):
    return match_training_data(Judgments.from_frame(frame), labels, **options)


def with_facts(**facts):
    """Judgments with columns that are the same for every judge of an object."""
    judged = FRAME[["object", "worker"]].drop_duplicates()
    return pd.concat([FRAME, *(judged.assign(attribute=a, value=judged["object"].map(v)) for a, v in facts.items())])


def beside_other_moments(frame, labels=LABELS, **options):
    """Judgments of which no moments can be estimated, checked beside moments that came from elsewhere."""
    truth = simulate.gaussian(30, 3, random_state=0).truth
    return CheckedData.of(truth, matched(frame, labels, **options).table)


ODD = {
    "ordinary": lambda: matched(FRAME),
    "one object": lambda: beside_other_moments(FRAME[FRAME["object"] == "o0"], LABELS[:1]),
    "three objects": lambda: matched(FRAME[FRAME["object"].isin(["o0", "o1", "o2"])], LABELS[:3]),
    "one attribute": lambda: matched(FRAME[FRAME["attribute"] == "a0"]),
    "a constant attribute": lambda: matched(FRAME.assign(value=FRAME["value"].where(FRAME["attribute"] != "a1", 4.0))),
    "all attributes constant": lambda: matched(FRAME.assign(value=4.0)),
    "an attribute never judged": lambda: CheckedData.of(
        simulate.gaussian(30, 3, random_state=0).truth,
        Judgments.from_array(
            np.where(np.arange(3)[:, None] == 1, np.nan, np.ones((9, 3, 2))), attributes=["a0", "a1", "a2"]
        ),
    ),
    "an attribute judged on one object": lambda: matched(
        FRAME[(FRAME["attribute"] != "a2") | (FRAME["object"] == "o0")]
    ),
    "one judgment of each pair": lambda: beside_other_moments(FRAME.drop_duplicates(["object", "attribute"])),
    "nothing noisy": lambda: matched(
        FRAME.drop_duplicates(["object", "attribute"]), noiseless=sorted(FRAME["attribute"].unique())
    ),
    "no workers": lambda: matched(FRAME.drop(columns="worker")),
    "a worker for each judgment": lambda: matched(FRAME.assign(worker=[f"w{i}" for i in range(len(FRAME))])),
    "two workers": lambda: matched(ordinary(n_judgments=2, n_workers=2)[0]),
    "each worker once an object": lambda: matched(FRAME.drop_duplicates(["object", "worker"])),
    "copies": lambda: matched(FRAME.assign(value=PAIRS.transform("first"))),
    "copies with odd names": lambda: matched(
        FRAME.assign(
            attribute=FRAME["attribute"].map(NAMES), worker=EVIL + FRAME["worker"], value=PAIRS.transform("first")
        )
    ),
    "few pairs with odd names": lambda: matched(
        FRAME.assign(attribute=FRAME["attribute"].map(NAMES), worker="👩\u200d🔬" + FRAME["worker"])[
            FRAME["object"].isin([f"o{i}" for i in range(9)])
        ],
        LABELS[:9],
    ),
    "a leak": lambda: matched(with_facts(Grade=LABELS)),
    "leaks with odd names": lambda: matched(with_facts(**{name: LABELS * 2**i for i, name in enumerate(LONG_NAMES)})),
    "a fact near the label, and a time": lambda: matched(with_facts(near=NEAR, duration=abs(NEAR))),
    "codes": lambda: matched(FRAME.assign(value=FRAME["value"].round().clip(1, 5).where(FRAME.index % 20 > 0, -99))),
    "yes and no": lambda: matched(FRAME.assign(value=(FRAME["value"] > 0).astype(float))),
    "huge values": lambda: matched(FRAME.assign(value=FRAME["value"] * 1e150), LABELS * 1e150),
    "tiny values": lambda: matched(FRAME.assign(value=FRAME["value"] * 1e-150), LABELS * 1e-150),
    "values far from zero": lambda: matched(FRAME.assign(value=FRAME["value"] + 1e12), LABELS + 1e12),
    "given moments": lambda: simulate.gaussian(30, 3, random_state=0).truth,
    "tamed moments": lambda: matched(FRAME).moments.regularized(shrinkage=0.5),
    "only sums": lambda: load_training_data(iter([FRAME]), LABELS),
}
"""Data that somebody may have, by what is odd about them."""

WITHOUT_TABLE = {
    "one object",
    "an attribute never judged",
    "one judgment of each pair",
    "given moments",
    "tamed moments",
    "only sums",
}
"""Data that are not a table from which moments are estimated."""

every_data = pytest.mark.parametrize("odd", ODD)


def statuses(data, **more):
    return {result.check.code: result.status for result in check_data(data, **more)}


def test_codes_and_kinds_are_of_one_form_and_never_used_twice():
    codes = [check.code for check in CHECKS]
    assert codes == sorted(set(codes))
    assert len({check.kind for check in CHECKS}) == len(CHECKS)
    assert all(re.fullmatch(r"MJ\d{3}", code) for code in codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", check.kind) for check in CHECKS)


@every_check
def test_its_page_has_its_title_and_all_headings(check):
    text = (ROOT / "docs" / "checks" / f"{check.code.lower()}.md").read_text(encoding="utf-8")
    assert text.splitlines()[0] == f"# {check.code}: {check.title}"
    parts = text.split("\n## ")[1:]
    assert [part.splitlines()[0] for part in parts] == HEADINGS
    assert all(len(part.split("\n", 1)[1].strip()) > 40 for part in parts)
    assert f'"{check.code}"' in text
    assert check.severity in text.splitlines()[2]
    index = (ROOT / "docs" / "checks" / "index.md").read_text(encoding="utf-8")
    assert f"| [{check.code}]({check.code.lower()}.md) | {check.title} | {check.severity} |" in index
    assert f"\n{check.code.lower()}\n" in index


@every_check
@every_data
def test_it_says_something_of_any_data(check, odd):
    """Warnings are errors here, so that none of numpy's passes either."""
    data = ODD[odd]()
    for error in ERRORS.values():
        assert_says_something(check, CheckedData.of(data, held_out=error))


def assert_says_something(check, data):
    match check.run(data):
        case Passed(text) | NotApplicable(text):
            assert_sentences(text)
        case Failed(finding, why, advice, values) as failed:
            for text in (finding, why, advice):
                assert_sentences(text)
            assert failed.message == f"{finding} {why} {advice}"
            assert values
            # How many or how much, or of which attributes: a finding that says neither helps nobody to look.
            assert re.search(r"\d", finding) or any(name[:20] in finding for name in values.get("attributes", ()))
            assert set(values.get("attributes", ())) <= set(data.attributes)
        case outcome:
            pytest.fail(f"{outcome!r} is no outcome of a check")


def assert_sentences(text):
    assert text == text.strip()
    assert re.match(r"[A-Z'\"]|-?[0-9]", text)  # a sentence may begin with the name of an attribute, or a number
    assert text.endswith(".")
    assert "nan" not in text.lower().split()
    assert len(text) < 1000


@every_data
def test_what_all_of_them_say_can_be_saved_and_shown(odd):
    results = check_data(ODD[odd]())
    saved = json.loads(results.to_json())
    assert [row["code"] for row in saved["results"]] == [check.code for check in CHECKS]
    assert results.to_frame()["status"].tolist() == [row["status"] for row in saved["results"]]


@every_check
def test_it_can_fail_or_pass(check):
    """A check that says the same of everything is none."""
    held_out = ERRORS["bad error"]
    dependent = FRAME.assign(value=FRAME["value"] + 4.0 * FRAME["object"].str.len() * (FRAME["worker"] == "w1"))
    bad = [ODD[odd]() for odd in ("three objects", "copies", "a leak", "a fact near the label, and a time", "codes")]
    bad.append(matched(dependent))
    bad.append(matched(FRAME.assign(worker=FRAME["worker"].where(FRAME.index % 2 > 0, FRAME["worker"].str.upper()))))
    said = {type(check.run(CheckedData.of(data, held_out=held_out))) for data in bad}
    assert Failed in said
    assert isinstance(check.run(CheckedData.of(ODD["ordinary"](), held_out=ERRORS["good error"])), Passed)


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd not in {*WITHOUT_TABLE, "huge values", "codes"}])
def test_units_and_the_order_of_rows_do_not_matter(odd):
    data = ODD[odd]()
    frame, labels = data.table.to_frame(), pd.Series(data.labels, index=data.table.objects)
    # Powers of two, so that units round nothing.
    unit = dict(zip(data.attributes, itertools.cycle((2.0**-9, 4.0, 2.0**7)), strict=False))
    other = frame.assign(value=frame["value"] * frame["attribute"].map(unit)).sample(frac=1, random_state=0)
    assert statuses(matched(other, labels * 1024, noiseless=data.noiseless)) == statuses(data)


def has_worker_two(data):
    return Failed("Worker 2 is here.", "She is strict.", "Ask her.", {"worker": 2})


MINE = Check("MY100", "note", "Worker 2", has_worker_two)


def test_a_check_of_your_own_is_run_and_muted_beside_the_others():
    data = ODD["ordinary"]()
    results = check_data(data, checks=(*CHECKS, MINE))
    assert [result.check.code for result in results] == [check.code for check in (*CHECKS, MINE)]
    assert [(warning.code, warning.kind, warning.values) for warning in results.warnings] == [
        ("MY100", "MY100", {"worker": 2})
    ]
    assert statuses(data, checks=[MINE], mute=["MY100"]) == {"MY100": "muted"}
    assert as_codes(["MY100"], [MINE]) == ("MY100",)
    assert statuses(data, checks=iter([MINE])) == {"MY100": "failed"}
    assert statuses(data, checks=()) == {}
    with refused(ManyJudgesError, value="MJ101", column="mute"):
        check_data(data, checks=[MINE], mute=["MJ101"])
    with refused(ManyJudgesError, value="MY100", column="mute"):
        check_data(data, mute=["MY100"])


@pytest.mark.parametrize(
    ("checks", "value"),
    [(3, 3), ([has_worker_two], has_worker_two), ([MINE, MINE], "MY100"), (["MJ101"], "MJ101")],
    ids=["no list", "a function", "a code twice", "a code"],
)
def test_only_checks_with_codes_of_their_own_are_run(checks, value):
    with refused(ManyJudgesError, value=value, column="checks"):
        check_data(ODD["ordinary"](), checks=checks)


@pytest.mark.parametrize("outcome", [None, True, "fine"], ids=str)
def test_a_check_that_gives_no_outcome_is_named(outcome):
    with refused(ManyJudgesError, value=outcome, column="checks"):
        check_data(ODD["ordinary"](), checks=[Check("MY101", "note", "Nothing", lambda data: outcome)])
