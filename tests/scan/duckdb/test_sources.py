"""Tables as they come: whatever they are called, typed and ordered, they are read as tables in memory are."""

from __future__ import annotations

import decimal
import gzip
import itertools
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from manyjudges import Moments, read_judgments, scan_moments
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError
from manyjudges.scan.sizes import is_large, unit
from tests.support.messages import complaint_of, refused
from tests.support.scanned import call, crowd, estimate, same, scanned


@pytest.fixture
def table():
    return crowd()


def complaint(source, labels, error=JudgmentsError, **more):
    return complaint_of(scan_moments, source, labels, error=error, **more)


class TestFiles:
    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_columns_may_be_in_another_order_in_each_file(self, table, tmp_path, kind):
        frame, labels = table
        frame["worker"] = frame["worker"].str[1:].astype(int)  # so that one could be taken for the other
        orders = (["object", "attribute", "worker", "value"], ["value", "object", "worker", "attribute"])

        def write(at, part):
            path = tmp_path / f"{at}.{kind}"
            part.to_csv(path, index=False) if kind == "csv" else part.to_parquet(path)

        for at, order in enumerate(orders):
            write(at, frame[at::2][order])
        same(scan_moments(tmp_path / f"*.{kind}", labels), estimate(frame, labels))
        frame.loc[1, "value"] = np.nan
        frame.loc[3, "value"] = np.inf
        write(1, frame[1::2][orders[1]])
        complaint(tmp_path / f"*.{kind}", labels, row=2, column="value", file=f"1.{kind}")
        assert scanned(tmp_path / f"*.{kind}", labels, on_invalid="skip").reading.unanswered == 1

    def test_names_of_files_are_no_patterns(self, table, tmp_path):
        frame, labels = table
        frame.to_csv(tmp_path / "part[1].csv", index=False)
        frame.assign(value=frame["value"] * 2).to_csv(tmp_path / "part1.csv", index=False)
        same(scan_moments(tmp_path / "part[1].csv", labels), estimate(frame, labels))

    @pytest.mark.parametrize("folder", ["value=3", "worker=x", "object=o"])
    @pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
    def test_names_of_folders_are_no_columns(self, table, tmp_path, folder, kind):
        frame, labels = table
        path = tmp_path / folder / f"a.{kind}"
        path.parent.mkdir()
        if kind == "parquet":
            frame.to_parquet(path)
        elif kind == "csv":
            frame.to_csv(path, index=False)
        else:
            path.write_text(frame.to_json(orient="records", lines=True, double_precision=15))
        for source in (path, tmp_path):
            same(scan_moments(source, labels), estimate(frame, labels))

    @pytest.mark.parametrize(
        "name", ["v", "V", "row", "bad", "h", "kind", "code", "name", "file_row_number", "Value", ""]
    )
    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_other_columns_may_be_called_anything(self, table, tmp_path, name, kind):
        frame, labels = table
        frame = frame.assign(**{name: np.where(np.arange(len(frame)) % 2, np.nan, -7.0)})[[name, *frame.columns]]
        path = tmp_path / f"a.{kind}"

        def write():
            frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)

        write()
        same(scan_moments(path, labels, value="value"), estimate(frame, labels))
        frame.loc[44, "value"] = np.inf
        frame.loc[45, "value"] = np.nan
        write()
        with refused(JudgmentsError, row=45, column="value", file=path.name):
            scan_moments(path, labels, value="value")
        read = scanned(path, labels, value="value", on_invalid="skip")
        assert (read.skipped, read.reading.unanswered) == (1, 1)
        assert [row.row for row in read.invalid] == [45]

    def test_parts_of_different_types(self, table, tmp_path):
        frame, labels = table
        texts = frame[1::2].assign(value=frame["value"][1::2].astype(str))
        frame[::2].to_parquet(tmp_path / "a.parquet")
        texts.to_parquet(tmp_path / "b.parquet")
        same(scan_moments(tmp_path / "?.parquet", labels), estimate(frame, labels))
        texts.iloc[3, texts.columns.get_loc("value")] = "n/a"
        texts.iloc[4, texts.columns.get_loc("value")] = "five"
        texts.to_parquet(tmp_path / "b.parquet")
        complaint(tmp_path / "?.parquet", labels, value="five", row=5, column="value", file="b.parquet")
        read = scanned(tmp_path / "?.parquet", labels, on_invalid="skip")
        assert (read.skipped, read.reading.unanswered) == (1, 1)
        texts["value"] = "yes"
        texts.to_parquet(tmp_path / "b.parquet")
        complaint(tmp_path / "?.parquet", labels, value="yes", row=9, column="value", file="b.parquet")

    def test_a_number_among_words_is_a_mistake_and_no_answer_is_none(self, table, tmp_path):
        frame, labels = table
        one = frame["attribute"] == frame["attribute"].iloc[0]
        numbers = frame.assign(value=frame["value"].where(~one, frame["value"] > 0).astype(float))
        frame["value"] = frame["value"].astype(object)
        frame.loc[one, "value"] = np.where(frame.loc[one, "value"] > 0, "yes", "no")
        frame.loc[0, "value"] = "n/a"
        later = frame.index[one][3]
        frame.loc[later, "value"] = "1.5"
        frame.to_csv(tmp_path / "a.csv", index=False)
        said = complaint(tmp_path / "a.csv", labels, value="1.5", row=11, column="value", file="a.csv")
        assert "n/a" not in said
        read = scanned(tmp_path / "a.csv", labels, on_invalid="skip")
        assert (read.skipped, read.reading.unanswered) == (1, 1)
        assert [(row.row, row.value) for row in read.invalid] == [(11, "1.5")]
        assert read.reading.codings[frame["attribute"].iloc[0]].words == ("no", "yes")
        found = Moments.from_scan(read.attributes, read.sums, (), read.skipped)
        same(found, estimate(numbers.drop(index=[0, later]), labels))

    def test_white_space_and_signs(self, table, tmp_path):
        frame, labels = table
        told = frame.assign(value=frame["value"].astype(str))
        told.loc[3, "value"] += "\t"
        told.loc[4, "value"] = "\u00a0" + told.loc[4, "value"]
        told.to_csv(tmp_path / "a.csv", index=False)
        same(scan_moments(tmp_path / "a.csv", labels), estimate(frame, labels))
        for value in ("+-5", "1_0", "１２"):
            told.loc[5, "value"] = value
            told.to_csv(tmp_path / "a.csv", index=False)
            complaint(tmp_path / "a.csv", labels, value=value, row=6, column="value", file="a.csv")
        told = frame.assign(worker=frame["worker"].where(frame.index != 8, "\t"))
        told.to_csv(tmp_path / "a.csv", index=False)
        complaint(tmp_path / "a.csv", labels, row=9, column="worker", file="a.csv")

    def test_lines_that_are_no_json(self, table, tmp_path):
        frame, labels = table
        lines = frame.to_json(orient="records", lines=True, double_precision=15).splitlines()
        (tmp_path / "a.jsonl").write_text("\n".join([*lines[:7], "nonsense", *lines[7:]]))
        complaint(tmp_path / "a.jsonl", labels, DocumentError, value="nonsense", row=8, file="a.jsonl")
        found = scan_moments(tmp_path / "a.jsonl", labels, on_invalid="skip")
        assert found.skipped == 1
        same(found, estimate(frame, labels))

    def test_records_that_lack_a_field_at_first(self, table, tmp_path):
        frame, labels = table
        lines = frame.to_json(orient="records", lines=True, double_precision=15).splitlines()
        lines[0] = lines[0].replace('"worker"', '"nobody"')
        (tmp_path / "a.jsonl").write_text("\n".join(lines))
        complaint(tmp_path / "a.jsonl", labels, row=1, column="worker", file="a.jsonl")

    def test_too_many_cells_in_several_files(self, table, tmp_path):
        frame, labels = table
        for at in range(2):
            frame[at::2].to_csv(tmp_path / f"{at}.csv", index=False)
            with open(tmp_path / f"{at}.csv", "a") as file:
                file.write("o,a,w,1,and more\n" * 3)
        with pytest.raises(DocumentError):  # names the file that was read first, whichever that is
            scan_moments(tmp_path / "*.csv", labels)
        found = scan_moments(tmp_path / "*.csv", labels, on_invalid="skip")
        assert found.skipped == 6
        same(found, estimate(frame, labels))

    def test_a_quotation_mark_that_is_out_of_place(self, table, tmp_path):
        frame, labels = table
        lines = frame.to_csv(index=False).splitlines()
        (tmp_path / "a.csv").write_text("\n".join([*lines[:9], '"a"b,c,d,1', *lines[9:]]))
        complaint(tmp_path / "a.csv", labels, LabelsError, row="ab", column="object")  # it is read as the object "ab"
        same(scan_moments(tmp_path / "a.csv", labels, unmatched="drop"), estimate(frame, labels))

    @pytest.mark.parametrize("kind", ["csv", "parquet"])
    def test_a_table_without_rows(self, table, tmp_path, kind):
        frame, labels = table
        path = tmp_path / f"a.{kind}"
        frame[:0].to_csv(path, index=False) if kind == "csv" else frame[:0].to_parquet(path)
        complaint(path, labels, JudgmentsError, file=path.name)

    def test_compressed_files_that_are_damaged(self, table, tmp_path):
        frame, labels = table
        whole = gzip.compress(frame.to_csv(index=False).encode())
        for content in (whole[: len(whole) // 2], b"no gzip at all", b""):
            (tmp_path / "a.csv.gz").write_bytes(content)
            complaint(tmp_path / "a.csv.gz", labels, DocumentError, file="a.csv.gz")

    def test_files_of_several_kinds(self, table, tmp_path):
        frame, labels = table
        frame[::2].to_csv(tmp_path / "a.csv", index=False)
        frame[1::2].to_parquet(tmp_path / "b.parquet")
        same(scan_moments(tmp_path, labels), estimate(frame, labels))

    @pytest.mark.parametrize("name", [".hidden", "_marked", "plain"])
    def test_folders_within_folders_that_would_be_passed_over(self, table, tmp_path, name, monkeypatch):
        frame, labels = table
        (tmp_path / name).mkdir()
        frame.to_csv(tmp_path / name / "a.csv", index=False)
        (tmp_path / name / "_marks.csv").write_text("nothing")
        same(scan_moments(tmp_path / name, labels), estimate(frame, labels))
        (tmp_path / "beside").mkdir()
        monkeypatch.chdir(tmp_path / "beside")
        same(scan_moments(f"../{name}", labels), estimate(frame, labels))
        same(Moments.estimate(read_judgments(tmp_path / name), labels), estimate(frame, labels))


class TestTables:
    """Tables one after the other, of types that differ."""

    @pytest.mark.parametrize(
        "first",
        [
            pd.Series([1, 2], dtype="int8"),
            pd.Series([True, False]),
            pd.Series([0.5, 1.5], dtype="float32"),
            pd.Series([1, 2], dtype="uint64"),
            pd.Series([decimal.Decimal("1.25"), decimal.Decimal("2.5")]),
            pd.Series(["1.5", "2"]),
        ],
    )
    def test_values(self, table, first):
        frame, labels = table
        begin = frame[:2].assign(value=first)
        whole = frame.copy()
        whole.loc[:1, "value"] = first.astype(float)
        whole.loc[2, "value"] = whole.loc[3, "value"] = 1234567.890123
        rest = whole[2:]
        for parts in ([begin, rest], [rest, begin]):
            if first.dtype == bool:
                self.check_as_in_memory(parts, labels)
            else:
                same(scan_moments(iter(parts), labels), estimate(whole, labels))

    @staticmethod
    def check_as_in_memory(parts, labels):
        """What a list of frames is to the reader in memory, row by row: among numbers, true is a mistake."""
        with pytest.raises(JudgmentsError) as caught:
            read_judgments(parts)
        row = 1 + sum(len(part) for part in itertools.takewhile(lambda part: part["value"].dtype != bool, parts))
        complaint(iter(parts), labels, value=str(caught.value.value), row=row, column="value")
        read = scanned(iter(parts), labels, on_invalid="skip")
        table = read_judgments(parts, on_invalid="skip")
        assert (read.skipped, table.skipped) == (2, 2)
        same(Moments.from_scan(read.attributes, read.sums, (), 2), Moments.estimate(table, labels))

    def test_true_and_false(self, table):
        frame, labels = table
        frame["value"] = frame["value"] > 0
        read = scanned(iter([frame[:9], frame[9:]]), labels)
        codings = read_judgments([frame[:9], frame[9:]]).reading.codings
        assert read.reading.codings == codings
        assert codings["a0"].words == ("False", "True")
        same(Moments.from_scan(read.attributes, read.sums, (), 0), estimate(frame, labels))

    def test_columns_by_name(self, table):
        frame, labels = table
        columns = {name: frame[name].to_numpy() for name in frame}
        same(scan_moments(columns, labels), estimate(frame, labels))
        complaint({**columns, "value": [1.0]}, labels, column="source")

    def test_missing_at_first(self, table):
        frame, labels = table
        nothing = pd.DataFrame({"object": [None], "attribute": [None], "worker": [None], "value": [None]})
        first = frame.iloc[0]
        rows = {"object": [first["object"]], "attribute": [first["attribute"]], "worker": ["someone"]}
        for begin, unanswered, skipped in [
            (nothing, 0, 0),  # a row of nothing at all, as spreadsheets have behind a table
            (nothing.assign(object=first["object"]), 1, 0),
            (nothing.assign(value=2.0), 0, 1),
            (pd.DataFrame({**rows, "value": [None]}), 1, 0),
            (pd.DataFrame({**rows, "value": [np.inf]}), 0, 1),
        ]:
            read = scanned(iter([begin, frame]), labels, on_invalid="skip")
            assert (read.reading.unanswered, read.skipped, len(read.invalid)) == (unanswered, skipped, skipped)
            same(Moments.from_scan(read.attributes, read.sums, (), read.skipped), estimate(frame, labels))

    def test_names(self, table):
        frame, labels = table
        codes = {name: at for at, name in enumerate(labels.index)}
        numbered = frame.assign(object=frame["object"].map(codes))
        known = labels.rename(codes)
        wanted = estimate(numbered, known)
        parts = [numbered[:50].astype({"object": "int8"}), numbered[50:]]
        same(scan_moments(iter(parts), known), wanted)
        same(scan_moments(iter([parts[0], parts[1].astype({"object": float})]), known), wanted)
        same(scan_moments(iter([parts[0], parts[1].astype({"object": str})]), known), wanted)

    def test_numbers_are_the_same_number_however_they_are_kept(self, table, tmp_path):
        frame, labels = table
        codes = {name: at for at, name in enumerate(labels.index)}
        numbered = frame.assign(object=frame["object"].map(codes))
        known = labels.rename(codes)
        wanted = estimate(numbered, known)
        numbered.astype({"object": float}).to_parquet(tmp_path / "a.parquet")
        numbered.to_csv(tmp_path / "a.csv", index=False)
        same(scan_moments(tmp_path / "a.parquet", known), wanted)
        same(scan_moments(tmp_path / "a.csv", known.rename(float)), wanted)
        same(scan_moments(numbered, known.rename(float)), wanted)

    def test_names_that_are_times(self, table):
        frame, labels = table
        times = {name: pd.Timestamp("2026-01-01") + pd.Timedelta(hours=at) for at, name in enumerate(labels.index)}
        timed = frame.assign(object=frame["object"].map(times))
        same(scan_moments(timed, labels.rename(times)), estimate(frame, labels))

    def test_a_row_is_found_where_it_stands(self, table):
        frame, labels = crowd(3000, 40)
        frame.loc[199_986, "value"] = np.nan
        frame.loc[199_987, "value"] = np.inf
        parts = [frame[at : at + 7001] for at in range(0, len(frame), 7001)]
        for source in (frame, iter(parts), pa.Table.from_pandas(frame)):
            complaint(source, labels, value=np.inf, row=199988, column="value")

    @pytest.mark.parametrize("more", [{}, {"repeated": "last"}])
    def test_a_row_of_a_wide_table_is_found_where_it_stands(self, table, more):
        frame, labels = table
        wide = frame.pivot_table(index=["object", "worker"], columns="attribute", values="value").reset_index()
        wide = wide.round().astype({"a1": object})
        wide.loc[17, "a1"] = "oops"
        parts = [wide[at : at + 7] for at in range(0, len(wide), 7)]
        for source in (wide, iter(parts), pa.table(wide.astype({"a1": str}))):
            complaint(source, labels, shape="wide-by-rater", value="oops", row=18, column="a1", **more)
        (skipped,) = scanned(iter(parts), labels, shape="wide-by-rater", on_invalid="skip", **more).invalid
        assert (skipped.row, skipped.column, skipped.value) == (18, "a1", "oops")

    def test_rows_that_sum_up_a_wide_table_are_refused(self, table):
        frame, labels = table
        wide = frame.pivot_table(index=["object", "worker"], columns="attribute", values="value").reset_index()
        total = wide[:1].assign(object="Mean", worker="w0")
        parts = [wide[:9], pd.concat([wide[9:], total])]
        complaint(iter(parts), labels, value="Mean", row=len(wide) + 1, column="object")
        known = {"shape": "wide-by-rater", "on_invalid": "skip"}
        same(scan_moments(iter([wide[:9], wide[9:]]), labels, **known), scan_moments(iter(parts), labels, **known))

    def test_columns_that_differ_from_table_to_table(self, table):
        frame, labels = table
        others = {"worker": frame.drop(columns="worker"), "score": frame.rename(columns={"value": "score"})}
        for name, other in others.items():
            for parts in ([frame[:9], other], [other, frame[:9]]):
                complaint(iter(parts), labels, JudgmentsError, value=name, column="source")
        parts = [frame[:9], frame[[*reversed(frame.columns)]][9:]]
        same(scan_moments(iter(parts), labels), estimate(frame, labels))

    def test_an_index_is_no_column(self, table):
        frame, labels = table
        even = np.arange(len(frame)) % 2 == 0
        same(scan_moments(iter([frame[even], frame[~even]]), labels), estimate(frame, labels))
        same(scan_moments(frame[even], labels), estimate(frame[even], labels))

    def test_numbers_beside_texts(self, table):
        frame, labels = table
        mixed = frame.astype({"value": object})
        mixed.loc[::3, "value"] = mixed.loc[::3, "value"].map(repr)
        for source in (mixed, iter([mixed[:9], mixed[9:]])):
            same(scan_moments(source, labels), estimate(frame, labels))

    def test_columns_of_wide_tables_that_differ_from_table_to_table(self, table):
        frame, labels = table
        wide = frame.pivot_table(index=["object", "worker"], columns="attribute", values="value").reset_index()
        parts = [wide[:9], wide[[*reversed(wide.columns)]][9:]]
        same(scan_moments(iter(parts), labels, shape="wide-by-rater"), estimate(frame, labels))
        complaint(iter([wide[:9], wide.drop(columns="a0")]), labels, JudgmentsError, value="a0", column="source")


class TestOnTheCommandLine:
    @pytest.fixture
    def labelled(self, table, tmp_path):
        path = tmp_path / "labels.csv"
        table[1].rename("label").rename_axis("object").reset_index().to_csv(path, index=False)
        return path

    def test_a_folder_is_read_and_what_follows_works_with_it(self, table, labelled, tmp_path):
        (tmp_path / "in").mkdir()
        table[0][::2].to_csv(tmp_path / "in" / "a.csv", index=False)
        table[0][1::2].to_csv(tmp_path / "in" / "b.csv", index=False)
        plan = tmp_path / "plan.json"
        for more in ((), ("--memory-limit", "500MB")):
            said = call("plan", tmp_path / "in", labelled, "--budget", 9, "--out", plan, *more)
            assert f"  manyjudges missing {plan} {tmp_path / 'in'} --out tobuy.csv" in said
        assert "missing" in call("missing", plan, tmp_path / "in", "--out", tmp_path / "tobuy.csv")

    def test_a_part_that_cannot_be_read_is_named(self, table, labelled, tmp_path):
        (tmp_path / "in").mkdir()
        table[0].to_parquet(tmp_path / "in" / "a.parquet")
        (tmp_path / "in" / "b.parquet").symlink_to(tmp_path / "gone.parquet")
        assert "b.parquet cannot be read" in call("plan", tmp_path / "in", labelled, "--budget", 9, code=2)

    def test_no_database_is_made_where_there_is_none(self, labelled, tmp_path):
        address = f"sqlite:///{tmp_path}/typo.db"
        assert "there is no database" in call("plan", address, labelled, "--budget", 9, code=2)
        assert "there is no database" in call("forecast", address, labelled, "--budgets", 9, code=2)
        assert not (tmp_path / "typo.db").exists()

    def test_what_is_large_is_not_told_by_compressed_bytes(self, table, tmp_path):
        many = pa.table({"object": np.zeros(100_000, int), "attribute": ["a"] * 100_000, "value": np.ones(100_000)})
        pq.write_table(many, tmp_path / "a.parquet")
        (tmp_path / "b.csv.gz").write_bytes(gzip.compress(os.urandom(150_000)))
        (tmp_path / "c.csv").write_bytes(bytes(150_000))
        assert [unit(str(tmp_path / name)) for name in ("a.parquet", "b.csv.gz", "none")] == ["rows", "bytes", "%"]
        assert [is_large(str(tmp_path / name), 1_000_000) for name in ("a.parquet", "b.csv.gz", "c.csv", "none")] == [
            True,
            True,
            False,
            False,
        ]


def test_labels_say_what_they_are_of(table):
    frame, _ = table
    complaint(frame, {"jar 1": 1.0, "jar 2": 2.0}, LabelsError, row="object 0001", column="object")
