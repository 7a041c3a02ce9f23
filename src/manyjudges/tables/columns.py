"""Columns: which column of a table is what, and what the names in it are."""

from __future__ import annotations

__all__ = [
    "AUTO_COLUMN",
    "SYNONYMS",
    "as_array",
    "choose_columns",
    "column_names",
    "encode_names",
    "select_columns",
    "take_columns",
    "text_names",
    "unreadable",
]

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.grammar import is_blank, is_missing
from manyjudges.tables.names import is_name, told_apart
from manyjudges.tables.values import Locate, Place

SYNONYMS: dict[str, tuple[str, ...]] = {
    "object": ("object", "item", "task", "unit", "object_id", "item_id", "task_id", "unit_id"),
    "attribute": ("attribute", "question", "feature", "criterion"),
    "value": ("value", "rating", "score", "label", "judgment", "judgement", "answer", "response"),
    "worker": ("worker", "rater", "annotator", "judge", "user", "worker_id", "rater_id", "annotator_id", "user_id"),
}
"""What columns are called in the wild. The first name of each is ours and wins over the others."""

_LESS_USUAL: dict[str, tuple[str, ...]] = {
    "object": (
        "essay", "photo", "picture", "image", "document", "text", "stimulus", "video", "clip", "audio", "recording",
        "sample", "product", "sentence", "paragraph", "article", "story", "face", "vignette", "paper", "submission",
        "aufsatz", "foto", "bild", "objekt", "dokument", "reiz", "texte", "objet", "photographie", "imagen", "objeto",
        "ensayo", "documento", "rédaction", "copie", "对象", "图片", "照片", "文章", "作文", "文本",
    ),
    "worker": (
        "coder", "participant", "respondent", "reviewer", "evaluator", "assessor", "labeler", "labeller", "turker",
        "prolific_pid", "prolific", "workerid", "bewerter", "bewerterin", "kodierer",
        "teilnehmer", "teilnehmerin", "versuchsperson", "proband", "évaluateur", "annotateur", "juge", "codeur",
        "evaluador", "anotador", "participante", "juez", "beurteiler", "beurteilerin", "gutachter", "correcteur",
        "correctrice", "évaluatrice", "corrector", "评分员", "评分者", "评分人", "标注者",
    ),
}  # fmt: skip
"""What columns are called, too. These count only where no column has one of the usual names."""

_ENDINGS_OF_NAMES = ("_id", "_name", "_number", "_no", "_nr", "_code", "id")

LABEL_SYNONYMS: dict[str, tuple[str, ...]] = {
    "object": SYNONYMS["object"],
    "label": ("label", "target", "truth", "outcome", "y", "value"),
}

AUTO_COLUMN = "auto"
"""Stands for the name of a column that is to be found."""


def choose_columns(
    columns: list[str],
    synonyms: Mapping[str, tuple[str, ...]],
    asked: Mapping[str, str | None],
    *,
    optional: tuple[str, ...] = (),
) -> dict[str, str]:
    """Decide which column is what: those asked for, then our own names, then the one usual name that is there.

    >>> choose_columns(["item", "question", "score"], SYNONYMS, {"value": "score"}, optional=("worker",))
    {'object': 'item', 'attribute': 'question', 'value': 'score'}
    """
    chosen = {role: name for role, name in asked.items() if name not in (None, AUTO_COLUMN)}
    for role, name in chosen.items():
        if name not in columns:
            raise JudgmentsError(
                f"there is no column {name!r} for the {role}; {_there(columns)}.{suggest(name, columns)}",
                value=name,
                column=role,
            )
    used, missing = set(chosen.values()), []
    for role, usual in synonyms.items():
        if role in chosen or asked.get(role, AUTO_COLUMN) is None:
            continue
        candidates = columns_called(usual, columns, used) or less_usual(role, columns, used)
        candidates = [role] if role in candidates else candidates
        if len(candidates) > 1:
            raise JudgmentsError(
                f"{list_names(candidates)} could each be the {role}; say which with {_how(role)}.", column=role
            )
        if candidates:
            chosen[role] = candidates[0]
            used.add(candidates[0])
        elif role not in optional:
            missing.append(role)
    if missing:
        hints = [suggest(name, [c for c in columns if c not in used]) for role in missing for name in synonyms[role]]
        near = next(filter(None, hints), "")
        roles = " and no column for the ".join(missing)
        raise JudgmentsError(
            f"no column for the {roles}; {_there(columns)}.{near} Say which it is with {_how_all(missing)}.",
            column=missing[0],
        )
    return {role: chosen[role] for role in synonyms if role in chosen}


