"""Letters that two language models judge, from a study's file to its plan, and the server that plays the models."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from manyjudges.core.plan import Plan
from manyjudges.llm import Waits
from manyjudges.service.model_judges import ModelRun, Timing, judge_study
from manyjudges.service.study import OpenStudy, open_study
from tests.support.chat_server import Asked, ChatServer
from tests.support.plain_service import connect_to

QUESTIONS = {"Is it polite?": "polite", "How warm is the tone?": "tone", "Is it long?": "long"}

STUDY = """
title = "Letters"
[plan]
budget = {budget}
max_repeats = 4
[work]
pay_per_unit = {unit}
[llm]
address = "{address}"
concurrency = {concurrency}
{llm}
{models}
[[attributes]]
name = "polite"
question = "Is it polite?"
kind = "binary"
[[attributes]]
name = "tone"
question = "How warm is the tone?"
kind = "scale"
range = [1, 7]
[[attributes]]
name = "long"
question = "Is it long?"
kind = "binary"
"""

MODELS = """
[[models]]
name = "atlas"
price_in = 10.0
price_out = 20.0
[[models]]
name = "birch"
price_in = 10.0
price_out = 20.0
"""


PILOT = 2
"""Judgments of each pair before anything is planned."""

QUICK = Timing(poll=0.01, waits=Waits(first=0.002, longest=0.01, spread=0.002))
"""Tries follow each other at once."""


def letters(
    folder: Path,
    address: str,
    *,
    llm: str = "",
    models: str = MODELS,
    n: int = 16,
    unlabelled: int = 4,
    budget: float = 5.0,
    unit: float = 0.001,
    concurrency: int = 4,
) -> Path:
    """A folder with a study about so many letters."""
    folder.mkdir(parents=True, exist_ok=True)
    given = {"budget": budget, "unit": unit, "address": address, "llm": llm, "models": models}
    (folder / "study.toml").write_text(STUDY.format(**given, concurrency=concurrency), encoding="utf-8")
    rows = [f"letter {i},{grade(i) if i < n else ''},Dear number {i}!\n" for i in range(n + unlabelled)]
    (folder / "objects.csv").write_text("id,label,text\n" + "".join(rows), encoding="utf-8")
    return folder


def change(folder: Path, old: str, new: str) -> None:
    """Write something else into a study's file."""
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def grade(i: int) -> float:
    return round(5 + 2 * _draw("tone", i) + 0.3 * _draw("grade", i), 3)


class Panel:
    """What models answer: what all agree on, a view of each, and chance; and all that was ever answered."""

    def __init__(self) -> None:
        self.said: Counter[tuple[str, str, str, float]] = Counter()
        self._lock = threading.Lock()
        self._chance = random.Random(1)

    def __call__(self, asked: Asked) -> object:
        name = QUESTIONS[asked.text.split("\n")[0]]
        i = int(re.findall(r"number (\d+)", asked.text)[0])
        with self._lock:
            chance = self._chance.gauss(0, 0.5)
        felt = 4 + 1.3 * _draw(name, i) + 0.6 * _draw(asked.model, name, i) + chance
        answer = min(max(round(felt), 1), 7) if name == "tone" else felt > 4
        with self._lock:
            self.said[asked.model, name, f"letter {i}", float(answer)] += 1
        return answer


def _draw(*what: object) -> float:
    return random.Random("|".join(map(str, what))).gauss(0, 1)


def judged(folder: Path, server: ChatServer, *names: str, **options: Any) -> ModelRun:
    """What models did, whom the server plays within this process: the command is tried with a real connection."""
    with open_study(folder, update=True) as opened:
        return judge_study(opened, names, timing=QUICK, connect=connect_to(server), **options)


def bought(opened: OpenStudy) -> Counter[tuple[str, str]]:
    """How many judgments each pair has."""
    rows = opened.store.judgments()
    return Counter(zip(rows["attribute"], rows["object"], strict=True))


def planned(opened: OpenStudy) -> Counter[tuple[str, str]]:
    """How many judgments each pair is to have by the pilot and all plans, as a table of our own says it."""
    plans = [Plan.from_document(document["plan"]).repeats for document in opened.store.rounds()]
    things = opened.store.objects()
    wanted = Counter()
    for name, label in zip(things["object"], things["label"], strict=True):
        for column in opened.study.costs:
            labelled = label == label
            counts = [PILOT, *(plan.get(column, 0) for plan in plans)] if labelled else [plans[-1].get(column, 0)]
            wanted[column, name] = max(counts)
    return +wanted


def settled(opened: OpenStudy) -> None:
    """What was planned is there, no more and no less; nothing hangs in the air, and the books are in order."""
    assert bought(opened) == planned(opened)
    assert opened.store.discrepancies() == []
    calls = opened.store.call_log.to_frame()
    assert not (calls["state"] == "out").any()
    assert opened.store.call_log.paid() == pytest.approx(calls["paid"].sum())


def held(server: ChatServer, running: Callable[[], bool]) -> None:
    """Wait until the server holds its replies back, so that calls are in flight for sure."""
    while server.hold.is_set() and running():
        time.sleep(0.005)
    assert running()
