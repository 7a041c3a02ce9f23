"""The command line: parse, call, print."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from typer.core import TyperGroup

from manyjudges import __version__, documents, files, summary
from manyjudges.demo import STEPS, Demo, run_demo
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError, PlanError, suggest
from manyjudges.judgments import Judgments
from manyjudges.moments import Moments
from manyjudges.plan import Plan
from manyjudges.predictor import Predictor, fit_predictor
from manyjudges.search import select

INTERRUPTED = 130
"""Exit code of a program that Ctrl-C stopped."""


class Commands(TyperGroup):
    """All commands, with one line and exit code 2 for whatever is wrong with the input."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and exit with its code."""
        if not extra.get("standalone_mode", True):
            return super().main(*args, **extra)
        try:
            code = super().main(*args, **extra | {"standalone_mode": False})
        except typer.TyperException as error:
            code = _fail(error.format_message())
        except ManyJudgesError as error:
            code = _fail(str(error))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more at exit
            code = 1
        except OSError as error:
            code = _fail(f"{error.filename or 'file'}: {error.strerror or error}")
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        if code == INTERRUPTED:
            typer.echo("stopped", err=True)
        sys.exit(code if isinstance(code, int) else 0)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Method(StrEnum):
    """Names of the searches."""

    full = "full"
    scoring = "scoring"


class PredictorKind(StrEnum):
    """Names of the predictors."""

    best_linear = "best_linear"
    least_squares = "least_squares"


class Unmatched(StrEnum):
    """What to do about labels and objects that do not match."""

    error = "error"
    drop = "drop"


class Label(StrEnum):
    """What the demo predicts."""

    height = "height"
    weight = "weight"


def _number_option(text: str | float) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.") from None


def _count_option(text: str | int) -> int:
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
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]
UnmatchedOption = Annotated[
    Unmatched, typer.Option(help="What to do about objects without a label and labels without an object.")
]


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
    numbers = summary.overview(table, Moments.estimate(table, y, noiseless=noiseless or ()))
    if as_json:
        _print_json(numbers)
        return
    out = _out()
    out.print(repr(table))
    out.print(
        f"  label: mean {numbers['label_mean']:.4g}, standard deviation {numbers['label_deviation']:.4g}\n",
        highlight=False,
    )
    rows = pd.DataFrame(numbers["table"])
    columns = {
        "attribute": rows["attribute"],
        "noise/σ²": rows["noise_ratio"].map(_number),
        "noise/σ": rows["noise_per_sigma"].map(_number),
        "corr./σ": rows["correlation_per_sigma"].map(_number),
        "corr.": rows["correlation"].map(_number),
        "ICC": rows["icc"].map(_number),
        "judgments": rows["judgments"].map("{:,}".format),
    }
    _print_table(out, columns)
    out.print(
        "\nnoise: disagreement about one object; σ: spread of the true values; ICC: reliability of one judgment."
        "\ncorr.: correlation with the label, and corr./σ the same in its units. Estimates from few objects may pass 1."
    )


@app.command()
def plan(
    judgments: JudgmentsArgument,
    labels: LabelsArgument,
    budget: Annotated[
        float,
        typer.Option(parser=_number_option, metavar="NUMBER", help="The most that one object's judgments may cost."),
    ],
    cost: Annotated[
        list[str] | None,
        typer.Option(metavar="ATTRIBUTE=COST", help="Price of one judgment, 1 unless told. May be repeated."),
    ] = None,
    method: Annotated[Method, typer.Option(help="How to choose.")] = Method.full,
    ridge: Annotated[
        float,
        typer.Option(
            parser=_number_option, metavar="NUMBER", help="Added to each attribute's variance, in standardized units."
        ),
    ] = 0.0,
    shrinkage: Annotated[
        float,
        typer.Option(
            parser=_number_option, metavar="NUMBER", help="From the covariance as estimated (0) to its diagonal (1)."
        ),
    ] = 0.0,
    out: Annotated[Path | None, typer.Option(help="Where to write the plan, as JSON.")] = None,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    as_json: JsonOption = False,
) -> None:
    """Decide how many judgments of each attribute to buy for each object."""
    costs = {name: _as_number(text, "--cost", name) for name, text in _pairs(cost, "--cost").items()}
    table, y = _read_both(judgments, labels, column, unmatched)
    moments = Moments.estimate(table, y, noiseless=noiseless or ())
    chosen = select(moments, budget, method=method, costs=costs or None, ridge=ridge, shrinkage=shrinkage)
    if out is not None:
        documents.write(out, chosen.to_json())
    if as_json:
        typer.echo(chosen.to_json(), nl=False)
        return
    _print_plan(chosen, summary.purchase(chosen.missing(table)), out, judgments)


