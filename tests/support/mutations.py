"""Mutations: small damages and changes of a file, as they happen to files on their way, drawn by a seed.

A mutation is a function of a file's bytes, or of the table of cells that they stand for. Those in ``FORMAL`` change how
a table is written and not what it says.
"""

from __future__ import annotations

import codecs
import csv
import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

ODD_CELLS = (
    *("", " ", "NA", ".", "don't know", "maybe?", "2026-03-05", "05.03.2026 10:00", "1e300", "-1e300", "1e999", "inf"),
    *("-99", "999", "9" * 40, "0.1234567890123456789", "1,5", "1.234.567", "3 or 4", "5%", "$3", "=1+1", "#REF!"),
    *(
        "TRUE",
        "yes",
        "Agree",
        "🙂",
        "\u200b",
        "\u00a0",
        "x" * 5_000,
        "a\nb",
        'say "so"',
        "a;b,c\td",
        "'",
        "null",
        "[1, 2]",
    ),
)
"""What may come to stand in a cell."""

SEPARATORS = ",;\t|"
SEEDS = 100
"""How many mutations each file has."""


@dataclass(frozen=True)
class Written:
    """A table of text: its rows, the first of which names the columns, and how they are written."""

    rows: list[list[str]]
    separator: str
    encoding: str
    newline: str

    def encoded(self, **changes: object) -> bytes:
        """The bytes of the file."""
        changed = replace(self, **changes)  # type: ignore[arg-type]
        out = io.StringIO()
        csv.writer(out, delimiter=changed.separator, lineterminator=changed.newline).writerows(changed.rows)
        return out.getvalue().encode(changed.encoding, "replace")


