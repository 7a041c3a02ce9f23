"""Commands, as somebody types them, for tests."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from manyjudges.cli.main import app


def invoke(*arguments: object, code: int = 0, **more: Any) -> Any:
    """What came of a command, whose exit status must be this: its output, and what it said beside that."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], **more)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def call(*arguments: object, code: int = 0, **more: Any) -> str:
    """All that a command says, whose exit status must be this; of one asked for JSON, only that."""
    result = invoke(*arguments, code=code, **more)
    said: str = result.stdout if "--json" in arguments and not code else result.output
    return said
