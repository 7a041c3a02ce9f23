"""What is wrong with a study's file, said with its line, its key, its value and what is allowed."""

from __future__ import annotations

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.study.config import PlanSection, Study, check_spending, read_study
from manyjudges.study.config_errors import RENAMED_KEYS
from manyjudges.study.models import LlmSection, Model
from tests.support.messages import refused
from tests.support.study_files import ATTRIBUTE, SECTIONS, TOP, problems, write

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
    ("checks", "mute", '"MJ1"', "a list of codes of checks"),
    ("plan", "max_repeats", "0", "a whole number of 1 or more"),
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
    ("llm", "address", '"ftp://x"', "an address that begins with http"),
    ("llm", "api_key_env", '"no name"', "the name of an environment variable"),
    ("llm", "system", "3", "a text"),
    ("llm", "prompt", '" "', "a text that is not empty"),
    ("llm", "structured", '"xml"', '"schema", "json" or "text"'),
    ("llm", "concurrency", "0", "a whole number from 1 to 1000"),
    ("llm", "timeout", "0", "a number of seconds, at most 3600"),
    ("llm", "max_calls_per_judgment", "21", "a whole number from 1 to 20"),
    ("llm", "max_retries", "1.5", "a whole number from 0 to 100"),
    ("llm", "spending_limit", "-1", "a number greater than 0"),
    ("llm", "people", '"yes"', "true or false"),
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
    [(line, sentence)] = problems(tmp_path, TOP + "[plan]\nmax_repeats = 2\npilot = 3\n" + ATTRIBUTE)
    assert line == 3
    assert sentence == "plan.max_repeats = 2 is less than the pilot, which asks for 3; raise it, or lower pilot."


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
    [(_, persona)] = problems(tmp_path, TOP + "[llm]\npersona = 'x'\n" + ATTRIBUTE)
    assert persona == 'unknown key llm.persona (= "x"); it belongs under [[models]].'
    [(_, question)] = problems(tmp_path, TOP + "[llm]\nquestion = 'x'\n" + ATTRIBUTE)
    assert question == 'unknown key llm.question (= "x"); it belongs under [[attributes]].'
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
    with refused(StudyError, value=1, row=6, column="attributes.x0", file=str(tmp_path / "study.toml")) as caught:
        read_study(write(tmp_path, text))
    assert str(caught.value).count("\n") == 50


RENAMED = [
    ("plan.most", "2", "max_repeats"),
    ("llm.attempts", "3", "max_calls_per_judgment"),
    ("llm.tries", "6", "max_retries"),
    ("llm.key", '"OTHER_KEY"', "api_key_env"),
    ("models.key", '"OTHER_KEY"', "api_key_env"),
]
TABLES = {"plan": PlanSection, "llm": LlmSection, "models": Model}


def test_every_renamed_key_is_tried_here():
    assert {(old, new) for old, _, new in RENAMED} == set(RENAMED_KEYS.items())


@pytest.mark.parametrize(("old", "value", "new"), RENAMED)
def test_an_old_key_is_told_its_new_name_with_its_line(tmp_path, old, value, new):
    table, key = old.split(".")
    if key in TABLES[table].model_fields:  # not renamed yet: then the file reads it, and nothing is said
        assert new not in TABLES[table].model_fields
        return
    heading = '[[models]]\nname = "atlas"' if table == "models" else f"[{table}]\n"
    found = problems(tmp_path, f"{TOP}{heading}\n{key} = {value}\n{ATTRIBUTE}")
    assert found == [(4, f"{old} has a new name: {new}. Write {new} = {value} instead.")]
    read_study(write(tmp_path, f"{TOP}{heading}\n{new} = {value}\n{ATTRIBUTE}"))
