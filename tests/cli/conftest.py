"""A pilot in files, and the command line as somebody types it there."""

from __future__ import annotations

import sys

import pytest

from manyjudges import simulate
from manyjudges.cli import main
from manyjudges.tables.files import write_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A pilot, labels, and judgments of new objects, as files."""
    path = tmp_path_factory.mktemp("study")
    crowd = simulate.height_weight(60, random_state=1)
    write_table(path / "judgments.csv", crowd.pilot(2).to_frame())
    write_table(path / "labels.csv", crowd.labels.rename("label").reset_index())
    write_table(path / "new.csv", crowd.more(12).pilot(3).to_frame())
    return path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Run a command in the folder; gives exit code, output and messages."""
    monkeypatch.chdir(folder)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["manyjudges", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main.main()
        shown = capsys.readouterr()
        return stop.value.code, shown.out, shown.err

    return call


@pytest.fixture
def planned(run):
    # A plan that asks for more judgments than the pilot has, so that some are missing.
    way = ("--method", "full", "--shrinkage", 0, "--no-error", "--cost", "height (numerical)=4")
    code, out, _ = run("plan", "judgments.csv", "labels.csv", "--budget", 12, *way, "--out", "plan.json")
    assert code == 0
    return out
