"""The command line: parse, call, print."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
import warnings as py_warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from manyjudges import summary
from manyjudges.base import documents
from manyjudges.base.version import __version__
from manyjudges.cli import commands, output
from manyjudges.cli.options import (
    AnyMethod,
    BudgetOption,
    ColumnOption,
    CostOption,
    JsonOption,
    JudgmentsArgument,
    Label,
    LabelsArgument,
    MemoryOption,
    Method,
    MostOption,
    NoiselessOption,
    OnInvalid,
    OnInvalidOption,
    PlanArgument,
    PredictorKind,
    SeedOption,
    ShrinkageOption,
    TempDirOption,
    Unmatched,
    UnmatchedOption,
    as_count,
    as_float,
    as_float_or_auto,
    columns_of,
    numbers_in,
    numbers_of,
    renamed_option,
)
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import select
from manyjudges.exceptions import DataWarning, DocumentError, ManyJudgesError, PlanError, StudyError
from manyjudges.judges.dependence import check_independence
from manyjudges.learn.diagnosis import check_data
from manyjudges.learn.error_curve import choose, projected_error
from manyjudges.learn.predictor import Predictor, fit_predictor
from manyjudges.learn.training_data import TrainingData, load_training_data, unit
from manyjudges.reports import report as make_report
from manyjudges.scan.options import ScanOptions
from manyjudges.service import server, study
from manyjudges.service.demo import run_demo
from manyjudges.tables import files
from manyjudges.tables.columns import AUTO, SYNONYMS
from manyjudges.tables.judgments import Judgments

INTERRUPTED = 130
"""Exit code of a program that Ctrl-C stopped."""


class Commands(TyperGroup):
    """All commands, with one line and exit code 2 for whatever is wrong with the input."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and exit with its code."""
        if not extra.get("standalone_mode", True):
            return super().main(*args, **extra)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # rather a ? than no table where σ cannot be written
        try:
            code = self._code(*args, **extra)
        except (KeyboardInterrupt, typer.Abort):  # also while an error is being said
            code = INTERRUPTED
        if code == INTERRUPTED:
            typer.echo("stopped", err=True)
        sys.exit(code if isinstance(code, int) else 0)

    def _code(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra | {"standalone_mode": False})
        except typer.TyperException as error:
            return _fail(renamed_option(error) or error.format_message())
        except ManyJudgesError as error:
            return _fail(str(error), each=isinstance(error, StudyError))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more at exit
            return 1
        except OSError as error:
            return _fail(f"{error.filename or 'file'}: {error.strerror or error}")


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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


@app.command()
def describe(
    judgments: JudgmentsArgument,
    labels: LabelsArgument,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    as_json: JsonOption = False,
) -> None:
    """Show what is in a table of judgments: how noisy and how telling each attribute is."""
    table, y = _read_both(judgments, labels, column, unmatched)
    with output.busy("looking at judgments and workers"):
        moments, workers = Moments.estimate(table, y, noiseless=noiseless or ()), check_independence(table)
        found = check_data(moments, table, workers=workers)
    numbers = summary.overview(table, moments) | {"warnings": summary.warnings(found)}
    if as_json:
        output.say_json(numbers)
    else:
        output.overview(table, numbers)
        if len(table.workers):
            output.say(f"\n{workers!r}")
        output.warn(found)


