"""The command line as one application: its commands in panels, its errors in one line each, and its entry."""

from __future__ import annotations

__all__ = ["app", "main"]

import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from manyjudges.base.version import __version__
from manyjudges.cli import analysis, demo, models, page, study, transfer
from manyjudges.cli.options import PANELS, RENAMED_COMMANDS, renamed_option
from manyjudges.exceptions import ManyJudgesError, StudyError, spelled_for_shell

_INTERRUPTED = 130
"""Exit code of a program that Ctrl-C stopped."""


class _Commands(TyperGroup):
    """All commands, with one line and exit code 2 for whatever is wrong with the input."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and exit with its code."""
        if not extra.get("standalone_mode", True):
            return super().main(*args, **extra)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # rather a ? than no table where σ cannot be written
        try:
            with spelled_for_shell():
                code = self._code(*args, **extra)
        except (KeyboardInterrupt, typer.Abort):  # also while an error is being said
            code = _INTERRUPTED
        if code == _INTERRUPTED:
            typer.echo("stopped", err=True)
        sys.exit(code if isinstance(code, int) else 0)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of this name; one that has a new name is told so."""
        if args and (new := RENAMED_COMMANDS.get(args[0])):
            ctx.fail(f"{args[0]} has a new name: {new}. Write 'manyjudges {new}' instead.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands panel by panel, in the order of their work."""
        for panel in PANELS:
            rows = [
                (name, command.get_short_help_str(formatter.width))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == panel
            ]
            with formatter.section(panel):
                formatter.write_dl(rows)

    def _code(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra | {"standalone_mode": False})
        except typer.TyperException as error:
            return _fail(renamed_option(error) or error.format_message())
        except ManyJudgesError as error:
            return _fail(str(error), keep_lines=isinstance(error, StudyError))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more at exit
            return 1
        except OSError as error:
            return _fail(f"{error.filename or 'file'}: {error.strerror or error}")


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
"""The command ``manyjudges``."""


@app.callback(invoke_without_command=True)
def manyjudges(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Which questions to ask about each object, and how many judges to ask each one, for the money you have."""
    if version:
        typer.echo(f"manyjudges {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for commands in (analysis, page, demo, study, models, transfer):
    app.add_typer(commands.app)


def main() -> None:
    """Run the command line."""
    app()


def _fail(message: str, *, keep_lines: bool = False) -> int:
    """Say what is wrong on one line, or on a line for each thing that is wrong."""
    lines = message.splitlines() if keep_lines else [message]
    typer.echo("error: " + "\n".join(" ".join(line.split()) for line in lines), err=True)
    return 2
