"""Names of commands and options: where they stand in the help, and what is said where somebody uses an old one."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from manyjudges.cli.main import app
from manyjudges.cli.options import PANELS, READ_ENDINGS, RENAMED_COMMANDS, RENAMED_OPTIONS, TABLE_ENDINGS, refuse
from manyjudges.exceptions import StudyError
from manyjudges.tables.formats.registry import FORMATS, endings, writable_endings
from tests.support import messages

COMMANDS = get_command(app).commands
LONGEST_SUMMARY = 48
"""Letters that fit beside a command's name on a narrow terminal."""


def refused(*arguments):
    """What is said, in one line, to arguments that are refused."""
    result = CliRunner().invoke(app, list(arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_panel_and_a_summary_that_fits(name):
    summary = COMMANDS[name].help.split("\n\n")[0]
    assert len(summary) <= LONGEST_SUMMARY, summary
    assert summary[0].isupper()
    assert summary.endswith(".")
    assert COMMANDS[name].rich_help_panel in PANELS


def test_the_help_has_every_command_once_whole_and_in_its_panel():
    text = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["--help"]).stdout
    places = [text.index(f"\n{panel}:\n") for panel in PANELS]
    assert places == sorted(places)
    for name, command in COMMANDS.items():
        (line,) = (line for line in text.splitlines() if line.split()[:1] == [name])
        assert line.endswith(command.help.split("\n\n")[0])
        before = [panel for panel, place in zip(PANELS, places, strict=True) if place < text.index(line)]
        assert before[-1] == command.rich_help_panel
    assert "..." not in text.split("Plan:")[1]


def test_the_help_names_an_ending_of_every_format_of_tables():
    written, read = (set(re.findall(r"\.\w+", text)) for text in (TABLE_ENDINGS, READ_ENDINGS))
    assert written <= set(writable_endings())
    assert read <= set(endings())
    for entry in FORMATS:
        assert read & set(entry.endings)
        assert bool(written & set(entry.endings)) == (entry.write is not None)
    helps = [
        parameter.help
        for command in COMMANDS.values()
        for parameter in command.params
        if re.search(r"\.tsv|\bTSV\b", getattr(parameter, "help", None) or "")
    ]
    assert len(helps) > 10
    assert all(TABLE_ENDINGS in text or READ_ENDINGS in text for text in helps)


@pytest.mark.parametrize(("old", "new"), RENAMED_COMMANDS.items())
def test_an_old_command_is_told_its_new_name(old, new):
    assert new in COMMANDS
    assert old not in COMMANDS
    expected = f"error: {old} has a new name: {new}. Write 'manyjudges {new}' instead.\n"
    assert refused(old) == expected
    assert refused(old, "judgments.csv", "--budgets", "5", "--whatever") == expected


OLD_OPTIONS = [
    (["plan", "j.csv", "l.csv", "--budget", "3"], "--certify", None, "--bound"),
    (["plan", "j.csv", "l.csv", "--budget", "3"], "--most", "tall=3", "--max-repeats"),
    (["plan", "j.csv", "l.csv", "--budget", "3"], "--ridge", "0.1", "--plan-ridge"),
    (["plan", "j.csv", "l.csv", "--budget", "3"], "--bad", "skip", "--on-invalid"),
    (["plan", "j.csv", "l.csv", "--budget", "3"], "--temporary", "/tmp", "--temp-dir"),
    (["fit", "plan.json"], "--ridge", "auto", "--predictor-ridge"),
    (["forecast", "j.csv", "l.csv", "--budgets", "3"], "--repeats", "2", "--cv-repeats"),
    (["import", "crowd-kit", "a.csv"], "--set", "values=good=1", "--option"),
    (["export", "mturk", "jars"], "--set", "reward=1.50", "--option"),
]


@pytest.mark.parametrize(("command", "old", "value", "new"), OLD_OPTIONS)
def test_an_old_option_is_told_its_new_name_however_its_value_is_written(command, old, value, new):
    expected = f"error: {old} has a new name: {new}. Write {new} instead.\n"
    assert refused(*command, *([old] if value is None else [old, value])) == expected
    assert refused(*command, f"{old}={value}") == expected


def test_every_renamed_option_has_its_new_name_somewhere():
    there = {name for command in COMMANDS.values() for parameter in command.params for name in parameter.opts}
    for old, names in RENAMED_OPTIONS.items():
        assert old not in there
        assert set(names) <= there
    assert {old for _, old, _, _ in OLD_OPTIONS} == set(RENAMED_OPTIONS)


def test_an_option_that_never_was_is_no_renamed_one():
    assert "new name" not in refused("plan", "j.csv", "l.csv", "--budget", "3", "--wobble")
    assert "new name" not in refused("plna")


def test_an_old_option_of_another_command_is_told_so():
    expected = "error: --most has a new name, --max-repeats, but status has no such option.\n"
    assert refused("status", "jars", "--most", "3") == expected
    expected = "error: --ridge has a new name, --plan-ridge or --predictor-ridge, but report has no such option.\n"
    assert refused("report", "j.csv", "l.csv", "--ridge", "1") == expected


@pytest.mark.parametrize(
    ("command", "option", "wrong", "right"),
    [
        (["plan", "j.csv", "l.csv", "--budget", "3"], "--method", "ful", "full"),
        (["forecast", "j.csv", "l.csv", "--budgets", "3"], "--method", "scorng", "scoring"),
        (["describe", "j.csv", "l.csv"], "--on-invalid", "skp", "skip"),
        (["fit", "plan.json", "j.csv", "l.csv"], "--predictor", "bestlinear", "best_linear"),
        (["import", "potato", "a.jsonl"], "--repeated", "frist", "first"),
    ],
)
def test_a_choice_that_nobody_offers_has_the_one_that_was_probably_meant(command, option, wrong, right):
    message = refused(*command, option, wrong)
    assert message.startswith(f"error: Invalid value for '{option}': {wrong!r} is not one of ")
    assert message.endswith(f". Did you mean {right!r}?\n")


@pytest.mark.parametrize(
    ("typed", "column", "value"),
    [
        (["--predictor-ridge", "0"], "predictor-ridge", 0.0),
        (["--unmatched", "error"], "unmatched", "error"),
        (["--json"], "json", True),
        (["judgments.csv"], "tables", ["judgments.csv"]),
    ],
)
def test_what_was_typed_is_refused_also_where_it_is_the_default(typed, column, value):
    fit = COMMANDS["fit"]
    names = [parameter.name for parameter in fit.params]
    with messages.refused(StudyError, column=column, value=value):
        refuse(fit.make_context("fit", ["plan.json", *typed]), set(names) - {"plan"}, "not for a test")
    refuse(fit.make_context("fit", ["plan.json"]), names[1:], "not for a test")
    refuse(fit.make_context("fit", ["plan.json", *typed]), [], "not for a test")


def test_the_demo_refuses_what_it_would_ignore():
    assert refused("demo", "--serve", "--json") == "error: --json is not with --serve.\n"
    assert refused("demo", "--port", "8001") == "error: --port is only with --serve.\n"
    assert refused("demo", "--label", "height") == "error: --label is only with --crowd height.\n"
    served = "error: --crowd is not with --serve, which shows drawings of people. Leave it out.\n"
    assert refused("demo", "--serve", "--crowd", "essays") == served
