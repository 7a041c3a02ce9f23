"""What is wrong with a study's file, said with its line, its key, its value and what is allowed."""

from __future__ import annotations

import tomllib

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.study.config import PlanSection, Study, check_spending, read_study
from manyjudges.study.config_errors import RENAMED_KEYS
from manyjudges.study.models import LlmSection, Model
from tests.support.messages import refused
from tests.support.study_files import ATTRIBUTE, SECTIONS, TOP, is_value, problems, write

WRONG = [
    ("plan", "pilot", '"2"'),
    ("plan", "pilot", "1"),
    ("plan", "pilot", "2.5"),
    ("plan", "pilot", "true"),
    ("plan", "budget", '"40"'),
    ("plan", "budget", "0"),
    ("plan", "budget", "nan"),
    ("plan", "budget", "inf"),
    ("plan", "budget", "1979-05-27"),
    ("plan", "budget", "1" * 400),
    ("plan", "spending_limit", "-1"),
    ("plan", "spending_limit", "inf"),
    ("plan", "method", '"best"'),
    ("checks", "mute", '"MJ1"'),
    ("plan", "max_repeats", "0"),
    ("plan", "judge_unlabelled", "1"),
    ("plan", "judge_unlabelled", '"yes"'),
    ("plan", "cant_tell_limit", "0"),
    ("plan", "seed", "-1"),
    ("work", "batch_size", "0"),
    ("work", "batch_size", "201"),
    ("work", "lease_minutes", "0"),
    ("work", "lease_minutes", "-inf"),
    ("work", "lease_minutes", "1e9"),
    ("work", "most_judgments", "0"),
    ("work", "most_batches", "1.0"),
    ("work", "pay_per_unit", "-0.01"),
    ("work", "pay_per_unit", "nan"),
    ("work", "currency", '""'),
    ("work", "currency", '"thirteen dogs"'),
    ("entry", "open", '"true"'),
    ("entry", "mturk", "0"),
    ("entry", "link_days", "0"),
    ("entry", "completion_code", '"two\\nlines"'),
    ("entry", "completion_address", '"app.prolific.com/x"'),
    ("entry", "completion_address", '"javascript:alert(1)"'),
    ("entry", "completion_address", '"https://"'),
    ("entry", "completion_address", '"https://a b"'),
    ("server", "host", '""'),
    ("server", "host", '"http://x"'),
    ("server", "port", "0"),
    ("server", "port", "65536"),
    ("server", "port", '"8000"'),
    ("server", "address", '"ftp://x"'),
    ("server", "address", '"https://x/?a=b"'),
    ("server", "address", '"https://x:99999"'),
    ("objects", "file", "3"),
    ("objects", "id", '""'),
    ("llm", "address", '"ftp://x"'),
    ("llm", "api_key_env", '"no name"'),
    ("llm", "system", "3"),
    ("llm", "prompt", '" "'),
    ("llm", "structured", '"xml"'),
    ("llm", "concurrency", "0"),
    ("llm", "timeout", "0"),
    ("llm", "max_calls_per_judgment", "21"),
    ("llm", "max_retries", "1.5"),
    ("llm", "spending_limit", "-1"),
    ("llm", "people", '"yes"'),
]


@pytest.mark.parametrize(("section", "key", "value"), WRONG)
def test_wrong_values_have_their_line_and_key(tmp_path, section, key, value):
    [problem] = problems(tmp_path, f"{TOP}\n[{section}]\n# a note\n{key} = {value}\n{ATTRIBUTE}")
    assert (problem.line, problem.key) == (5, f"{section}.{key}")
    assert is_value(problem.value, value)


def test_every_key_of_a_section_is_refused_somewhere():
    tested = {(section, key) for section, key, _ in WRONG}
    for section in SECTIONS:
        known = {(section, key) for key in Study.model_fields[section].annotation.model_fields}
        assert known - tested <= {("objects", key) for key in ("label", "image", "text")} | {("entry", "prolific")}


TOP_LEVEL = [
    ("title", "3"),
    ("title", '"two\\nlines"'),
    ("title", '"   "'),
    ("title", '"bell\\u0007"'),
    ("title", f'"{"x" * 201}"'),
    ("welcome", "['a']"),
    ("welcome", '"nothing\\u0000"'),
    ("consent", "false"),
    ("contact", '""'),
    ("plan", "3"),
    ("server", "[]"),
]


@pytest.mark.parametrize(("key", "value"), TOP_LEVEL, ids=range(len(TOP_LEVEL)))
def test_wrong_values_at_the_top(tmp_path, key, value):
    text = "" if key == "title" else TOP
    [problem] = problems(tmp_path, f"{text}{key} = {value}\n{ATTRIBUTE}")
    assert (problem.line, problem.key) == (text.count("\n") + 1, key)
    assert is_value(problem.value, value)


