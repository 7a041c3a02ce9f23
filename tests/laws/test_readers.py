"""Every reader makes the same of the same table: the same moments, or the same kind of error about the same cell.

Each case is a small table with something odd in it: a value, a name, a file, a column. A reader that is entered in
``READERS`` is held to all of them. Whether the case is a table or an error is not said here; only that all agree.
"""

from __future__ import annotations

import bz2
import datetime
import decimal
import gzip
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field

import dask
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyjudges import ManyJudgesError, Moments
from manyjudges.exceptions import JudgmentsError
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import READERS
from manyjudges.tables.formats.registry import read_content
from manyjudges.tables.grammar import NUMBER_PATTERN, read_value, sql_text, value_sql
from manyjudges.tables.names import name_key, name_text, spellings
from tests.support.messages import ANYTHING, refused

N = 12
COLUMNS = ("object", "attribute", "worker", "value")
OBJECT, ATTRIBUTE, WORKER, VALUE = range(4)
ROWS = [
    (f"o{at:02}", "x", worker, str(round(value, 2)))
    for (at, worker), value in zip(
        ((at, worker) for at in range(N) for worker in "ab"),
        np.random.default_rng(0).normal(size=2 * N) + np.repeat(np.arange(N), 2),
        strict=True,
    )
]
TRUTH = [at + (at * 7) % 5 / 3 for at in range(N)]


@dataclass
class Case:
    """A file, or several by their names, the labels, and how to read it."""

    content: bytes | dict[str, bytes]
    labels: pd.Series
    ending: str = ".csv"
    options: ScanOptions = field(default_factory=ScanOptions)


CASES: dict[str, Case] = {}


def labelled(names=None):
    return pd.Series(TRUTH, index=pd.Index([f"o{at:02}" for at in range(N)] if names is None else list(names)))


def text(rows, separator=","):
    return "".join(separator.join(row) + "\n" for row in [COLUMNS, *rows])


def case(name, content, labels=None, ending=".csv", **options):
    assert name not in CASES
    if isinstance(content, dict):
        content = {each: text.encode() if isinstance(text, str) else text for each, text in content.items()}
    content = content.encode() if isinstance(content, str) else content
    CASES[name] = Case(content, labelled() if labels is None else labels, ending, ScanOptions(**options))


def replaced(column, cell, at=4, n=1):
    rows = [list(row) for row in ROWS]
    for row in rows[at : at + n]:
        row[column] = cell
    return rows


def commas(rows=ROWS):
    return [(*row[:3], row[3].replace(".", ",")) for row in rows]


# Values. What is invalid is refused, and with on_invalid="skip", skipped by all.
VALUES = [
    *("5", "+5", "-5", ".5", "5.", "1e3", "1E-3", "+.5e+1", "007", "1" * 30, " 5", "5 ", "\t5", "\xa05", "5\u3000"),
    *(
        "１２",
        "٣",
        "1_000",
        "+-5",
        "--5",
        "- 5",
        "1e",
        "e5",
        ".",
        "+",
        "1.2.3",
        "1,5",
        "1 000",
        "0x10",
        "5%",
        "$5",
        "1e5.0",
    ),
    *(
        "nan",
        "NaN",
        "NA",
        "null",
        "None",
        "inf",
        "-inf",
        "Infinity",
        "+inf",
        "1e400",
        "1e-400",
        "",
        " ",
        "\xa0",
        "\u200b",
    ),
    *("yes", "Yes", " yes", "no", "true", "TRUE", "ja", "y", "t", "on", "½", "−5", "5\x00", "1d", "5f", "1/3", "five"),
]
for cell in VALUES:
    quoted = f'"{cell}"' if "," in cell else cell
    case(f"value {cell!r}", text(replaced(VALUE, quoted)))
    case(f"value {cell!r}, skipped", text(replaced(VALUE, quoted)), on_invalid="skip")

# Names.
for cell in [
    "NA",
    "nan",
    "null",
    "None",
    "  o03",
    "o03 ",
    "O03",
    "07",
    "7",
    "7.0",
    "a,b",
    "é",
    "e\u0301",
    "\u200b",
    "True",
]:
    quoted = f'"{cell}"' if "," in cell else cell
    rest = labelled().rename(index={"o02": cell})
    case(f"object {cell!r}", text(replaced(OBJECT, quoted, n=2)), rest)
    if cell.strip() != cell:
        case(
            f"object {cell!r}, stripped label",
            text(replaced(OBJECT, quoted, n=2)),
            labelled().rename({"o02": cell.strip()}),
        )
for cell in ["", "  ", "\xa0", "\t"]:
    for column in (OBJECT, ATTRIBUTE, WORKER):
        case(f"{COLUMNS[column]} {cell!r}", text(replaced(column, cell)))
        case(f"{COLUMNS[column]} {cell!r}, skipped", text(replaced(column, cell)), on_invalid="skip")
for cell in ["NA", "nan", "x ", "X", "1"]:
    case(f"attribute {cell!r}", text(replaced(ATTRIBUTE, cell, n=2)))
for cell in ["NA", "nan", "a ", "b", "B", "01", "1"]:
    case(f"worker {cell!r}", text(replaced(WORKER, cell)))
FORMATS = {"3": str, "03": "{:02}".format, "3.0": "{}.0".format, "-3": "{:d}".format}
LABELS = {"int": int, "str": str, "float": float, "padded": "{:02}".format, "point zero": "{}.0".format}
for said, write in FORMATS.items():
    sign = -1 if said == "-3" else 1
    rows = [(write(sign * int(row[0][1:])), *row[1:]) for row in ROWS]
    for kind, name in LABELS.items():
        case(f"objects like {said!r}, labels {kind}", text(rows), labelled([name(sign * at) for at in range(N)]))
case("objects 7 and 7.0", text([*replaced(OBJECT, "7", n=2), ("7.0", "x", "a", "1")]), labelled().rename({"o02": "7"}))
case(
    "labels 7 and '7'",
    text(replaced(OBJECT, "7", n=2)),
    pd.concat([labelled().rename({"o02": "7"}), pd.Series({7: 1.0})]),
)
case(
    "objects beyond 2**63",
    text([(str(10**20 + int(row[0][1:])), *row[1:]) for row in ROWS]),
    labelled([10**20 + i for i in range(N)]),
)