@app.command()
def missing(
    plan: PlanArgument,
    judgments: JudgmentsArgument,
    out: Annotated[Path | None, typer.Option(help="Where to write the table: .csv, .tsv, .jsonl or .parquet.")] = None,
    column: ColumnOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the judgments that a plan asks for and the table lacks."""
    lacking = _read_plan(plan).missing(_read_judgments(judgments, _columns(column)))
    total = summary.purchase(lacking)
    if out is not None:
        files.write_table(out, lacking)
    if as_json:
        _print_json(total | {"missing": lacking.to_dict(orient="records")})
        return
    console = _out()
    if lacking.empty:
        console.print("Nothing is missing: every object has the judgments that the plan asks for.")
        return
    rows = summary.purchase_by_attribute(lacking)
    _print_table(
        console,
        {
            "attribute": rows.index,
            "objects": rows["objects"].map("{:,}".format),
            "judgments to buy": rows["judgments"].map("{:,}".format),
            "cost": rows["cost"].map("{:,.6g}".format),
        },
    )
    console.print(
        f"\n{total['judgments']:,} judgments of {total['pairs']:,} object-attribute pairs are missing; "
        f"they cost {total['cost']:,.6g}.",
        highlight=False,
    )
    console.print(f"Written to {out}." if out else "Write them to a file with --out tobuy.csv.")


@app.command()
def fit(
    plan: PlanArgument,
    judgments: JudgmentsArgument,
    labels: LabelsArgument,
    predictor: Annotated[
        PredictorKind, typer.Option(help="Use what is there, or exactly the planned judgments (the paper's way).")
    ] = PredictorKind.best_linear,
    out: Annotated[Path | None, typer.Option(help="Where to write the model, as JSON.")] = None,
    column: ColumnOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = Unmatched.error,
    as_json: JsonOption = False,
) -> None:
    """Fit the predictor of a plan."""
    chosen = _read_plan(plan)
    table, y = _read_both(judgments, labels, column, unmatched)
    fitted = fit_predictor(chosen, table, y, predictor=predictor, noiseless=noiseless or ())
    if out is not None:
        documents.write(out, fitted.to_json())
    if as_json:
        typer.echo(fitted.to_json(), nl=False)
        return
    console, rows = _out(), fitted.to_frame()
    _print_table(
        console,
        {
            "attribute": rows.index,
            "repeats": rows["repeats"].map(lambda n: "" if pd.isna(n) else str(n)),
            "coefficient": rows["coefficient"].map(_number),
        },
    )
    console.print(f"\nprediction = {fitted}\nerror to expect: a standard deviation of {fitted.deviation:.4g}")
    console.print(f"Written to {out}." if out else "Write it to a file with --out model.json.")


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
    predictions = summary.predictions(fitted, _read_judgments(judgments, _columns(column)))
    if out is not None:
        files.write_table(out, predictions)
    if as_json:
        _print_json(predictions.to_dict(orient="records"))
        return
    console, shown = _out(), predictions.head(10)
    _print_table(
        console,
        {
            "object": shown["object"].map(str),
            "prediction": shown["prediction"].map(_number),
            "± std": shown["std"].map(_number),
        },
    )
    rest = len(predictions) - len(shown)
    console.print(f"\n{len(predictions):,} predictions" + (f", {rest:,} of them not shown." if rest else "."))
    console.print(f"Written to {out}." if out else "Write all to a file with --out predictions.csv.")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the demo's files.")] = Path("manyjudges-demo"),
    label: Annotated[Label, typer.Option(help="What to predict.")] = Label.height,
    budget: Annotated[
        float,
        typer.Option(parser=_number_option, metavar="NUMBER", help="The most that one photo's judgments may cost."),
    ] = 40.0,
    objects: Annotated[
        int, typer.Option(parser=_count_option, metavar="COUNT", help="Labelled photos, 10 or more.")
    ] = 880,
    seed: Annotated[int, typer.Option(parser=_count_option, metavar="COUNT", help="Seed of the simulation.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Run the whole job on a simulated crowd: height or weight of people, judged from photos."""
    if objects < 10:
        raise PlanError(f"--objects {objects}: the demo needs 10 labelled photos or more.")
    with _progress() as progress:
        result = run_demo(out, label=label, budget=budget, n_objects=objects, random_state=seed, progress=progress)
    if as_json:
        numbers = json.loads(result.errors.reset_index().to_json(orient="records"))
        _print_json({"folder": str(result.folder), "files": list(result.files), "errors": numbers})
        return
    _print_demo(result, label, objects, budget)


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, a line for each step elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: typer.echo(step, err=True)
        return
    look = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*look, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=STEPS)
        yield lambda step: bar.update(task, advance=1, description=step)


def main() -> None:
    """Run the command line."""
    app()


def _fail(message: str) -> int:
    typer.echo(f"error: {' '.join(message.split())}", err=True)
    return 2


