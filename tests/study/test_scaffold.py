from __future__ import annotations

import io
import os
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image

import manyjudges
from manyjudges.exceptions import StudyError
from manyjudges.study import scaffold
from manyjudges.study.config import Study, check_spending, read_study
from manyjudges.study.example_pictures import draw_jars
from manyjudges.study.objects import read_objects
from manyjudges.study.scaffold import JARS, N_UNLABELLED
from tests.support.messages import refused

JARS_DRAWN = draw_jars(JARS)
TEMPLATE = Path(manyjudges.__file__).parent / "study" / "templates"


def new_study(folder, *, title=None):
    """Drawing takes most of the time; what is drawn is always the same, as a test here holds."""
    return scaffold.new_study(folder, title=title, draw=lambda count: JARS_DRAWN[:count])


def inside(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_study_works_at_once(tmp_path):
    folder = new_study(tmp_path / "jars")
    assert folder == tmp_path / "jars"
    study = read_study(folder)
    objects = read_objects(study)
    assert objects.problems == ()
    assert len(objects.records) == JARS
    assert sum(record.label is None for record in objects.records) == N_UNLABELLED
    assert len({record.label for record in objects.records}) > JARS / 2
    assert {attribute.kind for attribute in study.attributes} == {"binary", "number", "scale"}
    check_spending(study, JARS - N_UNLABELLED)
    assert inside(tmp_path) == ["jars"]


def test_a_new_study_can_be_moved(tmp_path):
    os.rename(new_study(tmp_path / "a"), tmp_path / "b")
    assert len(read_objects(read_study(tmp_path / "b")).records) == JARS


def test_the_template_itself_passes():
    assert read_study(TEMPLATE).title == "How many beans are in the jar?"


def test_the_template_shows_every_key():
    text = (TEMPLATE / "study.toml").read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines()]
    # Keys that are only shown in a note are switched on, so that they count, too.
    shown = tomllib.loads("\n".join(line.removeprefix("# ") if _is_a_key(line) else line for line in lines))
    assert set(shown) == set(Study.model_fields)
    for section in ("objects", "plan", "work", "entry", "server", "checks", "llm"):
        assert set(shown[section]) == set(Study.model_fields[section].annotation.model_fields), section
    for several in ("attributes", "models"):
        one = Study.model_fields[several].annotation.__args__[0]
        assert set().union(*shown[several]) == set(one.model_fields), several
    Study.model_validate(shown)  # and all of them may be


def _is_a_key(line):
    key = line.removeprefix("# ").partition(" = ")[0]
    if key in ("[llm]", "[[models]]"):
        return True
    return line.startswith("# ") and " = " in line and key.isidentifier() and "postgresql" not in line


@pytest.mark.parametrize("title", ['Say "how many"', "Ünïcödé 👍 \\ done", "  spaces around "])
def test_titles(tmp_path, title):
    assert read_study(new_study(tmp_path / "x", title=title)).title == title.strip()


@pytest.mark.parametrize("title", ["", "  ", "two\nlines", "bell\x07", "x" * 201])
def test_titles_that_are_none(tmp_path, title):
    with refused(StudyError, value=title, column="title"):
        new_study(tmp_path / "x", title=title)
    assert inside(tmp_path) == []


def test_an_empty_folder_is_filled_and_stays_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    assert new_study(".") == Path()
    assert inside(tmp_path) == ["images", "objects.csv", "study.toml"]
    assert tmp_path.stat().st_ino == before
    assert read_study(".").attributes


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with refused(StudyError, value=str(tmp_path), column="folder"):
        new_study(tmp_path)
    assert inside(tmp_path) == ["notes.txt"]
    folder = new_study(tmp_path / "x")
    (folder / "study.toml").write_text("mine")
    with refused(StudyError, value=str(folder), column="folder"):
        new_study(folder)
    assert (folder / "study.toml").read_text() == "mine"


def test_a_file_or_a_missing_parent_is_refused(tmp_path):
    (tmp_path / "x").write_text("mine")
    with refused(StudyError, value=str(tmp_path / "x"), column="folder"):
        new_study(tmp_path / "x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with refused(StudyError, value=str(tmp_path / "link"), column="folder"):
        new_study(tmp_path / "link")
    with refused(StudyError, value=str(tmp_path / "a/b"), column="folder"):
        new_study(tmp_path / "a" / "b")
    assert inside(tmp_path) == ["link", "x"]


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("failing", ["images", "objects.csv", "study.toml", None])
def test_all_or_nothing(tmp_path, monkeypatch, existing, failing):
    folder = tmp_path / "x"
    if existing:
        folder.mkdir()
    genuine = os.rename

    def rename(source, target):
        if Path(target).name == (failing if existing else "x") and Path(target).parent in (folder, tmp_path):
            raise OSError(28, "No space left on device")
        genuine(source, target)

    def write_bytes(self, data):
        raise OSError(28, "No space left on device")

    if failing is None:
        monkeypatch.setattr(Path, "write_bytes", write_bytes)
    else:
        monkeypatch.setattr(os, "rename", rename)
    with refused(StudyError, file=str(folder)):
        new_study(folder)
    assert inside(tmp_path) == (["x"] if existing else [])
    assert not existing or inside(folder) == []


def test_without_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with refused(StudyError, value="pillow"):
        scaffold.new_study(tmp_path / "x")
    assert inside(tmp_path) == []


def test_jars_are_pictures_and_do_not_change():
    jars = draw_jars(3)
    assert jars == JARS_DRAWN[:3]
    assert jars != draw_jars(3, seed=1)
    for jar in jars:
        image = Image.open(io.BytesIO(jar.picture))
        image.load()
        assert image.format == "PNG"
        assert jar.beans > 0