# Objects and labels that do not match.
case("unlabelled object", text([*ROWS, ("zz", "x", "a", "9")]))
case("unlabelled object, dropped", text([*ROWS, ("zz", "x", "a", "9")]), unmatched="drop")
case("label without judgments", text(ROWS), pd.concat([labelled(), pd.Series({"zz": 1.0})]))
case("label without judgments, dropped", text(ROWS), pd.concat([labelled(), pd.Series({"zz": 1.0})]), unmatched="drop")
case("no object labelled", text(ROWS), pd.Series({"zz": 1.0}))
case("no object labelled, dropped", text(ROWS), pd.Series({"zz": 1.0}), unmatched="drop")
for label in ["x", "１２", "", None, np.nan, np.inf, "1_0", "yes"]:
    case(f"label {label!r}", text(ROWS), labelled().astype(object).where(labelled().index != "o03", label))

# Repetitions and kinds.
case("worker twice", text([*ROWS, ("o03", "x", "a", "9")]))
case("worker twice, skipped", text([*ROWS, ("o03", "x", "a", "9")]), on_invalid="skip")
case("worker twice, same value", text([*ROWS, ROWS[6]]))
case(
    "worker twice, ignored",
    text([*ROWS, ("o03", "x", "a", "9")]),
    columns={"object": "auto", "attribute": "auto", "value": "auto", "worker": None},
)
WORDS = [(*row[:3], "yes" if float(row[3]) > 5 else "no") for row in ROWS]
case("yes/no", text(WORDS))
for cell in ["true", "1", "maybe", "YES"]:
    case(f"yes/no and {cell!r}", text([*WORDS[:5], (*WORDS[5][:3], cell), *WORDS[6:]]))
case("yes/no, all skipped", text([(*row[:3], "perhaps") for row in ROWS]), on_invalid="skip")
case("invalid and of two kinds", text([*WORDS[:5], (*WORDS[5][:3], "1"), *WORDS[6:-1], (*WORDS[-1][:3], "maybe")]))

# Files.
PLAIN = text(ROWS)
FILES = {
    "plain": PLAIN,
    "byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "no newline at the end": PLAIN.rstrip("\n"),
    "blank line": PLAIN.replace("\no03", "\n\no03", 1),
    "blank lines at the end": PLAIN + "\n\n",
    "short line": PLAIN + "o03,x\n",
    "long line": PLAIN + "o03,x,c,1,2\n",
    "newline in a name": PLAIN + 'o03,x,"c\nd",3\n',
    "escaped quotes": PLAIN.replace("o03", '"o""3"'),
    "backslash": PLAIN.replace("o03", "o\\3"),
    "comment": PLAIN + "# hi\n",
    "latin-1": PLAIN.encode() + "o03,x,é,3\n".encode("latin-1"),
    "UTF-16": PLAIN.encode("utf-16"),
    "heading with spaces": PLAIN.replace("object,attribute", "object , attribute", 1),
    "heading in capitals": PLAIN.replace("object,attribute", "Object,Attribute", 1),
    "heading twice": PLAIN.replace("worker", "value", 1),
    "heading in quotes": PLAIN.replace("object", '"object"', 1),
    "heading without worker": PLAIN.replace("worker", "whoever", 1),
    "heading without object": PLAIN.replace("object", "whatever", 1),
    "two columns could be it": PLAIN.replace("worker", "score", 1).replace("value", "rating", 1),
    "heading only": "object,attribute,worker,value\n",
    "empty": "",
    "a column more": "".join(f"{n},{line}\n" for n, line in enumerate(PLAIN.splitlines())),
    "all in quotes": "".join(",".join(f'"{cell}"' for cell in line.split(",")) + "\n" for line in PLAIN.splitlines()),
    "tabs": PLAIN.replace(",", "\t"),
}
for name, content in FILES.items():
    names = {"escaped quotes": 'o"3', "backslash": "o\\3"}
    case(f"file: {name}", content, labelled().rename({"o03": names.get(name, "o03")}))
for name in ("short line", "long line", "comment"):
    case(f"file: {name}, skipped", FILES[name], on_invalid="skip")
case("file: tsv", PLAIN.replace(",", "\t"), ending=".tsv")
case("file: csv.gz", gzip.compress(PLAIN.encode()), ending=".csv.gz")
case("file: csv.bz2", bz2.compress(PLAIN.encode()), ending=".csv.bz2")
case("file: broken gz", gzip.compress(PLAIN.encode())[:60], ending=".csv.gz")
case("file: broken bz2", bz2.compress(PLAIN.encode())[:60], ending=".csv.bz2")
case("file: not a table", PLAIN, ending=".docx")

# Semicolons, where decimals may have a comma: in values, and nowhere else.
case("semicolons", text(commas(), ";"))
case("semicolons, points", text(ROWS, ";"))
case("semicolons, points and commas", text([*commas(ROWS[:9]), *ROWS[9:]], ";"))
for cell in ["1,5", " 1,5 ", "+1,5", ",5", "1,", "1,5e3", "1,234,5", "1.234,5", "a,b", "１,５"]:
    case(f"semicolons, value {cell!r}", text([*commas(ROWS[:5]), (*ROWS[5][:3], cell), *commas(ROWS[6:])], ";"))
ODD = [(row[0].replace("o", "0,"), *row[1:]) for row in commas()]
case("semicolons, objects like '0,5'", text(ODD, ";"), labelled([f"0,{at:02}" for at in range(N)]))
case("semicolons, objects like '0,5', labels '0.5'", text(ODD, ";"), labelled([f"0.{at:02}" for at in range(N)]))
case(
    "semicolons, workers like '0,5'",
    text([(*row[:2], "0,5" if row[2] == "a" else "0.5", row[3]) for row in commas()], ";"),
)
case("semicolons, attributes like '0,5'", text([(row[0], "0,5", *row[2:]) for row in commas()], ";"))


def table(**columns):
    """A table as a Parquet file, with some columns changed."""
    plain = {
        "object": [row[0] for row in ROWS],
        "attribute": ["x"] * len(ROWS),
        "worker": [row[2] for row in ROWS],
        "value": [float(row[3]) for row in ROWS],
    }
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table(plain | columns), buffer)
    return buffer.getvalue().to_pybytes()


def parquet(name, labels=None, options=None, **columns):
    case(f"parquet: {name}", table(**columns), labels, ".parquet", **(options or {}))


