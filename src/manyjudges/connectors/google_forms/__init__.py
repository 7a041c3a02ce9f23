"""Google Forms: responses read from the CSV file that Forms or Sheets gives, and a script that makes forms written.

A response is a row. Its questions have the object in brackets, as those of grids have by themselves ("Is the person
tall? [photo 1]"), or one of them names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyjudges.base import documents
from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.google_forms.script import one_line, script
from manyjudges.connectors.grid import read_separated
from manyjudges.connectors.place import located
from manyjudges.connectors.registry import WRITE_ONLY, Connector, ConnectorOption
from manyjudges.connectors.requests import Requests, as_requests
from manyjudges.connectors.rows import Questions, paths_of
from manyjudges.connectors.selection import (
    ATTRIBUTES_OPTION,
    REPEATED_OPTION,
    AttributeSelection,
    RawAnswer,
    RowWithAnswer,
    check_repeated,
    judgments_from,
    source_of,
)
from manyjudges.connectors.wide import Table, answer, need, table_of
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError
from manyjudges.tables.formats.paths import StrPath

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.tables.judgments import Judgments

__all__ = ["CONNECTOR", "detects", "read", "write"]

_TIMES = {
    "timestamp", "zeitstempel", "horodateur", "marca temporal", "marca de temps", "carimbo de data/hora",
    "carimbo de hora", "informazioni cronologiche", "tijdstempel", "sygnatura czasowa", "отметка времени",
    "позначка часу", "タイムスタンプ", "타임스탬프", "时间戳记", "時間戳記", "tidsstempel",
    "tidstämpel", "tidsmerke", "aikaleima", "časová značka", "zaman damgası", "dấu thời gian",
}  # fmt: skip
"""What the first column of responses is called, in the language of the form's owner."""

_PEOPLE = {
    "email address", "email", "username", "e-mail-adresse", "nutzername", "adresse e-mail", "nom d'utilisateur",
    "dirección de correo electrónico", "nombre de usuario", "endereço de e-mail", "indirizzo email",
    "indirizzo e-mail", "nome utente", "e-mailadres", "adres e-mail", "nazwa użytkownika", "адрес электронной почты",
    "メールアドレス", "ユーザー名",
}  # fmt: skip
"""What the column of addresses is called, where a form collects them."""

_SCORES = {"score", "total score", "punkte", "punktzahl", "puntuación", "pontuação", "punteggio"}
_GRADED = ("[Score]", "[Feedback]")
"""What a quiz adds to the questions."""

_GRIDS = ("objects", "attributes")

_BRACKETS = re.compile(r"(?P<title>.*\S)\s*\[(?P<row>[^\[\]]+)\]", re.DOTALL)


@dataclass(frozen=True)
class _AnswerColumn:
    """A column with answers: to which question, about which object (None where a column of the row says it)."""

    heading: str
    attribute: str
    object: str | None = None


def read(
    path: StrPath | Sequence[StrPath],
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    worker: str | None = None,
    grid: str | None = None,
    repeated: str | None = None,
) -> Judgments:
    """The judgments in responses to forms.

    Parameters
    ----------
    path : path or sequence of paths
        Responses as Google Forms or Google Sheets gives them as CSV, taken out of the .zip.
    questions : mapping, optional
        Of the study that they belong to. Columns are known by the texts of its questions, answers are checked, and
        other columns left out.
    object : str, optional
        The question whose answer names the object; unless given, objects stand in brackets behind the questions.
    rename : mapping, optional
        From questions of the form to the attributes that they ask for.
    attributes : sequence of str, optional
        The questions to take, by what they are called there or here.
    worker : str, optional
        The question whose answer says who responds; the e-mail address, or else the number of the response, unless
        given.
    grid : {"objects", "attributes"}, optional
        What stands in brackets: the object, or the attribute behind the name of the object. Objects, unless given or
        only the texts of the study's questions are found there.
    repeated : {"first", "last"}, optional
        Which judgment to take where somebody judged the same in two responses; that is an error unless given.
    """
    check_repeated(repeated)
    if grid is not None and grid not in _GRIDS:
        raise JudgmentsError(
            f"grid must be {' or '.join(map(repr, _GRIDS))}, not {quote_value(grid)}.", value=grid, column="grid"
        )
    titles = _titles(questions) | {one_line(old): new for old, new in (rename or {}).items()}
    selection = AttributeSelection.of(attributes, questions, titles)
    paths, source = paths_of(path), source_of(path)
    several = len(paths) > 1
    answers = [
        answer for file in paths for answer in _raw_answers(_table(file), selection, object, worker, grid, several)
    ]
    return judgments_from(answers, selection, questions, source, choose=partial(_choose, repeated=repeated))


