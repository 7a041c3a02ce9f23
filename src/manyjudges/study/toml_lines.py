"""Lines of TOML: where each key of a TOML file stands, which the standard reader does not tell."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from manyjudges.base.messages import quote_value

Path = tuple[str | int, ...]
"""Keys and positions in lists that lead to a value: ``("attributes", 0, "name")``."""

_TOKEN = re.compile(
    r"""
    (?P<newline>\n)
    | \#[^\n]*
    | \"{3}(?:\\.|[^\\])*?(?:\"{3}(?!\")|\Z)
    | '{3}.*?(?:'{3}(?!')|\Z)
    | \"(?:\\[^\n]|[^\"\\\n])*\"
    | '[^'\n]*'
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYS = re.compile(r"""\(['"].*\)""")
"""A key with its tables, as the standard reader prints it: ``('plan', 'pilot')``."""

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")


@dataclass(frozen=True)
class Lines:
    """Where the keys of a TOML file stand.

    Attributes
    ----------
    text : str
        The file, which must be TOML.
    """

    text: str
    _places: dict[Path, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        counts: dict[Path, int] = {}
        table_path: Path = ()
        for line, statement in statements(self.text):
            # Each statement is parsed by itself, so that a long file takes time in proportion to its length.
            parsed = tomllib.loads(statement)
            if statement.lstrip().startswith("["):
                table_path = _table(parsed, statement.lstrip().startswith("[["), counts)
                for length in range(1, len(table_path) + 1):
                    self._places.setdefault(table_path[:length], line)
            else:
                self._record(table_path, parsed, line)

    def of(self, path: Path) -> int:
        r"""The line on which a key stands, or, where there is none, the table that it would stand in.

        >>> lines = Lines("title = 'Jars'\n[plan]\npilot = 2\n")
        >>> lines.of(("plan", "pilot")), lines.of(("plan", "budget")), lines.of(("contact",))
        (3, 2, 1)
        """
        for length in range(len(path), 0, -1):
            if path[:length] in self._places:
                return self._places[path[:length]]
        return 1

    def has(self, path: Path) -> bool:
        """Whether there is such a key."""
        return path in self._places

    def _record(self, path: Path, value: Any, line: int) -> None:
        self._places.setdefault(path, line)
        if isinstance(value, dict):
            for key, inner in value.items():
                self._record((*path, key), inner, line)
        elif isinstance(value, list):
            for position, inner in enumerate(value):
                self._record((*path, position), inner, line)


def statements(text: str) -> Iterator[tuple[int, str]]:
    r"""The statements of a TOML file, each with the line on which it begins; blank lines and comments, too.

    A statement ends with a line, unless a bracket or a text of several lines is still open.

    >>> list(statements("a = [\n  1,\n]\n# b\nc = 2"))
    [(1, 'a = [\n  1,\n]\n'), (4, '# b\n'), (5, 'c = 2')]
    """
    depth = start = 0
    line = first = 1
    for token in _TOKEN.finditer(text):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        line += token.group().count("\n")
        if token.lastgroup == "newline" and depth <= 0:
            yield first, text[start : token.end()]
            start, first, depth = token.end(), line, 0
    if text[start:]:
        yield first, text[start:]


def describe_syntax_error(text: str, error: Exception) -> tuple[int, str]:
    r"""The line of a TOML syntax error, and what is wrong there.

    >>> text = "title = 'Jars'\npilot = \n"
    >>> try:
    ...     tomllib.loads(text)
    ... except tomllib.TOMLDecodeError as error:
    ...     describe_syntax_error(text, error)
    (2, "this is not TOML: Invalid value, in 'pilot ='.")
    """
    begun = [(line, statement) for line, statement in statements(text) if not _is_idle(statement)]
    place = _PLACE.search(str(error))
    line = int(place[1]) if place and place[1] else begun[-1][0] if begun else 1
    first = max((start for start, _ in begun if start <= line), default=line)
    problem = _PLACE.sub("", str(error)).strip().rstrip(".") or type(error).__name__
    problem, n_keys = _KEYS.subn(lambda keys: ".".join(ast.literal_eval(keys[0])), problem)
    source = text.splitlines()[line - 1].strip() if line <= len(text.splitlines()) else ""
    if n_keys and source.startswith("["):
        return line, _describe_second_heading(text, line)
    within = f", in what begins in line {first}" if first < line else f", in {quote_value(source)}" if source else ""
    return line, f"this is not TOML: {problem}{within}."


def _describe_second_heading(text: str, line: int) -> str:
    r"""What is wrong with a heading for a table that is there before.

    >>> _describe_second_heading("[plan]\npilot = 2\n[plan]\n", 3)
    "[plan] stands twice; line 1 has '[plan]' already. Put all of its keys there."
    """
    rows = text.splitlines(keepends=True)
    heading = rows[line - 1].strip()
    path = _table(tomllib.loads(heading), is_array=False, counts={})
    earlier = Lines("".join(rows[: line - 1])).of(path)
    name = ".".join(map(str, path))
    shown = f"[[{name}]]" if heading.startswith("[[") else f"[{name}]"
    first = rows[earlier - 1].strip()
    advice = "Put all of its keys there." if first.startswith("[") else "Keep one of the two."
    if first.startswith("[["):
        advice = f"Write [[{name}]] for one more."
    return f"{shown} stands twice; line {earlier} has {quote_value(first)} already. {advice}"


def _table(header: dict[str, Any], is_array: bool, counts: dict[Path, int]) -> Path:
    """The path that a header opens; within lists of tables, the last entry is meant."""
    path: Path = ()
    while header:
        key, inner = next(iter(header.items()))
        path = (*path, key)
        ends = not isinstance(inner, dict) or not inner
        if ends and is_array:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
        header = inner if isinstance(inner, dict) else {}
    return path


def _is_idle(statement: str) -> bool:
    return not statement.strip() or statement.lstrip().startswith("#")