# Lines that are no rows, and rows that only one parser would take apart in its own way.
BROKEN = {
    "line of spaces": PLAIN + "   \n",
    "lone quote": PLAIN + 'o03,x,c"d,3\n',
    "quote within a cell": PLAIN + 'o03,x,"c"d,3\n',
    "quote that never closes": PLAIN + 'o03,x,"cd,3\n',
    "quote that never closes, long": PLAIN + 'o03,x,"cd,3\n' + PLAIN * 4_000,
    "space before a quote": PLAIN + 'o03,x, "c",3\n',
    "space after a quote": PLAIN + 'o03,x,"c" ,3\n',
    "NUL in a name": PLAIN + "o03,x,c\0,3\n",
    "CR only": PLAIN.replace("\n", "\r"),
    "one CRLF": PLAIN.replace("\n", "\r\n", 1),
    "one CRLF later": PLAIN[:60] + PLAIN[60:].replace("\n", "\r\n", 1),
    "one CR": PLAIN[:60] + PLAIN[60:].replace("\n", "\r", 1),
    "newline in the heading": PLAIN.replace("object", '"obj\nect"', 1),
    "newline in the heading of no column that is used": PLAIN.replace("\n", ",0\n").replace(",0", ',"a\nb"', 1),
    "comma and semicolon in the heading": PLAIN.replace("object,attribute", "object;attribute", 1),
    "latin-1 in the heading": "objéct".encode("latin-1") + PLAIN.encode()[6:],
    "latin-1 in a line that is too short": PLAIN.encode() + "é,x\n".encode("latin-1"),
    "bytes": bytes(range(256)) * 4,
    "one line of bytes": bytes(set(range(256)) - {10, 13}),
    "one long line of bytes": bytes(set(range(256)) - {10, 13}) * 300,
    "heading without a newline": "object,attribute,worker,value",
    "blank cells": PLAIN + ",,,\n",
    "only blank lines": "object,attribute,worker,value\n\n\n",
    "short line first": PLAIN.replace("\no00", "\no00,x\no00", 1),
    "short line, then latin-1": PLAIN.encode() + "o03,x\no03,x,é,3\n".encode("latin-1"),
    "latin-1, then short line": PLAIN.encode() + "o03,x,é,3\no03,x\n".encode("latin-1"),
    "short line after an invalid row": PLAIN + "o03,x,c,maybe\no03,x\n",
    "blank line before a short line": PLAIN + "\n\no03,x\n",
    "invalid row after a blank line": PLAIN + "\n\no03,x,c,maybe\n",
    "newline in a name before an invalid row": PLAIN + 'o03,x,"c\nd",3\no03,x,e,maybe\n',
    "other spaces": PLAIN + "o03,x,c\u2028d,3\no03,x,c\x0bd,3\n",
}
for name, content in BROKEN.items():
    case(f"file: {name}", content)
    case(f"file: {name}, skipped", content, on_invalid="skip")
case("file: latin-1, skipped", FILES["latin-1"], on_invalid="skip")
for name, odd in {"bad value": "o03,x,c,maybe\n", "repeated": "o03,x,a,9\n", "other kind": "o03,x,c,yes\n"}.items():
    case(f"file: short line, then {name}, skipped", PLAIN.replace("\no00", "\no,1\no00", 1) + odd, on_invalid="skip")
case("file: no such column", PLAIN, columns={**dict.fromkeys(COLUMNS, "auto"), "value": "vlaue"})

# Of several faults, all readers name the same.
FAULTY = {
    "value, then object": [("o03", "x", "c", "maybe"), ("", "x", "c", "1")],
    "object, then value": [("", "x", "c", "1"), ("o03", "x", "c", "maybe")],
    "worker and value in one row": [("o03", "x", "", "maybe")],
    "two repetitions": [("o09", "x", "a", "9"), ("o03", "x", "b", "9"), ("o03", "x", "a", "9")],
    "two attributes of two kinds": [
        *[(row[0], "z", "c", "yes") for row in ROWS],
        ("o03", "z", "d", "5"),
        ("o03", "x", "d", "yes"),
    ],
    "two kinds and a repetition": [("o03", "x", "a", "yes"), ("o03", "x", "a", "9")],
    "two kinds and no label": [("zz", "x", "a", "9"), ("o03", "x", "c", "yes")],
    "repetition and no label": [("zz", "x", "a", "9"), ("o03", "x", "a", "9")],
    "repetition of an object without label": [("zz", "x", "a", "9"), ("zz", "x", "a", "8")],
    "another kind of an object without label": [("zz", "x", "a", "yes")],
    "invalid row of an object without label": [("zz", "x", "a", "maybe")],
    "attribute that only an object without label has": [("zz", "y", "a", "9")],
}
for name, more in FAULTY.items():
    case(f"faults: {name}", text([*ROWS, *more]))
    case(f"faults: {name}, dropped", text([*ROWS, *more]), unmatched="drop")
    case(f"faults: {name}, skipped", text([*ROWS, *more]), on_invalid="skip", unmatched="drop")
HUNDREDS = [(str(99 + int(row[0][1:])), *row[1:]) for row in ROWS]
case(
    "faults: repetitions of objects that are numbers",
    text([*HUNDREDS, ("101", "x", "a", "1"), ("99", "x", "a", "1")]),
    labelled(range(99, 99 + N)),
)
case("faults: label that is no number", text(ROWS), labelled().astype(object).where(labelled() < 5, "tall"))
case(
    "faults: label that is no number, of no object",
    text(ROWS),
    pd.concat([labelled().astype(object), pd.Series({"zz": "tall"})]),
    unmatched="drop",
)
case("faults: no labels", text(ROWS), pd.Series([], dtype=float))
case("faults: label without object", text(ROWS), labelled([None, *labelled().index[1:]]))
case("faults: label of NaN", text(ROWS), pd.Series(TRUTH, index=[np.nan, *range(1, N)]))

