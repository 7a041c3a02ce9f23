"""A rehearsal: a study about a simulated crowd, with simulated judges at work, to watch before there are real ones."""

from __future__ import annotations

__all__ = ["make_study"]

import csv
import io
import json
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from manyjudges import simulate
from manyjudges.base import documents
from manyjudges.exceptions import ManyJudgesError
from manyjudges.service import people_drawings
from manyjudges.service.study import OpenStudy, check_extra
from manyjudges.simulate.crowd import SimulatedCrowd
from manyjudges.simulate.populations import LABEL_UNITS
from manyjudges.tables.kinds import Binary, Number

_QUESTIONS = {
    "can-see-a-lot-of-skin": "Of whom can you see a lot of skin?",
    "facing-sideways-(profile)": "Who is facing sideways?",
    "good-posture": "Who has a good posture?",
    "hands-on-hips": "Who has the hands on the hips?",
    "has-beard": "Who has a beard?",
    "height (numerical)": "How tall is this person?",
    "weight (numerical)": "How heavy is this person?",
}
NUMBERS = {
    "height (numerical)": Number(range=(36, 96), unit="inches"),
    "weight (numerical)": Number(range=(40, 500), unit="pounds"),
}
"""Attributes that are asked for as numbers; all others are answered with yes or no."""

_SAID_BY_ANOTHER = ("male",)
"""Attributes that are not asked about, because another question, who is female, has the same answer."""

_CANT_TELL_SHARE = 0.01
"""How often a simulated judge cannot tell a number."""

_WELCOME = """You see drawings of people, and answer one question about each of them.
Behind everybody is a door of 80 inches (203 cm), to compare with.

There are no wrong answers: say what you see, at first sight."""


