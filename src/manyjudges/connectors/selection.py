"""Taking: which attributes are taken from a file of another tool, and what is made of one answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.registry import Option
from manyjudges.connectors.rows import Questions, Row, StrPath, paths_of, value_of
from manyjudges.exceptions import JudgmentsError

ATTRIBUTES_OPTION = Option(
    "text", "An attribute to read, by its name in the file or here; by default all", several=True
)
REJECTED_OPTION = Option("yes or no", "Whether to read work that was rejected; default: no")
REPEATED_OPTION = Option(
    "text",
    "Which judgment to take where somebody judged the same twice; by default an error",
    choices=("first", "last"),
)

CANT_TELL = {"cant_tell", "can't tell", "can’t tell"}
LEAVE_OUT = 'If it is no judgment, such as a comment, name those to take: attributes=["tall", …] (--attribute tall).'

_NUMBERED = re.compile(r"(.+?)[ _.-]?(\d+)")


T = TypeVar("T")


@dataclass(frozen=True)
class AttributeSelection:
    """Which attributes are taken from a file.

    Attributes
    ----------
    rename : mapping of str to str
        From names in the file to names here.
    names : frozenset of str, optional
        Those to take, as they are called there or here; None for all.
    asked : tuple of str
        Those among them that somebody asked for one by one, and that must be there.
    """

    rename: Mapping[str, str]
    names: frozenset[str] | None = None
    asked: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, attributes: Sequence[str] | str | None, questions: Questions | None, rename: Mapping[str, str] | None
    ) -> AttributeSelection:
        """Those that were asked for; otherwise those that the questions know; otherwise all."""
        asked = () if attributes is None else (attributes,) if isinstance(attributes, str) else tuple(attributes)
        wanted: Collection[str] | None = asked if attributes is not None else questions
        return cls(rename or {}, None if wanted is None else frozenset(wanted), asked)

    def named(self, attribute: str) -> bool:
        """Whether somebody asked for just this one."""
        return self.names is not None and (attribute in self.names or self.rename.get(attribute) in self.names)

    def takes(self, attribute: str) -> bool:
        """Whether it is taken."""
        return self.names is None or self.named(attribute)

    def called(self, attribute: str) -> str:
        """What it is called here."""
        return self.rename.get(attribute, attribute)

    def check(self, there: Iterable[str], source: str) -> None:
        """Raise JudgmentsError where one that was asked for is not there, by either of its names."""
        known = {name for each in there for name in (each, self.called(each))}
        missing = [name for name in self.asked if name not in known]
        if known and missing:
            raise JudgmentsError(
                f"{source}: there are no judgments of {list_names(missing)}, which attributes= names; there are those "
                f"of {list_names(sorted(known), limit=12)}."
            )

    def row(self, thing: str, attribute: str, worker: str, value: Any, place: str, questions: Questions | None) -> Row:
        """One judgment, checked."""
        name = self.called(attribute)
        try:
            return Row(thing, name, worker, value_of(value, name, place, questions), place)
        except JudgmentsError as error:
            raise JudgmentsError(f"{error} {LEAVE_OUT}" if questions is None else str(error)) from None


def check_repeated(repeated: str | None) -> None:
    """Raise JudgmentsError where this is no choice between two judgments of one worker."""
    if repeated not in (None, "first", "last"):
        raise JudgmentsError(f'repeated must be "first" or "last", not {quote_value(repeated)}.')


def once(
    found: Iterable[tuple[Row, T]], chosen: Callable[[tuple[Row, T], tuple[Row, T]], tuple[Row, T]]
) -> Iterator[Row]:
    """Each worker's judgment of each pair once.

    Parameters
    ----------
    found : iterable of (Row, answer)
    chosen : callable
        Which of two to take, by their answers; raises where neither may be taken.
    """
    best: dict[tuple[str, str, str], tuple[Row, T]] = {}
    for each in found:
        row = each[0]
        key = (row.object, row.attribute, row.worker)
        best[key] = chosen(best[key], each) if key in best else each
    return (row for row, _ in best.values())


def source_of(path: StrPath | Sequence[StrPath]) -> str:
    """The names of some files, for messages and to show."""
    return list_names([each.name for each in paths_of(path)]).replace("'", "")


def numbered(name: str) -> tuple[str, int] | None:
    """A name without the number at its end, and the number; None where it has none.

    >>> numbered("Input.image_10"), numbered("tall")
    (('Input.image', 10), None)
    """
    found = _NUMBERED.fullmatch(name)
    return (found[1], int(found[2])) if found else None