# Several files.
HEAD, TAIL = text(ROWS[:10]), text(ROWS[10:])
SEVERAL = {
    "plain": {"a.csv": HEAD, "b.csv": TAIL},
    "columns in another order": {
        "a.csv": HEAD,
        "b.csv": "".join(",".join(reversed(line.split(","))) + "\n" for line in TAIL.splitlines()),
    },
    "other columns": {"a.csv": HEAD, "b.csv": TAIL.replace("worker", "who")},
    "commas and semicolons": {"a.csv": HEAD, "b.csv": text(commas(ROWS[10:]), ";")},
    "commas and semicolons, decimal comma in quotes": {
        "a.csv": HEAD + 'o03,x,c,"1,5"\n',
        "b.csv": text(commas(ROWS[10:]), ";"),
    },
    "commas and tabs": {"a.csv": HEAD, "b.tsv": TAIL.replace(",", "\t")},
    "text and JSON": {
        "a.csv": HEAD,
        "b.jsonl": "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in ROWS[10:]),
    },
    "text and Parquet": {"a.csv": PLAIN.replace(",a,", ",c,").replace(",b,", ",d,"), "b.parquet": table()},
    "invalid row in the second": {"a.csv": HEAD, "b.csv": TAIL + "o03,x,c,maybe\n"},
    "short line in the second": {"a.csv": HEAD, "b.csv": TAIL + "o03,x\n"},
    "bad value in the first, short line in the second": {"a.csv": HEAD + "o03,x,c,maybe\n", "b.csv": TAIL + "o03,x\n"},
    "repeated in the second": {"a.csv": HEAD, "b.csv": TAIL + "o00,x,a,1\n"},
    "another kind in the second": {"a.csv": HEAD, "b.csv": TAIL + "o00,x,c,no\n"},
    "no column in either": {"a.csv": HEAD.replace("value", "v"), "b.csv": TAIL.replace("value", "v")},
    "compressed": {"a.csv": HEAD, "b.csv.bz2": bz2.compress((TAIL + "o03,x,c,maybe\n").encode())},
    "no rows": {"a.csv": "object,attribute,worker,value\n", "b.csv": "object,attribute,worker,value\n"},
}
for name, content in SEVERAL.items():
    case(f"files: {name}", content)
    case(f"files: {name}, skipped", content, on_invalid="skip")


# Parquet.
V = [float(row[3]) for row in ROWS]
IDS = [int(row[0][1:]) for row in ROWS]
DAYS = [datetime.date(2020, 1, 1 + at) for at in range(N)]
TIMES = [datetime.datetime(2020, 1, 1 + at) for at in range(N)]
parquet("plain")
parquet("int8 values", value=pa.array([int(v) % 100 for v in V], pa.int8()))
parquet("decimal values", value=pa.array([decimal.Decimal(str(v)) for v in V]))
parquet("Boolean values", value=[v > 5 for v in V])
parquet("float16 values", value=pa.array(np.array(V, dtype=np.float16)))
parquet("text values", value=[str(v) for v in V])
parquet("dictionary of values", value=pa.array([str(v) for v in V]).dictionary_encode())
parquet("values beyond 2**53", value=pa.array([2**53 + 1] + [int(v) for v in V[1:]]))
parquet("missing value", value=[None, *V[1:]])
parquet("missing whole number", value=[None, *map(int, V[1:])])
parquet("NaN", value=[float("nan"), *V[1:]])
parquet("infinite value", value=[float("inf"), *V[1:]])
parquet("dictionary of objects", object=pa.array([row[0] for row in ROWS]).dictionary_encode())
parquet("large strings", object=pa.array([row[0] for row in ROWS], pa.large_string()))
parquet("missing object", object=[None, *[row[0] for row in ROWS[1:]]])
parquet("blank object", object=[" ", *[row[0] for row in ROWS[1:]]])
parquet("missing worker", worker=[None, *[row[2] for row in ROWS[1:]]])
parquet("whole numbers as workers", worker=[0 if row[2] == "a" else 1 for row in ROWS])
parquet("fractions as workers", worker=[0.0 if row[2] == "a" else 1.0 for row in ROWS])
parquet("no workers at all", worker=pa.nulls(len(ROWS)))
parquet("Boolean workers", worker=[row[2] == "a" for row in ROWS])
for kind, one in {"int": 1, "float": 1.0, "bool": True}.items():
    parquet(f"{kind} attribute", attribute=[one] * len(ROWS))
TYPES = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "int32": pa.int32(),
    "float64": pa.float64(),
    "string": pa.string(),
}
for said, kind in TYPES.items():
    column = pa.array([str(at) for at in IDS] if kind == pa.string() else IDS, kind)
    for wanted, name in LABELS.items():
        parquet(f"{said} objects, labels {wanted}", labelled([name(at) for at in range(N)]), object=column)
parquet("fractions as objects", labelled([at + 0.5 for at in range(N)]), object=[at + 0.5 for at in IDS])
parquet(
    "fractions as objects, labels text", labelled([str(at + 0.5) for at in range(N)]), object=[at + 0.5 for at in IDS]
)
parquet("dates as objects", labelled(DAYS), object=[DAYS[at] for at in IDS])
parquet("times as objects", labelled(pd.to_datetime(TIMES)), object=pa.array([TIMES[at] for at in IDS]))
BOTH = {"object": [at % 2 == 0 for at in IDS], "worker": [f"w{at}" for at in range(len(ROWS))]}
for said, names in {"Boolean": [True, False], "text": ["True", "False"], "small letters": ["true", "false"]}.items():
    parquet(f"Boolean objects, labels {said}", pd.Series([1.0, 2.0], index=pd.Index(names)), **BOTH)

