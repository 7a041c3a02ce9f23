"""A report that several tests look at."""

from __future__ import annotations

import pytest

from manyjudges import simulate
from manyjudges.reports import report
from tests.support.pages import Page

FAST = {"shrinkage": 0, "cv_repeats": 1}


@pytest.fixture(scope="session")
def beans_report():
    crowd = simulate.jelly_beans(n_objects=120, random_state=7)
    return report(crowd.pilot(2), crowd.labels, 8, budgets=[2, 4, 8, 16], label_name="beans", **FAST)


@pytest.fixture(scope="session")
def page(beans_report):
    return Page(beans_report.html)