def write(requests: Requests | pd.DataFrame, path: StrPath, *, email: bool = True) -> None:
    """Write a script for script.google.com that makes forms, one for each number of judgments that is wanted.

    Google Forms reads no files, but a script can make forms. Their questions are called so that :func:`read` knows
    them.

    Parameters
    ----------
    requests : Requests or DataFrame
    path : path
        Ends in .gs.
    email : bool
        Whether the forms collect e-mail addresses, by which raters are told apart.
    """
    if Path(path).suffix.lower() not in (".gs", ".js"):
        raise DocumentError(f"a script for Google is a .gs file, not {Path(path).name!r}.", file=Path(path).name)
    documents.write(path, script(as_requests(requests), email=email))


def detects(path: Path) -> bool:
    """Whether the first heading of a file is that of a form's responses; never raises."""
    try:
        if path.suffix.lower() not in (".csv", ".tsv"):
            return False
        table = table_of(read_separated(path))
    except (ManyJudgesError, OSError):
        return False
    return table is not None and table.head == 0 and next(iter(table.columns)).casefold() in _TIMES


def _table(path: Path) -> Table:
    if path.suffix.lower() == ".zip":
        raise DocumentError(f"{path.name}: take the .csv file out of it, and read that.", file=path.name)
    grid = read_separated(path)
    try:
        table = table_of(grid, grid.lines[0] if grid.lines else None)
    except DocumentError as error:
        if "more than one column" not in str(error):
            raise
        raise DocumentError(
            f"{path.name}: a question stands in the form more than once, so that it cannot be told which object an "
            f"answer is about ({error}) Write the object behind it, in the form or in the file: 'Tall? [photo 1]'.",
            column=error.column,
            file=path.name,
        ) from None
    if table is None or not table.columns:
        raise DocumentError(f"{path.name} is empty; its first line must have the questions.", file=path.name)
    return table


def _titles(questions: Questions | None) -> dict[str, str]:
    """The attributes by what a form may call them."""
    texts = {name: one_line(question.question) for name, question in (questions or {}).items()}
    every = list(texts.values())
    return {f"{text} ({name})": name for name, text in texts.items()} | {
        text: name for name, text in texts.items() if every.count(text) == 1
    }


def _raw_answers(
    table: Table,
    selection: AttributeSelection,
    object_column: str | None,
    worker: str | None,
    grid: str | None,
    several: bool,
) -> Iterator[RawAnswer]:
    columns = _answer_columns(table, selection, object_column, worker, grid)
    who = need(table, worker, "worker") if worker is not None else _people(table)
    for row in table.rows:
        name = _respondent(table, row, who, worker is None, several)
        for column in columns:
            value = answer(table.value(row, column.heading))
            if value is None:
                continue
            about = column.object if object_column is None else table.name(row, object_column)
            place = table.where(row, column.heading)
            if not about:
                raise DocumentError(
                    f"{place}: there is an answer, but {object_column!r} is empty and names no object.",
                    **located(place),
                )
            yield RawAnswer(about, column.attribute, name, value, place)


