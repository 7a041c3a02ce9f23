"""Who plans while a study is served: real processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from manyjudges.service.planning_process import Overseer, due, run_planning, start_planning
from manyjudges.service.study_planner import order_first_round, plan_study
from tests.support.collecting import work


def started(code, say=""):
    script = f"import sys; print({say!r}, file=sys.stderr); sys.exit({code})"
    return subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)


def test_the_overseer_plans_when_a_round_is_complete(study):
    opened, crowd = study
    forced = []
    overseer = Overseer(opened, lambda force: forced.append(force) or started(0))
    order_first_round(opened)
    overseer.look()
    assert forced == []
    assert not due(opened)
    work(opened, crowd)
    assert due(opened)
    overseer.look()
    assert forced == [False]
    overseer.request()
    overseer.look()
    assert forced == [False, True]


def test_planning_that_fails_is_noted_and_rests(study):
    opened, crowd = study
    tries = []
    overseer = Overseer(opened, lambda force: tries.append(force) or started(2, "all labels are the same"))
    order_first_round(opened)
    work(opened, crowd)
    overseer.look()
    overseer.look()
    assert tries == [False]
    overseer._rest_until = 0.0
    overseer.look()
    assert tries == [False, False]
    assert len(opened.store.events()) == 1  # said once
    noted = opened.store.events()[0]
    assert noted["what"] == "problem"
    assert noted["detail"] == "planning failed: all labels are the same"


def test_while_somebody_plans_a_request_waits(study):
    opened, crowd = study
    tries = []
    overseer = Overseer(opened, lambda force: tries.append(force) or started(0))
    order_first_round(opened)
    work(opened, crowd)
    opened.store.may_plan("another server", 60.0)
    overseer.request()
    overseer.look()
    assert tries == []
    opened.store.planned("another server")
    overseer.look()
    assert tries == [True]


def test_the_overseer_outlives_whatever_happens(study):
    opened, crowd = study
    tries = []

    def plan(force):
        tries.append(force)
        raise OSError(12, "Cannot allocate memory")

    order_first_round(opened)
    work(opened, crowd)
    overseer = Overseer(opened, plan, look=0.01, rest=0.01)
    overseer.start()
    deadline = time.monotonic() + 90
    while len(tries) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    alive = overseer.is_alive()
    overseer.stop()
    assert alive
    assert len(tries) >= 3


@pytest.mark.slow
def test_the_overseer_plans_in_a_process_of_its_own(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    Overseer(opened).look()
    assert len(opened.store.rounds()) == 1
    assert opened.store.rounds()[0]["outlook"]["curve"]


def test_a_process_that_is_killed_leaves_nothing_half_done_and_planning_goes_on(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    planning = start_planning(opened.study.folder)
    deadline = time.monotonic() + 60
    while not opened.store.being_planned and time.monotonic() < deadline:
        time.sleep(0.02)
    planning.kill()
    planning.communicate()
    assert opened.store.rounds() == []
    assert opened.store.progress()["open"].sum() == 0
    assert opened.store.discrepancies() == []
    opened.store.set("planning", json.dumps({"owner": "", "until": 0}))  # rather than a minute's patience
    assert plan_study(opened).round is not None
    assert len(opened.store.rounds()) == 1


@pytest.mark.slow
def test_planning_says_in_one_line_why_it_cannot(study):
    opened, _ = study
    order_first_round(opened)
    assert run_planning(str(opened.study.folder)) == 0  # nothing is complete, so nothing is planned
    assert opened.store.rounds() == []
    planning = start_planning(opened.study.folder / "nowhere", force=True)
    _, messages = planning.communicate()
    assert planning.returncode == 2
    assert messages.startswith("there is no folder")
    assert messages.count("\n") == 1


def test_stopping_does_not_wait_for_planning(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    slow = [sys.executable, "-c", "import time; time.sleep(60)"]
    overseer = Overseer(opened, lambda force: subprocess.Popen(slow, stderr=subprocess.PIPE, text=True))
    overseer.start()
    deadline = time.monotonic() + 90
    while overseer._running is None and time.monotonic() < deadline:
        time.sleep(0.05)
    overseer.stop()
    assert not overseer.is_alive()
    assert opened.store.events() == []