# Types that can be no names or judgments, and those that have several spellings.
DECIMALS = pa.array([decimal.Decimal(at) / 2 for at in IDS], pa.decimal128(10, 2))
MOMENTS = [datetime.datetime(2020, 1, 1 + at, 12, 30, 0, 500_000 if at % 2 else 0) for at in range(N)]
SOME = range(N)
NAMES = {
    "decimals": (DECIMALS, [at / 2 for at in range(N)]),
    "decimals, labels text": (DECIMALS, [str(at / 2) for at in range(N)]),
    "decimals, labels of two digits": (DECIMALS, [f"{at / 2:.2f}" for at in range(N)]),
    "decimals, labels decimals": (DECIMALS, [decimal.Decimal(at) / 2 for at in range(N)]),
    "decimals that are whole": (pa.array([decimal.Decimal(at) for at in IDS], pa.decimal128(38, 0)), range(N)),
    "large decimals": (
        pa.array([decimal.Decimal(10**20 + at) for at in IDS], pa.decimal128(38, 0)),
        [10**20 + at for at in range(N)],
    ),
    "times with fractions": (pa.array([MOMENTS[at] for at in IDS]), pd.to_datetime(MOMENTS)),
    "times with fractions, labels text": (pa.array([MOMENTS[at] for at in IDS]), list(map(str, MOMENTS))),
    "times in nanoseconds": (pa.array([MOMENTS[at] for at in IDS], pa.timestamp("ns")), pd.to_datetime(MOMENTS)),
    "times in seconds": (pa.array([TIMES[at] for at in IDS], pa.timestamp("s")), pd.to_datetime(TIMES)),
    "times with a zone": (
        pa.array([MOMENTS[at] for at in IDS], pa.timestamp("us", "Europe/Berlin")),
        pd.to_datetime(MOMENTS).tz_localize("UTC").tz_convert("Europe/Berlin"),
    ),
    "dates, labels text": (pa.array([DAYS[at] for at in IDS]), list(map(str, DAYS))),
    "float16": (pa.array(np.array([at / 2 for at in IDS], dtype=np.float16)), [at / 2 for at in range(N)]),
    "float32": (pa.array([at / 2 for at in IDS], pa.float32()), [at / 2 for at in range(N)]),
    "float32, not exact": (
        pa.array([at / 10 for at in IDS], pa.float32()),
        [float(np.float32(at / 10)) for at in range(N)],
    ),
    "large floats": (pa.array([1e20 * (1 + at) for at in IDS]), [1e20 * (1 + at) for at in range(N)]),
    "large floats, labels whole numbers": (
        pa.array([1e17 * (1 + at) for at in IDS]),
        [10**17 * (1 + at) for at in range(N)],
    ),
    "binary": (pa.array([row[0].encode() for row in ROWS]), None),
    "lists": (pa.array([[row[0]] for row in ROWS]), None),
    "structs": (pa.array([{"name": row[0]} for row in ROWS]), None),
    "durations": (pa.array([datetime.timedelta(at) for at in IDS]), None),
    "times of day": (pa.array([datetime.time(at) for at in IDS]), None),
}
for name, (column, wanted) in NAMES.items():
    parquet(f"objects: {name}", None if wanted is None else labelled(wanted), object=column)
    parquet(f"attributes: {name}", attribute=column.take([0] * len(ROWS)))
    parquet(f"workers: {name}", worker=pa.concat_arrays([column.slice(0, 1), column.slice(2, 1)] * N))
for name in ["binary", "lists", "structs", "durations", "times of day", "times in seconds", "dates, labels text"]:
    parquet(f"values: {name}", value=NAMES[name][0])
    parquet(f"values: {name}, skipped", options={"on_invalid": "skip"}, value=NAMES[name][0])
parquet("attributes: dictionary of numbers", attribute=pa.array([1.5] * len(ROWS)).dictionary_encode())
parquet("workers: repeated floats", worker=pa.array([0.5] * len(ROWS)))
parquet("workers: repeated whole numbers", worker=pa.array([5] * len(ROWS)))
TYPED = {
    "numbers and Booleans": {"value": [True] * len(ROWS), "worker": ["c", "d"] * N},
    "Booleans and text": {"value": ["yes"] * len(ROWS), "worker": ["c", "d"] * N},
    "whole and other numbers": {"value": list(range(len(ROWS))), "worker": ["c", "d"] * N},
    "numbers and text": {"value": [row[3] for row in ROWS], "worker": ["c", "d"] * N},
    "workers that are numbers": {"worker": [1, 2] * N},
    "workers that are fractions": {"worker": [1.5, 2.5] * N},
    "attribute that is a number": {"attribute": [1] * len(ROWS)},
    "attribute that is true": {"attribute": [True] * len(ROWS)},
}
for name, columns in TYPED.items():
    case(f"files of Parquet: {name}", {"a.parquet": table(), "b.parquet": table(**columns)})
for name, first, second in [
    ("whole numbers and text", IDS, [str(at) for at in IDS]),
    ("whole numbers and fractions", IDS, [float(at) for at in IDS]),
    ("fractions and text", [float(at) for at in IDS], [str(at) for at in IDS]),
    ("fractions and their text", [float(at) for at in IDS], [str(float(at)) for at in IDS]),
    ("decimals and text", DECIMALS, [str(at / 2) for at in IDS]),
]:
    both = {"a.parquet": table(object=first), "b.parquet": table(object=second, worker=["c", "d"] * N)}
    known = [at / 2 for at in range(N)] if "decimals" in name else range(N)
    case(f"files of Parquet: objects {name}", both, labelled(known))


def lines(name, records, labels=None, ending=".jsonl", **options):
    content = "".join(json.dumps(record) + "\n" for record in records)
    case(
        f"json lines: {name}",
        bz2.compress(content.encode()) if ending.endswith("bz2") else content,
        labels,
        ending,
        **options,
    )


RECORDS = [dict(zip(COLUMNS, (*row[:3], float(row[3])), strict=True)) for row in ROWS]


def changed(at=3, **fields):
    return [{**record, **(fields if i == at else {})} for i, record in enumerate(RECORDS)]


lines("plain", RECORDS)
lines("bz2", RECORDS, ending=".jsonl.bz2")
lines("ndjson", RECORDS, ending=".ndjson")
lines("text values", [{**record, "value": str(record["value"])} for record in RECORDS])
lines("Boolean values", [{**record, "value": record["value"] > 5} for record in RECORDS])
lines("true among numbers", changed(value=True))
lines("null value", changed(value=None))
lines("null value, skipped", changed(value=None), on_invalid="skip")
lines("large whole number", changed(value=2**70))
lines("null worker", changed(worker=None))
lines(
    "missing worker", [{k: v for k, v in record.items() if k != "worker" or i != 3} for i, record in enumerate(RECORDS)]
)
lines(
    "missing object, skipped",
    [{k: v for k, v in record.items() if k != "object" or i != 3} for i, record in enumerate(RECORDS)],
    on_invalid="skip",
)
lines(
    "whole numbers as objects",
    [{**record, "object": int(record["object"][1:])} for record in RECORDS],
    labelled(range(N)),
)
lines(
    "whole numbers as objects, skipped",
    [{**record, "object": int(record["object"][1:])} for record in RECORDS] + [{"value": 1}],
    labelled(range(N)),
    on_invalid="skip",
)
lines("7 and '7' as workers", [*changed(worker=7), {**RECORDS[3], "worker": "7"}])
lines("true and 'true' as workers", [*changed(worker=True), {**RECORDS[3], "worker": "true"}])
lines("float attribute", [{**record, "attribute": 1.0} for record in RECORDS])
case(
    "json lines: broken line",
    "".join(json.dumps(record) + "\n" for record in RECORDS) + '{"object": \n',
    ending=".jsonl",
)
case(
    "json lines: broken line, skipped",
    "".join(json.dumps(record) + "\n" for record in RECORDS) + '{"object": \n',
    ending=".jsonl",
    on_invalid="skip",
)
for said, odd in {
    "list": ["o03"],
    "struct": {"name": "o03"},
    "true": True,
    "whole number": 3,
    "float": 3.0,
    "fraction": 3.50,
    "large float": 1e20,
    "small float": 1e-7,
    "large number": 10**20,
    "zero": -0.0,
    "nothing": None,
    "blank": " ",
    "text that looks like a list": "[1]",
    "text that looks like null": "null",
    "half a character": "\ud800",
    "NUL": "a\0",
    "NaN": float("nan"),
}.items():
    for role in ("object", "attribute", "worker", "value"):
        lines(f"{said} as {role}", changed(**{role: odd}), unmatched="drop")
        lines(f"{said} as {role}, skipped", changed(**{role: odd}), on_invalid="skip", unmatched="drop")
