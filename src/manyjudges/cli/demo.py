"""The demo: all that can be done, with simulated judges."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from manyjudges import service
from manyjudges.cli import answers, output, progress
from manyjudges.cli.options import PLAN, JsonOption, as_count, as_float, as_port, one_of, refuse
from manyjudges.exceptions import PlanError

app = typer.Typer()


@app.command(rich_help_panel=PLAN)
def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for the demo's files.")] = Path("manyjudges-demo"),
    crowd: Annotated[
        str, one_of(("essays", "height"), help="Essays rated on a rubric, or the paper's photos of people.")
    ] = "essays",
    label: Annotated[
        str | None, one_of(("height", "weight"), help="What to predict of people.  [default: height]")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            parser=as_float,
            metavar="NUMBER",
            help="Maximum cost of the judgments of one object.  [default: 8 for essays, 40 for photos]",
        ),
    ] = None,
    objects: Annotated[
        int | None,
        typer.Option(
            parser=as_count,
            metavar="COUNT",
            help="Labelled objects, 10 or more.  [default: 300 essays or 880 photos]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="Seed of the simulation.")] = 0,
    live: Annotated[
        bool,
        typer.Option(
            "--serve", help="Serve drawings of people as a study in the browser, with simulated judges at work."
        ),
    ] = False,
    port: Annotated[
        int, typer.Option(parser=as_port, metavar="PORT", help="Port of --serve; 0 takes any free port.")
    ] = 8000,
    as_json: JsonOption = False,
) -> None:
    """Run the whole job on simulated judges.

    They rate essays, to predict the grade, or judge photos of people, to predict height or weight.
    """
    if objects is not None and objects < 10:
        raise PlanError(
            f"--objects {objects}: the demo needs 10 labelled objects or more.", value=objects, column="objects"
        )
    if live:
        refuse(context, ["as_json"], "not with --serve")
        if crowd == "essays":
            refuse(context, ["crowd"], "not with --serve, which shows drawings of people. Leave it out")
        photos = {"label": label, "budget": budget, "n_objects": objects}
        given = {name: value for name, value in photos.items() if value is not None}
        _rehearse(out / "study", port, random_state=seed, **given)
        return
    refuse(context, ["port"], "only with --serve")
    if crowd == "essays":
        refuse(context, ["label"], "only with --crowd height")
    from manyjudges.service.demo import STEPS, run_demo

    with progress.steps(STEPS) as update:
        result = run_demo(
            out, crowd=crowd, label=label, budget=budget, n_objects=objects, random_state=seed, progress=update
        )
    if as_json:
        numbers = json.loads(result.errors.reset_index().to_json(orient="records"))
        made = {"folder": str(result.folder), "files": list(result.files)}
        output.say_json(answers.document("demo", **made, errors=numbers))
    else:
        output.demo(result)


def _rehearse(folder: Path, port: int, **options: Any) -> None:
    """Serve a study about simulated people, made with these options, with simulated judges at work."""
    from manyjudges.service.rehearsal import make_study

    with progress.busy("drawing people"):
        made, judges = make_study(folder, **options)
    with service.open_study(made) as opened:
        word = secrets.token_urlsafe(9)
        service.set_password(opened, word)
        crew = None

        def started(site: str) -> None:
            nonlocal crew
            output.serving(opened.study, site)
            output.say(f"Password of the researcher's page, for this rehearsal: {word}")
            crew = judges.work(opened)

        try:
            service.serve(opened, port=port, started=started)
        finally:
            if crew is not None:
                crew.stop()
