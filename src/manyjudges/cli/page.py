"""The command that opens the page for people without a shell."""

from __future__ import annotations

from typing import Annotated

import typer

from manyjudges.cli import output
from manyjudges.cli.options import PLAN, as_port

app = typer.Typer()


@app.command("app", rich_help_panel=PLAN)
def open_app(
    port: Annotated[
        int, typer.Option(parser=as_port, metavar="PORT", help="Port to listen at; 0 takes any free port.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and do not open the browser.")
    ] = False,
) -> None:
    """Plan from a file, on a page in the browser.

    It runs on this machine alone, until Ctrl-C. Your file stays here, and nothing is kept afterwards.
    """
    from manyjudges.app import run_app

    def started(address: str) -> None:
        output.say(f"The page is at {address}")
        output.say("It is for this machine and this person alone: do not pass the address on. Ctrl-C ends it.")

    run_app(port=port, browser=not no_browser, started=started)