@app.command()
def plan(
    judgments: JudgmentsArgument,
    labels: LabelsArgument,
    budget: BudgetOption,
    cost: CostOption = None,
    method: Annotated[
        AnyMethod, typer.Option(help="How to choose; auto takes the one with the least error on held-out objects.")
    ] = AnyMethod.full,
    plan_ridge: Annotated[
        float,
        typer.Option(
            parser=as_float, metavar="NUMBER", help="Added to each attribute's variance, in standardized units."
        ),
    ] = 0.0,
    shrinkage: ShrinkageOption = 0.0,
    max_repeats: MostOption = None,
    certify: Annotated[bool, typer.Option("--certify", help="Prove how much better any plan could be.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(parser=as_float, metavar="SECONDS", help="When --method exact returns the best so far."),
    ] = None,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option(help="Where to write the plan, as JSON.")] = None,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    on_invalid: OnInvalidOption = OnInvalid.error,
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide how many judgments of each attribute to buy for each object."""
    terms: dict[str, Any] = {
        "costs": numbers_of(cost, "--cost"),
        "max_repeats": numbers_of(max_repeats, "--max-repeats"),
        "plan_ridge": plan_ridge,
    }
    choice, way = None, {"method": str(method.value), "shrinkage": shrinkage}
    scanning = {"unmatched": unmatched, "on_invalid": on_invalid, "memory_limit": memory_limit, "temp_dir": temp_dir}
    auto = "auto" in way.values()
    table = _survey(judgments, labels, column, scanning, noiseless=noiseless or (), parts=auto, seed=seed)
    with output.busy("looking at judgments and workers"):
        moments, found = table.moments, table.warnings
    if auto:
        with output.bar("choosing how to plan") as progress:
            options: dict[str, Any] = {"noiseless": noiseless or (), "random_state": seed, "progress": progress}
            choice = choose(table.judgments, table.labels, budget, **way, **terms, **options)
        way = {"method": choice.method, "shrinkage": choice.shrinkage}
    with output.proof(moments.label_variance) as report:
        chosen = select(moments, budget, **way, **terms, time_limit=time_limit, progress=report)
    gap = chosen.gap if certify or method == AnyMethod.exact else None  # worked out now, so that the file has it
    if out is not None:
        documents.write(out, chosen.to_json())
    if as_json:
        extra = {"choice": None if choice is None else summary.choice(choice), "warnings": summary.warnings(found)}
        output.say_json(chosen.to_document() | extra | {"skipped": moments.skipped})
        return
    output.plan(chosen, table.lacking(chosen), table.n_objects)
    output.skipped(moments.skipped)
    if choice is not None:
        output.choice(choice, moments.label_variance)
    if gap is not None:
        output.certificate(chosen)
    output.warn(found)
    _say_where(out, "plan.json")
    if out is not None:
        told = [part for text in column or [] if not text.startswith("label") for part in ("--column", text)]
        following = ["manyjudges", "missing", str(out), judgments, *told, "--out", "tobuy.csv"]
        output.say(f"Next: {shlex.join(following)}")


@app.command()
def error(
    judgments: JudgmentsArgument,
    labels: LabelsArgument,
    budgets: Annotated[str, typer.Option(metavar="NUMBERS", help="Budgets to look at, such as 5,10,20,40,80.")],
    method: Annotated[
        list[Method] | None, typer.Option(help="How to plan, scoring and full unless told. May be repeated.")
    ] = None,
    cost: CostOption = None,
    max_repeats: MostOption = None,
    shrinkage: Annotated[
        float, typer.Option(parser=as_float, metavar="NUMBER", help="As for 'manyjudges plan'.")
    ] = 0.0,
    cv: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="How many folds.")] = 5,
    repeats: Annotated[
        int, typer.Option(parser=as_count, metavar="COUNT", help="How often to split into folds anew.")
    ] = 4,
    seed: SeedOption = 0,
    tolerance: Annotated[
        float,
        typer.Option(
            parser=as_float,
            metavar="NUMBER",
            help="Name the smallest budget whose error is at most so much (0.05: 5 %) above the least.",
        ),
    ] = 0.05,
    out: Annotated[Path | None, typer.Option(help="Where to write the table: .csv, .tsv, .jsonl or .parquet.")] = None,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    on_invalid: OnInvalidOption = OnInvalid.error,
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what error to expect on new objects, for each budget, before any money is spent."""
    limits = numbers_in(budgets, "--budgets")
    terms: dict[str, Any] = {
        "costs": numbers_of(cost, "--cost"),
        "max_repeats": numbers_of(max_repeats, "--max-repeats"),
        "shrinkage": shrinkage,
    }
    methods = [each.value for each in method or (Method.scoring, Method.full)]
    scanning = {"unmatched": unmatched, "on_invalid": on_invalid, "memory_limit": memory_limit, "temp_dir": temp_dir}
    table = _survey(judgments, labels, column, scanning, noiseless=noiseless or (), cv=cv, seed=seed)
    with output.bar("estimating errors") as progress, py_warnings.catch_warnings():
        py_warnings.simplefilter("ignore", DataWarning)  # the curve has them
        options: dict[str, Any] = {"noiseless": noiseless or (), "cv": cv, "cv_repeats": repeats, "random_state": seed}
        options |= terms | {"methods": methods, "progress": progress}
        curve = projected_error(table.judgments, table.labels, limits, **options)
    cheapest = curve.cheapest_within(tolerance)
    if out is not None:
        files.write_table(out, curve.to_frame())
    if as_json:
        output.say_json(
            {
                "label_variance": curve.label_variance,
                "errors": curve.to_frame().to_dict(orient="records"),
                "cheapest_within": {"tolerance": tolerance, "budget": cheapest},
                "warnings": summary.warnings(curve.warnings),
                "skipped": 0 if table.scan is None else table.scan.skipped,
            }
        )
        return
    output.errors(curve, tolerance, cheapest)
    output.skipped(0 if table.scan is None else table.scan.skipped)
    _say_where(out, "errors.csv")
    output.warn(curve.warnings)


@app.command()
def report(
    judgments: JudgmentsArgument,
    labels: LabelsArgument,
    budget: BudgetOption,
    cost: CostOption = None,
    method: Annotated[
        AnyMethod, typer.Option(help="How to plan; auto takes the way with the least error on held-out objects.")
    ] = AnyMethod.auto,
    shrinkage: ShrinkageOption = "auto",
    max_repeats: MostOption = None,
    budgets: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Budgets of the curve, such as 5,10,20,40,80; about a dozen unless told."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    label_name: Annotated[str | None, typer.Option(help="What is predicted, such as 'height in inches'.")] = None,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(help="Where to write the report: one HTML file.")] = Path("report.html"),
    plan_out: Annotated[Path | None, typer.Option(help="Where to write the report's plan, as JSON.")] = None,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    as_json: JsonOption = False,
) -> None:
    """Write a report to look at: the plan, the error to expect, attributes, reliability and warnings."""
    terms: dict[str, Any] = {
        "costs": numbers_of(cost, "--cost"),
        "max_repeats": numbers_of(max_repeats, "--max-repeats"),
    }
    way: dict[str, Any] = {"method": str(method.value), "shrinkage": shrinkage}
    names = {"title": title, "label_name": label_name}
    limits = None if budgets is None else numbers_in(budgets, "--budgets")
    table, y = _read_both(judgments, labels, column, unmatched)
    with output.bar("looking at it from all sides") as progress:
        options: dict[str, Any] = {"noiseless": noiseless or (), "random_state": seed, "progress": progress}
        made = make_report(table, y, budget, budgets=limits, out=out, **names, **terms, **way, **options)
    if plan_out is not None:
        documents.write(plan_out, made.summary.answer.plan.to_json())
    if as_json:
        output.say_json(made.summary.to_document())
        return
    output.say(made.summary.answer.sentence)
    output.say(f"Written to {out}{'' if plan_out is None else f', and its plan to {plan_out}'}.")
    output.warn(made.summary.warnings)


@app.command()
def missing(
    plan: PlanArgument,
    judgments: JudgmentsArgument,
    out: Annotated[Path | None, typer.Option(help="Where to write the table: .csv, .tsv, .jsonl or .parquet.")] = None,
    column: ColumnOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the judgments that a plan asks for and the table lacks."""
    lacking = _read_plan(plan).missing(_read_judgments(judgments, columns_of(column)))
    if out is not None:
        files.write_table(out, lacking)
    if as_json:
        output.say_json(summary.purchase(lacking) | {"missing": lacking.to_dict(orient="records")})
        return
    if lacking.empty:
        output.say("Nothing is missing: every object has the judgments that the plan asks for.")
    else:
        output.missing(lacking)
    if out is not None or not lacking.empty:
        _say_where(out, "tobuy.csv")


@app.command()
def fit(
    plan: Annotated[
        Path, typer.Argument(metavar="PLAN", help="A plan that 'manyjudges plan --out' wrote, or a study's folder.")
    ],
    judgments: Annotated[
        str | None, typer.Argument(metavar="JUDGMENTS", help="A table or a glob of tables; not for a study.")
    ] = None,
    labels: Annotated[str | None, typer.Argument(metavar="LABELS", help="A table; not for a study.")] = None,
    predictor: Annotated[
        PredictorKind, typer.Option(help="Use what is there, or exactly the planned judgments (the paper's way).")
    ] = PredictorKind.best_linear,
    predictor_ridge: Annotated[
        Any,
        typer.Option(
            parser=as_float_or_auto,
            metavar="NUMBER|auto",
            help="Tames best_linear where objects are few: added to each attribute's variance, in standardized units.",
        ),
    ] = 0.0,
    out: Annotated[Path | None, typer.Option(help="Where to write the model, as JSON.")] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Where to write the predictions of a study's objects without label.")
    ] = None,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    as_json: JsonOption = False,
) -> None:
    """Fit the predictor of a plan, or of a study."""
    if server.study_folder(plan):
        commands.fit_folder(plan, out, predictions, as_json)
        return
    if judgments is None or labels is None or predictions is not None:
        raise PlanError(
            f"{plan} is no study's folder, so that JUDGMENTS and LABELS must be given, too, and --predictions cannot."
        )
    chosen = _read_plan(plan)
    table, y = _read_both(judgments, labels, column, unmatched)
    with output.busy("fitting"):
        fitted = fit_predictor(
            chosen, table, y, predictor=predictor, noiseless=noiseless or (), predictor_ridge=predictor_ridge
        )
    if out is not None:
        documents.write(out, fitted.to_json())
    if as_json:
        output.say_json(fitted.to_document())
    else:
        output.predictor(fitted)
        _say_where(out, "model.json")


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that 'manyjudges fit --out' wrote.")],
    judgments: JudgmentsArgument,
    out: Annotated[Path | None, typer.Option(help="Where to write the table: .csv, .tsv, .jsonl or .parquet.")] = None,
    column: ColumnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Predict the label of each object from its judgments."""
    fitted = _in_document(model, Predictor.from_json)
    predictions = summary.predictions(fitted, _read_judgments(judgments, columns_of(column)))
    if out is not None:
        files.write_table(out, predictions)
    if as_json:
        output.say_json(predictions.to_dict(orient="records"))
    else:
        output.predictions(predictions)
        _say_where(out, "predictions.csv")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the demo's files.")] = Path("manyjudges-demo"),
    label: Annotated[Label, typer.Option(help="What to predict.")] = Label.height,
    budget: Annotated[
        float,
        typer.Option(parser=as_float, metavar="NUMBER", help="The most that one photo's judgments may cost."),
    ] = 40.0,
    objects: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="Labelled photos, 10 or more.")] = 880,
    seed: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="Seed of the simulation.")] = 0,
    live: Annotated[
        bool, typer.Option("--serve", help="Serve it as a campaign in the browser, with simulated judges at work.")
    ] = False,
    port: Annotated[
        int, typer.Option(parser=as_count, metavar="COUNT", help="Port of --serve; 0 takes any that is free.")
    ] = 8000,
    as_json: JsonOption = False,
) -> None:
    """Run the whole job on a simulated crowd: height or weight of people, judged from photos."""
    if objects < 10:
        raise PlanError(f"--objects {objects}: the demo needs 10 labelled photos or more.")
    if live:
        commands.rehearse(out / "study", label, budget, objects, seed, port)
        return
    with output.progress() as progress:
        result = run_demo(out, label=label, budget=budget, n_objects=objects, random_state=seed, progress=progress)
    if as_json:
        numbers = json.loads(result.errors.reset_index().to_json(orient="records"))
        output.say_json({"folder": str(result.folder), "files": list(result.files), "errors": numbers})
    else:
        output.demo(result, label, objects, budget)


