"""Layouts: layouts for the requester site of Mechanical Turk, and the tables that fill them.

A HIT asks one question about one object or several. What the layout's fields are called, and what the columns of the
table are called, is what ``mturk.read`` looks for.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from manyjudges.base.messages import quote_value
from manyjudges.connectors.choices import coded_choices, instruction
from manyjudges.connectors.mturk.answers import OWN_ATTRIBUTE
from manyjudges.connectors.requests import ObjectContent, Requests
from manyjudges.exceptions import DocumentError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

_MOST_PER_HIT = 100
_OVERVIEW = ("file", "layout", "attributes", "hits", "assignments", "judgments", "cost")
"""The columns of ``batches.csv``."""

_LAYOUT = """\
<!-- A layout for Mechanical Turk: paste all of it as the source of a project's design layout. -->
<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<crowd-form answer-format="flatten-objects">
<div style="max-width: 50rem; margin: 0 auto; padding: 1rem; font-family: sans-serif; line-height: 1.5">
<h1>{title}</h1>
{welcome}
<p data-shown="${{help}}">${{help}}</p>
{objects}
</div>
<script>
for (const each of document.querySelectorAll('[data-shown=""]')) each.remove();
</script>
</crowd-form>
"""

_OBJECT = """\
<fieldset data-shown="${{image{at}}}${{text{at}}}">
<legend><strong>${{question}}</strong></legend>
<p data-shown="${{image{at}}}"><img src="${{image{at}}}" alt="" style="max-width: 100%; max-height: 60vh"></p>
<p data-shown="${{text{at}}}">${{text{at}}}</p>
{field}
</fieldset>"""


@dataclass(frozen=True)
class _MTurkProject:
    """Attributes that are asked with the same field and cost the same, so that one layout and one reward do."""

    attributes: tuple[Attribute, ...]
    number: int

    @property
    def layout(self) -> str:
        """The name of its layout's file."""
        return f"{self.number}-layout.html"

    def table(self, count: int) -> str:
        """The name of the file with what wants so many judgments."""
        return f"{self.number}-with-{count}-assignments.csv"


def pages(requests: Requests, *, site: str | None = None, per_hit: int = 1) -> dict[str, str]:
    """All files of the folder, by their names.

    Raises
    ------
    DocumentError
        Where an object cannot be shown, or a name is not for a table of the requester site.
    """
    if isinstance(per_hit, bool) or not isinstance(per_hit, int) or not 1 <= per_hit <= _MOST_PER_HIT:
        raise DocumentError(
            f"per_hit must be a whole number from 1 to {_MOST_PER_HIT}, not {quote_value(per_hit)}.",
            value=per_hit,
            column="per_hit",
        )
    for name in (*requests.objects, *requests.questions):
        _check_name(name)
    seen = _seen(requests, site)
    files: dict[str, str] = {}
    overview: list[Sequence[object]] = []
    for project in _projects(requests):
        files[project.layout] = _layout(requests, project, per_hit)
        for count in sorted({pair.count for pair in requests.pairs if pair.attribute in _names(project)}):
            rows = list(_rows(requests, project, count, seen, per_hit))
            files[project.table(count)] = _csv([_heading(per_hit), *rows])
            overview.append(_summary(requests, project, count, len(rows), per_hit))
    return files | {"batches.csv": _csv([_OVERVIEW, *overview])}


def _field(question: Attribute, name: str) -> str:
    """The part of a form that asks for an answer.

    Parameters
    ----------
    question : Attribute
    name : str
        Of the field, which becomes a column ``Answer.…`` of the results.
    """
    if question.answer_kind.widget == "field":
        return _number(question, name)
    return "\n".join(
        f'<p><label><input type="radio" name="{name}" value="{_as_html(value)}" required> {_as_html(label)}</label></p>'
        for value, label in coded_choices(question)
    )


def _as_html(text: str) -> str:
    r"""A text for a layout or a table: as HTML, in ASCII, as the site takes no emoji, and without variables.

    >>> _as_html("1 < 2\n${x} ✓")
    '1 &lt; 2<br>&#36;{x} &#10003;'
    """
    lines = escape(text.strip()).replace("$", "&#36;").splitlines()
    return "<br>".join(lines).encode("ascii", "xmlcharrefreplace").decode()


def _number(question: Attribute, name: str) -> str:
    limits = question.answer_kind.limits()
    ends = "".join(f' {name}="{end:.15g}"' for name, end in limits.ends("min", "max").items())
    step, required = "1" if limits.whole else "any", "" if question.cant_tell else " required"
    hint = _as_html(" (leave it empty if you can’t tell)") if question.cant_tell else ""
    box = f'<input type="number" name="{name}" step="{step}"{ends}{required}>'
    return f"<p><label>{_as_html(instruction(question))}{' ' * bool(hint)}{hint}: {box}</label></p>"


