"""The page step by step, without a script."""

from __future__ import annotations

import io
import re

import pandas as pd
import pytest

from manyjudges import Plan, Predictor, simulate
from manyjudges.app.words import COLUMN_WORDS, SHAPE_WORDS
from manyjudges.tables.shapes.registry import SHAPES
from manyjudges.tables.shapes.sample import COLUMN_ROLES
from tests.support.folders import ROOT

FRONT = ROOT / "tests" / "fixtures" / "front"


def shown(page, role):
    """The column that the field of a role shows."""
    field = re.search(rf'<select id="role-{role}".*?</select>', page.text, re.DOTALL)[0]
    return re.search(r'<option value="([^"]*)" selected', field)[1]


def test_every_role_and_shape_has_words():
    assert set(COLUMN_WORDS) == set(COLUMN_ROLES)
    assert set(SHAPE_WORDS) == set(SHAPES)


def test_a_file_is_recognised_and_corrected(visitor):
    page = visitor.take(FRONT / "survey.csv")
    assert "survey.csv" in page.text
    assert (shown(page, "object"), shown(page, "worker"), shown(page, "label")) == ("Essay", "Rater", "auto")
    page = visitor.post("/columns", object="Essay", worker="Rater", label="Grade", shape="auto")
    assert shown(page, "label") == "Grade"
    page = visitor.post("/columns", object="Rater", worker="Rater", label="Grade", shape="auto")
    assert visitor.session.choices.columns == {"object": "Rater", "label": "Grade"}
    page = visitor.post("/clear")
    assert "Choose a table" in page.text
    assert list(visitor.session.folder.glob("*/")) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty.csv", "empty.csv"),
        ("only-headings.csv", "only-headings.csv"),
        ("report.xls", "report.xls"),
        ("archive.csv", "archive.csv"),
    ],
)
def test_a_bad_file_is_said_in_a_sentence(visitor, name, words):
    page = visitor.take(FRONT / name)
    alert = re.search(r'role="alert"><p>(.*?)</p>', page.text)
    assert alert, name
    assert words in alert[1]
    assert "Traceback" not in page.text
    assert "Use another table" in page.text


def test_addresses_that_are_none(visitor):
    assert visitor.client.get("/nothing").status_code == 404
    assert visitor.client.get("/assets/nothing.js").status_code == 404
    assert visitor.post("/nothing").status_code == 404
    assert visitor.client.get("/table").status_code == 405


def test_names_in_a_file_are_text_and_no_page(visitor, tmp_path):
    path = tmp_path / "<b>odd<b>.csv"
    path.write_text('object,worker,"<script>alert(1)</script>"\n"<img src=x>",ann,1\n"<i>",bob,2\n')
    page = visitor.take(path)
    assert not re.search(r"<script>|<img|<i>|<b>", page.text)


def test_the_order_of_answers_is_asked_where_it_is_not_known_and_can_be_changed(visitor):
    page = visitor.take(FRONT / "survey-own-words.csv")
    words = re.search(r'<textarea id="order-words"[^>]*>(.*?)</textarea>', page.text, re.DOTALL)[1].splitlines()
    assert sorted(words) == ["Hardly", "Mostly", "Nearly always", "Now and then", "Without fail"]
    scale = ["Hardly", "Now and then", "Mostly", "Nearly always", "Without fail"]
    page = visitor.post("/scale", words="\n".join(scale))
    assert "Hardly</bdi> = 1" in page.text
    assert visitor.session.choices.scales == (tuple(scale),)
    page = visitor.post("/scale", words="\r\n".join(scale), reverse="yes")
    assert "Hardly</bdi> = 5" in page.text
    assert visitor.session.choices.scales == (tuple(scale[::-1]),)


def test_a_question_whose_answers_have_no_order_can_be_left_out(visitor):
    page = visitor.take(FRONT / "survey-colours.csv")
    assert "Colour" in re.search(r'role="alert"><p>(.*?)</p>', page.text)[1]
    page = visitor.post("/scale", drop="Colour", words="")
    assert 'role="alert"' not in page.text
    assert "left out: dropped" not in page.text  # it is offered to be used again
    page = visitor.post("/columns", shape="auto", offered="Colour", use="Colour")
    assert "Colour" in re.search(r'role="alert"><p>(.*?)</p>', page.text)[1]


def test_labels_of_a_second_file_are_used_and_given_back(visitor):
    page = visitor.take(FRONT / "long-comma.csv")
    assert "Which number do you want to predict?" in page.text
    assert "That is right" not in page.text
    page = visitor.post("/labels", files=[("file", ("grades.csv", (FRONT / "grades.csv").read_bytes()))])
    assert "12 labels" in page.text
    assert "That is right" in page.text
    page = visitor.post("/labels", none="yes")
    assert "Which number do you want to predict?" in page.text
    page = visitor.post("/labels", files=[("file", ("words.csv", b"object,label\nE01,red\nE02,blue\nE03,green\n"))])
    assert "That is right" not in page.text
    assert 'role="alert"' in page.text


