"""Label columns: from cells in which labels repeat, are missing or are words to one number for each object."""

from __future__ import annotations

__all__ = ["as_floats", "floats_or_nan", "labels_of_rows"]

import datetime
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools, Floats
from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import JudgmentsError, LabelsError
from manyjudges.tables import values as valuing
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.answers.no_answer import no_answer_mask
from manyjudges.tables.answers.recognition import are_marked_numbers, recognise_coding
from manyjudges.tables.columns import AUTO_COLUMN, LABEL_SYNONYMS, choose_columns, columns_called, less_usual
from manyjudges.tables.grammar import BLANK, is_missing, read_number
from manyjudges.tables.names import name_keys, name_text
from manyjudges.tables.values import Locate, Place

_SHOWN_CLASSES = 5
"""How many classes a message names."""

_MOST = 0.5
"""Share of a column's cells that are objects with judgments from which it is a column of objects."""

_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|\d{4}年\d{1,2}月\d{1,2}日|"
    r"\d{1,2}\.? [^\W\d]{3,10}\.? \d{4}|[^\W\d]{3,10}\.? \d{1,2},? \d{4})([T ,]+\d{1,2}:\d{2}.*)?"
)
"""A day as people and programs write it, perhaps with a time. A number with one decimal point is none."""


def choose_label_columns(
    columns: Sequence[str],
    asked: Mapping[str, str | None],
    cells: Callable[[str], Any],
    objects: Any = None,
    *,
    decimal_comma: bool = False,
) -> dict[str, str]:
    """Which column of a table of labels names the objects, and which has the labels.

    Two columns are enough to know: by the name of either, by which one has the names of the objects, by which one has
    numbers and the other text, or by which one repeats itself.

    Parameters
    ----------
    columns : list of str
    asked : mapping of str to str
        Columns of ``object`` and ``label`` that were named; ``"auto"`` for those to be found.
    cells : callable
        From the name of a column to its cells.
    objects : array, optional
        Names of the objects that have judgments.
    decimal_comma : bool
        Whether ``3,5`` is a number.
    """
    named = {role: name for role, name in asked.items() if name not in (None, AUTO_COLUMN)}
    known = all(name in columns for name in named.values())
    if known and "object" not in named and objects is not None and not _called_object(columns):
        matching = [name for name in columns if name not in named.values() and _share(cells(name), objects) > _MOST]
        named |= {"object": matching[0]} if len(matching) == 1 else {}
    try:
        return choose_columns(list(columns), LABEL_SYNONYMS, {**asked, **named})
    except JudgmentsError:
        found = _one_of_two(columns, named, cells, decimal_comma) if known and len(columns) == 2 else None
        if found is None:
            raise
        return {"object": found, "label": next(name for name in columns if name != found)}


