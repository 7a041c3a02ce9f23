"""Everything ManyJudges raises or warns of on purpose.

Every error is a ``ValueError``, so ``except ValueError`` keeps working, and all of them derive from one base::

    ManyJudgesError(ValueError)
    ├── JudgmentsError            a table of judgments that cannot be used as it is
    │   └── InvalidAnswerError    an answer that does not fit its question
    ├── LabelsError               labels that do not fit the judgments
    ├── MomentsError              too little data to estimate what a plan needs
    ├── PlanError                 a budget, a cost, a method or an option that makes no sense
    ├── MissingJudgmentsError     judgments that a plan asks for and the table lacks
    ├── DatasetError              a dataset that cannot be had, or is not what it should be
    ├── StudyError                a study's folder or file that is not as it should be
    ├── StoreError                a database of judgments that cannot be used, or not so
    │   ├── StoreUnavailableError a database that does not answer now
    │   └── UnknownBatchError     a batch that this worker does not have
    ├── CallError                 a call of a language model that came to nothing
    ├── MechanicalTurkError       what Mechanical Turk refused
    ├── ProlificError             what Prolific refused
    └── DocumentError             a file that cannot be read or written

Each message names the offending value, where it stands and what to do about it. What can be used, but not relied on,
is a warning, an object to look at rather than one that is raised::

    DataWarning(UserWarning)      data that can hardly carry the question
"""

from __future__ import annotations

import copyreg
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "CallError",
    "DataWarning",
    "DatasetError",
    "DocumentError",
    "InvalidAnswerError",
    "JudgmentsError",
    "LabelsError",
    "ManyJudgesError",
    "MechanicalTurkError",
    "MissingJudgmentsError",
    "MomentsError",
    "PlanError",
    "ProlificError",
    "StoreError",
    "StoreUnavailableError",
    "StudyError",
    "StudyProblem",
    "UnknownBatchError",
    "spelled",
    "spelled_for_shell",
]


_NESTED = r"(?:[^()]|\([^()]*\))*?"
_QUOTED = r"'[^']*'|\"[^\"]*\""
_ARGUMENT = rf"(?:{_QUOTED}|first, last or mean|[^\s()'\";:,.]+(?:[.,][^\s()'\";:,.]+)*)"
_OPTION = rf"(?P<option>--(?P<name>[a-z][a-z-]*)(?:[ =](?P<argument>{_ARGUMENT})(?: --[a-z-]+ {_ARGUMENT})*(?: …)?)?)"
_KEYWORD = rf"(?P<keyword>[a-z_]+=(?:{_NESTED}))"
_SHORT = rf"[a-z_]+=(?:{_QUOTED}|\[[^\]]*\]|[A-Za-z]+)?"
_KEYWORDS = rf"(?P<keyword>\b{_SHORT}(?:(?: or |, ){_SHORT})*)"

_TWICE = (
    re.compile(rf"{_OPTION} \({_KEYWORD}\)"),  # --drop Grade (drop=['Grade'])
    re.compile(rf"{_KEYWORDS} \({_OPTION}\)"),  # worker=None (--column worker=)
    re.compile(rf"(?P<keyword>\b{_SHORT}),? or {_OPTION}"),  # attribute='tall', or --attribute tall
    re.compile(r"(?P<keyword>\b(?P<same>[a-z_]+)) \((?P<option>--(?P<name>(?P=same)))\)"),  # noiseless (--noiseless)
    re.compile(rf"(?<=\(){_OPTION}, {_KEYWORD}(?=\))"),  # (--scale "low,high", scales=)
    re.compile(rf"(?<=\()(?P<keyword>{_SHORT}), {_OPTION}(?=\))"),  # (heading=, --option heading=N)
)
"""How messages name an option that the command line and Python have: in both spellings, side by side."""

_ALONE = re.compile(
    r"--(?P<name>object|attribute|value|worker|time|shape|format|rename)\b"
    r"(?: (?P<argument>[A-Z=]+\b|[a-z]+-[a-z-]+|csv|json))?| \(--column [^()]*\)"
)
"""An option of how to read a table in the spelling of the command line alone."""

_spelling = "python"


@contextmanager
def spelled_for_shell() -> Iterator[None]:
    """Within it, errors and warnings name options as the command line spells them, and otherwise as Python does."""
    global _spelling  # a process is either the command line or not
    before, _spelling = _spelling, "shell"
    try:
        yield
    finally:
        _spelling = before


