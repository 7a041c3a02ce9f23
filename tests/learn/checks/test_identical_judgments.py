from __future__ import annotations

import pandas as pd

from manyjudges import Judgments, Moments, simulate
from manyjudges.learn.checks.check import CheckedData, NotApplicable, Passed
from manyjudges.learn.checks.identical_judgments import CHECK
from tests.support.checks import warnings_of


def test_copies_of_one_opinion():
    """Six copies of one opinion are not six opinions."""
    crowd = simulate.jelly_beans(n_objects=60, random_state=0)
    once = crowd.pilot(1).to_frame()
    copies = Judgments.from_frame(pd.concat([once.assign(worker=f"copy {i}") for i in range(6)]))
    found = {warning.kind: warning for warning in warnings_of(Moments.estimate(copies, crowd.labels), copies)}
    assert found["identical_judgments"].values == {"attributes": ("number of beans",)}
    assert "six copies are not six opinions" in str(found["identical_judgments"])
    said = Moments.estimate(copies, crowd.labels, noiseless=["number of beans"])
    assert "identical_judgments" not in {warning.kind for warning in warnings_of(said, copies)}


def test_a_yes_or_no_may_be_the_same_for_all():
    crowd = simulate.jelly_beans(n_objects=60, random_state=0)
    once = crowd.pilot(1).to_frame()
    copies = Judgments.from_frame(pd.concat([once.assign(worker=f"copy {i}") for i in range(3)])).only(["round jar"])
    moments = Moments.estimate(copies, crowd.labels)
    assert isinstance(CHECK.run(CheckedData.of(moments, copies)), Passed)


def test_sums_do_not_show_copies():
    crowd = simulate.jelly_beans(n_objects=60, random_state=0)
    assert isinstance(CHECK.run(CheckedData.of(Moments.estimate(crowd.pilot(2), crowd.labels))), NotApplicable)
