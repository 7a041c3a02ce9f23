"""Commands on a study's folder: make it, serve it, watch it, steer it."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from manyjudges import summary
from manyjudges.base import documents
from manyjudges.base.messages import quote_value
from manyjudges.cli import output
from manyjudges.cli.options import JsonOption, as_count, as_float
from manyjudges.exceptions import StudyError
from manyjudges.service import rehearsal
from manyjudges.service import server as serving
from manyjudges.service import study as studies
from manyjudges.tables import files

FEW = 10
"""Labelled objects below which hardly any can be set aside."""

app = typer.Typer()

WorkerIdsOption = Annotated[
    bool, typer.Option("--worker-ids", help="Add the names by which workers came, such as Prolific's.")
]

StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="A study's folder, made by 'manyjudges new'.")]


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="STUDY", help="A folder to make.")],
    title: Annotated[str | None, typer.Option(help="Title of the study.")] = None,
) -> None:
    """Make a study's folder, with a commented study.toml and example objects, ready to be served."""
    studies.check_extra()
    from manyjudges.study.scaffold import new_study

    made = new_study(folder, title=title)
    output.say(f"Made {made}. Edit {made / 'study.toml'} and {made / 'objects.csv'}, then:")
    output.say(f"  manyjudges serve {made}")


@app.command()
def serve(
    study: StudyArgument,
    host: Annotated[str | None, typer.Option(help="Where to listen, instead of what study.toml says.")] = None,
    port: Annotated[
        int | None, typer.Option(parser=as_count, metavar="COUNT", help="Port, instead of what study.toml says.")
    ] = None,
) -> None:
    """Serve a study: judges judge, rounds are planned as they are complete, until Ctrl-C."""
    with studies.open_study(study, update=True) as opened:
        _say_problems(opened)
        made = serving.first_password(opened, _ask_password)
        if made is not None:
            output.say(f"Password of the researcher's page, shown this once: {made}")
        elif serving.other_password(opened):
            output.say(f"{serving.PASSWORD_VARIABLE} is not the password that was set; 'manyjudges password' sets it.")
        serving.serve(opened, host=host, port=port, started=lambda site: output.serving(opened.study, site))
    output.say("Stopped. Everything that was handed in is kept; serve again to go on.")


@app.command()
def status(study: StudyArgument, as_json: JsonOption = False) -> None:
    """Say where a study stands: judgments, spending, plan and the error to expect."""
    with studies.open_study(study) as opened:
        numbers = studies.status_of(opened)
    if as_json:
        output.say_json(numbers)
    else:
        output.status(numbers)


@app.command()
def pause(study: StudyArgument) -> None:
    """Hand out no work for a while; what judges have at hand may come in."""
    with studies.open_study(study) as opened:
        opened.store.pause()
    output.say("Paused: nobody is given new work. 'manyjudges resume' goes on.")


@app.command()
def resume(study: StudyArgument) -> None:
    """Go on after a pause."""
    with studies.open_study(study) as opened:
        opened.store.resume()
    output.say("Running.")


