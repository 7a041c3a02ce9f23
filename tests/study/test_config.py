from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import make_url

from manyjudges.exceptions import StudyError
from manyjudges.study.config import ObjectsSection, Study, read_study
from manyjudges.study.models import PROMPT, Model
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import refused
from tests.support.study_files import ATTRIBUTE, SECTIONS, TOP, problems, write

# ---- what is read ----


def test_the_shortest_study(tmp_path):
    study = read_study(write(tmp_path, TOP + ATTRIBUTE))
    assert study.title == "Jars"
    assert study.folder == tmp_path
    assert study.costs == {"round": 1.0}
    assert (study.welcome, study.consent, study.contact) == ("", "", None)
    assert study.objects == ObjectsSection(file="objects.csv", id="id", label="label", image="image", text="text")
    assert (study.plan.pilot, study.plan.budget, study.plan.method, study.plan.max_repeats) == (2, 20.0, "auto", None)
    assert (study.work.batch_size, study.work.lease_minutes, study.work.most_batches) == (40, 30.0, None)
    assert (study.entry.open, study.entry.prolific, study.entry.mturk, study.entry.link_days) == (
        True,
        False,
        False,
        30,
    )
    assert (study.server.host, study.server.port, study.server.address) == ("127.0.0.1", 8000, None)


FULL = '''
title = "How tall are they?"
welcome = """
Hello.

Judge."""
consent = "I agree."
contact = "name@example.org"
database = "sqlite:///other.db"
[objects]
file = "people.csv"
id = "who"
label = "height"
image = "photo"
text = "words"
[plan]
pilot = 3
budget = 20
spending_limit = 4000.0
method = "full"
max_repeats = 10
judge_unlabelled = false
cant_tell_limit = 4
seed = 7
[work]
batch_size = 200
lease_minutes = 0.5
most_judgments = 2000
most_batches = 25
pay_per_unit = 0
currency = "€"
[entry]
open = false
prolific = false
mturk = false
link_days = 1
completion_code = "C1"
completion_address = "https://app.prolific.com/submissions/complete?cc=C1"
[server]
host = "0.0.0.0"
port = 65535
address = "https://judge.example.org/"
[[attributes]]
name = "muscular"
question = "Is this person muscular?"
kind = "binary"
cant_tell = true
[[attributes]]
name = "tall"
question = "How tall?"
kind = "number"
range = [0.5, 100]
unit = "inches"
cost = 2.5
help = "From head to toe."
example = "A door is 80 inches."
[[attributes]]
name = "old"
question = "How old?"
kind = "scale"
range = [1, 11]
labels = ["young", "old"]
'''


def test_everything_set(tmp_path):
    study = read_study(write(tmp_path, FULL))
    assert study.welcome == "Hello.\n\nJudge."
    assert study.objects.id == "who"
    assert study.plan.model_dump() == {
        "pilot": 3,
        "budget": 20.0,
        "spending_limit": 4000.0,
        "method": "full",
        "max_repeats": 10,
        "judge_unlabelled": False,
        "cant_tell_limit": 4,
        "seed": 7,
    }
    assert study.work.currency == "€"
    assert study.entry.completion_address.endswith("?cc=C1")
    assert study.server.address == "https://judge.example.org"
    assert study.costs == {"muscular": 1.0, "tall": 2.5, "old": 1.0}
    assert study.attribute("tall").range == (0.5, 100)
    assert [option.value for option in study.attribute("old").answer_kind.options()] == [*range(1, 12)]
    assert study.attribute("tall").answer_kind.options() == ()
    assert [each.cant_tell for each in study.attributes] == [True, True, True]
    assert not read_study(write(tmp_path, TOP + ATTRIBUTE)).attributes[0].cant_tell


def test_a_study_does_not_change(tmp_path):
    study = read_study(write(tmp_path, TOP + ATTRIBUTE))
    with pytest.raises(ValidationError):
        study.title = "other"
    with pytest.raises(ValidationError):
        study.plan.pilot = 3
    assert hash(study) == hash(read_study(tmp_path))


def test_an_attribute_that_is_not_there(tmp_path):
    study = read_study(write(tmp_path, TOP + ATTRIBUTE))
    with refused(StudyError, value="square", column="attributes", file=str(tmp_path / "study.toml")):
        study.attribute("square")