ONE = '{"object": "o03", "attribute": "x", "worker": "c", "value": 3}\n'
JSON = "".join(json.dumps(record) + "\n" for record in RECORDS)
for name, odd in {
    "key twice": ONE.replace("{", '{"worker": "d", '),
    "two records in a line": ONE.strip() + ONE,
    "blank lines": "\n\n" + ONE.replace("3}", '"maybe"}'),
    "spaces in a line": "   \n" + ONE,
    "latin-1": ONE.replace('"c"', '"é"').encode("latin-1"),
    "array": "[1, 2]\n",
    "number": "17\n",
    "comma at the end": ONE.strip() + ",\n",
    "CRLF": ONE.replace("\n", "\r\n"),
    "infinite": ONE.replace("3}", "Infinity}"),
    "record over two lines": ONE.replace(", ", ",\n", 1),
    "another field": ONE.replace("{", '{"more": [1, {"a": 2}], '),
    "escaped": ONE.replace('"c"', '"\\u0063\\n\\ud83d\\ude00"'),
}.items():
    content = JSON.encode() + (odd if isinstance(odd, bytes) else odd.encode())
    case(f"json lines: {name}", content, ending=".jsonl")
    case(f"json lines: {name}, skipped", content, ending=".jsonl", on_invalid="skip")
case("json lines: byte order mark", b"\xef\xbb\xbf" + JSON.encode(), ending=".jsonl")
case("json lines: empty", "", ending=".jsonl")
case("json lines: not JSON at all", PLAIN, ending=".jsonl")


@pytest.fixture(scope="module", autouse=True)
def one_database():
    """One DuckDB for all scans, each with its own connection and settings: to start one takes as long as a scan."""
    with duckdb.connect() as database, pytest.MonkeyPatch.context() as patch:

        def connect(config=None):
            connection = database.cursor()
            for name, value in (config or {}).items():
                connection.execute(f"SET {name} = {sql_text(str(value))}")
            return connection

        patch.setattr(duckdb, "connect", connect)
        yield


def outcome(reader, path, labels, options, part_of=None):
    """What a reader makes of a table, or None; and moments, or an error."""
    scan = None
    try:
        scan = reader.scan(path, labels, options, part_of)
        return scan, Moments.from_scan(scan.attributes, scan.sums, (), scan.skipped)
    except ManyJudgesError as error:
        return scan, error


def described(scan, result):
    """All that readers must agree on: to the letter, and to rounding."""
    told = ()
    if isinstance(result, ManyJudgesError):
        value = None if result.value is None else name_text(result.value)
        told = type(result).__name__, value, result.row, result.column, result.file
    if scan is None:
        return told
    return *told, scan.attributes, scan.n_objects, scan.n_judgments, scan.skipped, scan.counts


def words(error):
    """What an error says; but readers keep names in other types, and so may quote 7 as '7' or as 7.0."""
    unquoted = re.sub(r"'(-?\d+(?:\.\d+)?)'", r"\1", str(error))
    return re.sub(r"\b(\d+)\.0\b", r"\1", unquoted)


def written(odd, folder):
    """The path of a case's file, or a pattern for its files."""
    for name, content in (
        odd.content.items() if isinstance(odd.content, dict) else [(f"table{odd.ending}", odd.content)]
    ):
        (folder / name).write_bytes(content)
    return folder / ("*" if isinstance(odd.content, dict) else f"table{odd.ending}")


@pytest.mark.parametrize("name", CASES)
def test_readers_agree(name, tmp_path):
    check_agreement(CASES[name], tmp_path)


def check_agreement(odd, folder):
    path = written(odd, folder)
    with dask.config.set(scheduler="synchronous"):
        outcomes = {kind: outcome(entry.make(), path, odd.labels, odd.options) for kind, entry in READERS.items()}
    told = {kind: described(*both) for kind, both in outcomes.items()}
    assert len({str(each) for each in told.values()}) == 1, {
        kind: (told[kind], str(both[1])) for kind, both in outcomes.items()
    }
    results = [result for _, result in outcomes.values()]
    assert len({words(result) for result in results if isinstance(result, ManyJudgesError)}) <= 1
    if isinstance(results[0], ManyJudgesError):
        return
    for other in results[1:]:
        check_same_moments(results[0], other)


def check_same_moments(first, other):
    """The same but for rounding."""
    for part in ("cross", "noise", "covariance", "means", "scale", "label_variance", "label_mean"):
        one, two = np.asarray(getattr(first, part)), np.asarray(getattr(other, part))
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12 * np.abs(first.scale).max() ** 2, err_msg=part)


FRAMES = {
    "pandas": lambda frame: frame,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "polars": lambda frame: pl.from_pandas(frame),
}
"""Tables of text as other libraries have them."""


def to_the_letter(data):
    """All of a table, of labels or of options, types too, as something to compare."""
    if isinstance(data, pd.DataFrame):
        return tuple((name, to_the_letter(column.reset_index(drop=True))) for name, column in data.items())
    if isinstance(data, pd.Series):
        return str(data.dtype), str(data.index.dtype), repr(data.index.tolist()), repr(data.tolist())
    return repr(data)


def first_of_their_kind(alike):
    """Of cases, by what they come to, the first of those that come to the same."""
    return dict({key: (name, result) for name, (key, result) in reversed(alike.items())}.values())


