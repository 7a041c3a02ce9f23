"""Tasks: what the worker does for the page. Each calls what reads, plans and predicts, and tells it as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from manyjudges.app import preview
from manyjudges.app.choices import Choices
from manyjudges.base.progress import Progress


class Desk:
    """The tasks by name, and the table that was read last, so that it is not read again for each of them.

    Parameters
    ----------
    folder : Path
        Where files for the user are written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tasks: Mapping[str, Callable[..., dict[str, Any]]] = {"look": self.look}

    def do(self, task: str, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Do a task."""
        progress(0, 0)  # it may have been cancelled while it waited
        return self._tasks[task](progress=progress, **options)

    def look(self, files: list[str], choices: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """What was recognised in a table, and its first rows."""
        return preview.look(files, Choices.from_document(choices))
