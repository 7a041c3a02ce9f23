"""SoSci Survey: a row for each interview, variables such as ``AB01_02``, and times and quality at the end."""

from __future__ import annotations

import re
from collections.abc import Mapping

from manyjudges.tables.grammar import read_whole_number
from manyjudges.tables.shapes.headings import one_line
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.sample import Sample, Shape, first_cells
from manyjudges.tables.shapes.survey import AnswerColumn, Survey, first_filled, survey_layout, technical_columns

_TECHNICAL = {
    "case": "the number of the interview", "serial": "a person", "ref": "how the survey was sent",
    "questnnr": "the questionnaire", "mode": "the kind of response", "language": "a language",
    "started": "a date or time", "lastdata": "a date or time", "mailsent": "a date or time", "finished": "progress",
    "statistic": "progress", "q_viewer": "progress", "lastpage": "progress", "maxpage": "progress",
    "missing": "the share of missing answers", "missrel": "the share of missing answers", "time_sum": "a duration",
    "time_rsi": "a duration", "deg_time": "a duration", "deg_miss": "the share of missing answers",
    "deg_max": "the share of missing answers",
}  # fmt: skip
_PATTERNS = {
    "a duration": re.compile(r"TIME\d{3}"),
    "free text": re.compile(r"[A-Z][A-Z\d]\d{2}_\d{2}[a-z]?(t|_TEXT)"),
    "a random draw": re.compile(r"[A-Z][A-Z\d]\d{2}_(CP|RV\d*)(x\d+)?"),
}
_OWN = {"case", "serial", "ref", "questnnr", "mode", "started"}
_FEWEST_OWN = 3

_VARIABLE = re.compile(r"(?P<question>[A-Z][A-Z\d]\d{2}([a-z]\d?)?)_(?P<item>\d{2}[a-z]?)")
_LABEL = re.compile(r"(?P<question>.*?\S):\s+(?P<item>\S.*)", re.DOTALL)

_NO_ANSWER = ("-1", "-2", "-9")
"""What SoSci Survey writes for "don't know", for "no answer" and for a question that was not answered."""


def _recognise(sample: Sample) -> Layout | str:
    own = {heading.strip().casefold() for heading in sample.headings} & _OWN
    if "case" not in own or len(own) < _FEWEST_OWN:
        return "no columns 'CASE', 'QUESTNNR' and 'STARTED'"
    case = next(heading for heading in sample.headings if heading.strip().casefold() == "case")
    first = first_cells(sample.frame, 0)
    has_labels = bool(first) and read_whole_number(first[sample.headings.index(case)]) is None
    labels = dict(zip(sample.headings, first, strict=True)) if has_labels else {}
    below = sample.below(int(has_labels))
    technical = technical_columns(sample.headings, _TECHNICAL, _PATTERNS)
    known = below.find("worker", technical)
    return survey_layout(
        below,
        Survey(
            "sosci",
            worker=known or _serial(below) or case,
            time=below.named("time") or first_filled(below, ("LASTDATA", "STARTED")),
            technical=technical,
            answers=[_answers(heading, labels) for heading in sample.headings if heading not in technical],
            heading_rows=int(has_labels),
            no_answer=_NO_ANSWER,
            may_name_object=_drawn(below),
        ),
    )


def _answers(heading: str, labels: Mapping[str, str]) -> AnswerColumn:
    text = one_line(labels.get(heading, ""))
    match, parts = _VARIABLE.fullmatch(heading.strip()), _LABEL.fullmatch(text)
    if match is None:
        return AnswerColumn(heading, heading, text=text)
    item = parts["item"] if parts else text or match["item"]
    return AnswerColumn(heading, match["question"], item, parts["question"] if parts else "", name=heading)


def _serial(sample: Sample) -> str | None:
    """The code of the participant, where each row has one."""
    serial = first_filled(sample, ("SERIAL",))
    return serial if serial and 0 < len(sample.frame) == sample.look(serial).filled else None


def _drawn(sample: Sample) -> list[str]:
    """The reference of the link and what was drawn at random, which often say what was shown."""
    names = [heading for heading in sample.headings if _PATTERNS["a random draw"].fullmatch(heading.strip())]
    names += [heading for heading in sample.headings if heading.strip().casefold() == "ref"]
    return [heading for heading in names if sample.look(heading).repeats]


SHAPE = Shape("sosci", _recognise)
"""What the registry of shapes holds of it."""