@app.command()
def close(
    study: StudyArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Close a campaign for good: no work is handed out any more; what judges have at hand may come in."""
    with studies.open_study(study) as opened:
        if not yes:
            if not sys.stdin.isatty():
                raise StudyError("a closed campaign cannot be opened again; say --yes to close it.")
            typer.confirm("A closed campaign cannot be opened again. Close it?", abort=True)
        opened.store.shut()
    output.say("Closed. 'manyjudges fit' and 'manyjudges export' still work.")


@app.command()
def replan(
    study: StudyArgument,
    if_complete: Annotated[bool, typer.Option("--if-complete", help="Only if the round is complete.")] = False,
    give_up: Annotated[
        bool, typer.Option("--give-up", help="What is still missing cannot be had: do not ask for it again.")
    ] = False,
) -> None:
    """Plan now from what came so far, and order what the new plan lacks."""
    if if_complete and give_up:
        raise StudyError("--if-complete and --give-up contradict each other: there is nothing to give up then.")
    with studies.open_study(study) as opened, output.busy("planning"):
        decided = studies.plan_study(opened, force=not if_complete, give_up=give_up)
    output.decision(decided)


@app.command()
def invite(
    study: StudyArgument,
    count: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="How many.")] = 1,
    days: Annotated[
        float | None,
        typer.Option(parser=as_float, metavar="NUMBER", help="How long they hold, instead of what study.toml says."),
    ] = None,
    site: Annotated[
        str | None, typer.Option(help="How judges reach the server, instead of server.address in study.toml.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write them: .csv, .tsv, .jsonl or .parquet.")] = None,
) -> None:
    """Make personal links, one for each judge; they are shown this once, since only hashes of them are kept."""
    with studies.open_study(study) as opened:
        held = opened.study.entry.link_days if days is None else days
        server = opened.study.server
        base = (site or server.address or f"http://{server.host}:{server.port}").rstrip("/")
        links = [f"{base}/w/{token}" for token in opened.store.invite(count, days=held)]
    if out is not None:
        files.write_table(out, pd.DataFrame({"link": links}))
        output.say(f"{count:,} links written to {out}; they hold for {held:g} days.")
    else:
        typer.echo("\n".join(links))


@app.command()
def password(study: StudyArgument) -> None:
    """Set the password of the researcher's page anew, asked for or from the variable MANYJUDGES_PASSWORD."""
    with studies.open_study(study) as opened:
        given = os.environ.get(serving.PASSWORD_VARIABLE) or _ask_password()
        if given is None:
            raise StudyError(f"there is no terminal to ask at; set {serving.PASSWORD_VARIABLE}.")
        serving.set_password(opened, given)
    output.say("The password is set.")


@app.command()
def token(
    study: StudyArgument,
    name: Annotated[str, typer.Argument(help="The program's name.")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Let the program in no more.")] = False,
) -> None:
    """Make a token for a program that judges through the JSON interface; it is shown this once."""
    with studies.open_study(study) as opened:
        if revoke:
            opened.store.revoke_program(name)
            output.say(f"The token of {name} holds no more.")
        else:
            typer.echo(opened.store.add_program(name))


@app.command()
def withdraw(
    study: StudyArgument,
    worker: Annotated[str, typer.Argument(help="Pseudonym, or the name by which the worker came.")],
) -> None:
    """Take back all that a worker said, forget who it was, and give that worker no more work."""
    with studies.open_study(study) as opened:
        found = opened.store.find_worker(worker)
        if found is None:
            raise StudyError(f"there is no worker {quote_value(worker)} in this study; 'manyjudges export' lists them.")
        if found.withdrawn:
            raise StudyError(f"what {found.name} said was withdrawn already.")
        gone = opened.store.withdraw(found.id)
    output.say(f"{gone:,} judgments of {found.name} withdrawn.")


@app.command()
def bonuses(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Where to write the table: .csv, .tsv, .jsonl or .parquet.")] = Path(
        "bonuses.csv"
    ),
    worker_ids: WorkerIdsOption = False,
) -> None:
    """Suggest whom to pay a bonus: those who agree with others clearly better than is typical."""
    with studies.open_study(study) as opened:
        found = studies.bonuses_of(opened, external=worker_ids)
    files.write_table(out, found)
    output.say(f"{len(found):,} bonuses suggested, written to {out}.")


def rehearse(folder: Path, label: str, budget: float, objects: int, seed: int, port: int) -> None:
    """Serve a study about simulated people, with simulated judges at work."""
    with output.busy("drawing people"):
        made, judges = rehearsal.make_study(folder, label=label, budget=budget, n_objects=objects, random_state=seed)
    with studies.open_study(made) as opened:
        word = secrets.token_urlsafe(9)
        serving.set_password(opened, word)
        crew = None

        def started(site: str) -> None:
            nonlocal crew
            output.serving(opened.study, site)
            output.say(f"Password of the researcher's page, for this rehearsal: {word}")
            crew = judges.work(opened)

        try:
            serving.serve(opened, port=port, started=started)
        finally:
            if crew is not None:
                crew.stop()


def fit_folder(
    folder: Path, out: Path | None, predictions: Path | None, as_json: bool, *, mute: Collection[str] = ()
) -> None:
    """Fit the predictor of a study, and predict its objects without label."""
    with studies.open_study(folder) as opened, output.busy("fitting"):
        fitted = studies.fit_study(opened, mute=mute)
    if out is not None:
        documents.write(out, fitted.model.to_json())
    if predictions is not None:
        files.write_table(predictions, fitted.predictions)
    if as_json:
        numbers = {"loss": fitted.loss, "std_error": fitted.std_error, "warnings": summary.warnings(fitted.warnings)}
        output.say_json(fitted.model.to_document() | numbers)
        return
    output.predictor(fitted.model, error=fitted.loss is None)
    output.fit(fitted, predictions)
    output.warn(fitted.warnings)
    output.say(f"Written to {out}." if out else "Write it to a file with --out model.json.")


def _ask_password() -> str | None:
    """A password, asked for twice; None where there is nobody to ask."""
    if not sys.stdin.isatty():
        return None
    return str(typer.prompt("Password for the researcher's page", hide_input=True, confirmation_prompt=True))


def _say_problems(opened: studies.OpenStudy) -> None:
    labelled = opened.store.position()["labelled"]
    if labelled < FEW:
        typer.echo(f"only {labelled} objects have a label: too few to tell how far off predictions will be.", err=True)
    for each in opened.objects.problems:
        place = f"{opened.study.objects.file}, line {each.line}"
        typer.echo(f"{place}: {each.message} This row is left out.", err=True)
