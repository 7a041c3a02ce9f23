"""REDCap: a row for each record, or for each event or instance of it; whether a form is complete stands at its end."""

from __future__ import annotations

import re

from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.sample import Sample, Shape
from manyjudges.tables.shapes.survey import AnswerColumn, Survey, survey_layout, technical_columns

_TECHNICAL = {
    "redcap_event_name": "the event", "redcap_repeat_instrument": "the form", "redcap_repeat_instance": "the instance",
    "redcap_survey_identifier": "a person", "redcap_data_access_group": "a group of users", "event name": "the event",
    "repeat instrument": "the form", "repeat instance": "the instance", "survey identifier": "a person",
    "data access group": "a group of users", "survey timestamp": "a date or time", "complete?": "progress",
}  # fmt: skip
_PATTERNS = {
    "progress": re.compile(r".*_complete|Complete\?(\.\d+)?", re.IGNORECASE),
    "a date or time": re.compile(r".*_timestamp|Survey Timestamp(\.\d+)?", re.IGNORECASE),
}
_RECORDS = ("record_id", "record id", "study_id", "study id", "participant_id")
_COMPLETE = {"0", "1", "2", "incomplete", "unverified", "complete"}


def _recognise(sample: Sample) -> Layout | str:
    technical = technical_columns(sample.headings, _TECHNICAL, _PATTERNS)
    own = [heading for heading in technical if heading.strip().casefold() in _TECHNICAL]
    forms = [heading for heading in technical if technical[heading] == "progress" and _says_progress(sample, heading)]
    record = next((heading for heading in sample.headings if heading.strip().casefold() in _RECORDS), None)
    if record is None and own and sample.headings[0] not in technical:
        record = sample.headings[0]
    if record is None or not (own or forms):
        return "no columns such as 'record_id' and 'redcap_event_name'"
    rater = sample.find("worker", (*technical, record))
    answers = [heading for heading in sample.headings if heading not in technical and heading != record]
    return survey_layout(
        sample,
        Survey(
            "redcap",
            worker=rater or (None if sample.named("object") == record else record),
            time=sample.named("time") or _only_time(technical),
            technical={record: "the id of the record"} | technical,
            answers=[AnswerColumn(heading, heading) for heading in answers],
            may_name_object=[record] if rater else [],
        ),
    )


def _says_progress(sample: Sample, heading: str) -> bool:
    return {text.casefold() for text in sample.look(heading).distinct} <= _COMPLETE


def _only_time(technical: dict[str, str]) -> str | None:
    times = [heading for heading, why in technical.items() if why == "a date or time"]
    return times[0] if len(times) == 1 else None


SHAPE = Shape("redcap", _recognise)
"""What the registry of shapes holds of it."""
