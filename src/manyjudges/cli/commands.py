"""Commands on a study's folder, and on what other tools know of it."""

import typer

from manyjudges.cli import models, study, transfer
from manyjudges.cli.study import fit_folder, rehearse

__all__ = ["app", "fit_folder", "rehearse"]

app = typer.Typer()
for each in (study, transfer, models):
    app.add_typer(each.app)
