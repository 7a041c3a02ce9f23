"""Options of the command line, and how they are read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from manyjudges.base.messages import suggest
from manyjudges.exceptions import JudgmentsError, PlanError

RENAMED = {
    "--bad": ("--on-invalid",),
    "--temporary": ("--temp-dir",),
    "--most": ("--max-repeats",),
    "--ridge": ("--plan-ridge", "--predictor-ridge"),
}
"""Old names of options, with the new one of each command that has it: whoever uses an old name is told the new one."""


class Method(StrEnum):
    """Names of the searches."""

    full = "full"
    scoring = "scoring"
    exchange = "exchange"
    exact = "exact"


class AnyMethod(StrEnum):
    """Names of the searches, or the one with the least held-out error."""

    full = "full"
    scoring = "scoring"
    exchange = "exchange"
    exact = "exact"
    auto = "auto"


class PredictorKind(StrEnum):
    """Names of the predictors."""

    best_linear = "best_linear"
    least_squares = "least_squares"


class Unmatched(StrEnum):
    """What to do about labels and objects that do not match."""

    error = "error"
    drop = "drop"


class OnInvalid(StrEnum):
    """What to do about rows that are no judgments."""

    error = "error"
    skip = "skip"


class Repeated(StrEnum):
    """Which of two judgments of the same worker to take."""

    first = "first"
    last = "last"


class Label(StrEnum):
    """What the demo predicts."""

    height = "height"
    weight = "weight"


def as_float(text: str | float) -> float:
    """An option that is a number."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.") from None


def as_float_or_auto(text: str | float) -> float | str:
    """An option that is a number, or left to be chosen."""
    return "auto" if text == "auto" else as_float(text)


def as_count(text: str | int) -> int:
    """An option that is a whole number."""
    if not str(text).isdecimal():
        raise typer.BadParameter(f"{text!r} is not a whole number.")
    return int(text)


JudgmentsArgument = Annotated[
    str,
    typer.Argument(
        metavar="JUDGMENTS",
        help="Table of judgments, a row each: CSV, TSV, Parquet or JSON lines, or a pattern of files.",
    ),
]
LabelsArgument = Annotated[
    str, typer.Argument(metavar="LABELS", help="Table of labels, a row for each object, in any of the same formats.")
]
PlanArgument = Annotated[Path, typer.Argument(metavar="PLAN", help="A plan that 'manyjudges plan --out' wrote.")]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Which column is what, where it is not plain: object, attribute, value or worker of the judgments, "
        "label or label-object of the labels. 'worker=' ignores the workers. May be repeated.",
    ),
]
NoiselessOption = Annotated[
    list[str] | None,
    typer.Option(metavar="ATTRIBUTE", help="Measured without error, so that one value is enough. May be repeated."),
]
MuteOption = Annotated[
    list[str] | None,
    typer.Option("--mute", metavar="CODE", help="Leave out a check of the data, such as MJ103. May be repeated."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]
CostOption = Annotated[
    list[str] | None,
    typer.Option(metavar="ATTRIBUTE=COST", help="Price of one judgment, 1 unless told. May be repeated."),
]
MostOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ATTRIBUTE=COUNT", help="The most judgments of it that can be had for one object. May be repeated."
    ),
]
BudgetOption = Annotated[
    float, typer.Option(parser=as_float, metavar="NUMBER", help="The most that one object's judgments may cost.")
]
ShrinkageOption = Annotated[
    Any,
    typer.Option(
        parser=as_float_or_auto,
        metavar="NUMBER|auto",
        help="From the covariance as estimated (0) to its diagonal (1), or what has the least held-out error.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(parser=as_count, metavar="COUNT", help="Seed of the folds by which errors are estimated."),
]
OnInvalidOption = Annotated[
    OnInvalid, typer.Option(help="What to do about rows that are no judgments: nothing goes on, or they are left out.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="How much memory to use for a table that is larger, such as 2GB."),
]
TempDirOption = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Where to keep what does not fit into the memory.")
]
UnmatchedOption = Annotated[
    Unmatched, typer.Option(help="What to do about objects without a label and labels without an object.")
]


def columns_of(given: list[str] | None) -> dict[str, str]:
    """Which column is what, from ROLE=NAME."""
    columns = pairs_of(given, "--column")
    roles = ["object", "attribute", "value", "worker", "label", "label-object"]
    for role in columns:
        if role not in roles:
            raise JudgmentsError(
                f"--column knows no role {role!r}; it is one of {', '.join(roles)}.{suggest(role, roles)}"
            )
    return columns


def pairs_of(given: list[str] | None, option: str) -> dict[str, str]:
    """NAME=VALUE options, each name once."""
    pairs = {}
    for text in given or []:
        # A role has no '=' in it, an attribute may.
        name, sign, value = text.partition("=") if option == "--column" else text.rpartition("=")
        if not sign or not name:
            raise PlanError(f"{option} needs NAME=VALUE, not {text!r}.")
        if name in pairs:
            raise PlanError(f"{option} is given twice for {name!r}; give it once.")
        pairs[name] = value
    return pairs


def numbers_of(given: list[str] | None, option: str) -> dict[str, float] | None:
    """NAME=NUMBER options, or None where there are none."""
    return {name: number_option(text, option, name) for name, text in pairs_of(given, option).items()} or None


def numbers_in(text: str, option: str) -> list[float]:
    """Numbers with commas between them."""
    return [number_option(part.strip(), option, text) for part in text.split(",") if part.strip()]


def number_option(text: str, option: str, name: str) -> float:
    """The number in an option, or an error that names the option."""
    try:
        return float(text)
    except ValueError:
        given = name if option == "--budgets" else f"{name}={text}"
        raise PlanError(f"{option} {given}: {text!r} is not a number.") from None


def renamed_option(error: Exception) -> str | None:
    """What to say where an option is not known because it has a new name; None for any other error."""
    old, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    there = [] if context is None else [name for each in context.command.params for name in each.opts]
    new = next((name for name in RENAMED.get(old or "", ()) if name in there), None)
    return None if new is None else f"{old} has a new name: {new}. Write {new} instead."
