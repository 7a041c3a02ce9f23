"""Qualtrics: a row for each response; ids of the columns first, then their questions, then what Qualtrics calls them.

Questions in a loop have the number of the turn before their id, ``1_Q3``, and rows of a matrix their own number behind
it, ``Q5_2``, with ``question - row`` in the second row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from manyjudges.tables.shapes.headings import one_line, what_differs
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.sample import Sample, Shape, first_cells
from manyjudges.tables.shapes.survey import AnswerColumn, Survey, first_filled, survey_layout, technical_columns

_TECHNICAL = {
    "startdate": "a date or time", "enddate": "a date or time", "recordeddate": "a date or time",
    "status": "the kind of response", "ipaddress": "an IP address", "progress": "progress",
    "duration (in seconds)": "a duration", "duration__in_seconds_": "a duration", "finished": "progress",
    "responseid": "the id of the response", "responseset": "the kind of response", "name": "a person",
    "recipientlastname": "a person", "recipientfirstname": "a person", "recipientemail": "an e-mail address",
    "externaldatareference": "a person", "externalreference": "a person", "locationlatitude": "a place",
    "locationlongitude": "a place", "distributionchannel": "how the survey was sent", "userlanguage": "a language",
    "emailaddress": "an e-mail address", "q_recaptchascore": "a check against bots",
}  # fmt: skip
_USUAL = set(_TECHNICAL) - {"name", "status", "progress", "finished", "responseset", "emailaddress"}
_PATTERNS = {
    "a duration": re.compile(r".*_(First Click|Last Click|Page Submit|Click Count)", re.IGNORECASE),
    "the order of display": re.compile(r".*_DO(_.*)?"),
    "free text": re.compile(r".*_TEXT"),
    "a check against bots": re.compile(r"Q_(Recaptcha|RelevantID|BallotBox|Duplicate|Fraud|Straight|Speed).*"),
    "browser": re.compile(r".*_(Browser|Version|Operating System|Resolution)"),
}
_FEWEST_USUAL = 3

_LOOP = re.compile(r"(?P<turn>\d+)_(?P<question>.+)", re.DOTALL)
_ROW = re.compile(r"(?P<question>.+?)_(?P<row>\d+)")
_PARTS = re.compile(r"(?P<question>.*\S)\s+-\s+(?P<row>\S.*)", re.DOTALL)
_IMPORT_ID = re.compile(r'\{\s*"?"ImportId"?"')


def _recognise(sample: Sample) -> Layout | str:
    usual = [heading for heading in sample.headings if heading.strip().casefold() in _USUAL]
    has_ids = any(map(_IMPORT_ID.match, [*first_cells(sample.frame, 0), *first_cells(sample.frame, 1)]))
    if len(usual) < _FEWEST_USUAL and not has_ids:
        return "no columns such as 'StartDate', 'RecordedDate' and 'ResponseId'"
    heading_rows = _heading_rows(sample, usual)
    texts = dict(zip(sample.headings, first_cells(sample.frame, 0), strict=False)) if heading_rows else {}
    below = sample.below(heading_rows)
    technical = technical_columns(sample.headings, _TECHNICAL, _PATTERNS)
    answers = _answers([heading for heading in sample.headings if heading not in technical], texts)
    return survey_layout(
        below,
        Survey(
            "qualtrics",
            worker=below.find("worker", technical) or first_filled(below, ("ResponseId", "ResponseID")),
            time=below.named("time") or first_filled(below, ("RecordedDate", "EndDate")),
            technical=technical,
            answers=answers,
            heading_rows=heading_rows,
        ),
    )


def _heading_rows(sample: Sample, usual: list[str]) -> int:
    """How many rows below the ids belong to the heading: two in text files, one in workbooks, none in data files."""
    for row in (0, 1):
        if any(map(_IMPORT_ID.match, first_cells(sample.frame, row))):
            return row + 1
    first = dict(zip(sample.headings, first_cells(sample.frame, 0), strict=False))
    said = [heading for heading in usual if _letters(first.get(heading, "")) == _letters(heading)]
    return 1 if said else 0


def _letters(text: str) -> str:
    """A text without spaces, as ``StartDate`` is called ``Start Date`` in the second row."""
    return "".join(text.split()).casefold()


def _answers(headings: list[str], texts: Mapping[str, str]) -> list[AnswerColumn]:
    loops = {heading: match for heading in headings if (match := _LOOP.fullmatch(heading))}
    turns = _turns(loops, texts)
    answers = []
    for heading in headings:
        text = one_line(texts.get(heading, ""))
        if heading in loops:
            turn = loops[heading]["turn"]
            answers.append(
                AnswerColumn(heading, loops[heading]["question"], turns.get(turn, turn), text, loop=True, name=heading)
            )
            continue
        row, parts = _ROW.fullmatch(heading), _PARTS.fullmatch(text)
        if row and parts:
            answers.append(
                AnswerColumn(heading, row["question"], parts["row"].strip(), parts["question"], name=heading)
            )
        else:
            answers.append(AnswerColumn(heading, heading, text=text))
    return answers


def _turns(loops: Mapping[str, re.Match[str]], texts: Mapping[str, str]) -> dict[str, str]:
    """What the turns of a loop are about, as far as the texts of all its questions say the same."""
    by_question: dict[str, dict[str, str]] = {}
    for heading, match in loops.items():
        if text := one_line(texts.get(heading, "")):
            by_question.setdefault(match["question"], {})[match["turn"]] = text
    found = [_without_marks(names) for each in by_question.values() if (names := what_differs(each))]
    if not found or any(names != found[0] for names in found):
        return {}
    return found[0] if len(set(found[0].values())) == len(found[0]) else {}


def _without_marks(names: Mapping[str, str]) -> dict[str, str]:
    return {turn: name.strip(" ?!.,:;-–\"'“”„").removesuffix("'s").removesuffix("’s") for turn, name in names.items()}


SHAPE = Shape("qualtrics", _recognise)
"""What the registry of shapes holds of it."""
