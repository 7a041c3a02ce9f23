"""What every section of a report must do, whatever the study."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from manyjudges import Judgments, simulate
from manyjudges.base.methods import CURVE_SEARCHES, SEARCH_SUMMARIES
from manyjudges.base.templates import resource
from manyjudges.learn.checks import CheckResults
from manyjudges.reports.sections.registry import SECTIONS
from manyjudges.reports.sections.section import PageSource, RenderedSection, render_section
from manyjudges.summary import summarize
from tests.support.folders import ROOT
from tests.support.pages import EVIL, Page

NAMES = {"html": EVIL, "emoji": "👩\u200d🔬 שלום $x$ \x00", "long": "ab " * 166 + "ab"}
"""Names of objects, attributes, workers and labels that somebody may have, 500 letters among them."""

EVERY = pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.key)


def named(frame, start=""):
    """A table whose objects, attributes and workers all have odd names."""
    odd = list(NAMES.values())
    old = sorted(frame["attribute"].unique())
    new = {name: odd[i] if i < len(odd) else name for i, name in enumerate(old)}
    return frame.assign(
        object=[f"{odd[0]}{name}" for name in frame["object"]],
        attribute=frame["attribute"].map(new),
        worker=[f"{odd[1]}{name}" for name in frame["worker"]],
    )


def made(n_objects, n_attributes, budget, *, odd=False, n_judgments=2):
    crowd = simulate.gaussian(n_objects, n_attributes, random_state=1)
    frame, labels = crowd.pilot(n_judgments).to_frame(), crowd.labels
    title = "A study"
    if odd:
        frame, title = named(frame), "".join(NAMES.values())
        labels = labels.rename(lambda name: f"{EVIL}{name}")
    options = {"budgets": [budget], "shrinkage": 0, "cv_repeats": 1, "title": title}
    return summarize(Judgments.from_frame(frame), labels, budget, **options)


@pytest.fixture(scope="module")
def summaries():
    typical, empty = made(80, 6, 8), made(30, 2, 0.5)
    return {
        "tiny": made(12, 1, 2),
        "typical": typical,
        "many attributes": made(60, 30, 20),
        "empty": replace(empty, answer=replace(empty.answer, checks=CheckResults()), settings={}),
        "odd names": made(60, 4, 6, odd=True),
    }


@pytest.fixture(scope="module")
def sources(summaries):
    label = "".join(NAMES.values())
    return {
        name: PageSource(summary, label if name == "odd names" else "height") for name, summary in summaries.items()
    }


def test_keys_and_templates_are_the_sections_own():
    assert len({section.key for section in SECTIONS}) == len(SECTIONS)
    folder = ROOT / "src" / "manyjudges" / "reports" / "templates" / "sections"
    assert {path.name for path in folder.iterdir()} == {section.template for section in SECTIONS}
    keys = [figure.key for section in SECTIONS for figure in section.figures]
    assert len(set(keys)) == len(keys)


@EVERY
@pytest.mark.parametrize("name", ["tiny", "typical", "many attributes", "empty", "odd names"])
def test_it_is_whole_html_or_nothing(section, sources, name):
    shown = render_section(section, sources[name])
    if shown is None:
        assert section.values(sources[name]) is None
        assert name == "empty"
        return
    assert isinstance(shown, RenderedSection)
    assert (shown.key, shown.title) == (section.key, section.title)
    assert shown.link.startswith(section.link)
    page = Page(shown.html)
    assert page.open == []
    assert "".join(text for texts in page.text.values() for text in texts).strip()


@EVERY
@pytest.mark.parametrize("name", ["tiny", "typical", "many attributes", "empty", "odd names"])
def test_its_figures_are_on_it_and_say_what_they_show(section, sources, name):
    shown = render_section(section, sources[name])
    for figure in section.figures:
        finding = figure.finding(sources[name])
        assert len(finding) > 20
        assert finding.endswith(".")
        assert "nan" not in re.findall(r"[a-z]+", re.sub("“.*?”", "", finding))
        assert str(shown.html).count(f'id="{figure.key}-wide"') == 1
        assert str(shown.html).count(f'id="{figure.key}-narrow"') == 1
    assert {f"figures.{figure.key}" for figure in section.figures} == set(
        re.findall(r"figures\.\w+", resource(f"reports/sections/{section.template}"))
    )


@EVERY
def test_no_name_breaks_it(section, sources):
    page = Page(render_section(section, sources["odd names"]).html)
    assert not page.all("img")
    assert all(script.get("type") == "application/json" for script in page.all("script") if script)
    assert not any("alert" in text for text in page.text.get("script", []) if not text.lstrip().startswith("{"))
    assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)


@EVERY
def test_the_same_summary_gives_the_same_section(section, sources):
    assert render_section(section, sources["typical"]) == render_section(section, sources["typical"])


def test_the_glossary_explains_each_search_that_the_report_compares(sources):
    (section,) = (section for section in SECTIONS if section.key == "reading")
    text = render_section(section, sources["typical"]).html
    compared = sources["typical"].summary.curve.methods
    assert compared == ("auto", *CURVE_SEARCHES)
    assert "“auto” takes the one with the lowest error on held-out objects" in text
    for name, summary in SEARCH_SUMMARIES.items():
        assert (f"“{name}” {summary}" in text) == (name in compared)
