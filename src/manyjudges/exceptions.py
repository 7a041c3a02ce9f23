"""Everything ManyJudges raises or warns of on purpose.

Every error is a ``ValueError``, so ``except ValueError`` keeps working, and all of them derive from one base::

    ManyJudgesError(ValueError)
    ├── JudgmentsError            a table of judgments that cannot be used as it is
    ├── LabelsError               labels that do not fit the judgments
    ├── MomentsError              too little data to estimate what a plan needs
    ├── PlanError                 a budget, a cost, a method or an option that makes no sense
    ├── MissingJudgmentsError     judgments that a plan asks for and the table lacks
    ├── DatasetError              a dataset that cannot be had, or is not what it should be
    ├── StudyError                a study's folder or file that is not as it should be
    ├── StoreError                a database of judgments that cannot be used, or not so
    └── DocumentError             a file that cannot be read or written

Each message names the offending value, where it stands and what to do about it. What can be used, but not relied on,
is a warning, an object to look at rather than one that is raised::

    DataWarning(UserWarning)      data that can hardly carry the question
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DataWarning",
    "DatasetError",
    "DocumentError",
    "JudgmentsError",
    "LabelsError",
    "ManyJudgesError",
    "MissingJudgmentsError",
    "MomentsError",
    "PlanError",
    "StoreError",
    "StudyError",
]


LONGEST = 80
"""How much of a value a message shows."""


class ManyJudgesError(ValueError):
    """The base of every error that ManyJudges raises on purpose."""


class JudgmentsError(ManyJudgesError):
    """A table of judgments that cannot be used as it is."""


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

    def __init__(self, message: str, missing: pd.DataFrame) -> None:
        super().__init__(message)
        self.missing = missing

    def __reduce__(self) -> tuple[type[MissingJudgmentsError], tuple[str, pd.DataFrame]]:
        # The default only passes on ``args``, and a worker process must be able to send this back.
        return type(self), (str(self), self.missing)


class DocumentError(ManyJudgesError):
    """A file that cannot be read, written or understood."""


class DatasetError(ManyJudgesError):
    """A dataset that cannot be had, or whose files are not what they should be."""


class StudyError(ManyJudgesError):
    """A study's folder or file that is not as it should be."""


class StoreError(ManyJudgesError):
    """A database of judgments that cannot be used, or not in this way."""


class DataWarning(UserWarning):
    """Data that can hardly carry the question: what is wrong, what that does to the result, and what to do.

    Two warnings of the same kind and with the same values are equal.

    Attributes
    ----------
    kind : str
        Such as ``"few_objects"``; see :func:`manyjudges.check_data`.
    values : dict
        The numbers behind it.
    """

    def __init__(self, message: str, kind: str, values: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.kind = kind
        self.values = dict(values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DataWarning):
            return NotImplemented
        return (self.kind, self.values) == (other.kind, other.values)

    def __hash__(self) -> int:
        return hash((type(self), self.kind))

    def __reduce__(self) -> tuple[type[DataWarning], tuple[str, str, dict[str, Any]]]:
        return type(self), (str(self), self.kind, self.values)


def quote_value(value: object) -> str:
    """A value as a person wrote it, without numpy's wrapping.

    >>> import numpy as np
    >>> quote_value(np.float64(0.5)), quote_value("a")
    ('0.5', "'a'")
    """
    text = repr(value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def list_names(values: Iterable[object], limit: int = 3, *, total: int | None = None) -> str:
    """Name the first few of many values, for a message; ``total`` where not all of them are given.

    >>> list_names(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    names = [quote_value(value) for value in values]
    rest = (len(names) if total is None else total) - limit
    if rest > 0:
        return f"{', '.join(names[:limit])} and {rest:,} more"
    return ", ".join(names)


def suggest(name: object, known: Sequence[str]) -> str:
    """Say which known name is nearest to one that is not known, or nothing.

    >>> suggest("hieght", ["height", "weight"])
    " Did you mean 'height'?"
    """
    near = difflib.get_close_matches(str(name).lower(), [k.lower() for k in known], n=1, cutoff=0.6)
    if not near:
        return ""
    return f" Did you mean {next(k for k in known if k.lower() == near[0])!r}?"
