"""Forms: what raters fill in, as a workbook or as a table of text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.choices import choices, instruction
from manyjudges.connectors.excel import as_bytes, check_title, openpyxl, put
from manyjudges.connectors.grid import guarded
from manyjudges.connectors.requests import Requests
from manyjudges.connectors.wide import PICTURE, QUESTION, REMARKS, TEXT
from manyjudges.exceptions import DocumentError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

_OBJECT, _WORKER = "object", "worker"
_INSTRUCTIONS = "Instructions"
_NOT_ASKED = "–"
_OPEN_COLOUR, _CLOSED_COLOUR, _HEADING_COLOUR = "FFF2CC", "EDEDED", "D9E2F3"
"""Colours of cells to fill in, of those that are not asked for, and of headings."""

_LARGEST_NUMBER = 1e300
_LONGEST_PROMPT = 255

_HOW_TO_FILL_IN = (
    "Find the sheet with your name. Fill in the yellow cells, one row after the other, and leave the grey ones alone.",
    "Judge for yourself, without looking at what others say.",
    "Leave a cell empty if you can't tell.",
    "Save the file and send it back. Please do not change names or headings.",
)

Tasks = dict[str, dict[str, list[str]]]
"""For each rater the attributes to judge, by object."""


def shared(requests: Requests, raters: Sequence[str] | None = None) -> Tasks:
    """Who judges what: each pair as many raters as it wants, and all of them about as much.

    Raises
    ------
    DocumentError
        Where there are too few raters, or a name cannot stand in a form.
    """
    for name in (*requests.objects, *requests.questions):
        _check_name(name)
    most = max(pair.count for pair in requests.pairs)
    names = [f"Rater {at}" for at in range(1, most + 1)] if raters is None else [str(name) for name in raters]
    _check_raters(names, most)
    tasks: Tasks = {name: {} for name in names}
    busy = dict.fromkeys(names, 0)
    for object_name in requests.objects:
        for attribute in requests.questions:
            for name in sorted(names, key=busy.__getitem__)[: requests.count(object_name, attribute)]:
                tasks[name].setdefault(object_name, []).append(attribute)
                busy[name] += 1
    return tasks


def separated_form(requests: Requests, tasks: Tasks, kind: str) -> str:
    """A table of text: a row for each rater and object, with a dash where nothing is asked."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter="\t" if kind == ".tsv" else ",")
    seen = _seen(requests)
    writer.writerow([_WORKER, _OBJECT, *seen, *map(guarded, requests.questions)])
    questions = [guarded(_question_text(question)) for question in requests.questions.values()]
    writer.writerow(["", QUESTION, *[""] * len(seen), *questions])
    for name, requested in tasks.items():
        for object_name, attributes in requested.items():
            shows = [guarded(column.get(object_name, "")) for column in seen.values()]
            cells = ["" if attribute in attributes else _NOT_ASKED for attribute in requests.questions]
            writer.writerow([guarded(name), guarded(object_name), *shows, *cells])
    return out.getvalue()


def workbook_form(requests: Requests, tasks: Tasks) -> bytes:
    """A workbook: instructions, and a sheet for each rater with cells to fill in."""
    for name in tasks:
        check_title(name)
    book = openpyxl().Workbook()
    _instructions(book.active, requests)
    for name, requested in tasks.items():
        if requested:
            _sheet(book.create_sheet(name), requests, requested)
    return as_bytes(book)


def _instructions(sheet: Any, requests: Requests) -> None:
    styles = openpyxl().styles
    sheet.title = _INSTRUCTIONS
    sheet.column_dimensions["A"].width = 100
    parts = [part.strip() for part in requests.welcome.split("\n\n") if part.strip()]
    lines = [requests.title, *parts, *_HOW_TO_FILL_IN, *_explained(requests)]
    for number, line in enumerate(lines, start=1):
        cell = sheet.cell(number, 1)
        put(cell, line)
        cell.alignment = styles.Alignment(wrap_text=True, vertical="top")
    sheet["A1"].font = styles.Font(bold=True, size=14)


def _explained(requests: Requests) -> Iterator[str]:
    for name, question in requests.questions.items():
        example = f"For example: {question.example}" if question.example else ""
        yield " ".join(part for part in (f"{name}: {_question_text(question)}", question.help, example) if part)


