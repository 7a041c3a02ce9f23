"""The command line as a whole: its help, its documentation, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from typer.main import get_command

from manyjudges.cli import main
from manyjudges.core.search.registry import SEARCHES
from manyjudges.learn.predictors.registry import PREDICTORS
from tests.support.folders import ROOT


def test_help_and_version(run):
    assert run("--version")[1].startswith("manyjudges 0.")
    for arguments in ([], ["--help"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert all(name in out for name in commands())


@pytest.mark.slow
def test_interrupting_leaves_no_mess(tmp_path):
    command = [sys.executable, "-m", "manyjudges", "demo", "--objects", "20000", "--out", "tried"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".tried*/labels.csv")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "stopped" in err
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_error(folder):
    command = f"{sys.executable} -m manyjudges describe judgments.csv labels.csv | head -1"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("Judgments")


def commands():
    return get_command(main.app).commands


def test_every_command_that_mutes_checks_refuses_an_unknown_code_by_the_name_of_the_option(run):
    muting = [name for name, command in commands().items() if any("--mute" in each.opts for each in command.params)]
    assert {"describe", "plan", "forecast", "report", "fit"} <= set(muting)
    for name in muting:
        code, _, err = run(name, "--mute", "MJ103", "--mute", "MJ104")
        assert (code, err.startswith("error: Invalid value for '--mute': there is no check 'MJ104'")) == (2, True)


def test_every_search_and_predictor_can_be_chosen():
    compared = next(option for option in commands()["forecast"].params if option.name == "method")
    assert compared.metavar == f"[{'|'.join(['auto', *SEARCHES])}]"
    option = next(option for option in commands()["fit"].params if option.name == "predictor")
    assert option.metavar == f"[{'|'.join(['auto', *PREDICTORS])}]"
    assert option.default == "auto"
    assert all(f"{name} {predictor.summary}" in option.help for name, predictor in PREDICTORS.items())
    for command in ("plan", "report"):
        option = next(option for option in commands()[command].params if option.name == "method")
        assert option.metavar == f"[{'|'.join([*SEARCHES, 'auto'])}]"
        assert all(f"{name} {search.summary}" in option.help for name, search in SEARCHES.items())


def test_every_command_and_option_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name, command in commands().items():
        assert f"## `manyjudges {name}`" in text
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                if option.startswith("--"):
                    assert option in text, f"{name} {option}"


def test_help_in_the_docs_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import help_text

    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert help_text.renew(text) == text, "run python docs/help_text.py"
