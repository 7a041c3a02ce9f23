"""What every summary can do."""

from __future__ import annotations

__all__ = ["Result", "as_tuple", "loss_limits", "on_one_line", "plain"]

import html
import unicodedata
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from manyjudges.base import documents
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import DataWarning, PlanError

if TYPE_CHECKING:
    import pandas as pd

_LIMITS = 2.09
"""Standard errors either way that 95 % limits of a held-out loss lie at: Student's t with 19 degrees of freedom, as
standard errors come from 20 parts of the objects."""


def loss_limits(loss: Any, std_error: Any) -> tuple[Any, Any]:
    """Limits that hold a squared error in 95 % of cases.

    On the scale of its logarithm, since a mean of squared errors is skewed; no limit is below zero.

    >>> [round(float(limit), 2) for limit in loss_limits(1.0, 0.1)]
    [0.81, 1.23]
    """
    losses, errors = np.asarray(loss, dtype=float), np.asarray(std_error, dtype=float)
    reach = np.divide(_LIMITS * errors, losses, out=np.full(losses.shape, np.inf), where=losses > 0)
    # Of a loss that cannot be told from zero, only the upper limit says anything.
    low = np.where(np.isfinite(reach), losses * np.exp(-np.minimum(reach, 50.0)), 0.0)
    high = np.minimum(losses * np.exp(np.minimum(reach, 50.0)), np.maximum(losses, 0) + _FARTHEST * errors)
    return low, np.where(losses > 0, high, np.maximum(losses, 0) + _LIMITS * errors)


_FARTHEST = 5.0
"""Standard errors beyond which no limit lies: the logarithm of a loss near zero says nothing any more."""


class Result:
    """A frozen, labelled result, that is saved as JSON that a person can read.

    Arrays become read-only. What JSON has no word for, such as NaN and infinity, is null.
    """

    FORMAT: ClassVar[str]

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]  # every result is a dataclass
            if isinstance(value := getattr(self, item.name), np.ndarray):
                value.flags.writeable = False

    def to_frame(self) -> pd.DataFrame:
        """The numbers as a table."""
        raise NotImplementedError

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        return {"format": self.FORMAT} | {name: plain(value) for name, value in named.items()}

    def to_json(self) -> str:
        """The numbers as JSON."""
        return documents.dumps(self.to_document())

    @property
    def headline(self) -> str:
        """What it is, in a line or two."""
        return f"{type(self).__name__}:"

    def __repr__(self) -> str:
        return (
            f"{self.headline}\n{self.to_frame().to_string(max_rows=20, max_colwidth=60, float_format='{:.4g}'.format)}"
        )

    def _repr_html_(self) -> str:
        rows = self.to_frame().to_html(max_rows=20, float_format="{:.4g}".format)
        return f"<p>{html.escape(self.headline)}</p>{rows}"


def plain(value: Any) -> Any:
    """A value as JSON knows it.

    >>> plain({"a": np.array([1.0, np.inf]), "b": (np.int64(2), None)})
    {'a': [1.0, None], 'b': [2, None]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, DataWarning):
        named = {"code": value.code, "kind": value.kind, "severity": value.severity}
        return named | {"message": str(value), "values": plain(value.values)}
    if hasattr(value, "to_document"):
        return plain(value.to_document())
    return _collection(value)


def as_tuple(values: Any, what: str) -> tuple[Any, ...]:
    """Check a list that somebody gave."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise PlanError(f"{what} must be a list of numbers, not {quote_value(values)}.", value=values, column=what)
    return tuple(values)


def on_one_line(name: object) -> str:
    r"""A name as it can stand in a sentence.

    >>> on_one_line("a\nb"), on_one_line("")
    ('a b', '(no name)')
    """
    kept = "".join(c for c in str(name) if unicodedata.category(c) != "Cf" or c in "\u200c\u200d")
    return " ".join(kept.split()) or "(no name)"


def _collection(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        return plain((value.astype(str) if value.dtype.kind in "mM" else value).tolist())
    return str(value)