def _out() -> Console:
    # A pipe or a file has no width: rather long lines than names cut short. Brackets in names are no markup.
    wide = None if sys.stdout.isatty() else 160
    return Console(width=wide, soft_wrap=wide is not None, markup=False, highlight=False, emoji=False)


def _print_table(console: Console, columns: dict[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right", overflow="fold")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(" ".join(str(value).split("\n")) for value in row))
    console.print(table)


def _print_json(document: Any) -> None:
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def _print_plan(chosen: Plan, lacking: dict[str, Any], out: Path | None, judgments: str) -> None:
    console, rows = _out(), summary.plan_shares(chosen)
    if rows.empty:
        console.print(f"A budget of {chosen.budget:g} buys nothing that helps.")
    else:
        columns = {
            "attribute": rows.index,
            "repeats": rows["repeats"],
            "cost": rows["cost"].map("{:,.6g}".format),
            "share of what is explained": rows["share"].map("{:.1%}".format),
        }
        _print_table(console, columns)
    share = chosen.explained / chosen.label_variance
    console.print(
        f"\n{int(chosen.to_array().sum()):,} judgments an object, costing {chosen.cost:,.6g} of {chosen.budget:,.6g}. "
        f"They are projected to explain {share:.1%} of the label's variance{chosen.caveat} "
        f"and to leave a squared error of {chosen.projected_loss:.4g} (optimistic: the plan was chosen by that).",
        highlight=False,
    )
    if lacking["judgments"]:
        console.print(
            f"On the {lacking['objects']:,} objects at hand {lacking['judgments']:,} judgments are missing, "
            f"costing {lacking['cost']:,.6g}.",
            highlight=False,
        )
    if out is None:
        console.print("Write it to a file with --out plan.json.")
    else:
        following = shlex.join(["manyjudges", "missing", str(out), judgments, "--out", "tobuy.csv"])
        console.print(f"Written to {out}. Next: {following}")


def _print_demo(demo: Demo, label: str, n_objects: int, budget: float) -> None:
    console = _out()
    console.print(
        f"Predicting {label} from {n_objects:,} labelled photos: 2 judgments of each of 39 attributes, then a plan.\n",
        highlight=False,
    )
    rows = summary.plan_shares(demo.plan)
    _print_table(
        console,
        {
            "attribute": rows.index,
            "repeats": rows["repeats"],
            "cost": rows["cost"].map("{:g}".format),
            "share of what is explained": rows["share"].map("{:.1%}".format),
        },
    )
    unit = {"height": "inches", "weight": "pounds"}[label]
    console.print(f"\nprediction = {demo.predictor}\n")
    console.print(f"Error of each way to spend {budget:g} on a new photo, in {unit} (root mean square):\n")
    errors = demo.errors
    _print_table(
        console,
        {
            "plan": errors.index,
            "attributes": errors["attributes"],
            "bought for training": errors["bought"].map(lambda n: "" if pd.isna(n) else f"{n:,}"),
            "on new photos": errors["error"].map(lambda x: "" if pd.isna(x) else f"{x:.3f}"),
            "on all photos (truth)": errors["expected"].map("{:.3f}".format),
            "unexplained": errors["unexplained"].map("{:.1%}".format),
        },
    )
    console.print(
        "\nAll but the best linear predictor are least squares on exactly the planned judgments, as in the paper."
        f"\nFiles in {demo.folder}{os.sep}: {', '.join(demo.files)}",
        highlight=False,
    )


def _read_both(judgments: str, labels: str, column: list[str] | None, unmatched: Unmatched) -> tuple[Judgments, Any]:
    columns = _columns(column)
    table = _read_judgments(judgments, columns)
    y = files.read_labels(
        labels, object=columns.get("label-object", files.AUTO), label=columns.get("label", files.AUTO)
    )
    _show_source(y.attrs["source"])
    return table.match(y, unmatched=unmatched)


def _read_judgments(path: str, columns: dict[str, str]) -> Judgments:
    wanted: dict[str, Any] = {role: columns.get(role, files.AUTO) for role in files.SYNONYMS}
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


def _columns(given: list[str] | None) -> dict[str, str]:
    columns = _pairs(given, "--column")
    roles = ["object", "attribute", "value", "worker", "label", "label-object"]
    for role in columns:
        if role not in roles:
            raise JudgmentsError(
                f"--column knows no role {role!r}; it is one of {', '.join(roles)}.{suggest(role, roles)}"
            )
    return columns


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
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


def _as_number(text: str, option: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PlanError(f"{option} {name}={text}: {text!r} is not a number.") from None


def _number(value: Any) -> str:
    return "–" if value is None or pd.isna(value) else f"{value:.3g}" if abs(value) < 1e5 else f"{value:.3e}"