ATTRIBUTES = [
    ('kind = "scale"', None, "range"),
    ('kind = "scale"\nrange = [7, 1]', 2, "range"),
    ('kind = "scale"\nrange = [1, 1]', 2, "range"),
    ('kind = "number"\nrange = [7, 1]', 2, "range"),
    ('kind = "scale"\nrange = [1.5, 7]', 2, "range"),
    ('kind = "scale"\nrange = [0, 11]', 2, "range"),
    ('kind = "scale"\nrange = [1]', 2, "range"),
    ('kind = "scale"\nrange = "1-7"', 2, "range"),
    ('kind = "binary"\nrange = [0, 1]', 2, "range"),
    ('kind = "binary"\nunit = "cm"', 2, "unit"),
    ('kind = "binary"\nwhole = false', 2, "whole"),
    ('kind = "binary"\nlabels = ["no", "yes"]', 2, "labels"),
    ('kind = "number"\nlabels = ["no", "yes"]', 2, "labels"),
    ('kind = "scale"\nrange = [1, 7]\nunit = "cm"', 3, "unit"),
    ('kind = "scale"\nrange = [1, 7]\nwhole = true', 3, "whole"),
    ('kind = "scale"\nrange = [1, 7]\nlabels = ["a", "b", "c"]', 3, "labels"),
    ('kind = "scale"\nrange = [1, 7]\nlabels = []', 3, "labels"),
    ('kind = "scale"\nrange = [1, 2]\nlabels = ["a"]', 3, "labels"),
    ('kind = "scale"\nrange = [1, 7]\nlabels = "ab"', 3, "labels"),
    ('kind = "number"\nwhole = true\nrange = [0.5, 3]', 2, "whole"),
    ('kind = "yesno"', 1, "kind"),
    ('kind = "binary"\ncost = 0', 2, "cost"),
    ('kind = "binary"\ncost = -1', 2, "cost"),
    ('kind = "binary"\ncost = inf', 2, "cost"),
    ('kind = "binary"\ncost = "1"', 2, "cost"),
    ('kind = "binary"\ncant_tell = "no"', 2, "cant_tell"),
    ('kind = "binary"\nhelp = 3', 2, "help"),
    ('kind = "binary"\nexample = 3', 2, "example"),
    ("help = 'x'", None, "kind"),
]


@pytest.mark.parametrize(("text", "line", "key"), ATTRIBUTES)
def test_contradictions_of_an_attribute(tmp_path, text, line, key):
    """Named by the line of the key; where a key is missing, by that of the attribute's heading."""
    before = f'{TOP}{ATTRIBUTE}\n[[attributes]]\nquestion = "What?"\nname = "a"\n'
    [problem] = problems(tmp_path, before + text)
    assert problem.line == (before.count("\n") + line if line else before.count("\n") - 2)
    assert problem.key == f"attributes.{key}"
    assert repr(problem.value) == repr(tomllib.loads(text).get(key))


ELEMENTS = [
    ('kind = "scale"\nrange = ["1", 7]', "range", "'1'"),
    ('kind = "number"\nrange = [0, inf]', "range", "inf"),
    ('kind = "number"\nrange = [nan, 1]', "range", "nan"),
    ('kind = "scale"\nrange = [1, 7]\nlabels = ["a", 7]', "labels", "7"),
]


@pytest.mark.parametrize(("text", "key", "element"), ELEMENTS)
def test_the_element_of_a_list_that_is_wrong(tmp_path, text, key, element):
    before = f"{TOP}{ATTRIBUTE.partition('kind')[0]}"
    [problem] = problems(tmp_path, before + text)
    assert (problem.line, problem.key) == ((before + text).count("\n") + 1, f"attributes.{key}")
    assert is_value(problem.value, element)


def at(problem):
    """Where a problem is, and the value that cannot be used."""
    return problem.line, problem.key, problem.value


def test_a_name_and_a_question_are_needed(tmp_path):
    name, question = problems(tmp_path, TOP + "[[attributes]]\nkind = 'binary'\n")
    assert at(name) == (2, "attributes.name", None)
    assert at(question) == (2, "attributes.question", None)
    [problem] = problems(tmp_path, TOP + ATTRIBUTE.replace("Is it round?", " "))
    assert at(problem) == (4, "attributes.question", " ")


def test_names_that_are_the_same(tmp_path):
    [problem] = problems(tmp_path, TOP + ATTRIBUTE + ATTRIBUTE.replace("round", "Round", 1))
    assert at(problem) == (7, "attributes.name", "Round")
    found = problems(tmp_path, TOP + ATTRIBUTE * 3)
    assert [problem.line for problem in found] == [7, 11]


