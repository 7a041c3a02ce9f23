"""Templates are filled in with everything escaped."""

from __future__ import annotations

import sys

import jinja2
import pytest

from manyjudges.base import templates
from manyjudges.exceptions import ManyJudgesError
from tests.support.messages import refused


def filled(template, **values):
    """A text filled in as a template is."""
    return templates._environment().from_string(template).render(**values)


def test_what_is_filled_in_is_escaped():
    assert filled("<p>{{ text }}</p>", text="<b>&") == "<p>&lt;b&gt;&amp;</p>"


def test_numbers_are_shown_as_elsewhere():
    shown = filled("{{ 1234.5 | number }} {{ 0.5 | fixed }} {{ 0.25 | percent }} {{ 2 | plural('row') }}")
    assert shown == "1,234 0.50 25\u202f% 2 rows"


def test_what_is_forgotten_is_an_error():
    with pytest.raises(jinja2.UndefinedError):
        filled("{{ nothing }}")


def test_our_own_styles_stand_as_they_are():
    style = templates.resource("reports/report.css")
    assert filled("<style>{{ resource('reports/report.css') }}</style>") == f"<style>{style}</style>"
    assert "&gt;" not in filled("{{ resource('reports/report.css') }}")


def test_json_in_a_page_ends_no_script():
    shown = filled("<script>{{ data | tojson }}</script>", data={"name": "</script><b>"})
    assert shown.count("</script>") == 1


def test_a_template_is_found_in_its_room():
    with pytest.raises(jinja2.UndefinedError):
        templates.rendered("web/error.html.jinja")
    with pytest.raises((jinja2.TemplateNotFound, FileNotFoundError)):
        templates.rendered("web/nothing.html.jinja")


def test_a_library_that_is_missing_is_named(monkeypatch):
    assert templates.missing_extra() == ""
    templates.check_extra()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert templates.missing_extra() == "jinja2"
    with refused(ManyJudgesError):
        templates.check_extra()