def columns_called(names: Collection[str], columns: Sequence[str], used: Collection[str] = ()) -> list[str]:
    """The columns that have one of some names, whatever their case.

    >>> columns_called(("item_id",), ["Item ID", "score"])
    ['Item ID']
    """
    return [column for column in columns if column.strip().lower().replace(" ", "_") in names and column not in used]


def is_called_object(column: str) -> bool:
    """Whether a column has a name by which that of the object is known."""
    return bool(columns_called(SYNONYMS["object"], [column]) or less_usual("object", [column]))


def less_usual(role: str, columns: Sequence[str], used: Collection[str] = ()) -> list[str]:
    """The columns that have a less usual name of a role, such as that of a kind of objects.

    >>> less_usual("object", ["EssayID", "Photo name", "clarity"])
    ['EssayID', 'Photo name']
    """
    usual = _LESS_USUAL.get(role, ())
    return [column for column in columns if column not in used and not _looked_up_as(column).isdisjoint(usual)]


def _looked_up_as(column: str) -> set[str]:
    """The forms in which the name of a column is looked up among the less usual ones."""
    name = re.sub(r"[\s\-.]+", "_", column.strip().lower())
    return {name, *(name.removesuffix(end) for end in _ENDINGS_OF_NAMES)}


def take_columns(frame: Any, names: Mapping[str, str], *, optional: Sequence[str] = ()) -> dict[str, Any]:
    """Take named columns of any table as arrays, or say which is missing and what is there."""
    table, kept = select_columns(frame, names, optional=optional)
    return {role: as_array(table.get_column(name)) for role, name in kept.items()}


def as_array(column: nw.Series[Any]) -> Any:
    """A column as an array; texts as objects, since those of NumPy lose a NUL at their end."""
    if column.dtype != nw.String or column.implementation.is_pandas():
        return column.to_numpy()
    return np.array(column.to_list(), dtype=np.object_)


def column_names(frame: Any) -> list[str]:
    """What the columns of any table are called."""
    return [str(name) for name in _as_table(frame).collect_schema().names()]


def open_table(source: Any) -> Any:
    """Any table that judgments are to be read from, its columns named by text."""
    return text_names(_as_table(source, "source"))


