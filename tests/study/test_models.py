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
    ("text", "words"),
    [
        (MODELS.replace('"small"', '"BIG"'), 'name = "BIG" is the name of model 1, too'),
        (MODELS.replace('"small"', '"a @ b"'), "has ' @ ' in it, which stands between an attribute and a model"),
        (
            MODELS.replace('["tone"]', '["tune"]'),
            "names 'tune', which is no attribute of this study. Did you mean 'tone'",
        ),
        (MODELS + 'prompt = "{qestion}"\n', r"has '{qestion}' in it, which nothing is known for"),
        (MODELS + "options = { model = 'x' }\n", "has 'model' in it, which cannot be set here"),
        (MODELS + "price_out = -1.0\n", "price_out must be the price of a million tokens"),
        (MODELS + "temperature = 9\n", "temperature must be a number from 0 to 5"),
        (MODELS + 'api_key_env = "sk-123 456"\n', "api_key_env must be the name of an environment variable"),
        (MODELS + 'address = "ftp://x"\n', "address must be an address that begins with http"),
        ('[llm]\nprompt = "  "\n' + MODELS, "prompt must be a text that is not empty"),
        ("[llm]\nconcurrency = 0\n" + MODELS, "concurrency must be a whole number from 1 to 1000"),
        ('[llm]\nstructured = "xml"\n' + MODELS, 'structured must be "schema", "json" or "text"'),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, words):
    [(line, sentence)] = problems(tmp_path, TWO + text)
    assert line > len(TWO.splitlines())
    assert words in sentence


def test_an_attribute_may_not_look_like_a_column_where_there_are_models(tmp_path):
    odd = TWO.replace('"tone"', '"tone @ home"')
    assert "tone @ home" in read_study(write(tmp_path, odd)).costs
    [(line, sentence)] = problems(tmp_path, odd + MODELS.replace('attributes = ["tone"]', ""))
    assert (odd.splitlines()[line - 1], "has ' @ ' in it" in sentence) == ('name = "tone @ home"', True)


def test_prompts_are_filled_in_once():
    given = {"question": "Is {text} in it?", "text": "{question}"}
    assert fill_in("{question} {{braces}} { text }", given) == "Is {text} in it? {braces} {question}"
    assert "{text}" in PROMPT
