"""JSON exports: JSON that other tools export, and its parts, each with words for where it stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from manyjudges.base.messages import quote_value
from manyjudges.connectors.delimited import text_of
from manyjudges.connectors.place import located
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath

T = TypeVar("T")


def read_tree(path: StrPath) -> Any:
    """What a JSON file holds; DocumentError where it is none, with the line."""
    where = Path(path)
    text = text_of(where)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"{where.name}, line {error.lineno}: this is not JSON ({error.msg}); export it anew.",
            file=where.name,
            row=error.lineno,
        ) from None
    except RecursionError:
        raise DocumentError(
            f"{where.name}: this is not an export, but nested too deeply to be read.", file=where.name
        ) from None


def part(tree: object, name: str, kind: type[T], place: str) -> T:
    """One part of an object of JSON; DocumentError where it is missing, or of another kind."""
    value = tree.get(name) if isinstance(tree, Mapping) else None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        words = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
        raise DocumentError(
            f"{place}: {name!r} is {quote_value(value)}; it must be {words.get(kind, kind.__name__)}.",
            value=value,
            **located(place, name),
        )
    return value