def planned(visitor, **money):
    """The last step, for the sample of essays."""
    visitor.post("/sample", sample="essays")
    visitor.post("/confirm")
    return visitor.post("/money", **money)


def tile(page, name):
    return re.search(rf"<dt>{name}</dt><dd class=\"value\">(.*?)</dd>", page.text)[1]


@pytest.mark.slow
def test_from_a_table_to_an_answer_with_its_files(visitor):
    page = planned(visitor, price="$0.05", budget="0.6", new="1000")
    assert tile(page, "Cost per object") == "$0.60"
    assert "1,000 new objects take" in page.text
    page = visitor.page()  # when the report is written, too
    plan = Plan.from_json(visitor.client.get("/files/plan.json").text)
    assert plan.budget == pytest.approx(0.6)
    assert plan.answers["clarity"]["words"][0] == "strongly disagree"
    tobuy = pd.read_csv(io.StringIO(visitor.client.get("/files/tobuy.csv").text))
    assert tobuy["count"].sum() > 0
    model = Predictor.from_json(visitor.client.get("/files/model.json").text)
    assert model.plan.repeats == plan.repeats
    report = visitor.client.get("/files/report.html")
    assert "sandbox" in report.headers["content-security-policy"]
    assert "attachment" in visitor.client.get("/files/report.html?download").headers["content-disposition"]
    assert "clarity" in visitor.client.get("/files/essays.csv").text  # it was simulated, and nobody else has it
    for name in ("worker.log", "../table/essays.csv", "%2e%2e/table/essays.csv", "predictions.csv", "jars.csv"):
        assert visitor.client.get(f"/files/{name}").status_code == 404
    new = simulate.essays(n_objects=20, random_state=5).pilot(2).to_frame()
    words = dict(enumerate(plan.answers["clarity"]["words"], start=1))
    wide = new.pivot(index=["object", "worker"], columns="attribute", values="value").round().astype(int).replace(words)
    wide.loc[wide.index.get_level_values("object") == "essay 0003"] = None
    text = wide.reset_index().rename(columns={"object": "Essay", "worker": "Rater"}).to_csv(index=False)
    page = visitor.post("/predict", files=[("file", ("new.csv", text.encode()))])
    assert "Predictions of 20 objects" in page.text  # also of the one without any answer
    assert "1 object has no answer to what the plan asks: &#39;essay 0003&#39;" in page.text
    assert "manyjudges missing" not in page.text.partition("Predictions of 20 objects")[0]
    predictions = pd.read_csv(io.StringIO(visitor.client.get("/files/predictions.csv").text))
    assert predictions["prediction"].between(20, 100).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("money", "words"),
    [
        ({"price": "cheap"}, "cheap"),
        ({"price": "-1"}, "price"),
        ({"budget": "0,0,1"}, "0,0,1"),
        ({"price": "$1", "budget": "5 €"}, "EUR"),
        ({"new": "many"}, "many"),
        ({"costs-0": "x"}, "x"),
        ({"max_repeats-0": "x"}, "x"),
    ],
)
def test_amounts_that_are_none_are_said(visitor, money, words):
    page = planned(visitor, **money)
    assert words in re.search(r'role="alert"><p>(.*?)</p>', page.text)[1]
    assert 'id="step-5"' not in page.text


@pytest.mark.slow
def test_what_is_changed_after_the_answer_takes_the_answer_away(visitor):
    page = planned(visitor, price="1")
    assert 'id="step-5"' in page.text
    assert visitor.session.money.budget == "16"
    page = visitor.post("/columns", shape="auto", label="Grade", offered=["clarity", "style"], use=["style"])
    assert 'id="step-5"' not in page.text
    assert 'id="step-3"' not in page.text


@pytest.mark.slow
def test_a_few_objects_get_a_plan_without_an_error(visitor):
    visitor.take(FRONT / "survey.csv")
    visitor.post("/columns", shape="auto", label="Grade")
    visitor.post("/confirm")
    page = visitor.post("/money", price="1")
    assert 'id="step-5"' in page.text


def test_nothing_is_planned_before_the_questions_are_answered(visitor):
    visitor.take(FRONT / "survey-missing-minus-99.csv")
    visitor.post("/columns", shape="auto", label="Grade")
    visitor.post("/confirm")
    page = visitor.post("/money", price="1")
    assert 'id="step-5"' not in page.text
    assert visitor.session.money.price == ""
