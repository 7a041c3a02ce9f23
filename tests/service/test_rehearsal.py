"""A study about simulated people, and simulated judges at work on it."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from PIL import Image

from manyjudges import simulate
from manyjudges.service import people_drawings
from manyjudges.service.rehearsal import NUMBERS, Judges, make_study
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_study(tmp_path_factory.mktemp("rehearsal") / "study", n_objects=12, n_new=3, random_state=1)


def test_the_study_is_of_the_simulated_people(made):
    folder, judges = made
    with open_study(folder) as opened:
        assert opened.objects.problems == ()
        assert len(opened.objects.records) == 15
        labels = {record.name: record.label for record in opened.objects.records}
        known = judges.crowds[0].labels
        assert all(labels[name] == pytest.approx(known[name], rel=1e-4) for name in known.index)
        assert sum(label is None for label in labels.values()) == 3
        asked = set(judges.crowds[0].attributes) - {"male"}  # "female" asks the same
        assert opened.study.costs == dict.fromkeys(asked, 1.0) | judges.crowds[0].costs


def test_a_study_that_is_there_is_gone_on_with(made):
    folder, _ = made
    before = (folder / "study.toml").stat().st_mtime_ns
    again, _ = make_study(folder, n_objects=12, n_new=3, random_state=1)
    assert (again / "study.toml").stat().st_mtime_ns == before


def test_judges_answer_as_the_crowd_does():
    crowd = simulate.height_weight(50, random_state=0)
    judges = Judges([crowd], random_state=0)
    names = list(crowd.objects)
    tall = np.mean([list(judges.answer("tall", names).values()) for _ in range(60)], axis=0)
    assert np.corrcoef(tall, crowd.values["tall"])[0, 1] > 0.95
    guessed = np.mean([list(judges.answer("tall", names, guess=True).values()) for _ in range(60)], axis=0)
    assert abs(np.corrcoef(guessed, crowd.values["tall"])[0, 1]) < 0.5
    heights = [judges.answer("height (numerical)", names) for _ in range(40)]
    said = [value for answers in heights for value in answers.values()]
    assert 0 < said.count(None) < len(said) / 20
    assert all(value == round(value) for value in said if value is not None)


def test_a_crew_judges_until_it_is_stopped(made):
    folder, judges = made
    with open_study(folder) as opened:
        order_first_round(opened)
        crew = judges.work(opened, count=6, pace=0.0)
        deadline = time.monotonic() + 60
        while not opened.store.idle and time.monotonic() < deadline:
            time.sleep(0.05)
        crew.stop()
        assert opened.store.idle
        assert opened.store.progress()["wanted"].sum() == 12 * 38 * 2
        assert opened.store.discrepancies() == []
        assert {worker.external for worker in opened.store.workers()} == {f"simulated {i:02d}" for i in range(1, 7)}


def picture(true, height=66.0, number=1):
    return np.asarray(Image.open(io.BytesIO(people_drawings.person(true, height, number))).convert("RGB")).astype(int)


def test_drawings_show_what_is_true():
    crowd = simulate.height_weight(1, random_state=0)
    true = crowd.values.iloc[0].to_dict() | dict.fromkeys(set(crowd.attributes) - set(NUMBERS), 0.0)
    plain = picture(true)
    assert plain.shape == (people_drawings.PICTURE_SIZE[1], people_drawings.PICTURE_SIZE[0], 3)
    shown = ["wearing-glasses", "has-beard", "smiling", "wearing-a-dress", "wearing-shorts", "long-hair", "outdoors"]
    for name in shown:
        assert np.abs(picture(true | {name: 1.0}) - plain).max() > 30, name
    middle = people_drawings.PICTURE_SIZE[0] * 6 // 10

    def top(height):  # where the person begins in the middle of the picture
        column = picture(true, height)[:, middle]
        return int(np.argmax(np.abs(column - column[2]).sum(axis=1) > 60))

    assert top(76.0) < top(66.0) < top(58.0)


@pytest.mark.slow
def test_the_demo_serves_a_campaign_that_moves(tmp_path):
    command = [sys.executable, "-u", "-m", "manyjudges", "demo", "--serve", "--port", "0", "--objects", "12"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "demo")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "200"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        said = ""
        while "Password" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        assert re.search(r"judges:\s+http://127\.0\.0\.1:\d+/", said)
        with open_study(tmp_path / "demo" / "study") as opened:
            deadline = time.monotonic() + 60
            while len(opened.store.judgments()) == 0 and time.monotonic() < deadline:
                time.sleep(0.2)
            assert len(opened.store.judgments()) > 0
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=90)
        assert "Traceback" not in complained
    finally:
        process.kill()
        process.communicate()
