"""Every reader makes the same of the same table: the same moments, or the same kind of error about the same cell.

Each case is a small table with something odd in it: a value, a name, a file, a column. A reader that is entered in
``READERS`` is held to all of them. Whether the case is a table or an error is not said here; only that all agree.
"""

from __future__ import annotations

import datetime
import decimal
import json
import re
import string
from contextlib import suppress

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
from manyjudges.scan.duckdb.sources import _batches
from manyjudges.scan.objects import ObjectScan, in_table_order
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import READERS
from manyjudges.tables.formats.registry import read_content
from manyjudges.tables.grammar import BLANK, NUMBER_PATTERN, points_sql, read_number, value_sql
from manyjudges.tables.names import name_key, name_text, spellings
from manyjudges.tables.reading.frames import frame_and_scales
from manyjudges.tables.reading.table import read_table
from tests.support.messages import ANYTHING, refused
from tests.support.odd_answers import CASES
from tests.support.odd_tables import (
    ATTRIBUTE,
    COLUMNS,
    OBJECT,
    ROWS,
    VALUE,
    VALUES,
    WORKER,
    Case,
    labelled,
)


@pytest.fixture(autouse=True, scope="module")
def one_duckdb():
    """A scan starts a DuckDB of its own, which takes as long as the rest of it where tables are as small as these.

    Here each is a connection of its own to the same one. What a scan makes is temporary and so seen by its connection
    only. How a DuckDB is started, with its memory and its folder, is tested in ``tests/scan/duckdb``.
    """
    with duckdb.connect(config={"preserve_insertion_order": False}) as started, pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", lambda **_: started.cursor())
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
    reading = scan.reading
    understood = reading.unanswered, reading.skipped, reading.repeated, [reading.codings[n] for n in scan.attributes]
    sizes = scan.n_objects, scan.n_judgments, scan.skipped, scan.counts
    return *told, scan.attributes, *sizes, *understood, scan.invalid


def values_of(scan):
    """The different values of each attribute, with how often each is there."""
    return {name: (values.tolist(), times.tolist()) for name, (values, times) in scan.values.items()}


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
        outcomes = {kind: outcome(READERS[kind].make(), path, odd.labels, odd.options) for kind in odd.readers}
        others = [
            outcome(READERS[kind].make(), path, odd.labels, odd.options) for kind in set(READERS) - {*odd.readers}
        ]
    told = {kind: described(*both) for kind, both in outcomes.items()}
    assert len({str(each) for each in told.values()}) == 1, {
        kind: (told[kind], str(both[1])) for kind, both in outcomes.items()
    }
    results = [result for _, result in outcomes.values()]
    for other in others:
        check_refusal(other, results[0])
    assert len({words(result) for result in results if isinstance(result, ManyJudgesError)}) <= 1
    if isinstance(results[0], ManyJudgesError):
        return
    for other in results[1:]:
        check_same_moments(results[0], other)
    counted = [values_of(scan) for scan, _ in outcomes.values() if scan.values]
    assert all(values == counted[0] for values in counted)


def check_refusal(both, usual):
    """A reader that cannot read such a table says which other one can, unless nobody can."""
    scan, error = both
    assert scan is None
    assert isinstance(error, ManyJudgesError)
    told = error.column in ("shape", "repeated") and "engine='duckdb'" in str(error)
    assert told or (isinstance(usual, ManyJudgesError) and words(error) == words(usual)), error


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


TAKEN_OVER = {
    "memory": lambda table: repr([*map(to_the_letter, frame_and_scales(table))]),
    "duckdb": lambda table: repr([(each.schema.remove_metadata(), each.to_pydict()) for each in _batches(table)]),
}
"""What each reader takes over of a table, cells and types. It knows nothing else of the table: where those of several
libraries come to the same, the rest of the scan is the same, too, and is done once."""


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
            frame = read_content(path, skip=odd.options.read.skip).frame
            alike[name] = tuple(map(to_the_letter, (frame, odd.labels, odd.options))), frame
    return first_of_their_kind(alike)


