"""Commands about the language models of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from manyjudges import service
from manyjudges.base.formatting import listed
from manyjudges.cli import answers, output, progress
from manyjudges.cli.options import MODELS, JsonOption, StudyArgument

if TYPE_CHECKING:
    from manyjudges.study.config import Study

app = typer.Typer()

_ANSWERS_KEPT = "Every answer that came is kept; the same command goes on from there."


_POOLED = (
    "study.toml names no models, so every call counts as a judge of its own, which calls of one model are not. Name "
    "them under [[models]] to have them planned one by one."
)


@app.command("ask-models", rich_help_panel=MODELS)
def ask_models(
    study: StudyArgument,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A model of study.toml, or of the service where that names none; all, unless given."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Let language models judge a study.

    They are called, and rounds are planned, until nothing is left for them. Ctrl-C stops.
    """
    with service.open_study(study, update=True) as opened:
        currency = opened.study.work.currency
        _say_unpriced(opened.study, model)
        try:
            with progress.calls(currency) as update:
                run = service.judge_study(opened, model or (), update)
        except KeyboardInterrupt:
            paid = opened.store.call_log.paid()
            typer.echo(f"{_ANSWERS_KEPT} {paid:,.4f} {currency} were paid so far.", err=True)
            raise
        if as_json:
            opinions = service.opinions_of(opened)
            output.say_json(answers.document("ask-models", **run.to_document(), opinions=opinions))
            return
        output.judged(run, currency)
        if not opened.study.models:
            output.say(_POOLED)
        output.opinions(service.opinions_of(opened))


def _say_unpriced(study: Study, names: Sequence[str] | None) -> None:
    """A limit holds for what has a price only."""
    models = [study.model(name) for name in names] if names else study.models
    free = [repr(model.name) for model in models if not (model.price_in or model.price_out)]
    if free and study.llm.spending_limit is not None:
        typer.echo(
            f"note: {listed(free)} without price_in and price_out: llm.spending_limit holds for others.", err=True
        )
