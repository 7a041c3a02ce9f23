from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys

import pandas as pd
import pytest

from manyjudges import Judgments, ManyJudgesError, simulate
from manyjudges.exceptions import DocumentError, JudgmentsError, PlanError
from manyjudges.learn.checks import CHECKS
from manyjudges.reports import Explorer, Report, explore, report
from tests.support.messages import refused
from tests.support.pages import EVIL, Page

FAST = {"shrinkage": 0, "cv_repeats": 1}


def named(*names: str) -> tuple[Judgments, pd.Series]:
    """A small crowd whose attributes have these names."""
    crowd = simulate.gaussian(60, len(names), random_state=3)
    frame = crowd.pilot(2).to_frame()
    old = sorted(frame["attribute"].unique())
    frame["attribute"] = frame["attribute"].map(dict(zip(old, names, strict=True)))
    return Judgments.from_frame(frame), crowd.labels


def test_a_whole_page(page, beans_report):
    assert beans_report.html.startswith("<!doctype html>")
    assert page.open == []
    assert page.all("html") == [{"lang": "en"}]
    assert {"charset": "utf-8"} in page.all("meta")
    assert any(meta.get("name") == "viewport" for meta in page.all("meta"))
    assert page.text["title"][0] == beans_report.summary.title
    assert [tag for tag, _ in page.tags if tag in {"main", "nav", "header", "footer", "h1"}] == [
        "header", "h1", "nav", "main", "footer",
    ]  # fmt: skip


def test_headings_go_down_one_step_at_a_time(page):
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_answer_comes_first_and_all_sections_follow(page, beans_report):
    ids = [attributes["id"] for attributes in page.all("section")]
    assert ids == [
        "answer", "bill", "budgets", "attributes", "following", "predictor", "heldout", "decisions", "reliability",
        "checks", "reading",
    ]  # fmt: skip
    assert {f"#{each}" for each in ids} <= {a["href"] for a in page.all("a")}
    assert beans_report.summary.answer.sentence in beans_report.html.replace("&#39;", "'")


def test_nothing_is_loaded_from_elsewhere(page, beans_report):
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "action", "data", "poster"):
            assert (attributes.get(name) or "#").startswith("#")
    assert "@import" not in beans_report.html
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", beans_report.html))


def test_no_id_twice_and_every_reference_has_its_target(page):
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        wanted = [attributes[n] for n in ("aria-labelledby", "aria-describedby", "for") if attributes.get(n)]
        wanted += [attributes["href"][1:]] if (attributes.get("href") or "").startswith("#") else []
        assert set(wanted) <= set(ids)


def test_tables_have_captions_and_scopes(page):
    assert len(page.all("caption")) == len(page.all("table")) >= 8
    assert all(th.get("scope") in {"row", "col"} for th in page.all("th"))


def test_the_same_input_gives_the_same_bytes(beans_report):
    again = Report.from_summary(
        beans_report.summary, label_name="beans", made={"Seed": 0, "Held-out error": "5 folds, 1 times"}
    )
    assert again.html == beans_report.html


def test_it_says_how_it_was_made_and_nothing_of_the_machine(beans_report):
    assert "ManyJudges 0." in beans_report.html
    assert "<td>0</td>" in beans_report.html
    assert re.search(r"/(tmp|home|root|Users)/", beans_report.html) is None
    dated = Report.from_summary(beans_report.summary, made={"Date": "12 May <2026>"})
    assert "12 May &lt;2026&gt;" in dated.html


@pytest.mark.slow
def test_names_cannot_break_the_page():
    judgments, labels = named(EVIL, "</script><b>", "שלום 😀", "$x$ & 'y'", "a\x00b\nc")
    made = report(judgments, labels, 6, budgets=[3, 6], title=EVIL, label_name=EVIL, **FAST)
    found = Page(made.html)
    assert found.open == []
    assert not found.all("img")
    assert len(found.all("script")) == 2
    assert all(not name.startswith("on") for _, attributes in found.tags for name in attributes)
    assert not found.all("b")
    data = json.loads(next(text for text in found.text["script"] if text.startswith("{")))
    names = {name for method in data["points"] for point in method for name, _ in point["plan"]}
    assert names <= {EVIL, "</script><b>", "שלום 😀", "$x$ & 'y'", "a b c"}
    assert any("שלום 😀" in text for text in found.text["text"])
    assert Page(made._repr_html_()).all("iframe")[0]["srcdoc"] == made.html
    assert EVIL not in Explorer(made.summary.curve, EVIL).html()


def test_warnings_are_announced_at_the_top_and_explained(beans_report):
    crowd = simulate.gaussian(40, 12, random_state=0)
    made = report(crowd.pilot(2), crowd.labels, 6, budgets=[6], **FAST)
    assert made.summary.warnings
    assert made.html.index("Read with care.") < made.html.index('id="plan-caption"')
    assert "Too few objects" in made.html
    assert "Read with care." not in beans_report.html
    assert "No check found a problem." in beans_report.html


def check_rows(html: str) -> dict[str, str]:
    """What came of each check, by its code."""
    return dict(re.findall(r'<tr class="check">.*?<td>(MJ\d+)</td><td>[a-z]+</td><td>([a-z ]+)</td>', html))