ONE_FILES_OF_TEXT = [name for name, odd in CASES.items() if odd.ending == ".csv" and not isinstance(odd.content, dict)]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Frames of the cells of files, but of those that come to the same only one."""
    alike = {}
    for name in ONE_FILES_OF_TEXT:
        odd = CASES[name]
        path = written(odd, tmp_path_factory.mktemp("text"))
        with suppress(ManyJudgesError):  # no table, and so no frame
            frame = read_content(path, skip=odd.options.on_invalid == "skip").frame
            alike[name] = tuple(map(to_the_letter, (frame, odd.labels, odd.options))), frame
    return first_of_their_kind(alike)


@pytest.mark.parametrize("name", ONE_FILES_OF_TEXT)
def test_readers_agree_on_frames_of_text(name, texts):
    if name not in texts:
        return
    odd, text = CASES[name], texts[name]
    outcomes = {
        (library, kind): outcome(READERS[kind].make(), as_frame(text), odd.labels, odd.options)
        for library, as_frame in FRAMES.items()
        for kind in ("memory", "duckdb")
    }
    told = {each: described(*both) for each, both in outcomes.items()}
    assert len(set(map(str, told.values()))) == 1, told
    results = [result for _, result in outcomes.values()]
    for other in results[1:]:
        if not isinstance(other, ManyJudgesError):
            check_same_moments(results[0], other)


def with_columns(frame, names):
    """The same columns under other names."""
    return frame.set_axis(names, axis=1)


FRAME = pd.DataFrame(ROWS, columns=list(COLUMNS)).astype({"value": float})
MORE = FRAME.assign(more=1.0)
BY_TEXT = {**dict.fromkeys(COLUMNS, "auto"), "value": "5"}
ODD_FRAMES = {
    "plain": (FRAME, {}),
    "a column named by a number": (with_columns(MORE, [*COLUMNS, 5]), {}),
    "a column named by a tuple": (with_columns(MORE, [*COLUMNS, ("a", 1)]), {}),
    "values in a column named by a number": (with_columns(FRAME, [*COLUMNS[:3], 5]), BY_TEXT),
    "columns named 5 and '5'": (with_columns(MORE, [*COLUMNS[:3], 5, "5"]), BY_TEXT),
    "the same name twice": (with_columns(MORE, [*COLUMNS, "value"]), {}),
    "the same name twice, of no column that is used": (with_columns(MORE.assign(last=1), [*COLUMNS, "z", "z"]), {}),
    "the same name twice, of pyarrow": (pa.table([FRAME["value"]] * 2, names=["value"] * 2), {}),
}


@pytest.mark.parametrize("name", ODD_FRAMES)
def test_readers_agree_on_names_of_columns(name):
    frame, columns = ODD_FRAMES[name]
    options = ScanOptions(columns) if columns else ScanOptions()
    (one, first), (other, second) = (
        outcome(READERS[kind].make(), frame, labelled(), options) for kind in ("memory", "duckdb")
    )
    assert described(one, first) == described(other, second)
    if isinstance(first, ManyJudgesError):
        assert words(first) == words(second)
        assert isinstance(first, JudgmentsError)
        assert first.column == "source"
    else:
        check_same_moments(first, second)


NO_TABLES = {
    "a number": 5,
    "nothing": None,
    "a dictionary": {"object": ["a"]},
    "bytes": b"object,attribute,value",
    "an empty list": [],
    "a list of numbers": [1, 2],
    "an array": np.zeros((3, 3)),
    "a column": FRAME["value"],
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("name", NO_TABLES)
def test_readers_refuse_what_is_no_table(name, kind):
    """In words of their own, since each reads something else."""
    with refused(JudgmentsError, value=ANYTHING, column="source"):
        READERS[kind].make().scan(NO_TABLES[name], labelled(), ScanOptions())


PARTS = 3


TO_BE_VALID = [name for name, odd in CASES.items() if odd.options.on_invalid == "error"]


@pytest.fixture(scope="module")
def valid_tables(tmp_path_factory):
    """Moments of tables that are valid, but of files of a kind with the same judgments only of one."""
    alike, memory = {}, READERS["memory"].make()
    for name in TO_BE_VALID:
        odd = CASES[name]
        path = written(odd, tmp_path_factory.mktemp("valid"))
        with suppress(ManyJudgesError):
            judgments = memory.read(path, odd.options)
            scan = memory.scan(path, odd.labels, odd.options)
            moments = Moments.from_scan(scan.attributes, scan.sums, (), scan.skipped)
            same = tuple(map(to_the_letter, (judgments.to_frame(), odd.labels, odd.options)))
            alike[name] = (odd.ending, isinstance(odd.content, dict), *same), moments
    return first_of_their_kind(alike)


@pytest.mark.parametrize("name", TO_BE_VALID)
def test_readers_agree_on_parts_of_the_objects(name, valid_tables, tmp_path):
    """As for folds: each part is left out once, and the others are added up."""
    if name not in valid_tables:
        return
    odd, path, whole = CASES[name], written(CASES[name], tmp_path), valid_tables[name]
    with dask.config.set(scheduler="synchronous"):
        scans = {
            kind: outcome(entry.make(), path, odd.labels, odd.options, lambda n: np.arange(n) % PARTS)[0]
            for kind, entry in READERS.items()
        }
    first = next(iter(scans.values()))
    assert len(first.sums) == PARTS
    for scan in scans.values():
        assert described(scan, None) == described(first, None)
        assert [share.n_objects for share in scan.sums] == [share.n_objects for share in first.sums]
        check_same_moments(whole, Moments.from_scan(scan.attributes, scan.sums, (), scan.skipped))
        for part in range(PARTS):
            rest, same = (
                Moments.from_scan(each.attributes, [*each.sums[:part], *each.sums[part + 1 :]], (), each.skipped)
                for each in (scan, first)
            )
            check_same_moments(same, rest)


def test_there_are_cases_of_both_kinds(tmp_path):
    """A law that only compares errors, or only moments, says little."""
    kinds = []
    for odd in CASES.values():
        (folder := tmp_path / str(len(kinds))).mkdir()
        path = written(odd, folder)
        kinds.append(isinstance(outcome(READERS["memory"].make(), path, odd.labels, odd.options)[1], Moments))
        if min(kinds.count(True), kinds.count(False)) > 60:
            return
    pytest.fail(f"{kinds.count(True)} cases of tables, {kinds.count(False)} of errors")


def test_cells_mean_the_same_in_python_and_in_sql():
    rng = np.random.default_rng(0)
    drawn = ["".join(rng.choice(list("0159+-.eE_ ,xf\t"), size=rng.integers(1, 8))) for _ in range(20_000)]
    cells = sorted({*VALUES, *drawn})
    table = pa.table({"cell": cells})
    for decimal_comma in (False, True):
        sql = value_sql("cell", decimal_comma=decimal_comma)
        query = f"SELECT cell, {sql.number}, {sql.kind} FROM (SELECT *, {sql.columns} FROM cells)"
        with duckdb.connect() as connection:
            connection.register("cells", table)
            rows = connection.execute(query).fetchall()
        for cell, number, bit in rows:
            value = read_value(cell, decimal_comma=decimal_comma)
            finite = number is not None and np.isfinite(number)
            assert finite == np.isfinite(value.number), cell
            assert not finite or (number, bit) == (value.number, 1 << value.kind), cell


def test_a_number_is_what_is_said_of_it():
    with duckdb.connect() as connection:
        for cell in VALUES:
            (matches,) = connection.execute("SELECT regexp_full_match(?, ?)", [cell, NUMBER_PATTERN]).fetchone()
            assert not matches or np.isfinite(float(cell)) or float(cell) == np.inf, cell


@pytest.mark.parametrize(
    "name", ["7", "7.0", "-7", "0", "-0", "07", "7.00", "1e3", "jar 7", "", "True", "7.5", "10" * 20]
)
def test_a_key_is_a_spelling_of_itself(name):
    key = name_key(name)
    assert name_key(key) == key
    assert name in spellings(key)
    assert {name_key(spelling) for spelling in spellings(key)} == {key}


# Tables of odd cells, drawn at random: what nobody has thought of.
CELLS = {
    OBJECT: ["o00", "o01", "o02", "7", "7.0", "07", "", " ", "NA", "0,5", "true", '"', "o\n1", "é", "zz", "x\0", "1e3"],
    ATTRIBUTE: ["x", "x", "x", "y", "1", "1.0", "", "X", '"x', "true"],
    WORKER: ["a", "b", "c", "d", "e", "", "7", "7.0", "nan", "a "],
    VALUE: ["1", "2.5", "3", "-1", "yes", "no", "true", "1,5", "", "x", "1e400", "nan", " 4", "٣", '"5"'],
}
KNOWN = pd.Series([1.0, 2.0, 4.0, 8.0, 3.0, 5.0], index=["o00", "o01", "o02", "7", "0,5", "o\n1"])
BREAKS = ["\n", "\n", "\n", "\n", "\r\n", "\n\n", "\r", "\n,\n", "\n   \n"]
ODD_LINES = st.lists(st.sampled_from(["o00,x", "o00,x,a,1,2", "\xe9", '"', "", '"a" ,x,b,1', "o00,x,z,3"]), max_size=2)


def cells(column, oddness):
    """Cells of a column, most of them plain."""
    plain, odd = CELLS[column][:3], CELLS[column]
    return st.integers(0, 9).flatmap(lambda luck: st.sampled_from(odd if luck < oddness else plain))


@st.composite
def written_rows(draw):
    oddness = draw(st.sampled_from([0, 1, 5]))
    names = st.tuples(*(cells(column, oddness) for column in range(4)))
    return draw(st.lists(names, min_size=1, max_size=30, unique_by=None if oddness else lambda row: row[:3]))


@st.composite
def delimited_tables(draw):
    separator = draw(st.sampled_from(",;"))
    quoted = draw(st.booleans())

    def cell(text):
        odd = quoted or any(each in text for each in (separator, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if odd and draw(st.integers(0, 9)) else text

    lines = [separator.join(map(cell, row)) for row in draw(written_rows())]
    for line in draw(ODD_LINES):
        lines.insert(draw(st.integers(0, len(lines))), line.replace(",", separator))
    text = separator.join(COLUMNS) + "\n" + "".join(line + draw(st.sampled_from(BREAKS)) for line in lines)
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8", "latin-1"])), errors="replace"), ".csv"


@st.composite
def json_tables(draw):
    odd = st.sampled_from([7, 7.0, 0.5, True, None, [1], "7", "true", 1e20, float("nan"), "a\x00", {"a": 1}])
    records = [dict(zip(COLUMNS, row, strict=True)) for row in draw(written_rows())]
    for record in records:
        if draw(st.integers(0, 5)) == 0:
            record[draw(st.sampled_from(COLUMNS))] = draw(odd)
        if draw(st.integers(0, 30)) == 0:
            del record[draw(st.sampled_from(COLUMNS))]
    lines = [json.dumps(record, ensure_ascii=draw(st.booleans())) for record in records]
    for line in draw(st.lists(st.sampled_from(["", "[1]", "{", '{"object": 1}', " "]), max_size=1)):
        lines.insert(draw(st.integers(1, len(lines))), line)
    return ("\n".join(lines) + "\n").encode(), ".jsonl"


@st.composite
def parquet_tables(draw):
    rows = draw(written_rows())
    columns = {}
    for role, texts in zip(COLUMNS, zip(*rows, strict=True), strict=True):
        kind = draw(
            st.sampled_from(["text", "text", "text", "int", "float", "bool", "decimal", "time", "date", "null"])
        )
        at = [sorted(set(texts)).index(each) for each in texts]
        made = {
            "text": list(texts),
            "int": at,
            "float": [each / 2 for each in at],
            "bool": [each > 1 for each in at],
            "decimal": [decimal.Decimal(each) / 4 for each in at],
            "time": [datetime.datetime(2020, 1, 1, each % 24) for each in at],
            "date": [datetime.date(2020, 1, 1 + each % 28) for each in at],
            "null": [None if each == 1 else text for each, text in zip(at, texts, strict=True)],
        }
        columns[role] = made[kind]
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), buffer, row_group_size=draw(st.sampled_from([3, 100])))
    return buffer.getvalue().to_pybytes(), ".parquet"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    st.one_of(delimited_tables(), json_tables(), parquet_tables()),
    st.sampled_from(["error", "skip"]),
    st.sampled_from(["error", "drop"]),
)
def test_readers_agree_on_tables_of_odd_cells(tmp_path_factory, table, on_invalid, unmatched):
    content, ending = table
    options = ScanOptions(on_invalid=on_invalid, unmatched=unmatched)
    check_agreement(Case(content, KNOWN, ending, options), tmp_path_factory.mktemp("odd"))
