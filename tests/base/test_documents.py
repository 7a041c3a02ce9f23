from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from manyjudges.base import documents
from manyjudges.exceptions import DocumentError
from tests.support.messages import refused


def test_files_are_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    documents.write(path, "old\n")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        documents.write(path, "new\n")
    monkeypatch.undo()
    assert path.read_text() == "old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_files_have_the_usual_rights(tmp_path):
    path = tmp_path / "x.json"
    documents.write(path, "x")
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_files_that_cannot_be_written_or_read(tmp_path):
    with refused(DocumentError, file=str(tmp_path / "no/x.json")):
        documents.write(tmp_path / "no" / "x.json", "x")
    with refused(DocumentError, file=str(tmp_path / "x.json")):
        documents.read(tmp_path / "x.json")
    (tmp_path / "y").write_bytes(b"\xff")
    with refused(DocumentError, file=str(tmp_path / "y")):
        documents.read(tmp_path / "y")


def test_no_document_holds_what_json_cannot():
    with pytest.raises(ValueError, match="JSON"):
        documents.dumps({"x": float("nan")})


def test_links_are_followed(tmp_path):
    (tmp_path / "target.json").write_text("old")
    (tmp_path / "link.json").symlink_to("target.json")
    documents.write(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "target.json").read_text() == "new"


def test_pipes_are_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    documents.write(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("text", ['{"format": NaN}', "[" * 200_000, None, 5])
def test_text_that_is_no_json(text):
    with refused(DocumentError, column="format"):
        documents.loads(text, "x/1")


def test_folders_are_whole_or_not_there(tmp_path, monkeypatch):
    documents.write_folder(tmp_path / "made", {"a.txt": "ä", "data/b.bin": b"\x00"})
    assert (tmp_path / "made" / "a.txt").read_text(encoding="utf-8") == "ä"
    assert (tmp_path / "made" / "data" / "b.bin").read_bytes() == b"\x00"
    with refused(DocumentError, file=str(tmp_path / "made")):
        documents.write_folder(tmp_path / "made", {"c.txt": ""})
    (tmp_path / "file").write_text("")
    with refused(DocumentError, file=str(tmp_path / "file")):
        documents.write_folder(tmp_path / "file", {})
    (tmp_path / "empty").mkdir()
    with refused(DocumentError, value=".csv", file=str(tmp_path / "batch.csv")):
        documents.write_folder(tmp_path / "batch.csv", {"c.txt": "c"})
    documents.write_folder(tmp_path / "empty", {"c.txt": "c"})
    assert [each.name for each in (tmp_path / "empty").iterdir()] == ["c.txt"]

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with refused(DocumentError, file=str(tmp_path / "none")):
        documents.write_folder(tmp_path / "none", {"a": "", "b": ""})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty", "file", "made"]


def test_a_file_that_cannot_be_written_is_refused_before_there_is_anything_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for fine in ("plan.json", "./plan.json", os.devnull, tmp_path / "plan.json"):
        documents.check_target(fine)
    with refused(DocumentError, file="."):
        documents.check_target(".")
    with refused(DocumentError, file="nowhere/plan.json"):
        documents.check_target("nowhere/plan.json")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_nobody_may_write_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with refused(DocumentError, file=str(tmp_path / "plan.json")):
        documents.check_target(tmp_path / "plan.json")


@pytest.mark.parametrize(("name", "endings"), [("plan.csv", documents.JSON), ("report.pdf", documents.HTML)])
def test_an_ending_that_promises_another_format_is_refused(tmp_path, name, endings):
    path = tmp_path / name
    with refused(DocumentError, value=path.suffix, file=str(path)):
        documents.check_target(path, endings)
    documents.check_target(path.with_suffix(endings[0].upper()), endings)
    documents.check_target(path.with_suffix(""), endings)