def make_study(
    folder: str | os.PathLike[str],
    *,
    label: str = "height",
    budget: float = 40.0,
    n_objects: int = 880,
    n_new: int = 20,
    random_state: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Path, Judges]:
    """Write the folder of a study about simulated people, unless it is there, and hire a crowd that judges them.

    Parameters
    ----------
    folder : path
    label : str
        ``"height"`` or ``"weight"``.
    budget : float
        For one person's judgments.
    n_objects, n_new : int
        People whose label is known, and people whose label is to be predicted.
    random_state : int
    progress : callable
        Called with what is being done.

    Returns
    -------
    path, judges
    """
    check_extra()
    target = Path(folder)
    crowd = simulate.height_weight(n_objects, label=label, random_state=random_state)
    judges = Judges([crowd, crowd.more(n_new)] if n_new else [crowd], random_state)
    if not (target / "study.toml").exists():
        progress(f"drawing {n_objects + n_new:,} people")
        scratch = target.with_name(f".{target.name}.unfinished")
        shutil.rmtree(scratch, ignore_errors=True)
        try:
            _write(scratch, judges, label, budget)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(scratch, target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target, judges


class Judges:
    """Simulated judges: most do their best, one of them guesses.

    Parameters
    ----------
    crowds : list of SimulatedCrowd
        The first has labels that are known.
    random_state : int
    """

    def __init__(self, crowds: list[SimulatedCrowd], random_state: int = 0) -> None:
        self.crowds = crowds
        self._crowd_of = {name: crowd for crowd in crowds for name in crowd.objects}
        self._chance = np.random.default_rng(random_state)
        self._lock = threading.Lock()

    def answer(self, attribute: str, objects: list[str], *, guess: bool = False) -> dict[int, float | None]:
        """Judgments of a batch, by position; a number is now and then not to be told."""
        with self._lock:
            values = self._guesses(attribute, len(objects)) if guess else self._judged(attribute, objects)
            if attribute not in NUMBERS:
                return dict(enumerate(values))
            lost = self._chance.random(len(objects)) < _CANT_TELL_SHARE
        return {i: None if lost[i] else float(round(value)) for i, value in enumerate(values)}

    def _guesses(self, attribute: str, count: int) -> list[float]:
        ends = NUMBERS[attribute].range if attribute in NUMBERS else None
        low, high = map(int, ends or (0, 2))
        return [float(value) for value in self._chance.integers(low, high, size=count)]

    def _judged(self, attribute: str, objects: list[str]) -> list[float]:
        values: dict[str, float] = {}
        for crowd in self.crowds:
            mine = [name for name in objects if self._crowd_of[name] is crowd]
            if mine:
                judged = crowd.judge(pd.DataFrame({"object": mine, "attribute": attribute, "count": 1}))
                values |= dict(zip(judged["object"], judged["value"], strict=True))
        return [float(values[name]) for name in objects]

    def work(self, opened: OpenStudy, *, count: int = 24, pace: float = 0.05) -> Crew:
        """Let them work on a study, live; ``pace`` is what a judgment takes, in seconds."""
        return Crew(self, opened, count, pace)


class Crew:
    """Judges at work, each in a thread, until they are stopped."""

    def __init__(self, judges: Judges, opened: OpenStudy, count: int, pace: float) -> None:
        self._judges, self._opened, self._pace = judges, opened, pace
        self._ending = threading.Event()
        names = [f"simulated {i + 1:02d}" for i in range(count)]
        self._threads = [
            threading.Thread(target=self._work, args=(name, i == count - 1), name=name, daemon=True)
            for i, name in enumerate(names)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let them go home."""
        self._ending.set()
        for thread in self._threads:
            thread.join(timeout=10)

    def _work(self, name: str, guesses: bool) -> None:
        store, size = self._opened.store, self._opened.study.work.batch_size
        worker = store.enter("program", name, consented=True)
        while not self._ending.is_set():
            try:
                batch = store.lease(worker.id, size=size)
                if batch is None:
                    self._ending.wait(1.0)
                    continue
                answers = self._judges.answer(batch.attribute, [item.object for item in batch.items], guess=guesses)
                if not self._ending.wait(len(batch.items) * self._pace * (0.15 if guesses else 1.0)):
                    store.submit(batch.id, worker.id, answers)
            except ManyJudgesError:  # the database is busy or gone; the server says so
                self._ending.wait(5.0)


def _write(folder: Path, judges: Judges, label: str, budget: float) -> None:
    (folder / "people").mkdir(parents=True)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "label", "image"])
    number = 0
    for crowd in judges.crowds:
        is_first = crowd is judges.crowds[0]
        heights = _heights(crowd, label)
        for name, values in zip(crowd.objects, crowd.values.to_dict(orient="records"), strict=True):
            number += 1
            path = f"people/{number:05d}.png"
            (folder / path).write_bytes(people_drawings.person(values, heights[name], number))
            rows.writerow([name, f"{crowd.labels[name]:.6g}" if is_first else "", path])
    documents.write(folder / "objects.csv", text.getvalue())
    documents.write(folder / "study.toml", _study(judges.crowds[0], label, budget))


def _heights(crowd: SimulatedCrowd, label: str) -> Any:
    """How tall people are drawn: as they are, or, where the label is the weight, as all judges together see them."""
    return crowd.labels if label == "height" else crowd.values["height (numerical)"]


def _study(crowd: SimulatedCrowd, label: str, budget: float) -> str:
    head = f'''# A rehearsal: simulated people, judged by a simulated crowd.
title = "Drawings of people"
welcome = """
{_WELCOME}
"""

[plan]
pilot = 2
budget = {budget:g}   # units a person, to predict the {label} in {LABEL_UNITS[label]}
max_repeats = 10     # judgments of one attribute of one person: each needs a judge of its own, and there are not many

[work]
batch_size = 40
lease_minutes = 3   # who looks around and leaves does not hold the others up for long
pay_per_unit = 0.01
currency = "USD"
'''
    return (
        head
        + "\n"
        + "\n".join(
            _question(name, crowd.costs.get(name, 1.0)) for name in crowd.attributes if name not in _SAID_BY_ANOTHER
        )
    )


def _question(name: str, cost: float) -> str:
    words = name.replace("-", " ")
    question = _QUESTIONS.get(name, f"Who has {words}?" if words.endswith(("hair", "skin")) else f"Who is {words}?")
    lines = ["[[attributes]]", f'name = "{name}"', f'question = "{question}"', f"cost = {cost:g}"]
    kind = NUMBERS.get(name, Binary())
    lines.append(f'kind = "{kind.name}"')
    lines += [f"{key} = {json.dumps(value)}" for key, value in asdict(kind).items() if value]
    return "\n".join(lines) + "\n"
