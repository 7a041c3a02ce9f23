from __future__ import annotations

import inspect
import pickle
import re
import warnings

import pandas as pd
import pytest
import typer

import manyjudges
from manyjudges import ManyJudgesError, Moments, simulate
from manyjudges.cli import main
from manyjudges.exceptions import DataWarning, MomentsError
from manyjudges.learn import check_data
from manyjudges.learn.checks import CHECKS, CheckedData, run_checks
from manyjudges.learn.training_data import match_training_data
from tests.support.checks import kinds, warnings_of
from tests.support.folders import ROOT
from tests.support.messages import refused

INDEX = ROOT / "docs" / "checks" / "index.md"


def test_the_list_in_the_docstring_and_the_table_of_the_docs_are_the_checks():
    described = re.findall(r'- (MJ\d+), ``"(\w+)"``: ', check_data.__doc__)
    assert described == [(check.code, check.kind) for check in CHECKS]
    table = re.findall(r"^\| \[(MJ\d+)\]", INDEX.read_text(encoding="utf-8"), re.MULTILINE)
    assert table == [check.code for check in CHECKS]


def test_all_that_can_mute_a_check_stand_in_the_table_of_the_docs():
    text = INDEX.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (in Python|on the command line) \| (.*) \|$", text, re.MULTILINE))
    public = [getattr(room, name) for room in (manyjudges, manyjudges.learn) for name in room.__all__]
    takes = {each.__name__ for each in public if callable(each) and "mute" in _parameters(each)}
    assert takes == set(re.findall(r"`(\w+)`", rows["in Python"]))
    commands = typer.main.get_command(main.app).commands.items()
    mutes = {name for name, command in commands if any("--mute" in each.opts for each in command.params)}
    assert mutes == set(re.findall(r"`(\w+)`", rows["on the command line"]))


def _parameters(thing):
    try:
        return inspect.signature(thing).parameters
    except ValueError:
        return {}


def test_no_page_is_left_of_a_check_that_is_gone():
    pages = {page.stem.upper() for page in (ROOT / "docs" / "checks").glob("mj*.md")}
    assert pages == {check.code for check in CHECKS}


def test_what_is_muted_is_not_run():
    crowd = simulate.gaussian(20, 3, random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    loud, muted = check_data(moments), check_data(moments, mute=("MJ101",))
    assert [each.check.code for each in loud.failed] == ["MJ101"]
    assert muted.failed == ()
    assert [each.check.code for each in muted.muted] == ["MJ101"]
    assert [each.check.code for each in muted] == [check.code for check in CHECKS]


@pytest.mark.parametrize("mute", [["MJ999"], ["few_objects"], "MJ101", 3, [101]])
def test_only_codes_of_checks_can_be_muted(mute):
    with pytest.raises(ManyJudgesError) as error:
        run_checks(CheckedData.of(simulate.gaussian(10, 2, random_state=0).truth), mute=mute)
    assert error.value.column == "mute"
    assert error.value.value == (mute[0] if isinstance(mute, list) else mute)


@pytest.mark.parametrize("checks", ["MJ101", b"MJ101", 3, ["MJ101"], CHECKS[0]])
def test_only_checks_can_be_run(checks):
    culprit = checks[0] if isinstance(checks, list) else checks
    with refused(ManyJudgesError, value=culprit, column="checks"):
        run_checks(CheckedData.of(simulate.gaussian(10, 2, random_state=0).truth), checks=checks)


def test_training_data_is_checked_as_it_is():
    crowd = simulate.gaussian(40, 12, random_state=0)
    judgments = crowd.pilot(2)
    data = match_training_data(judgments, crowd.labels)
    expected = check_data(Moments.estimate(judgments, crowd.labels), judgments)
    assert check_data(data).to_document() == expected.to_document()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "make",
    [
        lambda seed: simulate.height_weight(880, random_state=seed),
        lambda seed: simulate.gaussian(500, 10, random_state=seed),
        lambda seed: simulate.jelly_beans(200, random_state=seed),
    ],
)
def test_a_healthy_crowd_gives_none(make, seed):
    crowd = make(seed)
    pilot = crowd.pilot(2)
    assert warnings_of(Moments.estimate(pilot, crowd.labels), pilot) == ()


def test_every_message_ends_with_what_to_do():
    crowd = simulate.gaussian(15, 10, noise=(8.0, 15.0), random_state=1)
    found = warnings_of(Moments.estimate(crowd.pilot(2), crowd.labels))
    assert kinds(found) == ["few_objects", "negative_eigenvalues", "few_pairs"]
    for concern in found:
        assert str(concern).endswith(".")
        assert any(word in str(concern).split(". ")[-1] for word in ("Judge", "Collect"))


def test_warnings_can_be_sent_and_compared():
    one = DataWarning("too few", "few_objects", {"n_objects": 3})
    again = pickle.loads(pickle.dumps(one))
    serious = DataWarning("no help", "no_help", {}, code="MJ401", severity="serious")
    assert vars(pickle.loads(pickle.dumps(serious))) == vars(serious)
    assert (str(again), again.kind, again.values) == ("too few", "few_objects", {"n_objects": 3})
    assert again == one
    assert hash(again) == hash(one)
    assert one != DataWarning("too few", "few_objects", {"n_objects": 4})
    assert one != DataWarning("too few", "few_pairs", {"n_objects": 3})
    assert one != "too few"


def test_a_concern_can_be_warned_of():
    crowd = simulate.gaussian(12, 3, random_state=0)
    concern = warnings_of(Moments.estimate(crowd.pilot(3), crowd.labels))[0]
    with pytest.warns(DataWarning, match="12 objects"):
        warnings.warn(concern, stacklevel=1)


def test_concerns_are_about_moments():
    with refused(MomentsError, column="moments"):
        warnings_of(pd.DataFrame())
