from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import make_url

from manyjudges import StudyError
from manyjudges.collection.addresses import is_web_address, without_password
from manyjudges.collection.study import Attribute, ObjectsSection, Study, check_spending, read_study

ROOT = Path(__file__).parent.parent
TOP = 'title = "Jars"\n'
ATTRIBUTE = '[[attributes]]\nname = "round"\nquestion = "Is it round?"\nkind = "binary"\n'
SECTIONS = ("objects", "plan", "work", "entry", "server")


def write(folder, text):
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder


def problems(folder, text):
    """What is wrong with a file, as (line, sentence)."""
    with pytest.raises(StudyError) as caught:
        read_study(write(folder, text))
    found = []
    for line in str(caught.value).split("\n"):
        prefix = f"{folder / 'study.toml'}, line "
        assert line.startswith(prefix), line
        number, sentence = line.removeprefix(prefix).split(": ", 1)
        found.append((int(number), sentence))
    return found


# ---- what is read ----


def test_the_shortest_study(tmp_path):
    study = read_study(write(tmp_path, TOP + ATTRIBUTE))
    assert study.title == "Jars"
    assert study.folder == tmp_path
    assert study.costs == {"round": 1.0}
    assert (study.welcome, study.consent, study.contact) == ("", "", None)
    assert study.objects == ObjectsSection(file="objects.csv", id="id", label="label", image="image", text="text")
    assert (study.plan.pilot, study.plan.budget, study.plan.method, study.plan.most) == (2, 20.0, "auto", None)
    assert (study.work.batch_size, study.work.lease_minutes, study.work.most_batches) == (40, 30.0, None)
    assert (study.entry.open, study.entry.prolific, study.entry.mturk, study.entry.link_days) == (True, True, False, 30)
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
most = 10
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
        "most": 10,
        "judge_unlabelled": False,
        "cant_tell_limit": 4,
        "seed": 7,
    }
    assert study.work.currency == "€"
    assert study.entry.completion_address.endswith("?cc=C1")
    assert study.server.address == "https://judge.example.org"
    assert study.costs == {"muscular": 1.0, "tall": 2.5, "old": 1.0}
    assert study.attribute("tall").range == (0.5, 100)
    assert study.attribute("old").steps == tuple(range(1, 12))
    assert study.attribute("tall").steps == ()
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
    with pytest.raises(StudyError, match=r"no attribute 'square'; its attributes are 'round'"):
        study.attribute("square")