def labels_of_rows(
    objects: Any,
    labels: Any,
    locate: Locate,
    *,
    column: str = "label",
    decimal_comma: bool = False,
    missing: Collection[str] = (),
    scales: Sequence[Sequence[str]] = (),
    given: Mapping[str, float] | None = None,
) -> pd.Series[Any]:
    """One label for each object, from rows that may have the same label several times.

    Parameters
    ----------
    objects, labels : array
        Of each row. Rows without an object are left out.
    locate : callable
        Says where a row is.
    column : str
        What the labels' column is called.
    decimal_comma : bool
        Whether ``3,5`` is a number.
    missing : collection of str
        Codes and words, besides the usual ones, that mean that there is no label.
    scales : sequence of sequence of str
        Scales of words, each from the lowest to the highest.
    given : mapping of str to float, optional
        The words of the file's own scale with their numbers.

    Returns
    -------
    Series
        Numbers by object. Its ``attrs`` have ``to_predict``, a list of the objects without a label, and ``note``, which
        says what words stand for; it is empty where labels are numbers.

    Examples
    --------
    >>> labels = labels_of_rows(["a", "a", "b", "c"], ["yes", "yes", "", "no"], valuing.locate_from_zero)
    >>> labels.to_dict(), labels.attrs["to_predict"], labels.attrs["note"]
    ({'a': 1.0, 'c': 0.0}, ['b'], 'no = 0, yes = 1; 1 object without a label, to be predicted')
    """
    names, cells = np.asarray(objects, dtype=np.object_), _as_array(labels)
    if decimal_comma and cells.dtype == np.object_:
        try:
            valuing.check_thousands(cells, locate, column=column)
        except JudgmentsError as error:
            raise LabelsError(error.message, **error.fields) from None
    named = np.flatnonzero([not is_missing(name) and str(name).strip(BLANK) != "" for name in names])
    series = pd.Series(cells[named], index=pd.Index(names[named], name="object"), name=column)
    how: dict[str, Any] = {"decimal_comma": decimal_comma, "scales": scales, "given": given}
    found = one_label_each(series, lambda row: locate(int(named[row])), column=column, missing=missing, **how)
    if not len(found):
        raise LabelsError(
            f"no object has a label: all cells of {quote_value(column)} are empty. Enter the labels of some objects, "
            "or name another column.",
            column=column,
        )
    numbers = as_floats(found.to_numpy(), found.index, decimal_comma=decimal_comma, column=column)
    result = pd.Series(numbers, index=found.index, name=column)
    result.attrs |= {"to_predict": [], **found.attrs}
    notes = [found.attrs.get("note", ""), _absent(result.attrs["to_predict"], cells[named], missing)]
    result.attrs["note"] = "; ".join(filter(None, notes))
    return result


def _absent(to_predict: Sequence[object], cells: Any, missing: Collection[str]) -> str:
    """What to say of objects without a label, and of codes that the user named and that could be labels."""
    if not to_predict:
        return ""
    plain = ~no_answer_mask(cells)
    codes = list(dict.fromkeys(str(cell) for cell in cells[plain & no_answer_mask(cells, missing)]))
    coded = f" ({list_names(codes)} {'means' if len(codes) == 1 else 'mean'} no answer)" if codes else ""
    return f"{plural(len(to_predict), 'object')} without a label{coded}, to be predicted"


def one_label_each(
    series: pd.Series[Any],
    locate: Locate | None = None,
    *,
    column: str = "label",
    numbers: bool = True,
    missing: Collection[str] = (),
    decimal_comma: bool = False,
    scales: Sequence[Sequence[str]] = (),
    given: Mapping[str, float] | None = None,
) -> pd.Series[Any]:
    """Labels by object, each object once and with a label; labels that are words become numbers.

    A label that is neither a number nor one of the words that all others are stays as it is, for
    :func:`as_floats` to refuse if the label is needed.

    Parameters
    ----------
    series : Series
    locate : callable, optional
        Says where a row is; the default is not to say it.
    numbers : bool
        Whether words are to become numbers.
    column, missing, decimal_comma, scales, given
        As for :func:`labels_of_rows`.
    """
    if series.dtype.kind in "iufb" and not series.index.has_duplicates and not series.isna().any():
        return series
    if isinstance(series.dtype, pd.CategoricalDtype):
        given = _order_of(series) if given is None else given
    cells = _as_array(series)
    absent = no_answer_mask(cells, missing)
    rows, objects = np.flatnonzero(~absent), series.index
    cells, labelled = cells[rows], objects[rows]
    to_predict = [
        *dict.fromkeys([*series.attrs.get("to_predict", ()), *objects[absent].difference(labelled, sort=False)])
    ]
    note = series.attrs.get("note", "")
    values: Any = cells
    if numbers and len(cells):
        values, words = _in_numbers(cells, labelled, column, decimal_comma, scales, given)
        note = words or note
    first = ~labelled.duplicated()
    if not first.all():
        _check_same(values, cells, labelled, column, lambda row: None if locate is None else locate(int(rows[row])))
    result = pd.Series(values[first], index=labelled[first], name=series.name)
    result.attrs |= {**series.attrs, "to_predict": to_predict, "note": note}
    return result


