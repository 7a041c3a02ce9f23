"""Labels: from what somebody gave to one number for each object."""

from __future__ import annotations

__all__ = [
    "Encode",
    "by_object",
    "check_matched",
    "check_unmatched",
    "check_written_once",
    "label_values",
    "match",
    "no_labels",
    "without_label",
    "written_twice",
]

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools, Floats, Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import JudgmentsError, LabelsError
from manyjudges.tables.label_columns import as_floats, one_label_each
from manyjudges.tables.names import loose_key, match_names, name_text

_UNMATCHED = ("error", "drop")

_REMEDY = "Give each object its label, or pass unmatched='drop' (--unmatched drop) to leave out what does not match."

Encode = Callable[[Any, Any], Floats]
"""From labels and the names of their objects to numbers; it refuses an invalid label, and names its object."""


def match(
    labels: Any, objects: Any, *, unmatched: str = "error", encode: Encode | None = None
) -> tuple[Integers, Floats]:
    """Find the label of each object.

    Parameters
    ----------
    labels : pandas.Series, mapping or array
        By object, or in the order of ``objects``.
    objects : array
    unmatched : {"error", "drop"}
        Whether objects without label, and labels without object, are errors or left out.
    encode : callable, optional
        How labels become numbers; default: labels are numbers already.

    Returns
    -------
    positions, labels : arrays
        Positions of the objects that have a label, and those labels.
    """
    check_unmatched(unmatched)
    encode = as_floats if encode is None else encode
    if not isinstance(labels, Mapping | pd.Series | pd.DataFrame):
        return _by_position(labels, objects, encode)
    series = by_object(labels, numbers=encode is as_floats)
    index = series.index
    at = match_names(index, objects)
    labelled = np.flatnonzero(at >= 0)
    check_written_once(at[labelled], objects[labelled])
    # In the order of their texts, which is the same whether names are stored as numbers or not.
    without = sorted(objects[(at < 0) & ~_are_to_predict(series, objects)], key=name_text)
    if not len(labelled):
        raise no_labels(len(objects), sorted(objects, key=name_text), index)
    check_matched(without, index.delete(at[labelled]), len(objects), unmatched=unmatched)
    return labelled, label_values(series, at[labelled], encode)


def _are_to_predict(series: pd.Series[Any], objects: Any) -> Bools:
    """Which objects are listed among the labels, but without one: their labels are what is to be predicted."""
    names = series.attrs.get("to_predict", ())
    if not names:
        return np.zeros(len(objects), dtype=bool)
    listed: Bools = match_names(pd.Index(names), objects) >= 0
    return listed


def label_values(series: pd.Series[Any], used: Integers, encode: Encode | None = None) -> Floats:
    """The numbers of some labels, by position; of those that are none, the first of all is named."""
    encode = as_floats if encode is None else encode
    order = np.sort(used)
    values = np.full(len(series), np.nan)
    values[order] = encode(series.to_numpy()[order], series.index[order])
    return values[used]


def check_written_once(labels: Integers, objects: Any) -> None:
    """Refuse two objects with the label of one, such as ``"7"`` and ``"7.0"``."""
    if len(np.unique(labels)) == len(labels):
        return
    twice = np.flatnonzero(pd.Series(labels).duplicated(keep=False).to_numpy())
    same = [name for at, name in zip(labels[twice], objects[twice], strict=True) if at == labels[twice[0]]]
    raise written_twice(same)


def written_twice(names: Sequence[object]) -> JudgmentsError:
    """What to say of one object whose name is written in two ways."""
    return JudgmentsError(
        f"the objects {' and '.join(map(quote_value, names))} have the same name, written in two ways; "
        "write it in one way.",
        value=names[0],
        column="object",
    )


def check_unmatched(unmatched: str) -> None:
    """Refuse what is neither of the two."""
    if unmatched not in _UNMATCHED:
        raise LabelsError(
            f"unmatched must be 'error' or 'drop', not {unmatched!r}.", value=unmatched, column="unmatched"
        )