def text_names(table: Any) -> Any:
    """A table of narwhals whose columns are named by text, also where pandas has numbers for names."""
    if isinstance(table, nw.LazyFrame) or all(isinstance(name, str) for name in table.columns):
        return table
    names = [str(name) for name in table.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise JudgmentsError(
            f"the table has more than one column {list_names(twice)}; rename one.", value=twice[0], column="source"
        )
    return table.rename(dict(zip(table.columns, names, strict=True)))


def unreadable(error: Exception, column: str | None = None) -> JudgmentsError:
    """What to raise for a table that another library cannot read."""
    return JudgmentsError(f"the table cannot be read: {' '.join(str(error).split())}", column=column)


def select_columns(
    frame: Any, names: Mapping[str, str], *, optional: Sequence[str] = ()
) -> tuple[nw.DataFrame[Any], dict[str, str]]:
    """Named columns of any table, of the types that they have there, and the name of each role's column."""
    table = _as_table(frame)
    there = table.collect_schema().names()
    kept = {role: name for role, name in names.items() if name in there or role not in optional}
    for role, name in kept.items():
        if name not in there:
            raise JudgmentsError(
                f"there is no column {quote_value(name)} for the {role}; the columns are {list_names(there, limit=10)}."
                f"{suggest(name, [str(other) for other in there])} Say which it is with {role}=.",
                value=name,
                column=role,
            )
    chosen = table.select(*(nw.col(name) for name in dict.fromkeys(kept.values())))
    return chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen, kept


def _as_table(frame: Any, column: str | None = None) -> Any:
    try:
        return nw.from_native(frame)
    except nw.exceptions.NarwhalsError as error:
        raise unreadable(error, column) from None
    except TypeError:
        raise JudgmentsError(
            f"{type(frame).__name__} is not a table of judgments. Pass a pandas, polars, pyarrow or duckdb table, a "
            "dict of columns, or the path of a file; for a numpy array see from_array.",
            value=frame,
            column=column,
        ) from None


def encode_names(raw: Any, role: str, locate: Locate) -> tuple[Any, Integers]:
    """Distinct names in sorted order, and each row's position among them."""
    codes, names = _factorized(raw)
    wrong = np.flatnonzero(_nameless(codes, names))
    if wrong.size:
        row = int(wrong[0])
        raise invalid_name(np.asarray(raw)[row], role, locate(row), wrong.size)
    try:
        order = np.argsort(names, kind="stable")
    except TypeError:  # numbers and text in one column
        order = np.array(sorted(range(len(names)), key=lambda i: (type(names[i]).__name__, str(names[i]))))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return names[order], rank[codes]


def _factorized(raw: Any) -> tuple[Integers, Any]:
    """Each row's position among distinct names, -1 for none; and these, as they come."""
    array = np.asarray(raw)
    array = array.astype(np.object_) if array.dtype.kind in "US" else told_apart(array)
    try:
        return pd.factorize(array)
    except TypeError:  # lists and the like, which name nothing
        return pd.factorize(pd.Series([name if is_name(name) else None for name in array], dtype=object).to_numpy())


def _nameless(codes: Integers, names: Any) -> NDArray[np.bool_]:
    if np.asarray(names).dtype.kind in "iufb":  # each of them is a name
        return np.asarray(codes == -1)
    blank = [i for i, name in enumerate(names) if is_blank(name)]
    unusable = [i for i, name in enumerate(names) if not is_name(name)]
    return np.isin(codes, [-1, *blank, *unusable])


def wrong_names(column: Any) -> NDArray[np.bool_]:
    """Which cells of a column name nothing: they are empty, or hold what cannot be a name."""
    return _nameless(*_factorized(column))


def invalid_name(
    name: object, role: str, place: Place, count: int, remedy: str = "", *, whose: str = ""
) -> JudgmentsError:
    """What to say of a row in which there is no name, or what cannot be one; ``count`` rows are invalid."""
    place_fields: dict[str, Any] = {"row": place.row, "column": role, "file": place.file}
    more = f" ({count - 1:,} more rows are invalid)" if count > 1 else ""
    if is_missing(name) or is_blank(name):
        ignore = ", or pass worker=None (--column worker=) if workers are not known" if role == "worker" else ""
        return JudgmentsError(
            f"{place}{whose} has no {role}{more}; name it or leave the row out{ignore}.{remedy}", **place_fields
        )
    if isinstance(name, str):
        words = f"{place}: the {role} {name!a} is not valid text{more}; correct it.{remedy}"
        return JudgmentsError(words, value=name, **place_fields)
    words = f"{place}: {quote_value(name)} is not a name{more}; use text or a number to name the {role}.{remedy}"
    return JudgmentsError(words, value=name, **place_fields)


def _how(role: str) -> str:
    return f"{role}= (--column {role}=NAME)"


def _how_all(roles: list[str]) -> str:
    if len(roles) == 1:
        return _how(roles[0])
    options = " ".join(f"--column {role}=NAME" for role in roles)
    return f"{', '.join(f'{role}=' for role in roles)} ({options})"


def _there(columns: list[str]) -> str:
    return f"the columns are {list_names(columns, limit=10)}" if columns else "there are no columns"
