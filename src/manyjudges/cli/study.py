"""Commands on a study's folder: make it, serve it, watch it, steer it."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyjudges import service
from manyjudges.base import documents
from manyjudges.base.messages import quote_value
from manyjudges.cli import answers, inputs, output, progress
from manyjudges.cli.options import (
    COLLECT,
    TABLE_ENDINGS,
    JsonOption,
    StudyArgument,
    TableOutOption,
    WorkerIdsOption,
    as_count,
    as_float,
    as_port,
)
from manyjudges.exceptions import StudyError

if TYPE_CHECKING:
    from manyjudges.service import OpenStudy

_FEW = 10
"""Labelled objects below which hardly any can be set aside."""

app = typer.Typer()


@app.command(rich_help_panel=COLLECT)
def new(
    folder: Annotated[Path, typer.Argument(metavar="STUDY", help="A folder to make.")],
    title: Annotated[str | None, typer.Option(help="Title of the study.")] = None,
) -> None:
    """Create a study's folder, ready to be served.

    It has a commented study.toml and example objects.
    """
    service.check_extra()
    from manyjudges.study.scaffold import new_study

    made = new_study(folder, title=title)
    output.say(f"Made {made}. Edit {made / 'study.toml'} and {made / 'objects.csv'}, then:")
    output.say(f"  manyjudges serve {made}")


@app.command(rich_help_panel=COLLECT)
def serve(
    study: StudyArgument,
    host: Annotated[str | None, typer.Option(help="Where to listen (default: server.host in study.toml).")] = None,
    port: Annotated[
        int | None, typer.Option(parser=as_port, metavar="PORT", help="Port (default: server.port in study.toml).")
    ] = None,
) -> None:
    """Run a study's web server until Ctrl-C.

    Judges judge, and rounds are planned as they are complete.
    """
    with service.open_study(study, update=True) as opened:
        _say_problems(opened)

        def started(site: str) -> None:
            # Only when the server listens: a password is shown once, and must not be lost to a port in use.
            _say_password(opened)
            output.serving(opened.study, site)

        service.serve(opened, host=host, port=port, started=started)
    output.say("Stopped. Everything that was handed in is kept; serve again to go on.")


@app.command(rich_help_panel=COLLECT)
def status(study: StudyArgument, as_json: JsonOption = False) -> None:
    """Show where a study stands.

    Judgments, spending, the plan and the error to expect.
    """
    with service.open_study(study) as opened:
        numbers = service.status_of(opened)
    if as_json:
        output.say_json(answers.document("status", **numbers))
    else:
        output.status(numbers)


@app.command(rich_help_panel=COLLECT)
def pause(study: StudyArgument) -> None:
    """Pause a study.

    Judges can still submit work in progress.
    """
    with service.open_study(study) as opened:
        opened.store.pause()
    output.say("Paused. Run 'manyjudges resume' to continue.")


@app.command(rich_help_panel=COLLECT)
def resume(study: StudyArgument) -> None:
    """Resume a paused study."""
    with service.open_study(study) as opened:
        opened.store.resume()
    output.say("Running.")


@app.command(rich_help_panel=COLLECT)
def close(
    study: StudyArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Close a study for good.

    No work is handed out any more; judges can still submit work in progress.
    """
    with service.open_study(study) as opened:
        if not yes:
            if not sys.stdin.isatty():
                raise StudyError("a closed campaign cannot be opened again; say --yes to close it.", column="yes")
            typer.confirm("A closed campaign cannot be opened again. Close it?", abort=True)
        opened.store.shut()
    output.say("Closed. 'manyjudges fit' and 'manyjudges export' still work.")


@app.command(rich_help_panel=COLLECT)
def replan(
    study: StudyArgument,
    if_complete: Annotated[bool, typer.Option("--if-complete", help="Only if the round is complete.")] = False,
    give_up: Annotated[bool, typer.Option("--give-up", help="Never ask again for what is still missing.")] = False,
) -> None:
    """Plan now, and order what the plan lacks.

    Plans from the judgments so far, even though the round is not complete.
    """
    if if_complete and give_up:
        raise StudyError(
            "--if-complete and --give-up contradict each other: there is nothing to give up then.", column="if_complete"
        )
    with service.open_study(study) as opened, progress.busy("planning"):
        decided = service.plan_study(opened, force=not if_complete, give_up=give_up)
    output.decision(decided)


@app.command(rich_help_panel=COLLECT)
def invite(
    study: StudyArgument,
    count: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="Number of links.")] = 1,
    days: Annotated[
        float | None,
        typer.Option(
            parser=as_float, metavar="NUMBER", help="Days until they expire (default: entry.link_days in study.toml)."
        ),
    ] = None,
    site: Annotated[
        str | None, typer.Option(help="Address of the server for judges (default: server.address in study.toml).")
    ] = None,
    out: TableOutOption = None,
) -> None:
    """Create personal links, one for each judge.

    They are shown only once: the study keeps hashes of them.
    """
    inputs.check_target(out, table=True)
    with service.open_study(study) as opened:
        held = opened.study.entry.link_days if days is None else days
        server = opened.study.server
        base = (site or server.address or f"http://{server.host}:{server.port}").rstrip("/")
        links = [f"{base}/w/{token}" for token in opened.store.invite(count, days=held)]
    if out is not None:
        import pandas as pd

        from manyjudges.tables import files

        files.write_table(out, pd.DataFrame({"link": links}))
        output.say(f"{count:,} links written to {out}; they hold for {held:g} days.")
    else:
        typer.echo("\n".join(links))