def as_floats(values: Any, objects: Any, *, decimal_comma: bool = False, column: str = "label") -> Floats:
    """Check that labels are finite numbers; ``objects`` says whose they are."""
    values = _unmasked(values)
    floats = floats_or_nan(values, decimal_comma=decimal_comma)
    wrong = np.flatnonzero(~np.isfinite(floats))
    if wrong.size:
        i = wrong[0]
        more = f" ({wrong.size - 1:,} more are like it)" if wrong.size > 1 else ""
        wrong_how = (
            "is missing" if is_missing(values[i]) else f"is {quote_value(values[i])}, which is not a finite number"
        )
        raise LabelsError(
            f"the label of object {quote_value(objects[i])} {wrong_how}{more}. Correct it, or leave the object out.",
            value=values[i],
            row=str(objects[i]),
            column=column,
        )
    return floats


def floats_or_nan(values: Any, *, decimal_comma: bool = False) -> Floats:
    """The numbers of labels, NaN for those that are none."""
    values = _unmasked(values)
    if values.dtype.kind in "mMc":  # astype would make numbers of dates, and drop what is imaginary
        floats = np.full(len(values), np.nan)
    elif values.dtype.kind in "iufb":
        floats = values.astype(float)
    else:
        floats = _numbers(values, decimal_comma)
    return np.where(np.isfinite(floats), floats, np.nan)


def _unmasked(values: Any) -> Any:
    """Labels as an array, NaN where they are masked."""
    masked = isinstance(values, np.ma.MaskedArray)
    return np.ma.filled(values.astype(float), np.nan) if masked else np.asarray(values)


def _numbers(values: Any, decimal_comma: bool) -> Floats:
    if all(isinstance(value, str) for value in values):  # as files have them: all at once
        return valuing.numbers(values, decimal_comma=decimal_comma)
    return np.array([_number(value, decimal_comma) for value in values], dtype=float)


def _number(value: Any, decimal_comma: bool) -> float:
    if isinstance(value, str):
        return read_number(value, decimal_comma=decimal_comma)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _as_array(values: Any) -> Any:
    """Cells as an array, in which texts and what pandas has types of its own for are objects."""
    array = _unmasked(values.to_numpy() if isinstance(values, pd.Series) else values)
    return array.astype(np.object_) if array.dtype.kind in "US" else array


def _order_of(series: pd.Series[Any]) -> Mapping[str, float] | None:
    """The categories of a column that has an order of its own, by number."""
    categories = series.cat.categories
    if not series.cat.ordered or pd.api.types.is_numeric_dtype(categories.dtype):
        return None
    return {str(category): float(at) for at, category in enumerate(categories, start=1)}


def _in_numbers(
    cells: Any,
    objects: Any,
    column: str,
    decimal_comma: bool,
    scales: Sequence[Sequence[str]],
    given: Mapping[str, float] | None,
) -> tuple[Any, str]:
    """The numbers that labels stand for, and what their words mean; the labels as they are where some are invalid."""
    floats = floats_or_nan(cells, decimal_comma=decimal_comma)
    known = np.isfinite(floats)
    if known.all():
        return floats, ""
    if not known.any() and (dates := _dates(cells)).any():
        first = int(np.argmax(dates))
        raise LabelsError(
            f"{quote_value(column)} holds dates, such as {quote_value(_shown(cells[first]))}, which cannot be "
            "predicted yet. Turn them into numbers first, such as days since the earliest of them.",
            value=cells[first],
            row=name_text(objects[first]),
            column=column,
        )
    if not all(isinstance(cell, str) for cell in cells):
        return cells, ""
    try:
        coding = recognise_coding(pd.unique(cells).tolist(), scales=scales, given=given, decimal_comma=decimal_comma)
    except JudgmentsError as error:
        if are_marked_numbers(cells[~known].tolist()):
            raise LabelsError(
                f"the labels in {quote_value(column)}: {error}",
                value=cells[~known][0],
                row=name_text(objects[~known][0]),
                column=column,
            ) from None
        if known.any():  # one of many is wrong, and will be named
            return cells, ""
        raise _classes(cells, objects, column) from None
    encoded, invalid = coding.encode(cells, decimal_comma=decimal_comma)
    return (cells if invalid.any() else encoded), _note(coding)