app.add_typer(commands.app)


def main() -> None:
    """Run the command line."""
    app()


def _say_where(out: Path | None, usual: str) -> None:
    output.say(f"Written to {out}." if out else f"Write it to a file with --out {usual}.")


def _fail(message: str, *, each: bool = False) -> int:
    """Say what is wrong on one line, or on a line for each finding."""
    lines = message.splitlines() if each else [message]
    typer.echo("error: " + "\n".join(" ".join(line.split()) for line in lines), err=True)
    return 2


def _survey(
    judgments: str, labels: str, column: list[str] | None, scanning: dict[str, Any], **options: Any
) -> TrainingData:
    """A table in files or in a store, and its labels, read or scanned; which columns were taken for what is said."""
    columns = columns_of(column)
    wanted: dict[str, Any] = {role: columns.get(role, AUTO) for role in SYNONYMS}
    terms = ScanOptions(wanted | {"worker": wanted["worker"] or None}, **scanning)
    with output.busy("reading"):
        y = _read_labels(labels, columns)
    stored = "://" in judgments
    with ExitStack() as opened, output.scan("reading", "%" if stored else unit(judgments)) as progress:
        given = opened.enter_context(study.judgment_tables(judgments)) if stored else judgments
        found = load_training_data(given, y, terms, **options, progress=progress)
    source = found.judgments.source if isinstance(found.judgments, Judgments) else found.scan and found.scan.source
    _show_source(source or "")
    _show_source(y.attrs["source"])
    return found


