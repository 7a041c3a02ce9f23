"""Odd tables: each a small table with something odd in it: a value, a name, a file, a column.

Whether a case is a table or an error is not said here; only that all readers make the same of it.
"""

from __future__ import annotations

import bz2
import datetime
import decimal
import gzip
import json
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import READERS

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
    """A file, or several by their names, the labels, how to read it, and the readers that can; others refuse it."""

    content: bytes | dict[str, bytes]
    labels: pd.Series
    ending: str = ".csv"
    options: ScanOptions = field(default_factory=ScanOptions)
    readers: tuple[str, ...] = tuple(READERS)


CASES: dict[str, Case] = {}


def labelled(names=None):
    return pd.Series(TRUTH, index=pd.Index([f"o{at:02}" for at in range(N)] if names is None else list(names)))


def text(rows, separator=","):
    return "".join(separator.join(row) + "\n" for row in [COLUMNS, *rows])


def case(name, content, labels=None, ending=".csv", *, readers=tuple(READERS), **options):
    assert name not in CASES
    if isinstance(content, dict):
        content = {each: text.encode() if isinstance(text, str) else text for each, text in content.items()}
    content = content.encode() if isinstance(content, str) else content
    labels = labelled() if labels is None else labels
    CASES[name] = Case(content, labels, ending, ScanOptions.of(**options), tuple(readers))


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
    worker=None,
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
    "separator told": "sep=|\n" + PLAIN.replace(",", "|"),
    "separator told, of another line": "sep=;\n" + PLAIN,
    "separator told, and nothing else": "sep=;\n",
    "columns without names": "".join(f"{line},,\n" for line in PLAIN.splitlines()),
    "title": "Ratings of May\n" + PLAIN,
    "NUL before a name": PLAIN.replace("\no03", "\n\0\0o03", 1),
}
for name, content in FILES.items():
    names = {"escaped quotes": 'o"3', "backslash": "o\\3"}
    case(f"file: {name}", content, labelled().rename({"o03": names.get(name, "o03")}))
for name in ("short line", "long line", "comment", "NUL before a name"):
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
NUMBERED = text([(str(int(row[0][1:]) + 3), *row[1:]) for row in ROWS])
NOT_JUDGED = {"a blank name": ",x,c,", "another name": "jar,x,c,", "an invalid row": ",x,c,4"}
for name, line in NOT_JUDGED.items():
    numbers = labelled(map(str, range(3, N + 3)))
    case(f"whole numbers as names, and {name}", f"{NUMBERED}{line}\n", numbers, on_invalid="skip")
for name, content in BROKEN.items():
    case(f"file: {name}", content)
    case(f"file: {name}, skipped", content, on_invalid="skip")
case("file: latin-1, skipped", FILES["latin-1"], on_invalid="skip")
for name, odd in {"bad value": "o03,x,c,maybe\n", "repeated": "o03,x,a,9\n", "other kind": "o03,x,c,yes\n"}.items():
    case(f"file: short line, then {name}, skipped", PLAIN.replace("\no00", "\no,1\no00", 1) + odd, on_invalid="skip")
case("file: no such column", PLAIN, value="vlaue")

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
for said, one in {"1": 1, "1.0": 1.0, "'true'": "true"}.items():
    for role in ("object", "attribute", "worker"):
        lines(f"true and {said} as {role}", [*changed(**{role: True}), *changed(**{role: one})[3:4]], unmatched="drop")
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