def test_no_attributes(tmp_path):
    [problem] = problems(tmp_path, TOP)
    assert at(problem) == (1, "attributes", None)
    [problem] = problems(tmp_path, TOP + "attributes = []")
    assert at(problem) == (2, "attributes", [])
    [problem] = problems(tmp_path, TOP + ATTRIBUTE.replace("[[attributes]]", "[attributes]"))
    table = {"name": "round", "question": "Is it round?", "kind": "binary"}
    assert at(problem) == (2, "attributes", table)
    [problem] = problems(tmp_path, TOP + "attributes = [3]")
    assert at(problem) == (2, "attributes", 3)


def test_a_budget_that_pays_for_nothing(tmp_path):
    text = TOP + "[plan]\nbudget = 1.5\n" + ATTRIBUTE + "cost = 2\n"
    [problem] = problems(tmp_path, text)
    assert at(problem) == (3, "plan.budget", 1.5)
    assert read_study(write(tmp_path, text + ATTRIBUTE.replace("round", "b"))).plan.budget == 1.5
    [problem] = problems(tmp_path, TOP + ATTRIBUTE + "cost = 21\n")  # more than the budget that nobody wrote
    assert at(problem) == (1, "plan.budget", 20.0)


def test_most_is_not_less_than_the_pilot(tmp_path):
    [problem] = problems(tmp_path, TOP + "[plan]\nmax_repeats = 2\npilot = 3\n" + ATTRIBUTE)
    assert at(problem) == (3, "plan.max_repeats", 2)


def test_two_roles_of_one_column(tmp_path):
    [problem] = problems(tmp_path, TOP + "[objects]\ntext = 'id'\n" + ATTRIBUTE)
    assert at(problem) == (3, "objects.text", "id")


def test_the_spending_limit_pays_for_the_pilot(tmp_path):
    text = TOP + ATTRIBUTE + "cost = 1.5\n[plan]\npilot = 3\nspending_limit = 45\n"
    study = read_study(write(tmp_path, text))
    check_spending(study, 10)
    with refused(StudyError, value=45, row=9, column="plan.spending_limit", file=str(tmp_path / "study.toml")):
        check_spending(study, 11)
    check_spending(read_study(write(tmp_path, TOP + ATTRIBUTE)), 10**9)


def test_unknown_keys_and_the_nearest_known_one(tmp_path):
    text = 'titel = "x"\n' + TOP + "[plan]\nbugdet = 3\n[[attributes]]\nlabel = 'x'\n" + ATTRIBUTE.split("\n", 1)[1]
    assert [at(problem) for problem in problems(tmp_path, text)] == [
        (1, "titel", "x"),
        (4, "plan.bugdet", 3),
        (6, "attributes.label", "x"),
    ]


def test_keys_under_the_wrong_heading(tmp_path):
    pilot, contact = problems(tmp_path, TOP + "pilot = 3\n[server]\ncontact = 'me'\n" + ATTRIBUTE)
    assert (at(pilot), at(contact)) == ((2, "pilot", 3), (4, "server.contact", "me"))
    for key in ("persona", "question"):
        [problem] = problems(tmp_path, f"{TOP}[llm]\n{key} = 'x'\n{ATTRIBUTE}")
        assert at(problem) == (3, f"llm.{key}", "x")
    [problem] = problems(tmp_path, TOP + "[attribute]\nname = 'x'\n" + ATTRIBUTE)
    assert at(problem) == (2, "attribute", {"name": "x"})


def test_everything_that_is_wrong_is_said_at_once(tmp_path):
    text = (
        "colour = 1\ndatabase = 'mysql://x/y'\n[plan]\npilot = '2'\nbudget = 0.5\n[work]\nbatch_size = 500\n"
        + ATTRIBUTE
        + "range = [1, 2]\nunit = 'cm'\n"
        + ATTRIBUTE
        + "cst = 1\n"
        + "[[attributes]]\nname = 'b'\nkind = 'scale'\n"
    )
    found = [problem.line for problem in problems(tmp_path, text)]
    assert found == [1, 1, 2, 4, 5, 7, 12, 13, 15, 18, 19, 19]


def test_many_problems_are_cut_short(tmp_path):
    text = TOP + ATTRIBUTE + "".join(f"x{i} = 1\n" for i in range(60))
    with refused(StudyError, value=1, row=6, column="attributes.x0", file=str(tmp_path / "study.toml")) as caught:
        read_study(write(tmp_path, text))
    assert str(caught.value).count("\n") == 50
    assert [problem.line for problem in caught.value.problems] == [*range(6, 66)]


