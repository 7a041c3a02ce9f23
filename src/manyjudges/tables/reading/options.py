"""Options: what a user can say about a table of judgments, under one set of names for Python, shell and app."""

from __future__ import annotations

__all__ = ["ReadKeywords", "ReadOptions"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from typing import Any, Self, TypedDict

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import PlanError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.answers.numbered import read_any_number
from manyjudges.tables.columns import AUTO_COLUMN
from manyjudges.tables.reading.reading import codings_from_document
from manyjudges.tables.shapes.sample import COLUMN_ROLES
from manyjudges.tables.values import check_on_invalid

_REPEATED = ("error", "first", "last", "mean")
"""What to do where a worker judged the same attribute of an object more than once."""

_LISTS = ("drop", "missing", "valid")


class ReadKeywords(TypedDict, total=False):
    """The keywords of every function that reads a table, as :meth:`ReadOptions.of` takes them."""

    object: str | None
    attribute: str
    value: str
    worker: str | None
    label: str | None
    time: str | None
    shape: str
    drop: str | Sequence[str]
    scales: str | Sequence[str] | Sequence[Sequence[str]]
    missing: str | float | Sequence[str | float]
    valid: str | float | Sequence[str | float]
    on_invalid: str
    repeated: str
    format: str
    codings: Mapping[str, AnswerCoding]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table of judgments.

    Attributes
    ----------
    columns : mapping of str to str or None
        The column for each role (``object``, ``attribute``, ``value``, ``worker``, ``label``, ``time``); ``"auto"``
        where it is to be found, None where no column has the role. A role that is not in it is to be found.
    shape : str
        The name of a shape in ``tables.shapes``, or ``"auto"``.
    drop : tuple of str
        Columns or attributes to leave out.
    scales : tuple of tuple of str
        Scales of words, each from the lowest to the highest.
    missing, valid : tuple of str
        Codes and words that mean "no answer", and those that are answers although they look like codes.
    on_invalid : str
        ``"error"``, or ``"skip"`` to skip and list invalid rows.
    repeated : str
        One of ``_REPEATED``.
    format : str
        The format of files, such as ``"csv"``; ``"auto"`` where their names or first bytes tell.
    codings : mapping of str to AnswerCoding
        What answers stand for, by attribute, where a plan or a predictor says so already.
    """

    columns: Mapping[str, str | None] = field(default_factory=dict)
    shape: str = AUTO_COLUMN
    drop: tuple[str, ...] = ()
    scales: tuple[tuple[str, ...], ...] = ()
    missing: tuple[str, ...] = ()
    valid: tuple[str, ...] = ()
    on_invalid: str = "error"
    repeated: str = "error"
    format: str = "auto"
    codings: Mapping[str, AnswerCoding] = field(default_factory=dict)

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Options as users write them: a column for each role, and lists that may also be one text or number.

        Examples
        --------
        >>> options = ReadOptions.of(object="Essay", label="Grade", missing=-99, scales="never, sometimes, often")
        >>> options.columns, options.missing, options.scales
        ({'object': 'Essay', 'label': 'Grade'}, ('-99',), (('never', 'sometimes', 'often'),))
        """
        columns = {role: options.pop(role) for role in COLUMN_ROLES if role in options}
        columns = {role: _text(name) for role, name in columns.items() if name != AUTO_COLUMN}
        for role, name in columns.items():
            if name is not None and not isinstance(name, str):
                raise PlanError(
                    f"{role} must be the name of a column, not {quote_value(name)}.", value=name, column=role
                )
        lists: dict[str, Any] = {name: _texts(options.pop(name), name) for name in _LISTS if name in options}
        if "scales" in options:
            lists["scales"] = _scales(options.pop("scales"))
        known = [*COLUMN_ROLES, *(each.name for each in fields(cls) if each.name != "columns")]
        for name in options:
            if name not in known:
                raise PlanError(
                    f"there is no option {name!r} for reading a table. Options: {', '.join(known)}."
                    f"{suggest(name, known)}",
                    value=name,
                    column=name,
                )
        result = cls(columns=columns, **lists, **options)
        result.check()
        return result

    def check(self) -> None:
        """Refuse what no table could be read with."""
        check_on_invalid(self.on_invalid)
        if self.repeated not in _REPEATED:
            raise PlanError(
                f"repeated must be one of {list_names(_REPEATED)}, not {quote_value(self.repeated)}."
                f"{suggest(str(self.repeated), _REPEATED)}",
                value=self.repeated,
                column="repeated",
            )
        if both := [code for code in self.missing if code in self.valid]:
            raise PlanError(
                f"{list_names(both)} cannot both mean no answer and be a real answer. Leave it out of --missing "
                "(missing=) or of --valid (valid=).",
                value=both[0],
                column="missing",
            )

    def with_answers(self, answers: Mapping[str, Any] | None, attributes: Sequence[str]) -> Self:
        """The options for answers that stand for what a plan or a predictor says; the same where it does not know.

        Parameters
        ----------
        answers : mapping, optional
            As ``codings_to_document`` wrote it.
        attributes : sequence of str
            Those that the plan knows; no others are read.
        """
        if answers is None:
            return self
        codings = codings_from_document(answers, attributes)
        missing = [code for coding in codings.values() for code in coding.no_answer if code not in self.valid]
        return replace(
            self,
            codings={name: self._with_valid(coding) for name, coding in codings.items()},
            missing=tuple(dict.fromkeys([*self.missing, *missing])),
        )

    def _with_valid(self, coding: AnswerCoding) -> AnswerCoding:
        """A coding whose limits include the numbers that are said to be real answers."""
        numbers = [number for code in self.valid if (number := read_any_number(code)) is not None]
        if coding.limits is None or not numbers:
            return coding
        return replace(coding, limits=(min(*coding.limits, *numbers), max(*coding.limits, *numbers)))

    @property
    def skip(self) -> bool:
        """Whether invalid rows are skipped."""
        return self.on_invalid == "skip"


def _texts(values: Any, name: str) -> tuple[str, ...]:
    """A list of texts, where people may also write one text, numbers, or texts with commas between them."""
    if values is None:
        return ()
    if isinstance(values, str) and name != "drop":  # the name of a column may have a comma in it
        values = [part.strip() for part in values.split(",") if part.strip()]
    if isinstance(values, str | int | float) or not isinstance(values, Iterable):
        values = [values]
    texts = tuple(f"{value:.15g}" if isinstance(value, float) else str(value) for value in values)
    return tuple(dict.fromkeys(texts))


def _text(name: Any) -> Any:
    """The name of a column, which some programs write as a number."""
    return str(name) if isinstance(name, Integral) and not isinstance(name, bool) else name


def _scales(scales: Any) -> tuple[tuple[str, ...], ...]:
    """Scales, each as a list of words or as one text with commas; one scale may stand without a list around it."""
    if scales is None:
        return ()
    if isinstance(scales, str):
        scales = [scales]
    scales = list(scales)
    if scales and all(isinstance(scale, str) and "," not in scale for scale in scales):
        scales = [scales]  # the words of a single scale
    read = tuple(
        tuple(word.strip() for word in (scale.split(",") if isinstance(scale, str) else map(str, scale)))
        for scale in scales
    )
    for scale in read:
        if len(scale) < 2 or not all(scale) or len(set(scale)) < len(scale):
            raise PlanError(
                f"a scale needs at least two different words, the lowest first, with commas between them, not "
                f"{quote_value(','.join(scale))}.",
                value=",".join(scale),
                column="scales",
            )
    return read