def written(content: bytes) -> Written | None:
    """The table that bytes are, where each row has as many cells as the first; None where they are no such table."""
    if content.lstrip().startswith((b"{", b"[")):
        return None
    for encoding in ("utf-16" if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig", "cp1252"):
        try:
            text = content.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        return None
    encoding = "utf-8" if encoding == "utf-8-sig" and not content.startswith(codecs.BOM_UTF8) else encoding
    first = text.partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    if "\0" in text or len(rows) < 2 or len(rows[0]) < 2 or {len(row) for row in rows} != {len(rows[0])}:
        return None
    return Written(rows, separator, encoding, "\r\n" if "\r\n" in text else "\n")


# Of bytes.


def flip(content: bytes, rng: random.Random) -> bytes:
    """One bit is another."""
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def cut(content: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    return content[: rng.randrange(len(content))]


def lose(content: bytes, rng: random.Random) -> bytes:
    """Some bytes are missing."""
    at = rng.randrange(len(content))
    return content[:at] + content[at + rng.randint(1, 12) :]


def insert(content: bytes, rng: random.Random) -> bytes:
    """Bytes stand where they should not."""
    at = rng.randrange(len(content) + 1)
    odd = rng.choice([b"\0", codecs.BOM_UTF8, b"\xff", b'"', b"\r", b"\n", b"\x1a", b"\xc3", b"\xe2\x80\xa8"])
    return content[:at] + odd + content[at:]


def zero(content: bytes, rng: random.Random) -> bytes:
    """A part was never written."""
    at = rng.randrange(len(content))
    length = rng.randint(1, 40)
    return content[:at] + b"\0" * len(content[at : at + length]) + content[at + length :]


def double(content: bytes, rng: random.Random) -> bytes:
    """A part stands there twice."""
    at = rng.randrange(len(content))
    return content[: at + rng.randint(1, 200)] + content[at:]


BYTES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    function.__name__: function for function in (flip, cut, lose, insert, zero, double)
}


# Of cells. Each gives the rows anew.

Rows = list[list[str]]


def _cell(rows: Rows, rng: random.Random) -> tuple[int, int]:
    return rng.randrange(1, len(rows)), rng.randrange(len(rows[0]))


def _with(rows: Rows, row: int, column: int, cell: str) -> Rows:
    return [[cell if (i, j) == (row, column) else old for j, old in enumerate(cells)] for i, cells in enumerate(rows)]


def odd_cell(rows: Rows, rng: random.Random) -> Rows:
    """A cell holds something else."""
    return _with(rows, *_cell(rows, rng), rng.choice(ODD_CELLS))


def blank_cell(rows: Rows, rng: random.Random) -> Rows:
    """A cell is empty."""
    return _with(rows, *_cell(rows, rng), "")


def swapped_cells(rows: Rows, rng: random.Random) -> Rows:
    """Two cells stand in each other's place."""
    (a, b), (c, d) = _cell(rows, rng), _cell(rows, rng)
    return _with(_with(rows, a, b, rows[c][d]), c, d, rows[a][b])


def doubled_row(rows: Rows, rng: random.Random) -> Rows:
    """A row stands there twice."""
    row = rng.choice(rows[1:])
    at = rng.randrange(1, len(rows) + 1)
    return [*rows[:at], row, *rows[at:]]


def lost_row(rows: Rows, rng: random.Random) -> Rows:
    """A row is missing."""
    at = rng.randrange(1, len(rows))
    return [*rows[:at], *rows[at + 1 :]]


def short_row(rows: Rows, rng: random.Random) -> Rows:
    """A row lacks a cell, or has one more."""
    at = rng.randrange(1, len(rows))
    row = rows[at][:-1] if rng.random() < 0.5 else [*rows[at], "x"]
    return [*rows[:at], row, *rows[at + 1 :]]


def lost_column(rows: Rows, rng: random.Random) -> Rows:
    """A column is missing."""
    at = rng.randrange(len(rows[0]))
    return [[*row[:at], *row[at + 1 :]] for row in rows]


def renamed_column(rows: Rows, rng: random.Random) -> Rows:
    """A column has another name, perhaps that of another one, or none."""
    name = rng.choice(["", "Column", rng.choice(rows[0]), "label", "object", "worker", "value", "date", "1", "é"])
    at = rng.randrange(len(rows[0]))
    return [[*rows[0][:at], name, *rows[0][at + 1 :]], *rows[1:]]


CELLS: dict[str, Callable[[Rows, random.Random], Rows]] = {
    function.__name__: function
    for function in (
        *(odd_cell, odd_cell, blank_cell, swapped_cells, doubled_row, lost_row, short_row),
        *(lost_column, renamed_column),
    )
}


# Of how a table is written.


def other_separator(table: Written, rng: random.Random) -> bytes:
    """Another character separates the cells."""
    return table.encoded(separator=rng.choice(SEPARATORS))


def other_encoding(table: Written, rng: random.Random) -> bytes:
    """Another encoding, perhaps with a mark at the beginning."""
    text = "".join(map("".join, table.rows))
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    known = text.encode("cp1252", "replace").decode("cp1252") == text
    return table.encoded(encoding=encoding if known or encoding != "cp1252" else "utf-16")


def other_lines(table: Written, rng: random.Random) -> bytes:
    """Lines end otherwise."""
    return table.encoded(newline=rng.choice(["\n", "\r\n", "\r"]))


def title(table: Written, rng: random.Random) -> bytes:
    """Something stands above the heading."""
    width = len(table.rows[0])
    above = [["Ratings of May 2026"], [], ["", *["x"] * (width - 1)], ["Ratings", *[""] * (width - 1)]]
    return table.encoded(rows=[rng.choice(above), *table.rows])


def empty_cells(table: Written, rng: random.Random) -> bytes:
    """There are empty rows behind the table, or empty columns."""
    if rng.random() < 0.5:
        return table.encoded(rows=[*table.rows, *[[""] * len(table.rows[0])] * rng.randint(1, 3)])
    return table.encoded(rows=[[*row, *[""] * 2] for row in table.rows])


def quoted(table: Written, rng: random.Random) -> bytes:
    """Every cell has quotation marks around it."""
    out = io.StringIO()
    csv.writer(out, delimiter=table.separator, lineterminator=table.newline, quoting=csv.QUOTE_ALL).writerows(
        table.rows
    )
    return out.getvalue().encode(table.encoding)


def other_columns_order(table: Written, rng: random.Random) -> bytes:
    """The columns have another order."""
    order = rng.sample(range(len(table.rows[0])), len(table.rows[0]))
    return table.encoded(rows=[[row[at] for at in order] for row in table.rows])


FORMAL: dict[str, Callable[[Written, random.Random], bytes]] = {
    function.__name__: function
    for function in (*(other_separator, other_encoding, other_lines, title, empty_cells, quoted, other_columns_order),)
}

ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".json", ".jsonl", ".parquet", ".arrow", ".sav", ".dta", ".ods", ".doc", "")


def mutations(content: bytes, ending: str, seed: str) -> Iterator[tuple[str, bytes, str]]:
    """So many mutations of a file: the name of each, the bytes, and the ending of the file's name."""
    table = written(content)
    kinds = [*BYTES, "other_ending"] if table is None else [*BYTES, "other_ending", *CELLS, *FORMAL, *CELLS, *FORMAL]
    for number in range(SEEDS):
        rng = random.Random(f"{seed} {number}")
        kind = kinds[number % len(kinds)]
        if kind == "other_ending":
            yield kind, content, rng.choice(ENDINGS)
        elif kind in BYTES:
            yield kind, BYTES[kind](content, rng) if content else b"", ending
        elif table is not None and kind in CELLS:
            yield kind, table.encoded(rows=CELLS[kind](table.rows, rng)), ending
        elif table is not None:
            yield kind, FORMAL[kind](table, rng), ending