@pytest.mark.slow
def test_a_report_lists_what_was_checked_and_not_only_what_failed(beans_report):
    assert check_rows(beans_report.html) == {check.code: "passed" for check in CHECKS}
    crowd = simulate.gaussian(40, 12, random_state=0)
    judgments = crowd.pilot(2).to_frame().drop(columns="worker")
    options = {"budgets": [6], "mute": ["MJ101"], **FAST}
    made = report(Judgments.from_frame(judgments), crowd.labels, 6, **options)
    rows = check_rows(made.html)
    assert (rows["MJ101"], rows["MJ301"]) == ("muted", "not applicable")
    assert "Too few objects <span" not in made.html
    assert f">Checks ({len(made.summary.warnings)})</a>" in made.html or not made.summary.warnings


def test_a_report_says_how_severe_each_check_is(beans_report):
    found = dict(re.findall(r"<td>(MJ\d+)</td><td>([a-z]+)</td>", beans_report.html))
    assert found == {check.code: check.severity for check in CHECKS}
    crowd = simulate.gaussian(40, 12, random_state=0)
    made = report(crowd.pilot(2), crowd.labels, 6, budgets=[6], **FAST)
    tags = set(re.findall(r'<span class="tag">(MJ\d+, [a-z]+)</span>', made.html))
    assert tags == {f"{each.check.code}, {each.check.severity}" for each in made.summary.checks.failed}
    assert "MJ101, warning" in tags


def test_unknown_codes_are_refused_before_anything_takes_time(beans):
    crowd, pilot = beans
    with pytest.raises(ManyJudgesError) as error:
        report(pilot, crowd.labels, 8, mute=["MJ999"])
    assert (error.value.value, error.value.column) == ("MJ999", "mute")


@pytest.mark.slow
def test_of_long_tables_the_rest_is_folded():
    crowd = simulate.gaussian(80, 30, random_state=0)
    made = report(crowd.pilot(2), crowd.labels, 40, budgets=[40], **FAST)
    found = Page(made.html)
    assert "<summary>10 more</summary>" in made.html
    assert found.open == []
    assert "20 of 30 attributes" in made.html


@pytest.mark.slow
def test_a_budget_that_buys_nothing_still_has_a_page():
    judgments, labels = named("a", "b")
    made = report(judgments, labels, 0.5, budgets=[0.5, 2], **FAST)
    assert Page(made.html).open == []
    assert "too small to buy anything" in made.html


def test_numbers_of_the_page_are_those_of_the_summary(beans_report):
    answer = beans_report.summary.answer
    for name, n in zip(answer.attributes, answer.repeats, strict=True):
        assert re.search(rf"<bdi>{name}</bdi></th><td class=\"n\">{n}</td>", beans_report.html)


def test_saving(tmp_path, beans_report):
    path = tmp_path / "page.html"
    beans_report.save(path)
    assert path.read_text(encoding="utf-8") == beans_report.html
    with refused(DocumentError, file=str(tmp_path / "nowhere/page.html")):
        beans_report.save(tmp_path / "nowhere" / "page.html")
    with refused(DocumentError, file=str(tmp_path)):
        beans_report.save(tmp_path)
    with refused(DocumentError, value=3, column="path"):
        beans_report.save(3)


def test_what_is_wrong_is_said_before_anything_takes_time(tmp_path, beans):
    crowd, pilot = beans
    with refused(DocumentError, file=str(tmp_path / "nowhere/page.html")):
        report(pilot, crowd.labels, 8, out=tmp_path / "nowhere" / "page.html")
    with pytest.raises(JudgmentsError):
        report(7, crowd.labels, 8)
    with pytest.raises(PlanError):
        report(pilot, crowd.labels, -1)
    with refused(ManyJudgesError, value="summary", column="summary"):
        Report.from_summary("summary")


@pytest.mark.parametrize("name", ["matplotlib", "jinja2"])
def test_without_the_extra_it_says_what_to_install(monkeypatch, beans, name):
    crowd, pilot = beans
    monkeypatch.setitem(sys.modules, name, None)
    for make in (lambda: report(pilot, crowd.labels, 8), lambda: explore(pilot, crowd.labels)):
        with refused(ManyJudgesError, value=name):
            make()


def test_importing_reports_imports_neither_matplotlib_nor_jinja():
    code = (
        "import sys, manyjudges, manyjudges.reports; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_report_in_words_and_progress(beans):
    crowd, pilot = beans
    seen = []
    made = report(pilot, crowd.labels, 4, budgets=[4], progress=lambda *at: seen.append(at), **FAST)
    assert repr(made).startswith("Report “What to ask for 4 an object”")
    assert seen[-1] == (100, 100)


@pytest.mark.slow
def test_where_nothing_more_can_be_had(beans):
    crowd, pilot = beans
    max_repeats = dict.fromkeys(pilot.attributes, 1)
    page = report(pilot, crowd.labels, 50, max_repeats=max_repeats, budgets=[50], shrinkage=0, cv_repeats=1)
    assert "Of no attribute is there another judgment to be had." in page.html
    assert "The best next judgment" not in page.html


@pytest.mark.slow
def test_judgments_that_do_not_help_are_said_so_at_the_top(rng):
    judgments = Judgments.from_array(rng.normal(size=(40, 3, 2)))
    page = report(judgments, rng.normal(size=40), 5, budgets=[5], shrinkage=0, cv_repeats=1).html
    assert "would not help" in page or "Whether the judgments help is not sure" in page
    assert page.index("These judgments may not help") < page.index("The plan for each object")


@pytest.mark.parametrize("out", [b"report.html", "a\0b", 3])
def test_targets_that_are_no_paths(beans, out):
    crowd, pilot = beans
    with refused(DocumentError, value=out, column="path"):
        report(pilot, crowd.labels, 5, out=out)