def spelled(message: str) -> str:
    """A sentence that names options in both spellings, in the one of its reader, as errors and warnings are.

    >>> spelled("Leave it out with --drop Grade (drop=['Grade']).")
    "Leave it out with drop=['Grade']."
    """
    if "--" not in message:
        return message
    for pattern in _TWICE:
        message = pattern.sub(_for_shell if _spelling == "shell" else _for_python, message)
    return message if _spelling == "shell" else _ALONE.sub(_alone, message)


def _for_shell(match: re.Match[str]) -> str:
    """The option with its value, which may stand behind the keyword only."""
    option, (keyword, _, value) = match["option"], match["keyword"].partition("=")
    is_example = re.fullmatch(_QUOTED, value) and option == f"--{keyword.replace('_', '-')}"
    return f"{option} {value}" if is_example else option


def _for_python(match: re.Match[str]) -> str:
    """The keyword with its value, which may stand behind the option only."""
    keyword, argument = match["keyword"], match.groupdict().get("argument")
    if not keyword.endswith("=") or not argument or argument.isupper() or "=" in argument or " --" in match["option"]:
        return keyword
    if " or " in argument:  # several, to choose from
        return keyword + re.sub(r"\w+(?=,| or |$)", lambda word: repr(word[0]) if word[0] != "or" else "or", argument)
    return keyword + (argument if re.fullmatch(rf"{_QUOTED}|-?[\d.]+", argument) else repr(argument))


def _alone(match: re.Match[str]) -> str:
    if match["name"] is None:
        return ""
    argument = match["argument"]
    return f"{match['name']}=" + (repr(argument) if argument and argument.islower() else "")


class _Spelled:
    """A message that may name options in two spellings, and is shown in one of them."""

    args: tuple[Any, ...]

    @property
    def message(self) -> str:
        """The message with both spellings."""
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        return spelled(self.message)

    def __format__(self, spec: str) -> str:
        # In a sentence of another error, which is then shown in the spelling of its reader.
        return format(self.message, spec)


class _Fields(TypedDict, total=False):
    """What a program can read of every error; see :class:`ManyJudgesError`."""

    value: object
    row: int | str | None
    column: str | None
    file: str | None


class ManyJudgesError(_Spelled, ValueError):
    """The base of every error that ManyJudges raises on purpose.

    The message is for people. What a program may want to know of it stands in attributes, each None where the error is
    not about such a thing.

    Attributes
    ----------
    value : object
        The value that cannot be used, as it was given.
    row : int or str
        The row of a table, or the line of a file, counted from 1; or the name of an object, or of whatever a parameter
        has values for.
    column : str
        The column, field or parameter that the value was given for.
    file : str
        The file that it stands in.
    """

    def __init__(
        self,
        message: str,
        *,
        value: object = None,
        row: int | str | None = None,
        column: str | None = None,
        file: str | None = None,
    ) -> None:
        super().__init__(message)
        self.value, self.row, self.column, self.file = value, row, column, file

    @property
    def fields(self) -> dict[str, Any]:
        """The four by name, for who raises the error again with more words."""
        return {"value": self.value, "row": self.row, "column": self.column, "file": self.file}

    def __repr__(self) -> str:
        fields = (f"{name}={_shortened(field)}" for name, field in self.fields.items() if field is not None)
        return f"{type(self).__name__}({', '.join([repr(str(self)), *fields])})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The default calls the class with ``args``, which lack what a class of its own is made of. A worker process
        # must be able to send every error back, whatever the value that it is about.
        state = {**vars(self), "value": _portable(self.value)}
        return copyreg.__newobj__, (type(self), *self.args), state  # type: ignore[attr-defined]


_LONGEST = 80
"""How much of a value the text of an error shows."""


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _portable(value: object) -> object:
    """A value as another process can have it: as text, if it cannot be sent there."""
    try:
        pickle.dumps(value)
    except Exception:  # pickling runs what others wrote
        return _shortened(value)
    return value


class JudgmentsError(ManyJudgesError):
    """A table of judgments that cannot be used as it is."""


