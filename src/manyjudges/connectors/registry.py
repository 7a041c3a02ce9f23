"""The registry of connectors: what a connector is, which there are, and which of them a file belongs to.

A tool's module defines one :class:`Connector` called ``CONNECTOR`` and has its line in ``MODULES``; it is loaded when
it is first asked for. The command line, its errors, the study's page and the docs read what they need from that object.
"""

from __future__ import annotations

__all__ = ["NAMES", "Connector", "ConnectorOption", "Direction", "connector", "detect"]

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import DocumentError, StudyError
from manyjudges.tables.grammar import read_number, read_whole_number

if TYPE_CHECKING:
    from manyjudges.study.arrivals import Marketplace
    from manyjudges.tables.judgments import Judgments

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
"""The module of each connector, by the connector's name."""

NAMES = tuple(MODULES)
"""The names of all connectors, in the order in which they are listed."""

Direction = Literal["read", "write"]
"""Whether an option is one of reading or of writing."""

OptionType = Literal["text", "whole number", "number", "yes or no", "word=number"]

READ_AND_WRITE: frozenset[Direction] = frozenset({"read", "write"})
WRITE_ONLY: frozenset[Direction] = frozenset({"write"})

_YES_NO = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class ConnectorOption:
    """An option that one connector has and others need not have.

    Attributes
    ----------
    type : {"text", "whole number", "number", "yes or no", "word=number"}
        What one value of it is. ``"word=number"`` makes a dict of all that were given.
    help : str
        One sentence without a full stop, for the command line and the docs.
    several : bool
        Whether it takes a list, so that it may be given several times.
    choices : tuple of str
        The values that a text may have; empty where any text will do.
    on : frozenset of {"read", "write"}
        Which of the connector's two functions takes it.
    """

    type: OptionType
    help: str
    several: bool = False
    choices: tuple[str, ...] = ()
    on: frozenset[Direction] = frozenset({"read"})

    def parse(self, text: str) -> Any:
        """One value of this option from a text.

        Raises
        ------
        StudyError
            Where the text is no such value.

        Examples
        --------
        >>> ConnectorOption("whole number", "Objects in a HIT").parse("10")
        10
        >>> ConnectorOption("word=number", "What labels stand for").parse("good=1")
        {'good': 1.0}
        """
        try:
            return _PARSERS[self.type](text)
        except (KeyError, ValueError):
            raise StudyError(f"{quote_value(text)} is not {_EXPECTED[self.type]}", value=text) from None

    def add(self, earlier: Any, text: str) -> Any:
        """The option's value when it is given once more, after the value that it had so far (or None)."""
        value = self.parse(text)
        if self.type == "word=number":
            return {**(earlier or {}), **value}
        return [*(earlier or []), value] if self.several else value


def _number(text: str) -> float:
    number = read_number(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _whole_number(text: str) -> int:
    number = read_whole_number(text)
    if number is None:
        raise ValueError(text)
    return number


def _pair(text: str) -> dict[str, float]:
    word, _, number = text.rpartition("=")
    return {word.strip(): _number(number)}


_PARSERS: dict[OptionType, Callable[[str], Any]] = {
    "text": str,
    "whole number": _whole_number,
    "number": _number,
    "yes or no": lambda text: _YES_NO[text.strip().lower()],
    "word=number": _pair,
}
_EXPECTED: dict[OptionType, str] = {
    "text": "a text",
    "whole number": "a whole number in digits from 0 to 9, such as 1000",
    "number": "a number in digits from 0 to 9, with a point before decimals, such as 2.5",
    "yes or no": "yes or no",
    "word=number": "a word and its number, such as good=1",
}


@dataclass(frozen=True)
class Connector:
    """A tool in which people collect or analyse judgments, and how to exchange files with it.

    Attributes
    ----------
    name : str
        Its name on the command line.
    output : str
        What ``write`` makes, in words: ``"a folder"``, ``"a .csv file"``.
    read : callable
        ``read(path, *, questions=None, object=None, rename=None, **options)`` gives the :class:`Judgments
        <manyjudges.Judgments>` of one file or several. ``questions`` are those of a study, by attribute: answers are
        checked against them, and other attributes left out or refused. ``object`` names the column or field with the
        object where the tool leaves that open. ``rename`` maps names of attributes in the file to names here. A record
        that cannot be used raises an error whose ``file`` and ``row`` say where it stands.
    write : callable
        ``write(requests, path, **options)`` writes what is to be judged in the form that the tool takes, whole or not
        at all.
    detects : callable
        From a ``Path``: whether the file is clearly one of this tool's. Never raises, and reads as little as it can.
    writes : {"requests", "judgments"}
        What ``write`` takes. Tools that analyse judgments instead of collecting them take judgments.
    needs : frozenset of {"study", "judgments"}
        What else the functions need of a study: ``write`` gets the ``study``; ``read`` gets its ``judgments``, since
        the tool only knows who took part, and the option ``pseudonyms``, whether workers keep the names that they
        have there.
    options : mapping of str to ConnectorOption
        The options that only this connector has.
    marketplace : Marketplace, optional
        Where the tool sends people to the study's page: how it does, and what they are told there. A study allows it by
        a setting of the connector's name under ``[entry]``; ``study.arrivals.MARKETPLACES`` has these names.
    """

    name: str
    output: str
    read: Callable[..., Judgments] = field(repr=False)
    write: Callable[..., None] = field(repr=False)
    detects: Callable[[Path], bool] = field(repr=False)
    writes: Literal["requests", "judgments"] = "requests"
    needs: frozenset[Literal["study", "judgments"]] = frozenset()
    options: Mapping[str, ConnectorOption] = field(default_factory=dict, repr=False)
    marketplace: Marketplace | None = field(default=None, repr=False)

    def options_of(self, direction: Direction) -> dict[str, ConnectorOption]:
        """The options of ``read`` or of ``write``."""
        return {name: option for name, option in self.options.items() if direction in option.on}

    def option(self, name: str, direction: Direction) -> ConnectorOption:
        """One option of ``read`` or ``write``; StudyError, with the options that there are, if it has no such one."""
        options = self.options_of(direction)
        if name not in options:
            words = f"it has {list_names(options, limit=20)}" if options else "it has none"
            raise StudyError(
                f"{self.name} has no option {name!r}; {words}.{suggest(name, list(options))}", value=name, column=name
            )
        return options[name]


def connector(name: str) -> Connector:
    """The connector of this name."""
    if name not in MODULES:
        raise DocumentError(
            f"there is no connector {name!r}; there are {list_names(NAMES, limit=20)}.{suggest(name, NAMES)}",
            value=name,
            column="connector",
        )
    loaded: Connector = import_module(f"manyjudges.connectors.{MODULES[name]}").CONNECTOR
    return loaded


def detect(path: str | os.PathLike[str]) -> str:
    """The name of the only connector whose file this clearly is."""
    where = Path(path)
    if not where.exists():
        raise DocumentError(f"there is no file {str(where)!r}.", file=str(where))
    names = [name for name in NAMES if connector(name).detects(where)]
    if len(names) == 1:
        return names[0]
    if names:
        raise DocumentError(
            f"{str(where)!r} may be a file of {list_names(names, limit=20)}; say which: import {names[0]} …",
            file=str(where),
        )
    raise DocumentError(
        f"{str(where)!r} is not clearly a file of any known tool; say which one: {', '.join(NAMES)}.", file=str(where)
    )