def _read_labels(path: str, columns: dict[str, str]) -> Any:
    return files.read_labels(path, object=columns.get("label-object", AUTO), label=columns.get("label", AUTO))


def _read_both(judgments: str, labels: str, column: list[str] | None, unmatched: Unmatched) -> tuple[Judgments, Any]:
    columns = columns_of(column)
    with output.busy("reading"):
        table = _read_judgments(judgments, columns)
        y = _read_labels(labels, columns)
    _show_source(y.attrs["source"])
    return table.match(y, unmatched=unmatched)


def _read_judgments(path: str, columns: dict[str, str]) -> Judgments:
    wanted: dict[str, Any] = {role: columns.get(role, AUTO) for role in SYNONYMS}
    table = files.read_judgments(path, **wanted | {"worker": wanted["worker"] or None})
    _show_source(table.source)
    return table


def _show_source(source: str) -> None:
    """Which columns were taken for what, where that is not plain from their names."""
    if " = " in source:
        typer.echo(source, err=True)


def _read_plan(path: Path) -> Plan:
    plan: Plan = _in_document(path, Plan.from_json)
    return plan


def _in_document(path: Path, read: Any) -> Any:
    try:
        return read(documents.read(path))
    except DocumentError as error:
        message = str(error)
        raise DocumentError(message if str(path) in message else f"{path}: {message}") from None
