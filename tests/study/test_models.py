"""Models in the study's file: who they are, what they are asked, what they cost."""

from __future__ import annotations

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.study.config import check_spending, read_study
from manyjudges.study.models import PROMPT, fill_in
from tests.support.messages import refused
from tests.support.study_files import TOP, problems, write

TWO = (
    TOP
    + """
[[attributes]]
name = "tone"
question = "How friendly?"
kind = "scale"
range = [1, 5]

[[attributes]]
name = "clear"
question = "Clear?"
kind = "binary"
cost = 3.0
"""
)
MODELS = """
[[models]]
name = "big"
model = "some-model"
price_in = 2.0
price_out = 8.0

[[models]]
name = "small"
cost = 0.5
attributes = ["tone"]
"""


def test_without_models_a_study_counts_by_its_attributes(tmp_path):
    study = read_study(write(tmp_path, TWO))
    assert [(column.name, column.attribute, column.judge) for column in study.columns] == [
        ("tone", "tone", None),
        ("clear", "clear", None),
    ]
    assert study.model("anything").called == "anything"


def test_with_models_it_counts_by_attribute_and_model(tmp_path):
    study = read_study(write(tmp_path, TWO + MODELS))
    assert study.costs == {"tone @ big": 1.0, "clear @ big": 3.0, "tone @ small": 0.5}
    assert [(column.attribute, column.judge) for column in study.columns] == [
        ("tone", "big"),
        ("clear", "big"),
        ("tone", "small"),
    ]
    assert study.model("big").called == "some-model"
    with refused(StudyError, value="bigg", column="models", file=str(tmp_path / "study.toml")):
        study.model("bigg")


def test_people_may_judge_beside_models(tmp_path):
    study = read_study(write(tmp_path, TWO + "[llm]\npeople = true\n" + MODELS))
    assert list(study.costs) == ["tone", "clear", "tone @ big", "clear @ big", "tone @ small"]


def test_prices_are_of_a_million_tokens(tmp_path):
    big = read_study(write(tmp_path, TWO + MODELS)).model("big")
    assert big.paid(1_000_000, 500_000) == pytest.approx(6.0)


def test_only_costs_that_are_known_are_held_against_the_limit(tmp_path):
    limited = "[plan]\nspending_limit = 10.0\n"
    check_spending(read_study(write(tmp_path, TWO + limited + MODELS)), 10)  # 2 × 10 × 0.5
    with refused(StudyError, value=10.0, row=15, column="plan.spending_limit", file=str(tmp_path / "study.toml")):
        check_spending(read_study(write(tmp_path, TWO + limited + MODELS)), 11)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (MODELS.replace('"small"', '"BIG"'), "models.name", "BIG"),
        (MODELS.replace('"small"', '"a @ b"'), "models.name", "a @ b"),
        (MODELS.replace('["tone"]', '["tune"]'), "models.attributes", ["tune"]),
        (MODELS + 'prompt = "{qestion}"\n', "models.prompt", "{qestion}"),
        (MODELS + "options = { model = 'x' }\n", "models.options", {"model": "x"}),
        (MODELS + "price_out = -1.0\n", "models.price_out", -1.0),
        (MODELS + "temperature = 9\n", "models.temperature", 9),
        (MODELS + 'api_key_env = "sk-123 456"\n', "models.api_key_env", "sk-123 456"),
        (MODELS + 'address = "ftp://x"\n', "models.address", "ftp://x"),
        ('[llm]\nprompt = "  "\n' + MODELS, "llm.prompt", "  "),
        ("[llm]\nconcurrency = 0\n" + MODELS, "llm.concurrency", 0),
        ('[llm]\nstructured = "xml"\n' + MODELS, "llm.structured", "xml"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, key, value):
    [problem] = problems(tmp_path, TWO + text)
    assert problem.line > len(TWO.splitlines())
    assert (problem.key, problem.value) == (key, value)


def test_an_attribute_may_not_look_like_a_column_where_there_are_models(tmp_path):
    odd = TWO.replace('"tone"', '"tone @ home"')
    assert "tone @ home" in read_study(write(tmp_path, odd)).costs
    [problem] = problems(tmp_path, odd + MODELS.replace('attributes = ["tone"]', ""))
    assert (problem.key, problem.value) == ("attributes.name", "tone @ home")
    assert odd.splitlines()[problem.line - 1] == 'name = "tone @ home"'


def test_prompts_are_filled_in_once():
    given = {"question": "Is {text} in it?", "text": "{question}"}
    assert fill_in("{question} {{braces}} { text }", given) == "Is {text} in it? {braces} {question}"
    assert "{text}" in PROMPT
