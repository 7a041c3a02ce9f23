"""Commands about the language models of a study."""

from __future__ import annotations

from typing import Annotated

import typer

from manyjudges import calling, studies, terminal
from manyjudges.commands.study import StudyArgument
from manyjudges.options import JsonOption

app = typer.Typer()


@app.command()
def judge(
    study: StudyArgument,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A model of study.toml, or of the service where that names none; all, unless given."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Let language models judge: they are called, rounds are planned, until nothing is left for them; Ctrl-C stops."""
    with studies.open_study(study, update=True) as opened:
        currency = opened.study.work.currency
        with terminal.calls(opened, currency) as progress:
            judged = calling.judge_study(opened, model or (), progress)
        if as_json:
            terminal.say_json(judged.to_document() | {"opinions": studies.opinions_of(opened)})
            return
        terminal.judged(judged, currency)
        terminal.opinions(studies.opinions_of(opened))