@app.command(rich_help_panel=COLLECT)
def password(study: StudyArgument) -> None:
    """Set the password of the researcher's page.

    It is asked for, or taken from the variable MANYJUDGES_PASSWORD.
    """
    with service.open_study(study) as opened:
        word = os.environ.get(service.PASSWORD_VARIABLE) or _ask_password()
        if word is None:
            raise StudyError(
                f"there is no terminal to ask at; set {service.PASSWORD_VARIABLE}.", column=service.PASSWORD_VARIABLE
            )
        service.set_password(opened, word)
    output.say("The password is set.")


@app.command(rich_help_panel=COLLECT)
def token(
    study: StudyArgument,
    name: Annotated[str, typer.Argument(help="The program's name.")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the program's token.")] = False,
) -> None:
    """Create a token for a program that judges.

    The program uses the JSON interface. The token is shown only once.
    """
    with service.open_study(study) as opened:
        if revoke:
            opened.store.revoke_program(name)
            output.say(f"The token of {name} is revoked.")
        else:
            typer.echo(opened.store.add_program(name))


@app.command(rich_help_panel=COLLECT)
def withdraw(
    study: StudyArgument,
    worker: Annotated[str, typer.Argument(help="Pseudonym, or external name, of the worker.")],
) -> None:
    """Withdraw a judge's judgments.

    Also erases the judge's identity, and blocks the judge.
    """
    with service.open_study(study) as opened:
        record = opened.store.find_worker(worker)
        if record is None:
            raise StudyError(
                f"there is no worker {quote_value(worker)} in this study; 'manyjudges export' lists them.",
                value=worker,
                column="worker",
            )
        if record.withdrawn:
            raise StudyError(f"what {record.name} said was withdrawn already.", value=worker, column="worker")
        withdrawn = opened.store.withdraw(record.id)
    output.say(f"{withdrawn:,} judgments of {record.name} withdrawn.")


@app.command(rich_help_panel=COLLECT)
def bonuses(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help=f"Where to write the table: {TABLE_ENDINGS}.")] = Path("bonuses.csv"),
    worker_ids: WorkerIdsOption = False,
) -> None:
    """Suggest whom to pay a bonus.

    Judges who agree with others clearly better than is typical.
    """
    from manyjudges.tables import files

    inputs.check_target(out, table=True)
    with service.open_study(study) as opened:
        suggested = service.bonuses_of(opened, external=worker_ids)
    files.write_table(out, suggested)
    output.say(f"{len(suggested):,} bonuses suggested, written to {out}.")


def fit_folder(
    folder: Path, out: Path | None, predictions: Path | None, as_json: bool, *, mute: Collection[str] = ()
) -> None:
    """Fit the predictor of a study, and predict its objects without label."""
    with service.open_study(folder) as opened, progress.busy("fitting"):
        fitted = service.fit_study(opened, mute=mute)
    if out is not None:
        documents.write(out, fitted.model.to_json())
    if predictions is not None:
        from manyjudges.tables import files

        files.write_table(predictions, fitted.predictions)
    if as_json:
        from manyjudges.summary import plain as summary

        numbers = {"answer": fitted.answer, "warnings": summary.warnings(fitted.warnings)}
        output.say_json(answers.document("fit", model=fitted.model.to_document(), **numbers))
        return
    output.predictor(fitted.model, error=fitted.answer["error"] is None)
    output.fit(fitted, predictions)
    output.warn(fitted.warnings)
    output.say(f"Written to {out}." if out else "Write it to a file with --out model.json.")


def _ask_password() -> str | None:
    """A password, asked for twice; None where there is nobody to ask."""
    if not sys.stdin.isatty():
        return None
    return str(typer.prompt("Password for the researcher's page", hide_input=True, confirmation_prompt=True))


def _say_password(opened: OpenStudy) -> None:
    made = service.first_password(opened, _ask_password)
    if made is not None:
        output.say(f"Password of the researcher's page, shown this once: {made}")
    elif service.other_password(opened):
        output.say(f"{service.PASSWORD_VARIABLE} is not the password that was set; 'manyjudges password' sets it.")


def _say_problems(opened: OpenStudy) -> None:
    labelled = opened.store.position()["labelled"]
    if labelled < _FEW:
        typer.echo(f"only {labelled} objects have a label: too few to tell how far off predictions will be.", err=True)
    for problem in opened.objects.problems:
        place = f"{opened.study.objects.file}, line {problem.line}"
        typer.echo(f"{place}: {problem.message} This row is left out.", err=True)