def by_object(labels: Any, *, numbers: bool = True) -> pd.Series[Any]:
    """Labels that say whose they are, each object once; ``attrs["to_predict"]`` lists objects whose label is missing.

    Parameters
    ----------
    labels : Series or mapping
    numbers : bool
        Whether words such as yes and no are to become numbers, where all labels are such.
    """
    if isinstance(labels, pd.DataFrame):
        raise LabelsError(
            f"labels are a table with the columns {list_names(labels.columns)}; give one column indexed by object, "
            "such as frame.set_index('object')['label'], or read them with read_labels.",
            value=labels,
            column="labels",
        )
    if not isinstance(labels, Mapping | pd.Series):
        raise LabelsError(
            f"labels must say whose they are: give a Series or a dict by object, not {type(labels).__name__}.",
            value=labels,
            column="labels",
        )
    series = labels if isinstance(labels, pd.Series) else pd.Series(dict(labels), dtype=object)
    index = series.index
    if isinstance(index, pd.MultiIndex):
        raise LabelsError(
            f"labels are indexed by {list_names(index.names)}; index them by object alone.",
            value=list(index.names),
            column="labels",
        )
    if index.hasnans:
        raise LabelsError(
            "a label has no object: its place in the index is empty; name it or leave it out.", column="labels"
        )
    return one_label_each(series, column="labels", numbers=numbers)


def _by_position(labels: Any, objects: Any, encode: Encode) -> tuple[Integers, Floats]:
    array = labels if isinstance(labels, np.ma.MaskedArray) else np.asarray(labels)
    if array.shape != (len(objects),):
        raise LabelsError(
            f"labels given as an array must be one for each of the {len(objects):,} objects, in the order of "
            f".objects; these have the shape {array.shape}. Labels by object go in a Series or a dict.",
            value=array.shape,
            column="labels",
        )
    given = pd.Series(_filled(array), index=pd.Index(objects, dtype=np.object_))
    series = one_label_each(given, column="labels", numbers=encode is as_floats)
    if len(objects) and not len(series):
        raise no_labels(len(objects), objects, series.index)
    return np.asarray(given.index.get_indexer(series.index)), encode(series.to_numpy(), series.index)


def _filled(array: Any) -> Any:
    """An array of which masked cells are missing."""
    if not isinstance(array, np.ma.MaskedArray):
        return array
    filled = array.data.astype(np.object_)
    filled[np.ma.getmaskarray(array)] = None
    return filled


def check_matched(
    without: Any, unknown: Any, n_objects: int, *, unmatched: str = "error", n_without: int | None = None
) -> None:
    """Refuse objects without a label, and labels of unknown objects, unless they are to be left out.

    Parameters
    ----------
    without, unknown : array, Index
        Names of objects without a label, and of labels without an object.
    n_objects : int
        All objects, with and without a label.
    unmatched : {"error", "drop"}
    n_without : int, optional
        How many objects have no label, where ``without`` names only some of them.
    """
    many = len(without) if n_without is None else n_without
    if many == n_objects:
        raise no_labels(n_objects, without, unknown)
    if unmatched == "error" and many:
        raise without_label(many, n_objects, without)
    if unmatched == "error" and len(unknown):
        raise LabelsError(
            f"{'1 label is of an object' if len(unknown) == 1 else f'{len(unknown):,} labels are of objects'} without "
            f"judgments: {list_names(unknown)}. {_REMEDY}",
            row=_first(unknown),
            column="label",
        )


def without_label(many: int, n_objects: int, objects: Any) -> LabelsError:
    """What to say where many of the objects have no label; with some of them."""
    return LabelsError(
        f"{many:,} of {n_objects:,} objects have no label: {list_names(objects, total=many)}. {_REMEDY}",
        row=_first(objects),
        column="object",
    )


def no_labels(n_objects: int, objects: Any, labelled: Any) -> LabelsError:
    """What to say where no object has a label; with some of the objects, and of the objects that have one."""
    return LabelsError(
        f"none of the {n_objects:,} objects has a label; {_examples(objects, labelled)}",
        row=_first(objects),
        column="object",
    )


def _first(names: Any) -> str | None:
    return name_text(names[0]) if len(names) else None


def _examples(objects: Any, index: pd.Index[Any]) -> str:
    named = f"objects are named like {list_names(objects[:2])}, labels like {list_names(index[:2])}."
    loose = {loose_key(name_text(name)) for name in objects}
    if any(loose_key(name_text(name)) in loose for name in index):
        return f"{named} They differ only in case or spaces. Write each name in one way."
    words = "Write each name in one way, or say which column of the labels has the names (--column label-object=NAME)."
    if pd.api.types.is_integer_dtype(index):  # as pandas numbers what has no names
        words = f"{words} Labels without names can be given as an array, in the order of 'judgments.objects'."
    return f"{named} {words}"