def test_marks_and_line_ends_of_other_systems(tmp_path):
    text = (TOP + ATTRIBUTE + "cost = 'x'\n").replace("\n", "\r\n")
    (tmp_path / "study.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    with refused(StudyError, value="x", row=6, column="attributes.cost", file=str(tmp_path / "study.toml")):
        read_study(tmp_path)


# ---- folders and files ----


def test_no_study(tmp_path):
    with refused(StudyError, value=str(tmp_path / "x"), column="folder"):
        read_study(tmp_path / "x")
    with refused(StudyError, file=str(tmp_path / "study.toml")):
        read_study(tmp_path)
    write(tmp_path, TOP + ATTRIBUTE)
    with refused(StudyError, value=str(tmp_path / "study.toml"), column="folder"):
        read_study(tmp_path / "study.toml")
    (tmp_path / "y" / "study.toml").mkdir(parents=True)
    with refused(StudyError, file=str(tmp_path / "y/study.toml")):
        read_study(tmp_path / "y")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    write(tmp_path, TOP + ATTRIBUTE)

    def read_bytes(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    with refused(StudyError, file=str(tmp_path / "study.toml")):
        read_study(tmp_path)


def test_other_encodings(tmp_path):
    (tmp_path / "study.toml").write_bytes(b"# one\ntitle = 'J\xe4rs'\n")
    with refused(StudyError, row=2, file=str(tmp_path / "study.toml")):
        read_study(tmp_path)
    (tmp_path / "study.toml").write_text(TOP, encoding="utf-16")
    with refused(StudyError, row=1, file=str(tmp_path / "study.toml")):
        read_study(tmp_path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("title = 'x\n", 1),
        ("# a\ntitle = \n", 2),
        ("title = 'x'\n\ntitle = 'y'\n", 3),
        ("title = 'x'\n[plan]\n[plan]\n", 3),
        ("[plan] # what to buy\npilot = 2\n\n [ plan ] # again\nseed = 3\n", 4),
        ("plan.pilot = 2\n[plan]\n", 2),
        ("[[models]]\nname = 'a'\n[models]\n", 3),
        ("models = []\n[[models]]\n", 2),
        ("plan = {}\nplan.pilot = 2\n", 2),
        ("# a\nwelcome = '''\nnever closed\n\n", 2),
        ('# a\nwelcome = """\nnever closed\n[plan]\n', 2),
        ("a = [1,\n# b\n2\nplan = 3\n", 4),
        ("a = " + "[" * 100_000, 1),
        ("a = " + "1" * 5000, 1),
        ("title = 'x'\nseed = 1 2", 2),
    ],
)
def test_syntax_errors_name_the_line(tmp_path, text, line):
    with refused(StudyError, row=line, file=str(tmp_path / "study.toml")) as caught:
        read_study(write(tmp_path, text))
    assert caught.value.problems == ()


@pytest.mark.parametrize(
    "database",
    [
        "mysql://localhost/x",
        "judgments.db",
        "postgresql://localhost/x",
        "postgres://localhost/x",
        "postgresql+psycopg2://localhost/x",
        "postgresql+psycopg://localhost",
        "postgresql+psycopg://localhost:port/x",
        "sqlite://judgments.db",
        "sqlite+aiosqlite:///judgments.db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a.db?mode=ro",
        "sqlite:///folder/",
        "sqlite:///${NO_SUCH_NAME}.db",
        "sqlite:///${NO-SUCH}.db",
    ],
)
def test_databases_that_cannot_be_used(tmp_path, database):
    [problem] = problems(tmp_path, f"{TOP}database = '{database}'\n{ATTRIBUTE}")
    assert (problem.line, problem.key, problem.value) == (2, "database", database)
    assert database in problem.message


def test_addresses_of_databases(tmp_path, monkeypatch):
    def address(database):
        return read_study(write(tmp_path, f"{TOP}database = '{database}'\n{ATTRIBUTE}")).database_address

    assert make_url(address("sqlite:///a b.db")).database == str(tmp_path / "a b.db")
    assert make_url(address("sqlite:////srv/a.db")).database == "/srv/a.db"
    assert read_study(write(tmp_path, TOP + ATTRIBUTE)).database_address == f"sqlite:///{tmp_path / 'judgments.db'}"
    monkeypatch.setenv("PASSWORD", "secret")
    assert address("postgresql+psycopg://ann:${PASSWORD}@db:5432/x") == "postgresql+psycopg://ann:secret@db:5432/x"
    monkeypatch.setenv("WHOLE", "postgresql+psycopg:///x?host=/run")
    assert address("${WHOLE}") == "postgresql+psycopg:///x?host=/run"
    monkeypatch.chdir(tmp_path)
    write(tmp_path, TOP + ATTRIBUTE)
    assert read_study(".").database_address == f"sqlite:///{tmp_path / 'judgments.db'}"


def test_a_variable_that_went_away(tmp_path, monkeypatch):
    monkeypatch.setenv("PASSWORD", "secret")
    study = read_study(write(tmp_path, f"{TOP}database = 'postgresql+psycopg://a:${{PASSWORD}}@h/x'\n{ATTRIBUTE}"))
    monkeypatch.setenv("PASSWORD", "")
    with refused(
        StudyError, value="postgresql+psycopg://a:…@h/x", row=2, column="database", file=str(tmp_path / "study.toml")
    ):
        _ = study.database_address


def test_a_folder_that_no_address_can_name(tmp_path):
    folder = tmp_path / "which?"
    folder.mkdir()
    with refused(StudyError, value="sqlite:///judgments.db", row=1, column="database", file=str(folder / "study.toml")):
        _ = read_study(write(folder, TOP + ATTRIBUTE)).database_address


def test_nobody_needs_to_get_in_but_by_personal_links(tmp_path):
    text = TOP + "[entry]\nopen = false\nprolific = false\nmturk = false\n" + ATTRIBUTE
    assert not read_study(write(tmp_path, text)).entry.open


def test_lines_are_right_in_long_files(tmp_path):
    entry = '[[attributes]]\nname = "a{0}"\nquestion = """\nWhat\nis\n{0}?\n"""\nkind = "scale"\nrange = [1,\n7]\n'
    text = TOP + "".join(entry.format(i) for i in range(100)) + "x = 1\n"
    found = problems(tmp_path, text)
    assert [problem.line for problem in found] == [text.count("\n")] == [1002]


# ---- around ----


def test_the_package_does_not_need_pydantic():
    code = "import sys; sys.modules['pydantic'] = None; import manyjudges, manyjudges.campaign, manyjudges.cli.main"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_every_key_is_documented():
    page = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## `\[*(\w+)\]*`.*?\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL))
    parts["top"] = page.split("## At the top")[1].split("\n## ")[0]
    for key in Study.model_fields:
        assert f"| `{key}` |" in parts["top"] or key in parts, key
    for section in (*SECTIONS, "attributes", "models"):
        annotation = Study.model_fields[section].annotation
        model = {"attributes": Attribute, "models": Model}.get(section, annotation)
        for key, field in model.model_fields.items():
            row = re.search(rf"^\| `{key}` \|.*$", parts[section], flags=re.MULTILINE)
            assert row, f"{section}.{key} is not in docs/study-file.md"
            if isinstance(field.default, bool | int | float | str) and key != "cant_tell" and not field.is_required():
                default = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
                if default in ("", PROMPT):
                    assert "| nothing |" in row[0] or key == "prompt", row[0]
                    continue
                assert f"`{default}`" in row[0] or f'`"{default}"`' in row[0], row[0]


def test_the_documented_example_is_a_study(tmp_path):
    page = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", page, flags=re.DOTALL)[1]
    assert len(read_study(write(tmp_path, example)).attributes) == 3


# ---- checks ----


def test_checks_that_are_muted(tmp_path):
    text = f"{TOP}[checks]\nmute = ['MJ103', 'MJ301']\n{ATTRIBUTE}"
    assert read_study(write(tmp_path, text)).checks.mute == ("MJ103", "MJ301")
    assert read_study(tmp_path, check_codes=("MJ101", "MJ103", "MJ301")).checks.mute == ("MJ103", "MJ301")
    with refused(StudyError, value="MJ301", row=3, column="checks.mute", file=str(tmp_path / "study.toml")):
        read_study(tmp_path, check_codes=("MJ101", "MJ103"))
    assert read_study(write(tmp_path, TOP + ATTRIBUTE)).checks.mute == ()


@pytest.mark.parametrize("value", ["'MJ103'", "['few_pairs']", "[103]", "['MJ1']", "3"])
def test_what_cannot_be_a_code(tmp_path, value):
    [problem] = problems(tmp_path, f"{TOP}[checks]\nmute = {value}\n{ATTRIBUTE}")
    assert (problem.line, problem.key) == (len(TOP.splitlines()) + 2, "checks.mute")
    assert "MJ103" in problem.message  # what a code looks like
