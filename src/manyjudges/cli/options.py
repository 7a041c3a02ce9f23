"""Options of the command line, and how they are read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from manyjudges.base.messages import suggest
from manyjudges.base.methods import PREDICTOR_SUMMARIES, RESCALINGS, SEARCH_SUMMARIES, WORKER_EFFECTS, described
from manyjudges.exceptions import JudgmentsError, ManyJudgesError, PlanError, StudyError

PLAN, COLLECT, MODELS, EXCHANGE = "Plan", "Collect", "Models", "Exchange"
PANELS = (PLAN, COLLECT, MODELS, EXCHANGE)
"""Panels of the help, in their order; each command names its own."""

TABLE_ENDINGS = ".csv, .tsv, .json, .jsonl, .parquet, .arrow or .xlsx"
"""How names of files end that tables are written to, for the help: one of each format, whose registry is not loaded."""

READ_ENDINGS = ".csv, .tsv, .json, .jsonl, .parquet, .arrow, .xlsx, .xlsm, .ods, .sav or .dta"
"""How names of files end that tables are read from, for the help."""

RENAMED_COMMANDS = {"error": "forecast", "judge": "ask-models"}
"""Old names of commands, with the new one."""

RENAMED_OPTIONS = {
    "--bad": ("--on-invalid",),
    "--temporary": ("--temp-dir",),
    "--most": ("--max-repeats",),
    "--ridge": ("--plan-ridge", "--predictor-ridge"),
    "--certify": ("--bound",),
    "--set": ("--option",),
    "--repeats": ("--cv-repeats",),
}
"""Old names of options, with the new one of each command that has it: whoever uses an old name is told the new one."""


_LAST_PORT = 65535

_NOT_FINITE = ("nan", "inf", "infinity")
"""What Python reads as a number, and no table does."""


UNMATCHED = ("error", "drop")
"""What to do about labels and objects that do not match."""


def as_float(text: str | float) -> float:
    """An option that is a number."""
    try:
        return _number_in(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.") from None


def _number_in(text: str | float) -> float:
    """The number that a text stands for, as in a table; ValueError where it stands for none."""
    from manyjudges.tables.grammar import read_number

    number = read_number(text)
    if math.isfinite(number) or str(text).strip().lower().lstrip("+-") in _NOT_FINITE:
        return float(text)  # what is not finite is refused by what the option is for, which knows why
    raise ValueError(text)


def as_float_or_auto(text: str | float) -> float | str:
    """An option that is a number, or left to be chosen."""
    return "auto" if text == "auto" else as_float(text)


def as_count(text: str | int) -> int:
    """An option that is a whole number."""
    if not (str(text).isascii() and str(text).isdecimal()):
        raise typer.BadParameter(f"{text!r} is not a whole number.")
    return int(text)


def as_port(text: str | int) -> int:
    """An option that is a port; 0 is any free one."""
    if as_count(text) > _LAST_PORT:
        raise typer.BadParameter(f"{text!r} is not a port; ports go from 0 to {_LAST_PORT}.")
    return int(text)


def one_of(names: Iterable[str], **more: Any) -> Any:
    """An option that takes one of several names, and says which was probably meant; with ``more`` for typer."""
    choices = [str(name) for name in names]

    def parse(text: str) -> str:
        if text not in choices:
            raise typer.BadParameter(f"{text!r} is not one of {', '.join(map(repr, choices))}.{suggest(text, choices)}")
        return text

    return typer.Option(parser=parse, metavar=f"[{'|'.join(choices)}]", **more)


def _as_code(text: str) -> str:
    """An option that names a check of the data."""
    from manyjudges.learn.checks.registry import as_codes

    try:
        [code] = as_codes([text])
    except ManyJudgesError as error:
        raise typer.BadParameter(str(error)) from None
    return code


JudgmentsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="JUDGMENTS...",
        help=f"Table of judgments: {READ_ENDINGS}; several files, a pattern, a folder, or - for standard input.",
    ),
]
TablesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="JUDGMENTS... [LABELS]",
        help=f"Table of judgments: {READ_ENDINGS}; several files, a pattern, a folder, or - for standard input. "
        "Then the table of labels, unless --label names a column of the first.",
    ),
]
StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="A study's folder, made by 'manyjudges new'.")]
PlanArgument = Annotated[Path, typer.Argument(metavar="PLAN", help="A plan that 'manyjudges plan --out' wrote.")]
NoErrorOption = Annotated[
    bool,
    typer.Option("--no-error", help="Do not estimate the error; auto then stands for full, without shrinkage."),
]
NoiselessOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ATTRIBUTE", help="An attribute measured without error: one value is enough. May be repeated."
    ),
]
MuteOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mute",
        parser=_as_code,
        metavar="CODE",
        help="Leave out a check of the data, such as MJ103. May be repeated.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]
MaxRepeatsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="ATTRIBUTE=COUNT", help="Maximum judgments of ATTRIBUTE per object. May be repeated."),
]
PredictorOption = Annotated[
    str,
    one_of(
        ("auto", *PREDICTOR_SUMMARIES),
        help=f"How to predict: {described(PREDICTOR_SUMMARIES)}; auto adds a curve where cross-validation says so.",
    ),
]
RescaleOption = Annotated[
    str,
    one_of(
        ("auto", *RESCALINGS),
        help="Average the roots or logarithms of skewed ratings. auto does so for attributes that it makes more "
        "reliable, if that lowers the cross-validated error.",
    ),
]
WorkerEffectsOption = Annotated[
    str,
    one_of(
        ("auto", *WORKER_EFFECTS),
        help="Correct judgments for how high or low each worker judges. auto does so if that lowers the "
        "cross-validated error.",
    ),
]
JointMomentsOption = Annotated[
    str,
    one_of(
        ("auto", "on", "off"),
        help="Estimate the variances of attributes and label together. auto does so unless it raises the "
        "cross-validated error.",
    ),
]
ExplainOption = Annotated[bool, typer.Option("--explain", help="Print what was tried, and what was kept and why.")]
ShrinkageOption = Annotated[
    Any,
    typer.Option(
        parser=as_float_or_auto,
        metavar="NUMBER|auto",
        help="Shrink correlations between attributes, from 0 (keep) to 1 (ignore). auto uses the lowest "
        "cross-validated error.",
    ),
]
MethodOption = Annotated[
    str,
    one_of(
        (*SEARCH_SUMMARIES, "auto"),
        help=f"How to plan: {described(SEARCH_SUMMARIES)}; auto takes the one with the lowest cross-validated error.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(parser=as_count, metavar="COUNT", help="Seed of the cross-validation folds."),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Maximum memory for a large table, such as 2GB."),
]
WorkerIdsOption = Annotated[
    bool, typer.Option("--worker-ids", help="Add the names that workers have where they came from.")
]
TempDirOption = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder for temporary files.")]
TableOutOption = Annotated[Path | None, typer.Option(help=f"Where to write the table: {TABLE_ENDINGS}.")]
UnmatchedOption = Annotated[
    str,
    one_of(UNMATCHED, help="How to handle objects without a label and labels without an object: stop, or drop them."),
]


def preparation_of(rescale: str, worker_effects: str, joint_moments: str, predictor: str) -> Any:
    """What may be done to judgments and moments, from the options that say so."""
    from manyjudges.learn.preparation.trials import PreparationOptions

    joint = joint_moments if joint_moments == "auto" else joint_moments == "on"
    return PreparationOptions(rescale, worker_effects, joint, predictor)


def columns_of(texts: list[str] | None) -> dict[str, str]:
    """Which column is what, from ROLE=NAME."""
    columns = pairs_of(texts, "--column")
    roles = ["object", "attribute", "value", "worker", "label", "time", "label-object"]
    for role in columns:
        if role not in roles:
            raise JudgmentsError(
                f"--column knows no role {role!r}; it is one of {', '.join(roles)}.{suggest(role, roles)}",
                value=role,
                column="column",
            )
    return columns


def pairs_of(texts: list[str] | None, option: str) -> dict[str, str]:
    """NAME=VALUE options, each name once."""
    pairs = {}
    for text in texts or []:
        # A role has no '=' in it, an attribute may.
        name, sign, value = text.partition("=") if option == "--column" else text.rpartition("=")
        if not sign or not name:
            raise PlanError(f"{option} needs NAME=VALUE, not {text!r}.", value=text, column=option.removeprefix("--"))
        if name in pairs:
            raise PlanError(
                f"{option} is given twice for {name!r}; give it once.", value=name, column=option.removeprefix("--")
            )
        pairs[name] = value
    return pairs


def counts_of(texts: list[str] | None, option: str) -> dict[str, int] | None:
    """NAME=COUNT options, or None where there are none."""
    from manyjudges.tables.grammar import read_whole_number

    counts = {}
    for name, text in pairs_of(texts, option).items():
        count = read_whole_number(text)
        if count is None or count < 0:
            raise PlanError(f"{option} {name}={text}: {text!r} is not a whole number.", value=text)
        counts[name] = count
    return counts or None


def refuse(context: typer.Context, unused: Collection[str], words: str) -> None:
    """Raise StudyError where an option or argument was given that would be ignored.

    Parameters
    ----------
    context : typer.Context
        Of the command, which knows what was typed.
    unused : collection of str
        Parameters of the command's function.
    words : str
        Why, to go on after "--option is".
    """
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in unused and source is not None and source.name == "COMMANDLINE":
            shown = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar
            raise StudyError(
                f"{shown} is {words}.", value=context.params[name], column=parameter.opts[0].removeprefix("--")
            )


def renamed_option(error: Exception) -> str | None:
    """What to say where an option is not known because it has a new name; None for any other error."""
    old, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    if old not in RENAMED_OPTIONS or context is None:
        return None
    new_names = RENAMED_OPTIONS[old]
    own_names = [name for parameter in context.command.params for name in parameter.opts]
    new = next((name for name in new_names if name in own_names), None)
    if new is None:
        return f"{old} has a new name, {' or '.join(new_names)}, but {context.info_name} has no such option."
    return f"{old} has a new name: {new}. Write {new} instead."