def test_marks_and_line_ends_of_other_systems(tmp_path):
    text = (TOP + ATTRIBUTE + "cost = 'x'\n").replace("\n", "\r\n")
    (tmp_path / "study.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    with pytest.raises(StudyError, match="line 6: cost of attribute 'round' must be a number greater than 0"):
        read_study(tmp_path)


# ---- folders and files ----


def test_no_study(tmp_path):
    with pytest.raises(StudyError, match=r"there is no folder '.*x'; manyjudges new .*x makes one"):
        read_study(tmp_path / "x")
    with pytest.raises(StudyError, match=r"there is no study\.toml in the folder .* make one with manyjudges new"):
        read_study(tmp_path)
    write(tmp_path, TOP + ATTRIBUTE)
    with pytest.raises(StudyError, match=rf"is a file; give the folder that it lies in: '{re.escape(str(tmp_path))}'"):
        read_study(tmp_path / "study.toml")
    (tmp_path / "y" / "study.toml").mkdir(parents=True)
    with pytest.raises(StudyError, match=r"there is no study\.toml"):
        read_study(tmp_path / "y")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    write(tmp_path, TOP + ATTRIBUTE)

    def read_bytes(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    with pytest.raises(StudyError, match=r"cannot read '.*study\.toml': Permission denied"):
        read_study(tmp_path)


def test_other_encodings(tmp_path):
    (tmp_path / "study.toml").write_bytes(b"# one\ntitle = 'J\xe4rs'\n")
    with pytest.raises(StudyError, match=r"study\.toml, line 2: this is not UTF-8 text .*; save it as UTF-8"):
        read_study(tmp_path)
    (tmp_path / "study.toml").write_text(TOP, encoding="utf-16")
    with pytest.raises(StudyError, match=r"study\.toml, line 1: this is UTF-16 text; save it as UTF-8"):
        read_study(tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("title = 'x\n", 1, "this is not TOML"),
        ("# a\ntitle = \n", 2, "Invalid value, in 'title ='"),
        ("title = 'x'\n\ntitle = 'y'\n", 3, "Cannot overwrite a value, in \"title = 'y'\""),
        ("title = 'x'\n[plan]\n[plan]\n", 3, "this is not TOML"),
        ("# a\nwelcome = '''\nnever closed\n\n", 2, "this is not TOML"),
        ('# a\nwelcome = """\nnever closed\n[plan]\n', 2, "this is not TOML"),
        ("a = [1,\n# b\n2\nplan = 3\n", 4, "in what begins in line 1"),
        ("a = " + "[" * 100_000, 1, "this is not TOML"),
        ("a = " + "1" * 5000, 1, "this is not TOML"),
        ("title = 'x'\nseed = 1 2", 2, "this is not TOML"),
    ],
)
def test_syntax_errors_name_the_line(tmp_path, text, line, words):
    [(found, sentence)] = problems(tmp_path, text)
    assert found == line
    assert words in sentence


# ---- what is refused ----

WRONG = [
    ("plan", "pilot", '"2"', "a whole number from 2 to 1000"),
    ("plan", "pilot", "1", "a whole number from 2 to 1000"),
    ("plan", "pilot", "2.5", "a whole number from 2 to 1000"),
    ("plan", "pilot", "true", "a whole number from 2 to 1000"),
    ("plan", "budget", '"40"', "a number greater than 0"),
    ("plan", "budget", "0", "a number greater than 0"),
    ("plan", "budget", "nan", "a number greater than 0"),
    ("plan", "budget", "inf", "a number greater than 0"),
    ("plan", "budget", "1979-05-27", "a number greater than 0"),
    ("plan", "budget", "1" * 400, "a number greater than 0"),
    ("plan", "spending_limit", "-1", "a number greater than 0"),
    ("plan", "spending_limit", "inf", "a number greater than 0"),
    ("plan", "method", '"best"', '"auto", "full", "scoring" or "exchange"'),
    ("plan", "most", "0", "a whole number of 1 or more"),
    ("plan", "judge_unlabelled", "1", "true or false"),
    ("plan", "judge_unlabelled", '"yes"', "true or false"),
    ("plan", "cant_tell_limit", "0", "a whole number from 1 to 1000"),
    ("plan", "seed", "-1", "a whole number from 0 to"),
    ("work", "batch_size", "0", "a whole number from 1 to 200"),
    ("work", "batch_size", "201", "a whole number from 1 to 200"),
    ("work", "lease_minutes", "0", "greater than 0"),
    ("work", "lease_minutes", "-inf", "greater than 0"),
    ("work", "lease_minutes", "1e9", "at most 10080"),
    ("work", "most_judgments", "0", "a whole number of 1 or more"),
    ("work", "most_batches", "1.0", "a whole number of 1 or more"),
    ("work", "pay_per_unit", "-0.01", "a number of 0 or more"),
    ("work", "pay_per_unit", "nan", "a number of 0 or more"),
    ("work", "currency", '""', "a text of at most 12 characters"),
    ("work", "currency", '"thirteen dogs"', "a text of at most 12 characters"),
    ("entry", "open", '"true"', "true or false"),
    ("entry", "mturk", "0", "true or false"),
    ("entry", "link_days", "0", "greater than 0"),
    ("entry", "completion_code", '"two\\nlines"', "a text on one line"),
    ("entry", "completion_address", '"app.prolific.com/x"', "begins with http:// or https://"),
    ("entry", "completion_address", '"javascript:alert(1)"', "begins with http:// or https://"),
    ("entry", "completion_address", '"https://"', "begins with http:// or https://"),
    ("entry", "completion_address", '"https://a b"', "begins with http:// or https://"),
    ("server", "host", '""', "the name or number of this machine"),
    ("server", "host", '"http://x"', "the name or number of this machine"),
    ("server", "port", "0", "a whole number from 1 to 65535"),
    ("server", "port", "65536", "a whole number from 1 to 65535"),
    ("server", "port", '"8000"', "a whole number from 1 to 65535"),
    ("server", "address", '"ftp://x"', "begins with http:// or https://"),
    ("server", "address", '"https://x/?a=b"', "without ? and #"),
    ("server", "address", '"https://x:99999"', "begins with http:// or https://"),
    ("objects", "file", "3", "the name of a file"),
    ("objects", "id", '""', "the name of a column"),
]


@pytest.mark.parametrize(("section", "key", "value", "allowed"), WRONG)
def test_wrong_values_name_line_key_value_and_what_is_allowed(tmp_path, section, key, value, allowed):
    [(line, sentence)] = problems(tmp_path, f"{TOP}\n[{section}]\n# a note\n{key} = {value}\n{ATTRIBUTE}")
    assert line == 5
    assert sentence.startswith(f"{section}.{key} must be ")
    assert allowed in sentence
    written = {
        "nan": "NaN",
        "inf": "Infinity",
        "-inf": "-Infinity",
        "1979-05-27": '"1979-05-27"',
        "1e9": "1000000000.0",
    }
    assert sentence.endswith(f", not {written.get(value, value)}.") or "…." in sentence


def test_every_key_of_a_section_is_refused_somewhere():
    tested = {(section, key) for section, key, _, _ in WRONG}
    for section in SECTIONS:
        known = {(section, key) for key in Study.model_fields[section].annotation.model_fields}
        assert known - tested <= {("objects", key) for key in ("label", "image", "text")} | {("entry", "prolific")}


TOP_LEVEL = [
    ("title = 3", "title must be a text on one line, of at most 200 characters, not 3."),
    ('title = "two\\nlines"', "title must be a text on one line"),
    ('title = "   "', "title must be a text on one line"),
    ('title = "bell\\u0007"', 'title = "bell\\u0007" holds a control character'),
    (f'title = "{"x" * 201}"', "title must be a text on one line"),
    ("welcome = ['a']", 'welcome must be a text, not ["a"].'),
    ('welcome = "nothing\\u0000"', "holds a control character, which no page can show"),
    ("consent = false", "consent must be a text, not false."),
    ('contact = ""', "contact must be a text on one line"),
    ("plan = 3", "plan must be a table, headed [plan], not 3."),
    ("server = []", "server must be a table, headed [server], not []."),
]


@pytest.mark.parametrize(("text", "words"), TOP_LEVEL)
def test_wrong_values_at_the_top(tmp_path, text, words):
    text = text if text.startswith("title") else f"{TOP}{text}"
    [(line, sentence)] = problems(tmp_path, f"{text}\n{ATTRIBUTE}")
    assert line == text.count("\n") + 1
    assert words in sentence


ATTRIBUTES = [
    ('kind = "scale"', None, "range of attribute 'a' is missing: a scale needs its first and its last step"),
    ('kind = "scale"\nrange = [7, 1]', 2, "range of attribute 'a' = [7, 1] is the wrong way round"),
    ('kind = "scale"\nrange = [1, 1]', 2, "wrong way round or has no width"),
    ('kind = "number"\nrange = [7, 1]', 2, "wrong way round"),
    ('kind = "scale"\nrange = [1.5, 7]', 2, "is not for a scale, whose steps are whole numbers"),
    ('kind = "scale"\nrange = [0, 11]', 2, "has 12 steps, and a scale at most 11"),
    (
        'kind = "scale"\nrange = [1]',
        2,
        "must be two numbers, the smallest and the largest answer, such as [1, 7], not [1].",
    ),
    (
        'kind = "scale"\nrange = "1-7"',
        2,
        'must be two numbers, the smallest and the largest answer, such as [1, 7], not "1-7".',
    ),
    ('kind = "scale"\nrange = ["1", 7]', 2, "must be two numbers"),
    ('kind = "number"\nrange = [0, inf]', 2, "must be two numbers"),
    ('kind = "number"\nrange = [nan, 1]', 2, "must be two numbers"),
    ('kind = "binary"\nrange = [0, 1]', 2, "range of attribute 'a' = [0, 1] is not for kind = \"binary\""),
    (
        'kind = "binary"\nunit = "cm"',
        2,
        'unit of attribute \'a\' = "cm" is not for kind = "binary", but for number; remove',
    ),
    ('kind = "binary"\nwhole = false', 2, "whole of attribute 'a' = false is not for kind = \"binary\""),
    ('kind = "binary"\nlabels = ["no", "yes"]', 2, 'is not for kind = "binary", but for scale'),
    ('kind = "number"\nlabels = ["no", "yes"]', 2, 'is not for kind = "number", but for scale'),
    ('kind = "scale"\nrange = [1, 7]\nunit = "cm"', 3, 'is not for kind = "scale"'),
    ('kind = "scale"\nrange = [1, 7]\nwhole = true', 3, 'is not for kind = "scale"'),
    ('kind = "scale"\nrange = [1, 7]\nlabels = ["a", "b", "c"]', 3, "are 3; name both ends (2) or every step (7)."),
    ('kind = "scale"\nrange = [1, 7]\nlabels = []', 3, "are 0; name both ends (2) or every step (7)."),
    ('kind = "scale"\nrange = [1, 2]\nlabels = ["a"]', 3, "are 1; name both ends (2)."),
    ('kind = "scale"\nrange = [1, 7]\nlabels = ["a", 7]', 3, "labels of attribute 'a' must be texts on one line"),
    (
        'kind = "scale"\nrange = [1, 7]\nlabels = "ab"',
        3,
        'must be texts on one line, such as ["not at all", "very"], not "ab"',
    ),
    (
        'kind = "number"\nwhole = true\nrange = [0.5, 3]',
        2,
        "whole of attribute 'a' = true does not go with a range whose ends",
    ),
    ('kind = "yesno"', 1, 'kind of attribute \'a\' must be "binary", "number" or "scale", not "yesno".'),
    ('kind = "binary"\ncost = 0', 2, "cost of attribute 'a' must be a number greater than 0, not 0."),
    ('kind = "binary"\ncost = -1', 2, "cost of attribute 'a' must be a number greater than 0, not -1."),
    ('kind = "binary"\ncost = inf', 2, "cost of attribute 'a' must be a number greater than 0, not Infinity."),
    ('kind = "binary"\ncost = "1"', 2, "cost of attribute 'a' must be a number greater than 0, not \"1\"."),
    ('kind = "binary"\ncant_tell = "no"', 2, "cant_tell of attribute 'a' must be true or false"),
    ('kind = "binary"\nhelp = 3', 2, "help of attribute 'a' must be a text, not 3."),
    ('kind = "binary"\nexample = 3', 2, "example of attribute 'a' must be a text, not 3."),
    ("help = 'x'", None, 'kind of attribute \'a\' is missing: it must be "binary", "number" or "scale".'),
]


@pytest.mark.parametrize(("text", "line", "words"), ATTRIBUTES)
def test_contradictions_of_an_attribute(tmp_path, text, line, words):
    """Named by the line of the key; where a key is missing, by that of the attribute's heading."""
    before = f'{TOP}{ATTRIBUTE}\n[[attributes]]\nquestion = "What?"\nname = "a"\n'
    [(found, sentence)] = problems(tmp_path, before + text)
    assert found == (before.count("\n") + line if line else before.count("\n") - 2)
    assert words in sentence


def test_a_name_and_a_question_are_needed(tmp_path):
    found = problems(tmp_path, TOP + "[[attributes]]\nkind = 'binary'\n")
    assert [line for line, _ in found] == [2, 2]
    assert found[0][1].startswith("name of attribute 1 is missing: it must be a name on one line")
    assert found[1][1].startswith("question of attribute 1 is missing")
    [(line, sentence)] = problems(tmp_path, TOP + ATTRIBUTE.replace("Is it round?", " "))
    assert (line, sentence[:40]) == (4, "question of attribute 'round' must be th")


def test_names_that_are_the_same(tmp_path):
    [(line, sentence)] = problems(tmp_path, TOP + ATTRIBUTE + ATTRIBUTE.replace("round", "Round", 1))
    assert line == 7
    assert "name of attribute 'Round' = \"Round\" is the name of attribute 1, too" in sentence
    found = problems(tmp_path, TOP + ATTRIBUTE * 3)
    assert [line for line, _ in found] == [7, 11]


def test_no_attributes(tmp_path):
    [(line, sentence)] = problems(tmp_path, TOP)
    assert (line, sentence) == (1, "attributes is missing: it must be at least one table, each headed [[attributes]].")
    [(line, sentence)] = problems(tmp_path, TOP + "attributes = []")
    assert line == 2
    assert sentence == "attributes must be at least one table, each headed [[attributes]], not []."
    [(line, sentence)] = problems(tmp_path, TOP + ATTRIBUTE.replace("[[attributes]]", "[attributes]"))
    assert line == 2
    assert sentence.startswith("attributes must be at least one table, each headed [[attributes]], not {")
    [(line, sentence)] = problems(tmp_path, TOP + "attributes = [3]")
    assert (line, sentence) == (2, "attribute 1 must be at least one table, each headed [[attributes]], not 3.")


def test_a_budget_that_pays_for_nothing(tmp_path):
    text = TOP + "[plan]\nbudget = 1.5\n" + ATTRIBUTE + "cost = 2\n"
    [(line, sentence)] = problems(tmp_path, text)
    assert line == 3
    assert sentence.startswith("plan.budget = 1.5 does not pay for a single judgment: the cheapest attribute costs 2.")
    assert read_study(write(tmp_path, text + ATTRIBUTE.replace("round", "b"))).plan.budget == 1.5
    [(line, _)] = problems(tmp_path, TOP + ATTRIBUTE + "cost = 21\n")  # more than the budget that nobody wrote
    assert line == 1


def test_most_is_not_less_than_the_pilot(tmp_path):
    [(line, sentence)] = problems(tmp_path, TOP + "[plan]\nmost = 2\npilot = 3\n" + ATTRIBUTE)
    assert line == 3
    assert sentence == "plan.most = 2 is less than the pilot, which asks for 3; raise it, or lower pilot."


def test_two_roles_of_one_column(tmp_path):
    [(line, sentence)] = problems(tmp_path, TOP + "[objects]\ntext = 'id'\n" + ATTRIBUTE)
    assert line == 3
    assert sentence == 'objects.text = "id" is the column of id, too; each needs one of its own.'


def test_the_spending_limit_pays_for_the_pilot(tmp_path):
    text = TOP + ATTRIBUTE + "cost = 1.5\n[plan]\npilot = 3\nspending_limit = 45\n"
    study = read_study(write(tmp_path, text))
    check_spending(study, 10)
    with pytest.raises(StudyError) as caught:
        check_spending(study, 11)
    assert str(caught.value).startswith(f"{tmp_path / 'study.toml'}, line 9: plan.spending_limit = 45 does not pay")
    assert "3 judgments of each of 1 attributes of 11 labelled objects cost 49.5" in str(caught.value)
    check_spending(read_study(write(tmp_path, TOP + ATTRIBUTE)), 10**9)


def test_unknown_keys_and_the_nearest_known_one(tmp_path):
    text = 'titel = "x"\n' + TOP + "[plan]\nbugdet = 3\n[[attributes]]\nlabel = 'x'\n" + ATTRIBUTE.split("\n", 1)[1]
    (one, top), (two, plan), (three, entry) = problems(tmp_path, text)
    assert (one, two, three) == (1, 4, 6)
    assert top.startswith('unknown key titel (= "x"); known here are title, welcome')
    assert top.endswith("Did you mean 'title'?")
    assert plan.startswith("unknown key plan.bugdet (= 3); known here are pilot")
    assert plan.endswith("Did you mean 'budget'?")
    assert entry.startswith("unknown key label of attribute 'round' (= \"x\"); it belongs under [objects].")
    assert entry.endswith("Did you mean 'labels'?")


def test_keys_under_the_wrong_heading(tmp_path):
    (_, pilot), (_, contact) = problems(tmp_path, TOP + "pilot = 3\n[server]\ncontact = 'me'\n" + ATTRIBUTE)
    assert pilot == "unknown key pilot (= 3); it belongs under [plan]."
    assert contact.startswith('unknown key server.contact (= "me"); it belongs at the top, above the first [heading].')
    [(line, sentence)] = problems(tmp_path, TOP + "[attribute]\nname = 'x'\n" + ATTRIBUTE)
    assert line == 2
    assert sentence.endswith("Did you mean 'attributes'?")


def test_everything_that_is_wrong_is_said_at_once(tmp_path):
    text = (
        "colour = 1\ndatabase = 'mysql://x/y'\n[plan]\npilot = '2'\nbudget = 0.5\n[work]\nbatch_size = 500\n"
        + ATTRIBUTE
        + "range = [1, 2]\nunit = 'cm'\n"
        + ATTRIBUTE
        + "cst = 1\n"
        + "[[attributes]]\nname = 'b'\nkind = 'scale'\n"
    )
    found = [line for line, _ in problems(tmp_path, text)]
    assert found == [1, 1, 2, 4, 5, 7, 12, 13, 15, 18, 19, 19]


def test_many_problems_are_cut_short(tmp_path):
    text = TOP + ATTRIBUTE + "".join(f"x{i} = 1\n" for i in range(60))
    with pytest.raises(StudyError, match="and 10 more like these") as caught:
        read_study(write(tmp_path, text))
    assert str(caught.value).count("\n") == 50


@pytest.mark.parametrize(
    ("database", "words"),
    [
        (
            "mysql://localhost/x",
            r"is no database that ManyJudges knows; write sqlite:///FILE or postgresql\+psycopg://",
        ),
        ("judgments.db", "is no database that ManyJudges knows"),
        ("postgresql://localhost/x", r"psycopg 3 speaks to it: replace postgresql:// by postgresql\+psycopg://"),
        ("postgres://localhost/x", r"replace postgres:// by postgresql\+psycopg://"),
        ("postgresql+psycopg2://localhost/x", r"replace postgresql\+psycopg2:// by postgresql\+psycopg://"),
        ("postgresql+psycopg://localhost", "does not say which database"),
        ("postgresql+psycopg://localhost:port/x", "its host or port is wrong"),
        ("sqlite://judgments.db", "three slashes come before the file"),
        ("sqlite+aiosqlite:///judgments.db", "no driver is named"),
        ("sqlite://", "three slashes"),
        ("sqlite:///", "keeps nothing when the server stops"),
        ("sqlite:///:memory:", "keeps nothing when the server stops"),
        ("sqlite:///a.db?mode=ro", "has options"),
        ("sqlite:///folder/", "is a folder"),
        ("sqlite:///${NO_SUCH_NAME}.db", "needs the environment variable NO_SUCH_NAME, which is not set or empty"),
        ("sqlite:///${NO-SUCH}.db", r"has a \$\{ that is no variable"),
    ],
)
def test_databases_that_cannot_be_used(tmp_path, database, words):
    [(line, sentence)] = problems(tmp_path, f"{TOP}database = '{database}'\n{ATTRIBUTE}")
    assert line == 2
    assert re.search(words, sentence)
    assert database in sentence


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
    with pytest.raises(StudyError, match=r"study\.toml, line 2: database = .*needs the environment variable PASSWORD"):
        _ = study.database_address


def test_a_folder_that_no_address_can_name(tmp_path):
    folder = tmp_path / "which?"
    folder.mkdir()
    with pytest.raises(StudyError, match=r"line 1: .*question mark in its name"):
        _ = read_study(write(folder, TOP + ATTRIBUTE)).database_address


def test_passwords_are_not_shown(tmp_path):
    address = f"postgresql://ann:se@cret@{'h' * 90}/x"
    for key in ("database", "databse"):
        for _, sentence in problems(tmp_path, f"{TOP}{key} = '{address}'\n{ATTRIBUTE}"):
            assert "cret" not in sentence
            assert "ann:…" in sentence
    assert without_password("x:///y?password=secret&a=b") == "x:///y?password=…&a=b"
    assert without_password("postgresql://localhost:5432/x") == "postgresql://localhost:5432/x"
    study = read_study(write(tmp_path, f"{TOP}database = 'postgresql+psycopg://ann:secret@h/x'\n{ATTRIBUTE}"))
    assert "secret" not in repr(study)


def test_web_addresses():
    assert is_web_address("http://[::1]:8000/x")
    for address in ("http:///x", "http://a:b/", "https://a\nb", "//a/b", "", "data:image/png;base64,x", "http://[x"):
        assert not is_web_address(address)


def test_nobody_needs_to_get_in_but_by_personal_links(tmp_path):
    text = TOP + "[entry]\nopen = false\nprolific = false\nmturk = false\n" + ATTRIBUTE
    assert not read_study(write(tmp_path, text)).entry.open


def test_long_files_are_quick(tmp_path):
    entry = '[[attributes]]\nname = "a{0}"\nquestion = """\nWhat\nis\n{0}?\n"""\nkind = "scale"\nrange = [1,\n7]\n'
    text = TOP + "".join(entry.format(i) for i in range(100)) + "x = 1\n"
    began = time.perf_counter()
    found = problems(tmp_path, text)
    assert time.perf_counter() - began < 1
    assert [line for line, _ in found] == [text.count("\n")] == [1002]


# ---- around ----


def test_the_package_does_not_need_pydantic():
    code = "import sys; sys.modules['pydantic'] = None; import manyjudges, manyjudges.collection, manyjudges.cli"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_every_key_is_documented():
    page = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## `\[*(\w+)\]*`.*?\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL))
    parts["top"] = page.split("## At the top")[1].split("\n## ")[0]
    for key in Study.model_fields:
        assert f"| `{key}` |" in parts["top"] or key in parts, key
    for section in (*SECTIONS, "attributes"):
        annotation = Study.model_fields[section].annotation
        model = annotation if section != "attributes" else Attribute
        for key, field in model.model_fields.items():
            row = re.search(rf"^\| `{key}` \|.*$", parts[section], flags=re.MULTILINE)
            assert row, f"{section}.{key} is not in docs/study-file.md"
            if isinstance(field.default, bool | int | float | str) and key != "cant_tell" and not field.is_required():
                default = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
                assert f"`{default}`" in row[0] or f'`"{default}"`' in row[0], row[0]


def test_the_documented_example_is_a_study(tmp_path):
    page = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", page, flags=re.DOTALL)[1]
    assert len(read_study(write(tmp_path, example)).attributes) == 3
