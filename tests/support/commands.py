"""Commands, as somebody types them, for tests."""

from __future__ import annotations

from typer.testing import CliRunner

from manyjudges.cli.main import app


def call(*arguments, code=0, **more):
    """What a command says, whose exit status must be this."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], **more)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output
