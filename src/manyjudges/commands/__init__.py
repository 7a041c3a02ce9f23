"""Commands on a study's folder, and on what other tools know of it."""

import typer

from manyjudges.commands import exchange, models, study
from manyjudges.commands.study import fit_folder, rehearse

__all__ = ["app", "fit_folder", "rehearse"]

app = typer.Typer()
for each in (study, exchange, models):
    app.add_typer(each.app)