RENAMED = [
    ("plan.most", "2", "max_repeats", "2"),
    ("llm.attempts", "3", "max_calls_per_judgment", "3"),
    ("llm.tries", "1", "max_retries", "0"),  # which does not count the first call
    ("llm.tries", "6", "max_retries", "5"),
    ("llm.key", '"OTHER_KEY"', "api_key_env", '"OTHER_KEY"'),
    ("models.key", '"OTHER_KEY"', "api_key_env", '"OTHER_KEY"'),
]
"""Old keys and values, and new ones that mean the same."""

TABLES = {"plan": PlanSection, "llm": LlmSection, "models": Model}


def test_every_renamed_key_is_tried_here():
    assert {(old, new) for old, _, new, _ in RENAMED} == set(RENAMED_KEYS.items())


@pytest.mark.parametrize(("old", "value", "new", "same"), RENAMED)
def test_an_old_key_is_told_its_new_name_with_its_line(tmp_path, old, value, new, same):
    table, key = old.split(".")
    if key in TABLES[table].model_fields:  # not renamed yet: then the file reads it, and nothing is said
        assert new not in TABLES[table].model_fields
        return
    heading = '[[models]]\nname = "atlas"' if table == "models" else f"[{table}]\n"
    found = problems(tmp_path, f"{TOP}{heading}\n{key} = {value}\n{ATTRIBUTE}")
    assert [(problem.line, problem.key) for problem in found] == [(4, old)]
    assert f"{new} = {same} " in found[0].message
    read_study(write(tmp_path, f"{TOP}{heading}\n{new} = {same}\n{ATTRIBUTE}"))


UNUSABLE = [
    ("llm.tries", "0"),
    ("llm.tries", "true"),
    ("llm.tries", '"six"'),
    ("llm.tries", "1.5"),
    ("llm.tries", "102"),
    ("llm.attempts", "[3]"),
    ("plan.most", "0"),
    ("plan.most", "1"),  # less than the pilot
    ("llm.key", '"no name"'),
]
"""Old keys with values that the new one does not take."""


@pytest.mark.parametrize(("old", "value"), UNUSABLE)
def test_an_old_key_with_an_unusable_value_is_told_its_new_name_alone(tmp_path, old, value):
    table, key = old.split(".")
    [problem] = problems(tmp_path, f"{TOP}[{table}]\n\n{key} = {value}\n{ATTRIBUTE}")
    assert (problem.line, problem.key) == (4, old)
    assert RENAMED_KEYS[old] in problem.message
    assert "Write" not in problem.message


def test_an_old_key_is_to_be_deleted_where_the_new_one_is_there(tmp_path):
    [problem] = problems(tmp_path, f"{TOP}[llm]\ntries = 3\nmax_retries = 5\n{ATTRIBUTE}")
    assert at(problem) == (3, "llm.tries", 3)
    assert "max_retries" in problem.message
    assert "delete tries" in problem.message
    models = '[[models]]\nname = "a"\n[[models]]\nname = "b"\nkey = "A"\napi_key_env = "A"\n'
    [problem] = problems(tmp_path, TOP + models + ATTRIBUTE)
    assert at(problem) == (6, "models.key", "A")
    assert "delete key" in problem.message


STRAY = [
    ("most = 3", 2, "most", ["max_repeats", "under [plan]"]),
    ("[work]\nmost = 4", 3, "work.most", ["max_repeats", "under [plan]"]),
    ("[plan]\ntries = 4", 3, "plan.tries", ["max_retries", "under [llm]"]),
    ("[server]\nkey = 'A'", 3, "server.key", ["api_key_env", "under [llm] or under [[models]]"]),
]


@pytest.mark.parametrize(("text", "line", "key", "words"), STRAY)
def test_an_old_key_in_a_wrong_table_is_told_its_new_name_and_table(tmp_path, text, line, key, words):
    [problem] = problems(tmp_path, f"{TOP}{text}\n{ATTRIBUTE}")
    assert (problem.line, problem.key) == (line, key)
    assert all(word in problem.message for word in words)
    assert "Did you mean" not in problem.message


TABLES_IN_TABLES = [
    ("[[llm.models]]\nname = 'atlas'", "llm.models", "[[models]]"),
    ("[plan]\nattributes = ['round']", "plan.attributes", "[[attributes]]"),
    ("[plan.work]\nbatch_size = 3", "plan.work", "[work]"),
]


@pytest.mark.parametrize(("text", "key", "heading"), TABLES_IN_TABLES)
def test_a_table_within_a_table_is_told_its_heading(tmp_path, text, key, heading):
    [problem] = problems(tmp_path, f"{TOP}{text}\n{ATTRIBUTE}")
    assert problem.key == key
    assert f"under its own heading {heading}" in problem.message
    assert "at the top" not in problem.message
