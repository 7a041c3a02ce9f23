"""LimeSurvey: a row for each response; columns by code, by question, or both, with the subquestion in brackets."""

from __future__ import annotations

import re

from manyjudges.tables.shapes.headings import bracketed, one_line
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.sample import Sample, Shape
from manyjudges.tables.shapes.survey import AnswerColumn, Survey, first_filled, survey_layout, technical_columns

_BY_CODE = {
    "id": "the id of the response", "submitdate": "a date or time", "lastpage": "progress",
    "startlanguage": "a language", "seed": "a seed for random order", "token": "a person",
    "startdate": "a date or time", "datestamp": "a date or time", "ipaddr": "an IP address",
    "refurl": "a web address", "interviewtime": "a duration", "firstname": "a person", "lastname": "a person",
    "email": "an e-mail address",
}  # fmt: skip
_BY_TEXT = {
    "response id": "id", "antwort id": "id", "id de la réponse": "id", "id de respuesta": "id",
    "date submitted": "submitdate", "datum abgeschickt": "submitdate", "date de soumission": "submitdate",
    "fecha de envío": "submitdate", "last page": "lastpage", "letzte seite": "lastpage", "dernière page": "lastpage",
    "última página": "lastpage", "start language": "startlanguage", "start-sprache": "startlanguage",
    "langue de départ": "startlanguage", "lenguaje inicial": "startlanguage", "seed": "seed",
    "zufallsstartwert": "seed", "date started": "startdate", "datum gestartet": "startdate",
    "date last action": "datestamp",
    "datum letzte aktivität": "datestamp", "ip address": "ipaddr", "ip-adresse": "ipaddr",
    "referrer url": "refurl", "access code": "token", "zugangscode": "token", "total time": "interviewtime",
}  # fmt: skip
"""What the codes are called where columns are headed by full texts."""

_KNOWN = (
    _BY_CODE
    | {text: _BY_CODE[code] for text, code in _BY_TEXT.items()}
    | {f"{code}. {text}": _BY_CODE[code] for text, code in _BY_TEXT.items()}
)
_PATTERNS = {
    "a duration": re.compile(r"(group|question)time.*|.*\btime: .*|[A-Za-z]\w*Time", re.IGNORECASE),
    "free text": re.compile(r".*\[(other|comment)\](\..*)?|.*\[\w+comment\](\..*)?", re.IGNORECASE | re.DOTALL),
    "a person": re.compile(r"attribute_\d+(\..*)?"),
}
_MARKS = {"submitdate", "lastpage", "startlanguage", "seed", "datestamp", "token"}
_FEWEST_MARKS = 2

_CODES = re.compile(r"[A-Za-z]\w*\[[A-Z\d_]+\]")
_CODED = re.compile(r"(?P<code>[A-Za-z]\w*)(\[(?P<row>\w+)\](\[(?P<scale>\w+)\])?)?\.\s+(?P<text>.+)", re.DOTALL)


def _recognise(sample: Sample) -> Layout | str:
    codes = {code for heading in sample.headings if (code := _code(heading))}
    if "id" not in codes or len(codes & _MARKS) < _FEWEST_MARKS:
        return "no columns such as 'id', 'submitdate' and 'lastpage'"
    technical = technical_columns(sample.headings, _KNOWN, _PATTERNS)
    by_code = {code: heading for heading in reversed(technical) if (code := _code(heading))}
    times = [by_code[code] for code in ("submitdate", "datestamp") if code in by_code]
    people = [by_code[code] for code in ("token", "id") if code in by_code]
    return survey_layout(
        sample,
        Survey(
            "limesurvey",
            worker=sample.find("worker", technical) or _with_all(sample, people) or by_code["id"],
            time=sample.named("time") or first_filled(sample, times),
            technical=technical,
            answers=[_answers(heading) for heading in sample.headings if heading not in technical],
        ),
    )


def _code(heading: str) -> str:
    """The code of a column that LimeSurvey adds to those of the questions; empty for others."""
    name = heading.strip().casefold()
    code, _, text = name.partition(". ")
    if code in _BY_CODE and (not text or _BY_TEXT.get(text) == code):
        return code
    return _BY_TEXT.get(name, "")


def _with_all(sample: Sample, headings: list[str]) -> str | None:
    found = first_filled(sample, headings)
    return found if found and sample.look(found).filled == len(sample.frame) else None


def _answers(heading: str) -> AnswerColumn:
    """A column by code (``G01Q02[SQ001]``), by text (``How clear? [Essay A]``) or both (``G01Q02[SQ001]. …``)."""
    if match := _CODED.fullmatch(heading.strip()):
        name = heading.strip().partition(". ")[0]
        parts = bracketed(match["text"]) if match["row"] else None
        if parts is None:
            return AnswerColumn(heading, match["code"], match["row"] or "", one_line(match["text"]), name=name)
        return AnswerColumn(heading, match["code"], parts[1], parts[0], name=name)
    parts = bracketed(heading)
    if parts and _CODES.fullmatch(heading.strip()):
        return AnswerColumn(heading, *parts, name=heading)
    return AnswerColumn(heading, *parts) if parts else AnswerColumn(heading, one_line(heading))


SHAPE = Shape("limesurvey", _recognise)
"""What the registry of shapes holds of it."""
