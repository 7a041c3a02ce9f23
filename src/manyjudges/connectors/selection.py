"""Selection: which attributes are read from a file of another tool, and how its answers become judgments."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.place import located
from manyjudges.connectors.registry import ConnectorOption
from manyjudges.connectors.rows import OpenQuestions, Questions, Row, check_known, judgments_of, paths_of, value_of
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.formats.paths import StrPath

if TYPE_CHECKING:
    from manyjudges.tables.judgments import Judgments

ATTRIBUTES_OPTION = ConnectorOption(
    "text", "An attribute to read, by its name in the file or here; by default all", several=True
)
REJECTED_OPTION = ConnectorOption("yes or no", "Whether to read work that was rejected; default: no")
REPEATED_OPTION = ConnectorOption(
    "text",
    "Which judgment to take where somebody judged the same twice; by default an error",
    choices=("first", "last"),
)

LEAVE_OUT = 'If it is no judgment, such as a comment, name those to take: attributes=["tall", …] (--attribute tall).'

_NUMBERED = re.compile(r"(.+?)[ _.-]?(\d+)")


@dataclass(frozen=True)
class RawAnswer:
    """One answer in a file, not yet a number.

    Attributes
    ----------
    object : str
    attribute : str
        As the file calls it.
    worker : str
    value : object
    place : str
        Where it stands, in words that go before a colon.
    record : object
        What it was found in, such as an assignment or an annotation, where that decides between two answers.
    """

    object: str
    attribute: str
    worker: str
    value: Any
    place: str
    record: Any = None


RowWithAnswer = tuple[Row, RawAnswer]
"""A judgment, and the answer that it was made of."""


@dataclass(frozen=True)
class AttributeSelection:
    """Which attributes are read from a file.

    Attributes
    ----------
    rename : mapping of str to str
        From names in the file to names here.
    names : frozenset of str, optional
        Those to read, by their names there or here; None for all.
    required : tuple of str
        Those among them that somebody asked for one by one, and that must be there.
    """

    rename: Mapping[str, str]
    names: frozenset[str] | None = None
    required: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, attributes: Sequence[str] | str | None, questions: Questions | None, rename: Mapping[str, str] | None
    ) -> AttributeSelection:
        """Those that were asked for; otherwise those that the questions know; otherwise all."""
        required = () if attributes is None else (attributes,) if isinstance(attributes, str) else tuple(attributes)
        known = None if isinstance(questions, OpenQuestions) else questions
        names: Collection[str] | None = required if attributes is not None else known
        return cls(rename or {}, None if names is None else frozenset(names), required)

    def named(self, attribute: str) -> bool:
        """Whether somebody asked for just this one."""
        return self.names is not None and (attribute in self.names or self.rename.get(attribute) in self.names)

    def includes(self, attribute: str) -> bool:
        """Whether it is read."""
        return self.names is None or self.named(attribute)

    def local_name(self, attribute: str) -> str:
        """What it is called here."""
        return self.rename.get(attribute, attribute)

    def check(self, there: Iterable[str], source: str) -> None:
        """Raise JudgmentsError where one that was asked for is not there, by either of its names."""
        names = {name for heading in there for name in (heading, self.local_name(heading))}
        missing = [name for name in self.required if name not in names]
        if names and missing:
            raise JudgmentsError(
                f"{source}: there are no judgments of {list_names(missing)}, which attributes= names; there are those "
                f"of {list_names(sorted(names), limit=12)}.",
                file=source,
                value=missing[0],
                column="attributes",
            )

    def row(self, answer: RawAnswer, questions: Questions | None) -> Row:
        """The judgment that an answer stands for, checked."""
        name = self.local_name(answer.attribute)
        try:
            value = value_of(answer.value, name, answer.place, questions)
        except JudgmentsError as error:
            if questions is not None:
                raise
            where = located(answer.place, answer.attribute)
            raise JudgmentsError(f"{error} {LEAVE_OUT}", value=answer.value, **where) from None
        return Row(answer.object, name, answer.worker, value, answer.place)


def check_repeated(repeated: str | None) -> None:
    """Raise JudgmentsError where this is no choice between two judgments of one worker."""
    if repeated not in (None, "first", "last"):
        raise JudgmentsError(
            f'repeated must be "first" or "last", not {quote_value(repeated)}.', value=repeated, column="repeated"
        )


def judgments_from(
    answers: Sequence[RawAnswer],
    selection: AttributeSelection,
    questions: Questions | None,
    source: str,
    *,
    choose: Callable[[RowWithAnswer, RowWithAnswer], RowWithAnswer] | None = None,
    explain_none: Callable[[], str] | None = None,
) -> Judgments:
    """The judgments that the answers in some files stand for, checked.

    Parameters
    ----------
    answers : sequence of RawAnswer
    selection : AttributeSelection
    questions : mapping, optional
        Those of a study: answers are checked against them.
    source : str
        The names of the files, for messages.
    choose : callable, optional
        Of two judgments of a pair by one worker, the one to keep; raises where neither may be kept. By default two are
        an error.
    explain_none : callable, optional
        Why there are no answers, for the error that says so.
    """
    pairs = [(selection.row(answer, questions), answer) for answer in answers]
    selection.check({answer.attribute for answer in answers}, source)
    if not answers and explain_none is not None:
        raise JudgmentsError(f"{source}: there are no judgments in it{explain_none()}", file=source)
    rows = [row for row, _ in pairs] if choose is None else _once(pairs, choose)
    return judgments_of(check_known(rows, questions), source)


def _once(pairs: Iterable[RowWithAnswer], choose: Callable[[RowWithAnswer, RowWithAnswer], RowWithAnswer]) -> list[Row]:
    """Each worker's judgment of each pair once."""
    best: dict[tuple[str, str, str], RowWithAnswer] = {}
    for pair in pairs:
        row = pair[0]
        key = (row.object, row.attribute, row.worker)
        best[key] = choose(best[key], pair) if key in best else pair
    return [row for row, _ in best.values()]


def source_of(path: StrPath | Sequence[StrPath]) -> str:
    """The names of some files, for messages and to show."""
    return list_names([file.name for file in paths_of(path)]).replace("'", "")


def numbered(name: str) -> tuple[str, int] | None:
    """A name without the number at its end, and the number; None where it has none.

    >>> numbered("Input.image_10"), numbered("tall")
    (('Input.image', 10), None)
    """
    match = _NUMBERED.fullmatch(name)
    return (match[1], int(match[2])) if match else None