def _sheet(sheet: Any, requests: Requests, requested: dict[str, list[str]]) -> None:
    """The sheet of a rater, with only what this one is asked."""
    styles = openpyxl().styles
    attributes = [name for name in requests.questions if any(name in names for names in requested.values())]
    seen = {name: column for name, column in _seen(requests).items() if column.keys() & requested.keys()}
    for at, heading in enumerate([_OBJECT, *seen, *attributes], start=1):
        put(sheet.cell(1, at), heading)
        put(sheet.cell(2, at), _second(heading, requests))
        sheet.column_dimensions[sheet.cell(1, at).column_letter].width = 40 if heading in REMARKS else 24
        for row in (1, 2):
            sheet.cell(row, at).fill = styles.PatternFill("solid", fgColor=_HEADING_COLOUR)
            sheet.cell(row, at).alignment = styles.Alignment(wrap_text=True, vertical="top")
        sheet.cell(1, at).font = styles.Font(bold=True)
    for row, object_name in zip(count(3), requested, strict=False):
        _show(sheet, row, [object_name, *(column.get(object_name, "") for column in seen.values())])
    for at, name in enumerate(attributes, start=2 + len(seen)):
        _open(sheet, at, requests.questions[name], [name in names for names in requested.values()])
    sheet.freeze_panes = "B3"
    sheet.protection.sheet = True  # without a password: against slips, not against people
    sheet.protection.formatColumns = sheet.protection.formatRows = False


def _show(sheet: Any, row: int, texts: Sequence[str]) -> None:
    styles = openpyxl().styles
    for at, text in enumerate(texts, start=1):
        cell = sheet.cell(row, at)
        put(cell, text)
        cell.alignment = styles.Alignment(wrap_text=True, vertical="top")
        if at > 1 and is_web_address(text):
            cell.hyperlink = text


def _open(sheet: Any, column: int, question: Attribute, open_cells: Sequence[bool]) -> None:
    """Mark the cells of a column that are to be filled in, and say what may stand in them."""
    styles = openpyxl().styles
    rule = _rule(question)
    sheet.add_data_validation(rule)
    for row, here in zip(count(3), open_cells, strict=False):
        cell = sheet.cell(row, column)
        cell.fill = styles.PatternFill("solid", fgColor=_OPEN_COLOUR if here else _CLOSED_COLOUR)
        cell.protection = styles.Protection(locked=not here)
        if here:
            rule.add(cell.coordinate)


def _rule(question: Attribute) -> Any:
    words = instruction(question, labels=True)[:_LONGEST_PROMPT]
    rule = openpyxl().worksheet.datavalidation.DataValidation(allow_blank=True, **_limits(question))
    rule.showErrorMessage = rule.showInputMessage = True
    rule.errorTitle, rule.error = "Not an answer", words[:225]
    rule.promptTitle, rule.prompt = question.name[:32], words
    return rule


def _limits(question: Attribute) -> dict[str, str]:
    """What may be filled in, as Excel says it."""
    if question.answer_kind.widget == "field":
        limits = question.answer_kind.limits()
        ends = limits.ends("low", "high")
        low, high = ends.get("low", -_LARGEST_NUMBER), ends.get("high", _LARGEST_NUMBER)
        kind = "whole" if limits.whole and ends else "decimal"
        return {"type": kind, "operator": "between", "formula1": f"{low:.15g}", "formula2": f"{high:.15g}"}
    return {"type": "list", "formula1": '"' + ",".join(choices(question)) + '"'}


def _question_text(question: Attribute) -> str:
    return f"{question.question} {instruction(question, labels=True)}"


def _second(heading: str, requests: Requests) -> str:
    if heading in requests.questions:
        return _question_text(requests.questions[heading])
    return QUESTION if heading == _OBJECT else ""


def _seen(requests: Requests) -> dict[str, dict[str, str]]:
    """The columns with what is shown of objects, as far as that is more than their names."""
    texts = {name: view.text for name, view in requests.objects.items() if view.text and view.text != name}
    pictures = {
        name: view.address or (view.image.name if view.image else "")
        for name, view in requests.objects.items()
        if view.address or view.image
    }
    return {name: column for name, column in ((TEXT, texts), (PICTURE, pictures)) if column}


def _check_raters(names: Sequence[str], most: int) -> None:
    if len(names) < most:
        raise DocumentError(
            f"{most} judgments of the same are wanted, and there are {len(names)} raters, {list_names(names)}; each "
            "gives one. Name more of them.",
            value=len(names),
            column="raters",
        )
    plain = [name.casefold() for name in (*names, _INSTRUCTIONS)]
    twice = [name for name in names if plain.count(name.casefold()) > 1]
    if twice:
        raise DocumentError(
            f"two sheets would be called {quote_value(twice[0])}; name the raters differently.",
            value=twice[0],
            column="raters",
        )
    for name in names:
        _check_name(name)


def _check_name(name: str) -> None:
    if not name.isprintable() or name != name.strip() or not name or name.casefold() in (_OBJECT, _WORKER, *REMARKS):
        raise DocumentError(
            f"the name {quote_value(name)} cannot stand in a form for raters, which takes no line "
            f"breaks or spaces around "
            f"it, and keeps {list_names((_OBJECT, _WORKER, *REMARKS), limit=9)} for itself; rename it.",
            value=name,
            column="name",
        )
