from __future__ import annotations

import gzip
import json
from decimal import Decimal

import pandas as pd
import pytest

from manyjudges import read_judgments, read_labels
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError
from manyjudges.tables.files import write_table
from tests.support.messages import ANYTHING, refused

WRITERS = {
    "csv": lambda f, p: f.to_csv(p, index=False),
    "tsv": lambda f, p: f.to_csv(p, index=False, sep="\t"),
    "csv.gz": lambda f, p: f.to_csv(p, index=False),
    "parquet": lambda f, p: f.to_parquet(p, index=False),
    "jsonl": lambda f, p: f.to_json(p, orient="records", lines=True),
    "ndjson": lambda f, p: f.to_json(p, orient="records", lines=True),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format(frame, tmp_path, ending):
    path = tmp_path / f"judgments.{ending}"
    WRITERS[ending](frame, path)
    judgments = read_judgments(path)
    assert len(judgments) == 12
    assert judgments.means().loc["jar 1", "beans"] == 11
    assert judgments.source == f"read from judgments.{ending}"
    labels = tmp_path / f"labels.{ending}"
    WRITERS[ending](pd.DataFrame({"object": ["jar 1", "jar 2"], "label": [1.5, 2]}), labels)
    assert read_labels(labels).to_dict() == {"jar 1": 1.5, "jar 2": 2}


def test_patterns(frame, tmp_path):
    for i in range(3):
        frame.iloc[4 * i : 4 * i + 4].to_csv(tmp_path / f"part-{i}.csv", index=False)
    judgments = read_judgments(tmp_path / "part-*.csv")
    assert len(judgments) == 12
    assert judgments.source == "read from part-*.csv (3 files)"
    frame.iloc[[0]].assign(value="maybe").to_csv(tmp_path / "part-2.csv", index=False)
    with refused(JudgmentsError, value="maybe", row=1, column="value", file="part-2.csv"):
        read_judgments(tmp_path / "part-*.csv")
    frame.rename(columns={"worker": "who"}).to_csv(tmp_path / "part-1.csv", index=False)
    with refused(DocumentError, value="who", file="part-1.csv"):
        read_judgments(tmp_path / "part-*.csv")


@pytest.mark.parametrize(
    "names",
    [
        ("item", "question", "rating", "rater"),
        ("task", "feature", "score", "annotator"),
        ("unit", "criterion", "judgment", "judge"),
        ("Item", "Question", "Label", "User"),
        ("item_id", "attribute", "value", "Worker ID"),
    ],
)
def test_usual_names_are_understood_and_shown(frame, tmp_path, names):
    path = tmp_path / "ratings.csv"
    frame[["object", "attribute", "value", "worker"]].set_axis(names, axis=1).to_csv(path, index=False)
    judgments = read_judgments(path)
    assert len(judgments) == 12
    assert len(judgments.workers) == 2
    for role, name in zip(("object", "attribute", "value", "worker"), names, strict=True):
        assert f"{role} = {name!r}" in repr(judgments)


def test_columns_can_be_told(frame, tmp_path):
    frame.assign(score=1, rating=2).drop(columns="value").to_csv(tmp_path / "x.csv", index=False)
    with refused(JudgmentsError, column="value", file="x.csv"):
        read_judgments(tmp_path / "x.csv")
    assert (read_judgments(tmp_path / "x.csv", value="rating").means() == 2).all().all()
    with refused(JudgmentsError, value="ratings", column="value", file="x.csv"):
        read_judgments(tmp_path / "x.csv", value="ratings")


def test_workers_can_be_ignored(frame, tmp_path):
    frame.assign(worker="ann").to_csv(tmp_path / "x.csv", index=False)
    with refused(JudgmentsError, value="ann", row=2, column="worker", file="x.csv"):
        read_judgments(tmp_path / "x.csv")
    assert len(read_judgments(tmp_path / "x.csv", worker=None)) == 12


def test_all_missing_columns_are_named(frame, tmp_path):
    frame.set_axis(["thing", "attribute", "worker", "valu"], axis=1).to_csv(tmp_path / "x.csv", index=False)
    with refused(JudgmentsError, column="object", file="x.csv"):
        read_judgments(tmp_path / "x.csv")
    with refused(LabelsError, column="object", file="x.csv"):
        read_labels(tmp_path / "x.csv", label="valu")


def test_missing_columns_are_named(frame, tmp_path):
    frame.rename(columns={"value": "vallue"}).to_csv(tmp_path / "x.csv", index=False)
    with refused(JudgmentsError, column="value", file="x.csv"):
        read_judgments(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("names", "expected"), [(["7", "10"], [7, 10]), (["07", "10"], ["07", "10"]), (["a", "7"], ["7", "a"])]
)
def test_names_of_objects(tmp_path, names, expected):
    pd.DataFrame({"object": names, "attribute": "a", "value": 1}).to_csv(tmp_path / "x.csv", index=False)
    assert list(read_judgments(tmp_path / "x.csv").objects) == expected


def test_names_that_look_like_nothing_are_names(tmp_path):
    (tmp_path / "x.csv").write_text("object,attribute,value\nNA,null,1\nnan,null,2\n")
    judgments = read_judgments(tmp_path / "x.csv")
    assert list(judgments.objects) == ["NA", "nan"]
    assert judgments.attributes == ("null",)


def test_semicolons_byte_order_marks_and_blank_lines(tmp_path):
    (tmp_path / "x.csv").write_bytes("\ufeffobject;attribute;value\nä;b;1\n\nö;b;2\n\n".encode())
    assert read_judgments(tmp_path / "x.csv").means()["b"].tolist() == [1, 2]


def test_decimal_commas_of_spreadsheets(tmp_path):
    (tmp_path / "x.csv").write_text("object;attribute;value\na, and more;b;1,5\nc;b;-2,25\nc;b;3\n")
    judgments = read_judgments(tmp_path / "x.csv")
    assert judgments.means()["b"].tolist() == [1.5, 0.375]
    assert judgments.objects.tolist() == ["a, and more", "c"]
    (tmp_path / "y.csv").write_text("object;label\na;59,3\nb;60\n")
    assert read_labels(tmp_path / "y.csv").tolist() == [59.3, 60]
    (tmp_path / "x.csv").write_text('object,attribute,value\na,b,"1,5"\n')
    with refused(JudgmentsError, value="1,5", row=1, column="value", file="x.csv"):
        read_judgments(tmp_path / "x.csv")


def test_every_role_that_is_missing_is_asked_for(tmp_path):
    (tmp_path / "x.csv").write_text("thing;topic;points\n1;2;3\n")
    with refused(JudgmentsError, column="object", file="x.csv"):
        read_judgments(tmp_path / "x.csv")


def test_where_a_bad_value_is(tmp_path):
    (tmp_path / "x.csv").write_text("object,attribute,value\na,b,1\na,b,maybe\n")
    with refused(JudgmentsError, value="maybe", row=2, column="value", file="x.csv"):
        read_judgments(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("object,attribute,value\na,b,1\n,b,2\n")
    with refused(JudgmentsError, row=2, column="object", file="x.csv"):
        read_judgments(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("object,attribute,value\n")
    with refused(JudgmentsError, file="x.csv"):
        read_judgments(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b""),
        ("x.csv", "object,attribute,value\nä,ü,1\n".encode() + b"\xff,b,1\n"),
        ("x.csv", b"object,attribute,value\na,b,1,9,9\n"),
        ("x.parquet", b"not parquet"),
        ("x.jsonl", b'{"object": 1, "attribute": 2, "value": 3}\n{not json'),
        ("x.jsonl", b"[1]"),
        ("x.jsonl", b"\n"),
        ("x.json", b"[1, 2, 3]"),
        ("x.csv", b"object,value,value\n"),
        ("x.csv.gz", b"not gzip"),
        ("x.xlsx", b""),
        ("x.csv", "object,attribute,value\na,b,1\n".encode("utf-16")[:-1]),
    ],
    ids=[
        "empty",
        "encoding",
        "cells",
        "parquet",
        "json",
        "records",
        "lines",
        "list",
        "twice",
        "gzip",
        "workbook",
        "utf-16",
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with refused(DocumentError, file=name):
        read_judgments(tmp_path / name)


def test_truncated_gzip(tmp_path, frame):
    whole = gzip.compress(frame.to_csv(index=False).encode())
    (tmp_path / "x.csv.gz").write_bytes(whole[: len(whole) // 2])
    with refused(DocumentError, file="x.csv.gz"):
        read_judgments(tmp_path / "x.csv.gz")


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "judgments.csv").touch()
    with refused(DocumentError, file=str(tmp_path / "judgment.csv")):
        read_judgments(tmp_path / "judgment.csv")
    with refused(DocumentError, file=str(tmp_path / "*.parquet")):
        read_judgments(tmp_path / "*.parquet")
    with refused(DocumentError, file="x.csv"):
        read_judgments(["x.csv"])
    for wrong in (None, 5, []):
        with refused(JudgmentsError, value=wrong, column="source"):
            read_judgments(wrong)
    with refused(DocumentError, file=str(tmp_path)):
        read_labels(tmp_path)
    with refused(DocumentError, file=str(tmp_path / "nowhere/x.csv")):
        read_judgments(tmp_path / "nowhere" / "x.csv")


@pytest.mark.parametrize(
    ("text", "value", "row", "column"),
    [
        ("object,label\na,1\na,2\n", "2", 2, "label"),
        ("object,label\na,tall\n", "tall", "a", "label"),
        ("object,label\na,\n", None, None, "label"),
        ("object,label\n,1\n", None, 1, "object"),
        ("object,label\n", None, None, "label"),
    ],
)
def test_labels_that_cannot_be_read(tmp_path, text, value, row, column):
    (tmp_path / "y.csv").write_text(text)
    with refused(LabelsError, file="y.csv", value=value, row=row, column=column):
        read_labels(tmp_path / "y.csv")


def test_old_line_ends_and_brackets_in_folders(tmp_path):
    folder = tmp_path / "g[1]"
    folder.mkdir()
    (folder / "x.csv").write_bytes(b"object,attribute,value\ra,b,1\ra,b,2\r")
    (folder / "sub.csv").mkdir()
    assert len(read_judgments(folder / "*.csv")) == 2


def test_labels_of_another_world(tmp_path):
    (tmp_path / "y.jsonl").write_text('{"object": "a", "label": 1' + "0" * 400 + "}")
    with refused(
        LabelsError,
        value=10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000,
        column="label",
        row="a",
        file="y.jsonl",
    ):
        read_labels(tmp_path / "y.jsonl")
    (tmp_path / "x.jsonl").write_text('{"object": ["a"], "attribute": "b", "value": 1}')
    with refused(JudgmentsError, row=1, column="object", value=["a"], file="x.jsonl"):
        read_judgments(tmp_path / "x.jsonl")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"object": "a", "attribute": "b", "value": [1, 2]}', JudgmentsError),
        ('{"object": {"a"}, "attribute": "b", "value": 1}', DocumentError),
        ('{"object": "a", "attribute": "b", "value": ' + "1" * 5000 + "}", DocumentError),
        ("[" * 100_000, DocumentError),
        ('{"object": "\\ud8000", "attribute": "b", "value": 1}', JudgmentsError),
        ("{}", JudgmentsError),
    ],
    ids=["list", "set", "long", "deep", "half", "nothing"],
)
def test_records_that_cannot_be_used(tmp_path, line, error):
    (tmp_path / "x.jsonl").write_text(line + "\n")
    with refused(error, file=ANYTHING if line == "{}" else "x.jsonl"):
        read_judgments(tmp_path / "x.jsonl")


def test_labels_that_are_lists(tmp_path):
    (tmp_path / "y.jsonl").write_text('{"object": "a", "label": [1, 2]}')
    with refused(LabelsError, column="label", value=[1, 2], row="a", file="y.jsonl"):
        read_labels(tmp_path / "y.jsonl")
    (tmp_path / "y.jsonl").write_text('{"object": ["a"], "label": 1}')
    with refused(LabelsError, row=1, column="object", value=["a"], file="y.jsonl"):
        read_labels(tmp_path / "y.jsonl")


@pytest.mark.parametrize("names", [[Decimal("1.5"), Decimal("1.7")], ["1", "02"], ["-0", "1"], ["9" * 30, "1"]])
def test_names_that_are_no_whole_numbers_stay_apart(tmp_path, names):
    pd.DataFrame({"object": names, "label": [1.0, 2.0]}).to_parquet(tmp_path / "y.parquet")
    assert sorted(map(str, read_labels(tmp_path / "y.parquet").index)) == sorted(map(str, names))


def test_records_of_mixed_names_stay_apart(tmp_path):
    (tmp_path / "y.jsonl").write_text(
        '{"object": 1.5, "label": 1}\n{"object": 1.7, "label": 2}\n{"object": "2", "label": 3}'
    )
    assert len(read_labels(tmp_path / "y.jsonl")) == 3


def test_parquet_whose_object_is_the_index(tmp_path):
    pd.DataFrame({"label": [1.0, 2.0]}, index=pd.Index(["a", "b"], name="object")).to_parquet(tmp_path / "y.parquet")
    assert read_labels(tmp_path / "y.parquet").to_dict() == {"a": 1.0, "b": 2.0}


def test_odd_line_separators_within_a_text_are_text(tmp_path):
    (tmp_path / "y.jsonl").write_text(
        '{"object": "a\u2028b", "label": 1}\r\n{"object": "c", "label": 2}\n', encoding="utf-8"
    )
    assert list(read_labels(tmp_path / "y.jsonl").index) == ["a\u2028b", "c"]


def test_json_lines_keep_all_digits(tmp_path):
    write_table(tmp_path / "x.jsonl", pd.DataFrame({"object": ["a"], "label": [3.379323013172392e-13]}))
    assert read_labels(tmp_path / "x.jsonl")["a"] == 3.379323013172392e-13


def test_label_columns(tmp_path):
    (tmp_path / "y.csv").write_text("item,target,height\n1,2,3\n")
    assert read_labels(tmp_path / "y.csv").name == "target"
    assert read_labels(tmp_path / "y.csv", label="height").to_dict() == {1: 3}


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_come_back(tmp_path, ending):
    table = pd.DataFrame({"object": ["a,b", "ç"], "attribute": ["x", "y"], "value": [0.1, 1e-17]})
    write_table(tmp_path / f"x.{ending}", table)
    again = read_judgments(tmp_path / f"x.{ending}").to_frame()
    assert again["object"].tolist() == ["a,b", "ç"]
    assert again["value"].tolist() == [0.1, 1e-17]
    assert [p.name for p in tmp_path.iterdir()] == [f"x.{ending}"]
    with refused(DocumentError, value=".doc", file=str(tmp_path / "x.doc")):
        write_table(tmp_path / "x.doc", table)


def test_decimal_commas_are_those_of_values_and_labels(tmp_path):
    (tmp_path / "j.csv").write_text("object;attribute;worker;value\n0,5;1,5;2,5;3,5\n")
    (tmp_path / "l.csv").write_text("object;label\n0,5;1,25\n")
    judgments = read_judgments(tmp_path / "j.csv")
    row = judgments.to_frame().iloc[0].to_dict()
    assert row == {"object": "0,5", "attribute": "1,5", "worker": "2,5", "value": 3.5}
    assert read_labels(tmp_path / "l.csv").to_dict() == {"0,5": 1.25}


@pytest.mark.parametrize("line", ["b,x", "b,x,1,2,3", "b,x,ann,five", ",x,ann,5"])
def test_invalid_lines_are_skipped_and_counted(tmp_path, line):
    path = tmp_path / "j.csv"
    path.write_text(f"object,attribute,worker,value\na,x,ann,1\n{line}\nc,x,ann,3\n")
    with pytest.raises((JudgmentsError, DocumentError)) as caught:
        read_judgments(path)
    assert caught.value.file == "j.csv"
    judgments = read_judgments(path, on_invalid="skip")
    assert judgments.skipped == 1
    assert judgments.objects.tolist() == ["a", "c"]


def test_names_of_several_kinds_are_text(tmp_path):
    records = [{"object": name, "attribute": "x", "value": 1} for name in (7, "jar", True, 2.5)]
    (tmp_path / "j.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert read_judgments(tmp_path / "j.jsonl").objects.tolist() == ["2.5", "7", "jar", "true"]


def test_an_error_about_labels_names_their_column(tmp_path):
    (tmp_path / "y.csv").write_text('photo,price\na,"1,018"\nb,"2,040"\nc,733\n')
    with refused(LabelsError, column="price", value="1,018", row="a", file="y.csv"):
        read_labels(tmp_path / "y.csv")