@pytest.mark.parametrize("name", ONE_FILES_OF_TEXT)
def test_readers_agree_on_frames_of_text(name, texts):
    if name not in texts:
        return
    odd, text = CASES[name], texts[name]
    outcomes = {}
    for as_frame in FRAMES.values():
        for kind, taken_over in TAKEN_OVER.items():
            table = as_frame(text)
            same = kind, taken_over(table)
            if same not in outcomes:
                outcomes[same] = outcome(READERS[kind].make(), table, odd.labels, odd.options)
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
BY_TEXT = {"value": "5"}
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
    options = ScanOptions.of(**columns)
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
    "a dictionary": {"a": 1},
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


TO_BE_VALID = [name for name, odd in CASES.items() if not odd.options.read.skip]


@pytest.fixture(scope="module")
def different_tables(tmp_path_factory):
    """Cases that can be read, but of files of a kind that differ in their values or workers only one.

    Which part a judgment is in depends on the name of its object and on the labels. Whatever is in the cell, a judgment
    is then a number, and that all readers read the same numbers is tested above.
    """
    alike = {}
    for name in TO_BE_VALID:
        odd = CASES[name]
        path = written(odd, tmp_path_factory.mktemp("valid"))
        with suppress(ManyJudgesError):
            read = read_table(path, odd.options.read)
            named = read.judgments.to_frame()[["object", "attribute"]]
            left_out = read.reading.unanswered, read.reading.skipped, read.reading.repeated
            same = (*map(to_the_letter, (named, odd.labels, odd.options)), repr(read.reading.codings), left_out)
            alike[name] = (odd.ending, isinstance(odd.content, dict), *same), None
    return first_of_their_kind(alike)


@pytest.mark.parametrize("name", TO_BE_VALID)
def test_readers_agree_on_parts_of_the_objects(name, different_tables, tmp_path):
    """As for folds: each part is left out once, and the others are added up."""
    if name not in different_tables:
        return
    odd, path = CASES[name], written(CASES[name], tmp_path)
    _, whole = outcome(READERS["memory"].make(), path, odd.labels, odd.options)
    if isinstance(whole, ManyJudgesError):
        return
    with dask.config.set(scheduler="synchronous"):
        scans = {
            kind: outcome(READERS[kind].make(), path, odd.labels, odd.options, lambda n: np.arange(n) % PARTS)[0]
            for kind in odd.readers
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


@pytest.fixture(scope="module")
def objects_in_order(tmp_path_factory):
    """What a reader in memory makes of each table; of files of a kind with the same objects only of one."""
    alike, memory = {}, READERS["memory"].make()
    for name, odd in CASES.items():
        path = written(odd, tmp_path_factory.mktemp("objects"))
        with suppress(ManyJudgesError):
            judgments = memory.read(path, odd.options)
            alike[name] = (odd.ending, to_the_letter(judgments.objects.tolist())), judgments
    return first_of_their_kind(alike)


@pytest.mark.parametrize("name", [name for name, odd in CASES.items() if "duckdb" in odd.readers])
def test_readers_name_and_order_objects_alike(name, objects_in_order, tmp_path):
    if name not in objects_in_order:
        return
    judgments, odd = objects_in_order[name], CASES[name]
    scan = ObjectScan(written(odd, tmp_path), odd.options, judgments.attributes)
    scanned = np.concatenate([block.objects for block in scan.blocks()])
    assert to_the_letter(in_table_order(scanned)[0].tolist()) == to_the_letter(judgments.objects.tolist())


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
    for decimal_comma in (False, True):
        text = points_sql("cell") if decimal_comma else "cell"
        with duckdb.connect() as connection:
            connection.register("cells", pa.table({"cell": cells}))
            query = f"SELECT cell, {value_sql('written')} FROM (SELECT cell, {text} AS written FROM cells)"
            rows = connection.execute(query).fetchall()
        assert len(rows) == len(cells)
        for cell, number in rows:
            wanted = read_number(cell, decimal_comma=decimal_comma)
            plain = np.isfinite(wanted) and cell.strip(BLANK) == cell.strip(string.whitespace)
            assert number == (wanted if plain else None), cell  # others are looked up as texts


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
    options = ScanOptions.of(on_invalid=on_invalid, unmatched=unmatched)
    check_agreement(Case(content, KNOWN, ending, options), tmp_path_factory.mktemp("odd"))
