"""Sessions: what the user has done on the page so far, and what came of it. It ends with the app."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from manyjudges.app.choices import Choices, Money
from manyjudges.app.commands import command_lines, python_lines
from manyjudges.app.decisions import answered, decisions_in, undone
from manyjudges.app.worker import Job, TableWorker

_FILES = ("plan.json", "tobuy.csv", "model.json", "report.html", "predictions.csv", "tobuy-new.csv")
"""What is made of a table, and may be downloaded."""


class Session:
    """The table of the user, the choices, and the results of the worker.

    Parameters
    ----------
    folder : Path
        A folder of its own, which whoever made it removes.

    Attributes
    ----------
    number : int
        Of the table. A page in another tab may still show an earlier one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.worker = folder, TableWorker(folder)
        self.number = 0
        self.clear()

    def clear(self) -> None:
        """Forget the table and all that was made of it."""
        self.worker.cancel()
        self.number += 1
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
        self.new: Mapping[str, Any] = {}
        self.files: tuple[Path, ...] = ()
        self.label_files: tuple[Path, ...] = ()
        self.sample = ""
        self.choices, self.money = Choices(), Money()
        self.planned_for = self.money
        self.confirmed = False
        self.look: Mapping[str, Any] = {}
        self.problem: Mapping[str, Any] = {}
        self.job: Job | None = None
        self.result: Mapping[str, Any] = {}
        self._forget_answer()

    def close(self) -> None:
        """End the worker."""
        self.worker.close()

    @property
    def name(self) -> str:
        """The table, for people."""
        names = [path.name for path in self.files]
        return names[0] if len(names) == 1 else f"{len(names)} files" if names else ""

    @property
    def busy(self) -> bool:
        """Whether the worker is at work."""
        return self.job is not None and self.job.running

    @property
    def task(self) -> str:
        """What the worker is at; nothing where it rests."""
        return self.job.task if self.job is not None and self.job.running else ""

    @property
    def can_confirm(self) -> bool:
        """Whether the user can say that the table was understood."""
        labels = self.label_files or self.look.get("roles", {}).get("label")
        wrong = self.look.get("problem") or self.look.get("label_problem")
        return bool(self.look and labels and not wrong and not self.confirmed and not self.busy)

    @property
    def ready(self) -> bool:
        """Whether there is nothing left to ask about the table."""
        return self.confirmed and bool(self.look.get("ready"))

    @property
    def decisions(self) -> list[dict[str, str]]:
        """What the user has answered so far."""
        return decisions_in(self.choices)

    @property
    def single(self) -> dict[str, tuple[str, str]]:
        """What the user entered for each attribute: its price, and how often it can be asked about one object."""
        costs, limits = self.money.costs, self.money.max_repeats
        return {name: (costs.get(name, ""), limits.get(name, "")) for name in self.look.get("attributes", ())}

    @property
    def rows_hold_questions(self) -> bool:
        """Whether a row names its question, so that there is no column to leave a question out by."""
        return self.look.get("shape") == "long" and bool(self.questions_in_rows)

    @property
    def questions_in_rows(self) -> dict[str, bool]:
        """The questions that rows name, and whether each is used."""
        headings = {column["heading"] for column in self.look.get("columns", ())}
        dropped = [name for name in self.choices.drop if name not in headings]
        used = dict.fromkeys(self.look.get("attributes", ()), True)
        return dict(sorted((used | dict.fromkeys(dropped, False)).items()))

    @property
    def commands(self) -> list[str]:
        """Lines for a terminal that do the same."""
        return command_lines(*self._names, self.choices, self.planned_for)

    @property
    def python(self) -> list[str]:
        """Lines of Python that do the same."""
        return python_lines(*self._names, self.choices, self.planned_for)

    def download(self, name: str) -> Path | None:
        """A file that was made, or a table that was simulated; None where there is none of this name."""
        if self.sample:
            simulated = {path.name: path for path in (*self.files, *self.label_files)}
            if name in simulated:
                return simulated[name]
        path = self.folder / "made" / name
        return path if name in _FILES and path.is_file() else None

    def lines(self, name: str) -> str:
        """The lines for a terminal or for Python as a file; nothing where there is none of this name."""
        lines = {"commands.txt": self.commands, "plan.py": self.python}.get(name, []) if self.result else []
        return "".join(f"{line}\n" for line in lines)

    def take_table(self, files: Sequence[Path], sample: str = "", labels: Sequence[Path] = ()) -> None:
        """Begin with a table, and perhaps a second one with the labels."""
        self.files, self.sample, self.label_files = tuple(files), sample, tuple(labels)
        self._look("Reading the table")

    def take_labels(self, files: Sequence[Path]) -> None:
        """Take the labels from a second file, or not any more."""
        self.label_files = tuple(files)
        columns = {role: name for role, name in self.choices.columns.items() if role != "label"}
        self.choose(columns=columns)

    def choose(self, **choices: Any) -> None:
        """Read the table otherwise."""
        self.choices, self.confirmed = replace(self.choices, **choices), False
        self._look("Reading the table again")

    def confirm(self) -> None:
        """The table was understood."""
        self.confirmed = True

    def answer(self, answer: str, *, undo: bool = False) -> None:
        """Take the answer to a question about the table, or take it back."""
        self.choices = (undone if undo else answered)(self.choices, answer)
        self._look("Checking the table")

    def pay(self, money: Money, *, same_budgets: bool = False) -> None:
        """Plan with these prices, for what there is to spend; perhaps with the budgets of the curve that there is."""
        curve = self.result.get("curve") if same_budgets else None
        budgets = [point["budget"] for point in curve["points"]] if curve else None
        self.money = money
        self._forget_answer(keep=True)
        title = "Planning, and measuring the error on objects that are held out"
        self._start("plan", title, money=money.to_document(), budgets=budgets)

    def predict(self, files: Sequence[Path]) -> None:
        """Predict the objects of a second table, or list what to ask about those that it names."""
        self.new = {}
        self._start("predict", "Reading the new objects", new=[str(path) for path in files])

    def cancel(self) -> None:
        """Stop what the worker is doing."""
        self.worker.cancel()

    def settle(self) -> None:
        """Take over what the worker has done since the page was shown last."""
        job = self.job
        if job is None or job.running:
            return
        self.job, self.problem = None, job.error
        if job.state == "cancelled":
            self.problem = {"message": "You stopped this.", "task": job.task}
        elif job.state == "failed":
            self.problem = {**job.error, "task": job.task}
        else:
            self._take(job.task, job.result)

    def _take(self, task: str, result: Mapping[str, Any]) -> None:
        if task == "look":
            self.look = result
        elif task == "plan":
            self.result = result
            if not self.money.total:
                self.money = replace(self.money, budget=result["budget"])
            self.planned_for = self.money
            self._start("write", "Writing the report")
        elif task == "write":
            self.written = True
        else:
            self.new = result

    def _look(self, title: str) -> None:
        self._forget_answer()
        self._start("look", title)

    def _start(self, task: str, title: str, **options: Any) -> None:
        self.problem = {}
        table: dict[str, Any] = {"files": list(map(str, self.files)), "label_files": list(map(str, self.label_files))}
        self.job = self.worker.start(task, title, **table, choices=self.choices.to_document(), **options)

    def _forget_answer(self, *, keep: bool = False) -> None:
        """Forget what was planned; ``keep`` shows it until there is a new one."""
        self.result = self.result if keep else {}
        self.written = False
        self.new = {}

    @property
    def _names(self) -> tuple[list[str], list[str]]:
        return [path.name for path in self.files], [path.name for path in self.label_files]
