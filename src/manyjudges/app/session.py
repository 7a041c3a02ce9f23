"""Sessions: what the user has done on the page so far, and what came of it. It ends with the app."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from manyjudges.app.choices import Choices, Money
from manyjudges.app.worker import Job, TableWorker


class Session:
    """The table of the user, the choices, and the results of the worker.

    Parameters
    ----------
    folder : Path
        A folder of its own, which whoever made it removes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.worker = folder, TableWorker(folder)
        self.clear()

    def clear(self) -> None:
        """Forget the table and all that was made of it."""
        self.worker.cancel()
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
        self.files: tuple[Path, ...] = ()
        self.sample = ""
        self.choices, self.money = Choices(), Money()
        self.confirmed = False
        self.look: Mapping[str, Any] = {}
        self.problem: Mapping[str, Any] = {}
        self.job: Job | None = None

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

    def take_table(self, files: Sequence[Path], sample: str = "") -> None:
        """Begin with a table."""
        self.files, self.sample = tuple(files), sample
        self._look("Reading the table")

    def choose(self, **choices: Any) -> None:
        """Read the table otherwise."""
        self.choices, self.confirmed = replace(self.choices, **choices), False
        self._look("Reading the table again")

    def cancel(self) -> None:
        """Stop what the worker is doing."""
        self.worker.cancel()

    def settle(self) -> None:
        """Take over what the worker has done since the page was shown last."""
        job = self.job
        if job is None or job.running:
            return
        self.job = None
        self.problem = job.error
        if job.state == "cancelled":
            self.problem = {"message": "You stopped this."}
        elif job.state == "done":
            self.look = job.result

    def _look(self, title: str) -> None:
        self.problem = {}
        files = [str(path) for path in self.files]
        self.job = self.worker.start("look", title, files=files, choices=self.choices.to_document())
