"""Write the help of every command into cli.md, between its markers: python docs/help_text.py."""

from __future__ import annotations

import re
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from manyjudges.cli.main import app

PAGE = Path(__file__).parent / "cli.md"
MARKED = re.compile(r"(<!-- help of ([\w-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def help_of(command: str) -> str:
    """What ``manyjudges COMMAND --help`` prints at 80 columns."""
    shown = CliRunner(env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}).invoke(
        app, [command, "--help"], prog_name="manyjudges"
    )
    return "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())


def renew(text: str) -> str:
    """The page with every help text as it is now."""
    missing = set(get_command(app).commands) - {name for _, name, _ in MARKED.findall(text)}
    if missing:
        raise SystemExit(f"cli.md has no markers for {', '.join(sorted(missing))}")
    return MARKED.sub(lambda m: f"{m[1]}```text\n{help_of(m[2])}\n```\n{m[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(renew(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
