"""Google Forms: a row for each response, its time first, and grids as ``question [row]``."""

from __future__ import annotations

from manyjudges.tables.shapes.headings import bracketed, one_line
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.looks import reason_of_heading
from manyjudges.tables.shapes.sample import Sample, Shape
from manyjudges.tables.shapes.survey import AnswerColumn, Survey, survey_layout

_TIME_HEADINGS = {
    "timestamp", "zeitstempel", "horodateur", "marca temporal", "marca de temps", "carimbo de data/hora",
    "carimbo de hora", "informazioni cronologiche", "tijdstempel", "sygnatura czasowa", "отметка времени",
    "позначка часу", "タイムスタンプ", "타임스탬프", "时间戳记", "時間戳記", "tidsstempel", "tidstämpel", "tidsmerke",
    "aikaleima", "časová značka", "zaman damgası", "dấu thời gian",
}  # fmt: skip
"""What the first column is called, in the language of the form's owner."""

_ADDRESSES = {
    "email address", "email", "username", "e-mail-adresse", "nutzername", "adresse e-mail", "nom d'utilisateur",
    "dirección de correo electrónico", "nombre de usuario", "endereço de e-mail", "indirizzo email",
    "indirizzo e-mail", "nome utente", "e-mailadres", "adres e-mail", "nazwa użytkownika", "адрес электронной почты",
    "メールアドレス", "ユーザー名", "电子邮件地址",
}  # fmt: skip
_SCORES = {"score", "total score", "punkte", "punktzahl", "puntuación", "pontuação", "punteggio"}
_OF_A_QUIZ = ("[Score]", "[Feedback]")


def _recognise(sample: Sample) -> Layout | str:
    headings = sample.headings
    if not headings or headings[0].strip().casefold() not in _TIME_HEADINGS:
        return "the first column is not called 'Timestamp'"
    if sample.look(headings[0]).filled and sample.reason(headings[0]) is None:
        return "the first column has no times"
    if any(reason_of_heading(heading) == "a duration" for heading in headings):
        return "Google Forms does not record durations"
    technical = {heading: why for heading in headings[1:] if (why := _technical(heading, headings))}
    worker = next((heading for heading in headings if heading.strip().casefold() in _ADDRESSES), None)
    return survey_layout(
        sample,
        Survey(
            "google-forms",
            worker=worker or sample.find("worker", technical),
            time=sample.named("time") or headings[0],
            technical={headings[0]: "a date or time"} | technical,
            answers=[_answers(heading) for heading in headings[1:] if heading not in technical],
        ),
    )


def _technical(heading: str, headings: list[str]) -> str:
    name = heading.strip()
    if name.casefold() in _ADDRESSES:
        return "an e-mail address"
    of_a_quiz = any(name.endswith(end) and name.removesuffix(end).strip() in headings for end in _OF_A_QUIZ)
    return "the score of a quiz" if of_a_quiz or name.casefold() in _SCORES else ""


def _answers(heading: str) -> AnswerColumn:
    parts = bracketed(heading)
    return AnswerColumn(heading, *parts) if parts else AnswerColumn(heading, one_line(heading))


SHAPE = Shape("google-forms", _recognise)
"""What the registry of shapes holds of it."""