def _called_object(columns: Sequence[str]) -> list[str]:
    return columns_called(LABEL_SYNONYMS["object"], columns) or less_usual("object", columns)


def _share(cells: Any, objects: Any) -> float:
    """How many cells of a column are names of objects."""
    if not len(cells) or not all(isinstance(cell, str | float | int | np.generic) or cell is None for cell in cells):
        return 0.0
    return float(name_keys(pd.Index(cells)).isin(name_keys(pd.Index(objects))).mean())


def _one_of_two(
    columns: Sequence[str], named: Mapping[str, str | None], cells: Callable[[str], Any], decimal_comma: bool
) -> str | None:
    """Of two columns, that of the objects; None where nothing tells them apart."""
    first, second = columns
    if "object" in named or "label" in named:
        return named["object"] if "object" in named else second if named["label"] == first else first
    objects, labels = _called_object(columns), columns_called(LABEL_SYNONYMS["label"], columns)
    if len(objects) == 1 and labels != objects:
        return objects[0]
    if len(labels) == 1 and not objects:
        return second if labels == [first] else first
    texts = [_is_text(cells(name), decimal_comma) for name in columns]
    distinct = [_is_distinct(cells(name)) for name in columns]
    for told in (texts, distinct):
        if told[0] != told[1]:
            return first if told[0] else second
    return None


def _is_text(cells: Any, decimal_comma: bool) -> bool:
    """Whether no cell is a number."""
    return not np.isfinite(floats_or_nan(cells[~no_answer_mask(cells)], decimal_comma=decimal_comma)).any()


def _is_distinct(cells: Any) -> bool:
    return bool(pd.Series([str(cell) for cell in cells]).is_unique)


def _note(coding: AnswerCoding) -> str:
    return "" if coding.is_numeric and not coding.words else coding.describe()


def _dates(cells: Any) -> Bools:
    if cells.dtype.kind == "M":
        return np.ones(len(cells), dtype=bool)
    dated = (datetime.date, np.datetime64)
    return np.array(
        [
            isinstance(cell, dated) or (isinstance(cell, str) and bool(_DATE.fullmatch(cell.strip(BLANK))))
            for cell in cells
        ]
    )


def _shown(cell: Any) -> str:
    return name_text(cell) if not isinstance(cell, str) else cell


def _classes(cells: Any, objects: Any, column: str) -> LabelsError:
    """What to say of labels that are classes."""
    classes = sorted(set(cells))
    return LabelsError(
        f"{quote_value(column)} holds classes ({list_names(classes, _SHOWN_CLASSES)}), which cannot be predicted yet. "
        "If they have an order, give it, the lowest first (--scale, scales=); otherwise write 1 for one class and 0 "
        "for the others.",
        value=cells[0],
        row=name_text(objects[0]),
        column=column,
    )


def _check_same(values: Any, cells: Any, objects: Any, column: str, place: Any) -> None:
    """Refuse an object that has two labels that differ."""
    codes, _ = pd.factorize(objects)
    floats = floats_or_nan(values)
    texts = np.array([str(cell).strip(BLANK).casefold() for cell in values], dtype=np.object_)
    first = np.full(codes.max() + 1, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    before = first[codes]
    same = np.where(np.isfinite(floats) & np.isfinite(floats[before]), floats == floats[before], texts == texts[before])
    if same.all():
        return
    row = int(np.argmin(same))
    places: tuple[Place | None, Place | None] = (place(before[row]), place(row))
    labels = [quote_value(_plain(cells[at])) for at in (before[row], row)]
    said = [f"{label} in {where}" if where is not None else label for label, where in zip(labels, places, strict=True)]
    raise LabelsError(
        f"object {quote_value(objects[row])} has two different labels: {' and '.join(said)}. Keep one of them.",
        value=cells[row],
        row=name_text(objects[row]) if places[1] is None else places[1].row,
        column=column,
        file=None if places[1] is None else places[1].file,
    )


def _plain(cell: Any) -> Any:
    """A label as people write it: a number without quotes, also where it was read as text."""
    number = read_number(cell) if isinstance(cell, str) else np.nan
    return cell if np.isnan(number) else (int(number) if number.is_integer() else number)
