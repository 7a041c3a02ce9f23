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
from dataclasses import dataclass, field

import dask
import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from manyjudges import ManyJudgesError, Moments
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import READERS
from manyjudges.tables.grammar import NUMBER, read_value, value_sql
from manyjudges.tables.names import name_key, spellings

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
    """A file, its labels, and how it is to be read."""

    content: bytes
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


def parquet(name, labels=None, **columns):
    plain = {
        "object": [row[0] for row in ROWS],
        "attribute": ["x"] * len(ROWS),
        "worker": [row[2] for row in ROWS],
        "value": [float(row[3]) for row in ROWS],
    }
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table(plain | columns), buffer)
    case(f"parquet: {name}", buffer.getvalue().to_pybytes(), labels, ".parquet")


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
lines("list as value", changed(value=[1]))
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


def outcome(reader, path, labels, options):
    """What a reader makes of a table: moments, or an error."""
    try:
        scan = reader.scan(path, labels, options)
        return scan, Moments.from_scan(scan.attributes, scan.sums, (), scan.skipped)
    except ManyJudgesError as error:
        return None, error


def described(scan, result):
    """All that readers must agree on: to the letter, and to rounding."""
    if scan is None:
        return type(result).__name__, result.column, None if result.value is None else str(result.value).lower()
    return result.attributes, result.n_objects, result.judgments.tolist(), scan.n_judgments, result.skipped, scan.counts


@pytest.mark.parametrize("name", CASES)
def test_readers_agree(name, tmp_path):
    odd = CASES[name]
    path = tmp_path / f"table{odd.ending}"
    path.write_bytes(odd.content)
    with dask.config.set(scheduler="synchronous"):
        outcomes = {kind: outcome(make(), path, odd.labels, odd.options) for kind, make in READERS.items()}
    told = {kind: described(*both) for kind, both in outcomes.items()}
    assert len({str(each) for each in told.values()}) == 1, {
        kind: (told[kind], str(both[1])) for kind, both in outcomes.items()
    }
    results = [result for _, result in outcomes.values()]
    if isinstance(results[0], ManyJudgesError):
        # Rows that have been moved between machines have no number any more.
        assert len({result.row for result in results if result.row is not None}) <= 1, [
            str(result) for result in results
        ]
        return
    for other in results[1:]:
        for part in ("cross", "noise", "covariance", "means", "scale", "label_variance", "label_mean"):
            one, two = np.asarray(getattr(results[0], part)), np.asarray(getattr(other, part))
            np.testing.assert_allclose(
                one, two, rtol=1e-9, atol=1e-12 * np.abs(results[0].scale).max() ** 2, err_msg=part
            )


def test_there_are_cases_of_both_kinds(tmp_path):
    """A law that only compares errors, or only moments, says little."""
    kinds = []
    for odd in CASES.values():
        path = tmp_path / f"table{odd.ending}"
        path.write_bytes(odd.content)
        kinds.append(outcome(READERS["memory"](), path, odd.labels, odd.options)[0] is not None)
    assert min(kinds.count(True), kinds.count(False)) > 60


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
            (matches,) = connection.execute("SELECT regexp_full_match(?, ?)", [cell, NUMBER]).fetchone()
            assert not matches or np.isfinite(float(cell)) or float(cell) == np.inf, cell


@pytest.mark.parametrize(
    "name", ["7", "7.0", "-7", "0", "-0", "07", "7.00", "1e3", "jar 7", "", "True", "7.5", "10" * 20]
)
def test_a_key_is_a_spelling_of_itself(name):
    key = name_key(name)
    assert name_key(key) == key
    assert name in spellings(key)
    assert {name_key(spelling) for spelling in spellings(key)} == {key}