class InvalidAnswerError(JudgmentsError):
    """An answer that does not fit its question; ``value`` is the answer, ``column`` the attribute that was asked for.

    Attributes
    ----------
    allowed : str
        What counts as an answer, in words: ``"a whole number from 1 to 7"``.
    problem : str
        What is wrong, without the answer and the attribute: ``"must be a whole number from 1 to 7."``
    """

    def __init__(
        self,
        message: str,
        *,
        allowed: str = "",
        problem: str = "",
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(message, **fields)
        self.allowed, self.problem = allowed, problem


class LabelsError(ManyJudgesError):
    """Labels that do not fit the judgments, or that no number can be predicted from."""


class MomentsError(ManyJudgesError):
    """Too little data, or the wrong kind, to estimate what a plan needs."""


class PlanError(ManyJudgesError):
    """A budget, a cost, a method or an option that makes no sense."""


class MissingJudgmentsError(ManyJudgesError):
    """The table lacks judgments that the plan asks for.

    Attributes
    ----------
    missing : pandas.DataFrame
        What to buy, as :meth:`Plan.missing` gives it: ``object``, ``attribute``, ``count``, ``cost``.
    """

    def __init__(
        self,
        message: str,
        missing: pd.DataFrame,
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(message, **fields)
        self.missing = missing


class DocumentError(ManyJudgesError):
    """A file that cannot be read, written or understood."""


class DatasetError(ManyJudgesError):
    """A dataset that cannot be had, or whose files are not what they should be."""


class StudyProblem(NamedTuple):
    """One of the things that are wrong with a study's file.

    Attributes
    ----------
    file : str
    line : int
        Counted from 1. A key that is missing has the line of its table.
    key : str
        With its table: ``"plan.pilot"``.
    value : object
        As the file has it, without passwords; None where the key is missing.
    message : str
        What is wrong, and what is allowed, without the file and the line.
    """

    file: str
    line: int
    key: str
    value: object
    message: str


class StudyError(ManyJudgesError):
    """A study's folder or file that is not as it should be.

    Attributes
    ----------
    problems : tuple of StudyProblem
        All that is wrong with ``study.toml``, in the order of the file; the other attributes are of the first. Empty
        where the error is not about keys and their values.
    """

    def __init__(self, message: str, *, problems: Sequence[StudyProblem] = (), **fields: Unpack[_Fields]) -> None:
        super().__init__(message, **fields)
        self.problems = tuple(problems)


class StoreError(ManyJudgesError):
    """A database of judgments that cannot be used, or not in this way."""


class StoreUnavailableError(StoreError):
    """The database cannot be used right now: lost, full or locked. What was acknowledged is safe; try again later."""


class UnknownBatchError(StoreError):
    """There is no such batch of this worker."""


class CallError(ManyJudgesError):
    """A call that came to nothing, and may come through later."""


class MechanicalTurkError(ManyJudgesError):
    """What Mechanical Turk refused, or why it could not be reached.

    Attributes
    ----------
    code : str
        Amazon's word for it, without ``AWS.MechanicalTurk.``, such as ``"InsufficientFunds"``; may be empty.
    detail : str
        What Amazon said.
    """

    def __init__(
        self,
        message: str,
        code: str = "",
        detail: str = "",
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(message, **fields)
        self.code, self.detail = code, detail


class ProlificError(ManyJudgesError):
    """What Prolific refused, or why it could not be reached.

    Attributes
    ----------
    status : int
        Of the reply; 0 where none came.
    detail : str
        What Prolific said; empty where that might repeat the token.
    uncertain : bool
        Whether it is not known if Prolific did what was asked.
    """

    def __init__(
        self,
        message: str,
        status: int = 0,
        detail: str = "",
        uncertain: bool = False,
        **fields: Unpack[_Fields],
    ) -> None:
        super().__init__(message, **fields)
        self.status, self.detail, self.uncertain = status, detail, uncertain


class DataWarning(_Spelled, UserWarning):
    """Data that can hardly carry the question: what is wrong, what that does to the result, and what to do.

    Two warnings of the same kind and with the same values are equal.

    Attributes
    ----------
    kind : str
        Such as ``"few_objects"``; see :func:`manyjudges.learn.check_data`. Each kind stands for one thing to be wrong.
    values : dict
        The numbers behind it.
    code : str, optional
        Of the check that failed, such as ``"MJ101"``; it mutes the check and names its page in the documentation.
    severity : str
        ``"stop"`` where nothing should be computed until the data are corrected or explained, ``"serious"`` where the
        result should not be used as it is, ``"warning"``, or ``"note"``.
    """

    def __init__(
        self,
        message: str,
        kind: str,
        values: Mapping[str, Any],
        *,
        code: str | None = None,
        severity: str = "warning",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.values = dict(values)
        self.code = code
        self.severity = severity

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DataWarning):
            return NotImplemented
        return (self.kind, self.values) == (other.kind, other.values)

    def __hash__(self) -> int:
        return hash((type(self), self.kind))

    def __reduce__(self) -> tuple[type[DataWarning], tuple[str, str, dict[str, Any]], dict[str, Any]]:
        return type(self), (self.message, self.kind, self.values), {"code": self.code, "severity": self.severity}