def _respondent(table: Table, row: int, column: str | None, email: bool, several: bool) -> str:
    """Who responded: by the column that says it, or by the number of the response, in its file if there are several."""
    name = "" if column is None else table.name(row, column)
    if name:
        return name.lower() if email else name
    number = f"response {row - table.head}"
    return f"{table.grid.title}, {number}" if several else number


def _answer_columns(
    table: Table, selection: AttributeSelection, object_column: str | None, worker: str | None, grid: str | None
) -> list[_AnswerColumn]:
    columns = [name for name in list(table.columns)[1:] if name and not _is_about_people(name, table)]
    if object_column is not None:
        need(table, object_column, "object")
        every = [_AnswerColumn(name, one_line(name)) for name in columns if name not in (object_column, worker)]
    else:
        every = _bracketed([name for name in columns if name != worker], selection, grid)
    kept = [column for column in every if selection.includes(column.attribute)]
    if not every:
        raise DocumentError(
            f"{table.grid.place}: no question says what it is about, as 'Tall? [photo 1]' does. If an answer names the "
            f"object, say which: object={columns[0] if columns else 'Which photo?'!r} (--object).",
            **located(table.grid.place, "object"),
        )
    if not kept:
        raise DocumentError(
            f"{table.grid.place}: of {list_names(sorted(selection.names or ()), limit=6)}, it has no "
            f"answers; its questions "
            f"are {list_names(dict.fromkeys(column.attribute for column in every), limit=12)}. Say what they "
            f"are called here "
            "(--rename).",
            **located(table.grid.place, "attributes"),
        )
    return kept


def _bracketed(columns: Sequence[str], selection: AttributeSelection, grid: str | None) -> list[_AnswerColumn]:
    """Columns with something in brackets; others are about the respondent."""
    headings = [(name, parts) for name in columns if (parts := _BRACKETS.fullmatch(one_line(name)))]
    attributes = {*selection.rename, *selection.rename.values(), *(selection.names or ())}
    turned = bool(attributes) and not any(parts["title"] in attributes for _, parts in headings)
    if grid == "attributes" or (
        grid is None and turned and any(parts["row"].strip() in attributes for _, parts in headings)
    ):
        return [_AnswerColumn(name, parts["row"].strip(), parts["title"]) for name, parts in headings]
    return [_AnswerColumn(name, parts["title"], parts["row"].strip()) for name, parts in headings]


def _people(table: Table) -> str | None:
    return next((name for name in table.columns if name.casefold() in _PEOPLE), None)


def _is_about_people(name: str, table: Table) -> bool:
    """Whether a column is of who responds, or of how good a quiz says that is."""
    graded = any(name.endswith(end) and name.removesuffix(end).strip() in table.columns for end in _GRADED)
    return name.casefold() in _PEOPLE | _SCORES or graded


def _choose(one: RowWithAnswer, other: RowWithAnswer, repeated: str | None) -> RowWithAnswer:
    """Of two responses the first or the last; they are in the order in which they came."""
    before, row = one[0], other[0]
    if repeated is None:
        raise JudgmentsError(
            f"{before.place} and {row.place}: {row.worker!r} judged {row.attribute!r} of {row.object!r} in both. "
            'Leave one out, or take the first or the last response: repeated="first" or repeated="last" '
            "(--repeated).",
            value=row.worker,
            **located(row.place),
        )
    return other if repeated == "last" else one


CONNECTOR = Connector(
    "google-forms",
    output="a .gs file",
    read=read,
    write=write,
    detects=detects,
    options={
        "attributes": ATTRIBUTES_OPTION,
        "worker": ConnectorOption("text", "The question whose answer says who responds; by default the e-mail address"),
        "grid": ConnectorOption("text", "What stands in brackets behind a question", choices=_GRIDS),
        "repeated": REPEATED_OPTION,
        "email": ConnectorOption(
            "yes or no", "Whether the forms collect e-mail addresses; default: yes", on=WRITE_ONLY
        ),
    },
)
"""What the registry of connectors holds of this tool."""
