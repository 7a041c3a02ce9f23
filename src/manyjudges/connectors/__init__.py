"""Connectors: judgments read from, and requests written for, the tools in which people collect them elsewhere.

A connector is a module with ``read(path) -> Judgments`` and ``write(requests, path)``; one that talks to a service also
has ``send`` and ``fetch``. :func:`connector` finds it by its name, :func:`detect` by a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from manyjudges.base.messages import list_names, suggest
from manyjudges.exceptions import DocumentError

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.connectors.requests import Requests as Requests
    from manyjudges.connectors.requests import as_requests as as_requests
    from manyjudges.connectors.rows import Questions
    from manyjudges.tables.judgments import Judgments

__all__ = ["NAMES", "Connector", "Requests", "as_requests", "connector", "detect"]

MODULES = {
    "mturk": "mturk",
    "prolific": "prolific",
    "label-studio": "label_studio",
    "potato": "potato",
    "spreadsheet": "spreadsheet",
    "google-forms": "google_forms",
    "crowd-kit": "crowd_kit",
    "cleanlab": "cleanlab",
}
NAMES = tuple(MODULES)
"""What connectors are called, where one is to be named."""

StrPath = str | os.PathLike[str]


class Connector(Protocol):
    """What every connector can do. A module that has these names is one."""

    OUT: str
    """What ``write`` makes, in words: ``"a folder"``, ``"a .csv file"``."""

    def read(
        self,
        path: StrPath | Sequence[StrPath],
        *,
        questions: Questions | None = None,
        object: str | None = None,
        rename: Mapping[str, str] | None = None,
    ) -> Judgments:
        """The judgments in a file, or in several.

        Parameters
        ----------
        path : path or sequence of paths
        questions : mapping, optional
            Of the study that they belong to: answers are checked against them, and other attributes refused.
        object : str, optional
            The column or field that names the object, where the tool leaves that open.
        rename : mapping, optional
            From names that attributes have in the file to those that they have here.
        """

    def write(self, requests: Requests | pd.DataFrame, path: StrPath) -> None:
        """Write what is to be judged in the form that the tool takes; whole, or not at all."""

    def detects(self, path: Path) -> bool:
        """Whether a file is plainly one of this tool's; never raises, reads as little as it can."""


def connector(name: str) -> Connector:
    """The connector of this name."""
    if name not in MODULES:
        raise DocumentError(
            f"there is no connector {name!r}; there are {list_names(NAMES, limit=20)}.{suggest(name, NAMES)}"
        )
    return cast(Connector, import_module(f"{__name__}.{MODULES[name]}"))


def detect(path: StrPath) -> str:
    """The name of the only connector whose file this plainly is."""
    where = Path(path)
    if not where.exists():
        raise DocumentError(f"there is no file {str(where)!r}.")
    found = [name for name in NAMES if connector(name).detects(where)]
    if len(found) == 1:
        return found[0]
    if found:
        raise DocumentError(
            f"{str(where)!r} may be a file of {list_names(found, limit=20)}; say which: import {found[0]} …"
        )
    raise DocumentError(f"{str(where)!r} is plainly of no tool that is known; say which one: {', '.join(NAMES)}.")


def __getattr__(name: str) -> object:
    """Names that need pandas, loaded when they are first used: the command line only asks what connectors there are."""
    if name in ("Requests", "as_requests"):
        return getattr(import_module("manyjudges.connectors.requests"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