def _projects(requests: Requests) -> Iterator[_MTurkProject]:
    groups: dict[tuple[str, float], list[Attribute]] = {}
    for question in requests.questions.values():
        groups.setdefault((_field(question, OWN_ATTRIBUTE), question.cost), []).append(question)
    return (_MTurkProject(tuple(questions), number) for number, questions in enumerate(groups.values(), start=1))


def _names(project: _MTurkProject) -> set[str]:
    return {attribute.name for attribute in project.attributes}


def _layout(requests: Requests, project: _MTurkProject, per_hit: int) -> str:
    ends = _endings(per_hit)
    objects = [_OBJECT.format(at=end, field=_field(project.attributes[0], OWN_ATTRIBUTE + end)) for end in ends]
    welcome = "\n".join(f"<p>{_as_html(part)}</p>" for part in requests.welcome.split("\n\n") if part.strip())
    return _LAYOUT.format(title=_as_html(requests.title), welcome=welcome, objects="\n".join(objects))


def _endings(per_hit: int) -> list[str]:
    """What stands behind the names of an object's columns and fields."""
    return [""] if per_hit == 1 else [f"_{at}" for at in range(1, per_hit + 1)]


def _heading(per_hit: int) -> list[str]:
    objects = [f"{name}{end}" for end in _endings(per_hit) for name in ("object", "image", "text")]
    return ["attribute", "question", "help", *objects]


def _rows(
    requests: Requests, project: _MTurkProject, count: int, seen: dict[str, tuple[str, str]], per_hit: int
) -> Iterator[list[str]]:
    for question in project.attributes:
        object_names = [name for name in requests.objects if requests.count(name, question.name) == count]
        for start in range(0, len(object_names), per_hit):
            part = object_names[start : start + per_hit]
            cells = [cell for name in part for cell in (name, *seen[name])]
            blank = [""] * (3 * (per_hit - len(part)))
            yield [question.name, _as_html(question.question), _help(question), *cells, *blank]


def _help(question: Attribute) -> str:
    example = f"For example: {question.example}" if question.example else ""
    return _as_html("\n".join(part for part in (question.help, example) if part))


def _summary(requests: Requests, project: _MTurkProject, count: int, hits: int, per_hit: int) -> Sequence[object]:
    pairs = [pair for pair in requests.pairs if pair.attribute in _names(project) and pair.count == count]
    pair_names = {pair.attribute for pair in pairs}
    names = ", ".join(attribute.name for attribute in project.attributes if attribute.name in pair_names)
    cost = f"{project.attributes[0].cost * per_hit:g}"
    return project.table(count), project.layout, names, hits, count, count * len(pairs), cost


def _seen(requests: Requests, site: str | None) -> dict[str, tuple[str, str]]:
    """The picture's address and the text of each object, as HTML."""
    if site is not None and not is_web_address(site):
        raise DocumentError(
            f"site must be a web address, such as https://example.org/pictures, not {quote_value(site)}.",
            value=site,
            column="site",
        )
    _check_pictures(requests, site)
    return {name: _face(name, view, site) for name, view in requests.objects.items()}


def _face(name: str, view: ObjectContent, site: str | None) -> tuple[str, str]:
    address = view.address or ""
    if view.image is not None and site is not None:
        address = f"{site.rstrip('/')}/{quote(view.image.name)}"
    text = _as_html(view.text or "")
    if not address and not text:
        raise DocumentError(
            f"the object {name!r} has neither a text nor a picture; there is nothing to judge.", row=name
        )
    return _as_html(address), text


def _check_pictures(requests: Requests, site: str | None) -> None:
    """Pictures need an address, and on one site each its own."""
    pictures = {name: view.image for name, view in requests.objects.items() if view.image is not None}
    if pictures and site is None:
        name, image = next(iter(pictures.items()))
        raise DocumentError(
            f"the picture of {name!r}, {image.name}, lies in the study's folder and has no address that "
            "Mechanical Turk could show. Put the pictures on a web server and name it: "
            "site='https://example.org/pictures' (--option site=…); or give addresses in the table of objects.",
            row=name,
            column="site",
            file=image.name,
        )
    requests.check_picture_names("give addresses in the table of objects")


def _check_name(name: str) -> None:
    if not name.isprintable() or name != name.strip() or any(ord(letter) > 0xFFFF for letter in name):
        raise DocumentError(
            f"the name {quote_value(name)} cannot stand in a table for Mechanical Turk, which takes no "
            f"emoji, line breaks or "
            "spaces around it; rename it.",
            value=name,
            column="name",
        )


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()
