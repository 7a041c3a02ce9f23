"""Scripts: programs for script.google.com that make forms, as Google Forms itself reads no files.

All that a form needs stands as JSON at the top of the script; what is below only hands it to Google's ``FormApp``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from manyjudges.base.formatting import plural
from manyjudges.base.messages import quote_value
from manyjudges.connectors.choices import choices, instruction, steps
from manyjudges.connectors.requests import ObjectContent, Requests
from manyjudges.exceptions import DocumentError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

_SCRIPT = """\
// Makes forms for Google Forms. Open script.google.com, begin a new project, replace all that is there by this text,
// and run makeForms. It asks for permission to make forms, and to fetch pictures if there are any. The log has the
// addresses.

const FORMS = {forms};

function makeForms() {{
  FORMS.forEach(function (each) {{
    const form = FormApp.create(each.title);
    form.setDescription(each.description);
    form.setCollectEmail(each.email);
    each.items.forEach(function (item) {{ addItem(form, item); }});
    Logger.log(each.title + ': to be answered by ' + each.answers + '.');
    Logger.log('  to answer: ' + form.getPublishedUrl());
    Logger.log('  to edit: ' + form.getEditUrl());
  }});
}}

function addItem(form, item) {{
  if (item.kind === 'page') {{
    form.addPageBreakItem().setTitle(item.title).setHelpText(item.help);
  }} else if (item.kind === 'picture') {{
    form.addImageItem().setTitle(item.title).setImage(UrlFetchApp.fetch(item.address).getBlob());
  }} else if (item.kind === 'grid') {{
    form.addGridItem().setTitle(item.title).setHelpText(item.help).setRows(item.rows).setColumns(item.choices);
  }} else if (item.kind === 'choice') {{
    form.addMultipleChoiceItem().setTitle(item.title).setHelpText(item.help).setChoiceValues(item.choices);
  }} else if (item.kind === 'scale') {{
    form.addScaleItem().setTitle(item.title).setHelpText(item.help).setBounds(item.low, item.high)
        .setLabels(item.first, item.last);
  }} else {{
    const check = FormApp.createTextValidation().setHelpText(item.help);
    const rule = item.low === null ? check.requireNumber() : check.requireNumberBetween(item.low, item.high);
    form.addTextItem().setTitle(item.title).setHelpText(item.help).setValidation(rule.build());
  }}
}}
"""

_Item = dict[str, Any]


def script(requests: Requests, *, email: bool = True) -> str:
    """A script that makes the forms of these requests.

    Everybody who opens a form answers all of it. So there is one form for each number of judgments, with what wants
    just so many, to be answered by so many people.

    Raises
    ------
    DocumentError
        Where a name cannot stand in brackets, or a picture has no address.
    """
    for name in (*requests.objects, *requests.questions):
        _check_name(name)
    counts = sorted({pair.count for pair in requests.pairs})
    forms = [_form(requests, count, email, len(counts) > 1) for count in counts]
    text = json.dumps(forms, indent=1, ensure_ascii=True)
    return _SCRIPT.format(forms=text)


def _form(requests: Requests, count: int, email: bool, several: bool) -> _Item:
    people = plural(count, "person", "people")
    plain = all(_is_plain(name, view) for name, view in requests.objects.items())
    return {
        "title": f"{requests.title} ({people})" if several else requests.title,
        "description": requests.welcome,
        "email": email,
        "answers": people,
        "items": _grids(requests, count) if plain else _pages(requests, count),
    }


def _grids(requests: Requests, count: int) -> list[_Item]:
    """A grid for each question, with objects that are known by their names; numbers are asked one by one."""
    items: list[_Item] = []
    for name, question in requests.questions.items():
        object_names = [object_name for object_name in requests.objects if requests.count(object_name, name) == count]
        title, options = _title_in(requests, name), choices(question, labels=True)
        if options and object_names:
            grid = {"kind": "grid", "title": title, "help": _help(question)}
            items.append({**grid, "rows": object_names, "choices": options})
        elif object_names:
            items += [_item(question, f"{title} [{object_name}]") for object_name in object_names]
    return items


def _pages(requests: Requests, count: int) -> list[_Item]:
    """A page for each object, with what is shown of it."""
    items: list[_Item] = []
    for object_name, view in requests.objects.items():
        names = [name for name in requests.questions if requests.count(object_name, name) == count]
        if not names:
            continue
        items.append({"kind": "page", "title": object_name, "help": view.text or ""})
        if view.image is not None or view.address is not None:
            items.append({"kind": "picture", "title": "", "address": _address(object_name, view)})
        items += [_item(requests.questions[name], f"{_title_in(requests, name)} [{object_name}]") for name in names]
    return items


def _item(question: Attribute, title: str) -> _Item:
    common = {"title": title, "help": _help(question)}
    if question.answer_kind.widget == "field":
        limits = question.answer_kind.limits()
        return {"kind": "number", **common, "low": limits.low, "high": limits.high}
    if _fits_scale(question):
        first, *_, last = steps(question)
        ends = {"first": first.label, "last": last.label}
        return {"kind": "scale", **common, "low": first.json, "high": last.json, **ends}
    return {"kind": "choice", **common, "choices": choices(question, labels=True)}


def _fits_scale(question: Attribute) -> bool:
    """Whether Google's own scale does: it begins at 0 or 1, ends at 3 to 10, names its ends, and knows no way out."""
    points = steps(question)
    if not points or question.cant_tell or any(point.label for point in points[1:-1]):
        return False
    return points[0].value in (0, 1) and 3 <= points[-1].value <= 10


def _title_in(requests: Requests, name: str) -> str:
    """What a question is called in a form: its text, with its attribute where others have the same text."""
    texts = [one_line(question.question) for question in requests.questions.values()]
    text = one_line(requests.questions[name].question)
    return f"{text} ({name})" if texts.count(text) > 1 else text


def one_line(text: str) -> str:
    """A text as a title has it."""
    return " ".join(text.split())


def _help(question: Attribute) -> str:
    example = f"For example: {question.example}" if question.example else ""
    words = instruction(question) if question.answer_kind.widget == "field" else ""
    return "\n".join(part for part in (question.help, example, words) if part)


def _is_plain(name: str, view: ObjectContent) -> bool:
    return view.image is None and view.address is None and view.text in (None, name)


def _address(name: str, view: ObjectContent) -> str:
    if view.address is None or not is_web_address(view.address):
        raise DocumentError(
            f"the picture of {name!r} lies in the study's folder and has no address that Google could fetch; give "
            "addresses in the table of objects.",
            row=name,
            column="image",
        )
    return view.address


def _check_name(name: str) -> None:
    if not name.isprintable() or name != name.strip() or "[" in name or "]" in name:
        raise DocumentError(
            f"the name {quote_value(name)} cannot stand in a form, whose answers have it in brackets: "
            f"it takes no brackets, "
            "line breaks or spaces around it; rename it.",
            value=name,
            column="name",
        )
