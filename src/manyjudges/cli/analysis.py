"""Commands on tables: describe, plan, forecast, report, list what is missing, fit, predict.

Each command imports what it works with when it is called: the libraries behind planning take a second to load, and
``manyjudges --help`` needs none of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from manyjudges.base import documents
from manyjudges.base.methods import (
    ANYTIME_SEARCHES,
    DEFAULT_PREDICTOR,
    RIDGE_PREDICTORS,
    SEARCH_SUMMARIES,
)
from manyjudges.cli import answers, inputs, output, progress
from manyjudges.cli import study as study_commands
from manyjudges.cli.money import (
    BudgetOption,
    CostOption,
    CurrencyOption,
    NewOption,
    PriceOption,
    RecordedOption,
    TotalOption,
    terms_of,
    terms_of_budgets,
)
from manyjudges.cli.options import (
    PLAN,
    ExplainOption,
    JointMomentsOption,
    JsonOption,
    JudgmentsArgument,
    MaxRepeatsOption,
    MemoryOption,
    MethodOption,
    MuteOption,
    NoErrorOption,
    NoiselessOption,
    PlanArgument,
    PredictorOption,
    RescaleOption,
    SeedOption,
    ShrinkageOption,
    TableOutOption,
    TablesArgument,
    TempDirOption,
    UnmatchedOption,
    WorkerEffectsOption,
    as_count,
    as_float,
    as_float_or_auto,
    counts_of,
    one_of,
    preparation_of,
    refuse,
)
from manyjudges.cli.reading_options import PanelledCommand, TableOptions, reads_tables
from manyjudges.exceptions import PlanError

app = typer.Typer()

_TAKEN_BY_A_STUDY = {"plan", "out", "predictions", "mute", "as_json"}
"""What ``fit`` takes for a study; it refuses everything else that is typed."""


_DESCRIBED_BY_SCAN = 1 << 30
"""Bytes of text from which ``describe`` scans a table: some 40 million judgments, which take a few GB in memory. Other
commands scan smaller ones, as they need single workers for checks alone."""

_SCANNED = (
    "The table was scanned, and not read into memory. What needs single judgments is left out: how many judges there "
    "are, whether they are independent (MJ301), and whether judgments are copies of each other (MJ201)."
)


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def describe(
    tables: TablesArgument,
    reading: TableOptions,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = "error",
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    mute: MuteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarise judgments, attribute by attribute.

    Shows how noisy each attribute is, how well it predicts the label, whether judges are independent, and what speaks
    against relying on the data. With --memory-limit, it does not look at the judges.
    """
    from manyjudges.judges.dependence import check_independence
    from manyjudges.learn.checks.registry import check_data
    from manyjudges.summary import plain as summary

    scanning: dict[str, Any] = {"unmatched": unmatched, "memory_limit": memory_limit, "temp_dir": temp_dir}
    data = inputs.training_data(
        tables, reading, **scanning, noiseless=noiseless, parts=False, scan_from=_DESCRIBED_BY_SCAN
    )
    with progress.busy("looking at judgments and workers"):
        moments, workers = data.moments, None if data.table is None else check_independence(data.table)
        warnings = check_data(data, data.table, workers=workers, mute=mute or ()).warnings
    numbers = summary.overview(data, moments) | {"warnings": summary.warnings(warnings), "skipped": data.skipped}
    if as_json:
        output.say_json(answers.document("describe", **numbers, reading=list(data.reading_lines)))
    else:
        output.overview(data, numbers)
        output.skipped(data.skipped)
        if data.table is None:
            output.say(f"\n{_SCANNED}")
        elif len(data.table.workers):
            output.say(f"\n{workers!r}")
        answers.stops(warnings)
        output.warn(warnings)


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def plan(
    tables: TablesArgument,
    reading: TableOptions,
    budget: BudgetOption = None,
    total: TotalOption = None,
    new: NewOption = None,
    price: PriceOption = None,
    cost: CostOption = None,
    currency: CurrencyOption = None,
    method: MethodOption = "auto",
    plan_ridge: Annotated[
        float,
        typer.Option(
            parser=as_float, metavar="NUMBER", help="Add to each attribute's variance, in standardised units."
        ),
    ] = 0.0,
    shrinkage: ShrinkageOption = "auto",
    rescale: RescaleOption = "auto",
    worker_effects: WorkerEffectsOption = "auto",
    joint_moments: JointMomentsOption = "auto",
    predictor: PredictorOption = "auto",
    max_repeats: MaxRepeatsOption = None,
    recorded: RecordedOption = False,
    no_error: NoErrorOption = False,
    explain: ExplainOption = False,
    bound: Annotated[bool, typer.Option("--bound", help="Compute an upper bound for any plan at this budget.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            parser=as_float,
            metavar="SECONDS",
            help=f"Stop --method {' or '.join(ANYTIME_SEARCHES)} then, with the best plan so far.",
        ),
    ] = None,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option(help="Where to write the plan, as JSON.")] = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = "error",
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    mute: MuteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan which judgments to buy for a budget.

    Decides how many judgments of each attribute to buy for each object, for a budget per object, and says what error to
    expect on new objects. --method full --no-error makes a plan at once.
    """
    from manyjudges.learn.answering import answer_for

    inputs.check_target(out)
    terms = terms_of(cost=cost, budget=budget, total=total, new=new, price=price, currency=currency)
    options = preparation_of(rescale, worker_effects, joint_moments, predictor)
    way: dict[str, Any] = {"method": method, "shrinkage": shrinkage, "plan_ridge": plan_ridge, "recorded": recorded}
    way |= {"options": options}
    way |= {"max_repeats": counts_of(max_repeats, "--max-repeats"), "random_state": seed}
    way |= {"error": not no_error, "time_limit": time_limit}
    scanning: dict[str, Any] = {"unmatched": unmatched, "memory_limit": memory_limit, "temp_dir": temp_dir}
    data = inputs.training_data(tables, reading, **scanning, noiseless=noiseless, parts=not no_error, seed=seed)
    with progress.planning() as (held_out, proof):
        found = answer_for(data, terms, **way, mute=mute or (), progress=held_out, proof=proof)
    if bound:
        _ = found.bound  # worked out now, so that the file has it
    if out is not None:
        documents.write(out, found.plan.to_json())
    if as_json:
        output.say_json(answers.document("plan", answer=found.to_document()))
        return
    answers.answer(found, bound=bound, money=terms.stated)
    if explain:
        answers.explanation(found)
    output.warn(found.warnings)
    _say_where(out, "plan.json")
    if out is not None and found.plan.repeats:
        judgments, _ = inputs.split_tables(tables, reading)
        of_labels = [*(["--unmatched", unmatched] if unmatched != "error" else [])]
        of_labels += [word for name in noiseless or () for word in ("--noiseless", name)]
        answers.next_steps(
            str(out),
            tables=judgments,
            labelled=[*tables, *reading.typed_with_labels, *of_labels],
            options=reading.typed,
            lacking=found.bill.labelled.judgments,
        )


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def forecast(
    tables: TablesArgument,
    reading: TableOptions,
    budgets: Annotated[str, typer.Option(metavar="AMOUNTS", help="Budgets per object, such as 5,10,20,40 or $1,$2.")],
    method: Annotated[
        list[str] | None,
        one_of(
            ("auto", *SEARCH_SUMMARIES),
            help="Planning method to compare (default: auto, which takes at each budget the one with the lowest "
            "cross-validated error, as plan does). May be repeated.",
        ),
    ] = None,
    price: PriceOption = None,
    cost: CostOption = None,
    currency: CurrencyOption = None,
    max_repeats: MaxRepeatsOption = None,
    recorded: RecordedOption = False,
    shrinkage: ShrinkageOption = "auto",
    rescale: RescaleOption = "auto",
    worker_effects: WorkerEffectsOption = "auto",
    joint_moments: JointMomentsOption = "auto",
    predictor: PredictorOption = "auto",
    cv: Annotated[int, typer.Option(parser=as_count, metavar="COUNT", help="Number of folds.")] = 5,
    cv_repeats: Annotated[
        int, typer.Option(parser=as_count, metavar="COUNT", help="Number of cross-validation repetitions.")
    ] = 3,
    seed: SeedOption = 0,
    tolerance: Annotated[
        float,
        typer.Option(
            parser=as_float,
            metavar="NUMBER",
            help="Report the smallest budget within this fraction of the lowest error (0.05: 5 %).",
        ),
    ] = 0.05,
    out: TableOutOption = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = "error",
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    mute: MuteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forecast the error at each budget.

    Estimates, before you spend any money, the error to expect on new objects: it is measured on objects that are held
    out.
    """
    from manyjudges.base.seeds import generator
    from manyjudges.learn.answering import settle
    from manyjudges.learn.checks.registry import check_data, raise_stops
    from manyjudges.learn.error_curve import error_curve_of
    from manyjudges.summary import plain as summary
    from manyjudges.tables import files

    inputs.check_target(out, table=True)
    limits, terms = terms_of_budgets(budgets, cost=cost, price=price, currency=currency)
    caps = counts_of(max_repeats, "--max-repeats")
    scanning: dict[str, Any] = {"unmatched": unmatched, "memory_limit": memory_limit, "temp_dir": temp_dir}
    data = inputs.training_data(tables, reading, **scanning, noiseless=noiseless, cv=cv, seed=seed)
    raise_stops(data, mute=mute or ())
    fixed = settle(data, terms, max_repeats=caps, recorded=recorded).options
    way: dict[str, Any] = {"methods": method or ("auto",), "shrinkage": shrinkage, "random_state": seed}
    way |= {"options": preparation_of(rescale, worker_effects, joint_moments, predictor)}
    way |= {name: fixed[name] for name in ("costs", "max_repeats")}
    with progress.bar("estimating errors") as report:
        options: dict[str, Any] = {"cv": cv, "cv_repeats": cv_repeats, "rng": generator(seed), "progress": report}
        curve = error_curve_of(data, limits, **way, **options)
    warnings = check_data(data, mute=mute or ()).warnings
    cheapest = curve.cheapest_within(tolerance)
    if out is not None:
        files.write_table(out, curve.to_frame())
    if as_json:
        closest = {"cheapest_within": {"tolerance": tolerance, "budget": cheapest}}
        about: dict[str, Any] = {"warnings": summary.warnings(warnings), "skipped": data.skipped}
        output.say_json(answers.document("forecast", **answers.curve_document(curve), **closest, **about))
        return
    answers.errors(curve, tolerance, cheapest)
    output.skipped(data.skipped)
    _say_where(out, "errors.csv")
    output.warn(warnings)


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def report(
    tables: TablesArgument,
    reading: TableOptions,
    budget: BudgetOption = None,
    total: TotalOption = None,
    new: NewOption = None,
    price: PriceOption = None,
    cost: CostOption = None,
    currency: CurrencyOption = None,
    method: MethodOption = "auto",
    shrinkage: ShrinkageOption = "auto",
    rescale: RescaleOption = "auto",
    worker_effects: WorkerEffectsOption = "auto",
    joint_moments: JointMomentsOption = "auto",
    predictor: PredictorOption = "auto",
    max_repeats: MaxRepeatsOption = None,
    recorded: RecordedOption = False,
    budgets: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Budgets of the curve, such as 5,10,20,40,80 (default: about a dozen)."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    label_name: Annotated[str | None, typer.Option(help="What is predicted, such as 'height in inches'.")] = None,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(help="Where to write the report: one HTML file.")] = Path("report.html"),
    plan_out: Annotated[Path | None, typer.Option(help="Where to write the report's plan, as JSON.")] = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = "error",
    mute: MuteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a report on a plan, as one web page.

    It has the plan, the error to expect, the attributes, how reliable judgments are, and warnings.
    """
    from manyjudges.base.templates import check_extra
    from manyjudges.reports import Report
    from manyjudges.summary.overall import summarize_data

    check_extra()
    inputs.check_target(out, endings=documents.HTML)
    inputs.check_target(plan_out)
    terms = terms_of(cost=cost, budget=budget, total=total, new=new, price=price, currency=currency)
    plan_options: dict[str, Any] = {
        "max_repeats": counts_of(max_repeats, "--max-repeats"),
        "recorded": recorded,
    }
    way: dict[str, Any] = {"method": method, "shrinkage": shrinkage}
    way |= {"options": preparation_of(rescale, worker_effects, joint_moments, predictor)}
    limits = None if budgets is None else terms_of_budgets(budgets, cost=cost, price=price, currency=terms.currency)[0]
    data = inputs.training_data(tables, reading, unmatched=unmatched, noiseless=noiseless, whole=True)
    with progress.bar("looking at it from all sides") as update:
        options: dict[str, Any] = {"random_state": seed, "progress": update, "mute": mute or ()}
        summary = summarize_data(data, terms, budgets=limits, title=title, **plan_options, **way, **options)
    Report.from_summary(summary, label_name=label_name).save(out)
    if plan_out is not None:
        documents.write(plan_out, summary.answer.plan.to_json())
    if as_json:
        output.say_json(answers.document("report", **summary.to_document() | {"skipped": data.skipped}))
        return
    answers.answer(summary.answer, money=terms.stated)
    output.say(f"Written to {out}{'' if plan_out is None else f', and its plan to {plan_out}'}.")
    output.warn(summary.warnings)


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def missing(
    plan: PlanArgument,
    judgments: JudgmentsArgument,
    reading: TableOptions,
    names: Annotated[
        bool, typer.Option("--names", help="JUDGMENTS only lists objects, even if it looks like judgments.")
    ] = False,
    out: TableOutOption = None,
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the judgments that a plan still needs.

    JUDGMENTS may also be a list of objects that nobody has judged, such as a table with only a column of names or a
    text file with a name on each line.
    """
    from manyjudges.summary import plain as summary
    from manyjudges.tables import files

    inputs.check_target(out, table=True)
    chosen = inputs.plan_in(plan)
    scanning: dict[str, Any] = {"memory_limit": memory_limit, "temp_dir": temp_dir}
    lacking, skipped = inputs.missing_of(chosen, judgments, reading, only_names=names, **scanning)
    if out is not None:
        files.write_table(out, lacking)
    if as_json:
        numbers = summary.purchase(lacking) | {"currency": chosen.currency, "skipped": skipped}
        output.say_json(answers.document("missing", **numbers, missing=lacking.to_dict(orient="records")))
        return
    if lacking.empty:
        output.say("Nothing is missing: every object has the judgments that the plan asks for.")
    else:
        output.missing(lacking, chosen.money)
    output.skipped(skipped)
    if out is not None or not lacking.empty:
        _say_where(out, "tobuy.csv")


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def fit(
    context: typer.Context,
    plan: Annotated[
        Path, typer.Argument(metavar="PLAN", help="A plan that 'manyjudges plan --out' wrote, or a study's folder.")
    ],
    reading: TableOptions,
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="JUDGMENTS... [LABELS]", help="As for 'plan'; not for a study.")
    ] = None,
    predictor: PredictorOption = DEFAULT_PREDICTOR,
    predictor_ridge: Annotated[
        Any,
        typer.Option(
            parser=as_float_or_auto,
            metavar="NUMBER|auto",
            help=f"Regularise {' or '.join(RIDGE_PREDICTORS)} where objects are few: added to each attribute's "
            "variance, in standardised units (default: what the plan says; auto chooses it again).",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write the model, as JSON.")] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Where to write the predictions of a study's objects without label.")
    ] = None,
    noiseless: NoiselessOption = None,
    unmatched: UnmatchedOption = "error",
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    mute: MuteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fit the predictor of a plan, or of a study."""
    from manyjudges.learn.checks.registry import check_data
    from manyjudges.learn.fitting import data_relied_on, outside_answers_of
    from manyjudges.learn.fitting import fit as fit_plan
    from manyjudges.service.study import is_study_folder
    from manyjudges.summary import plain as summary

    inputs.check_target(out)
    inputs.check_target(predictions, table=True)
    if is_study_folder(plan):
        unused = {parameter.name for parameter in context.command.params if parameter.name} - _TAKEN_BY_A_STUDY
        refuse(context, unused, "not for a study, which has its own judgments, labels and settings")
        study_commands.fit_folder(plan, out, predictions, as_json, mute=mute or ())
        return
    if not tables or predictions is not None:
        raise PlanError(
            f"'{plan}' is not a study folder. Pass JUDGMENTS as well, and leave out --predictions.",
            value=str(plan),
            column="plan",
        )
    chosen = inputs.plan_in(plan)
    scanning: dict[str, Any] = {"unmatched": unmatched, "memory_limit": memory_limit, "temp_dir": temp_dir}
    data = inputs.training_data(tables, reading, **scanning, noiseless=noiseless, plan=chosen)
    with progress.busy("fitting"):
        fitted = fit_plan(chosen, data, predictor=predictor, predictor_ridge=predictor_ridge)
        warnings = check_data(data_relied_on(fitted, data), mute=mute or ()).warnings
        warnings = (*outside_answers_of(chosen, data), *warnings)
    if out is not None:
        documents.write(out, fitted.to_json())
    if as_json:
        about: dict[str, Any] = {"warnings": summary.warnings(warnings), "skipped": data.skipped}
        output.say_json(answers.document("fit", model=fitted.to_document(), **about))
    else:
        output.predictor(fitted)
        output.skipped(data.skipped)
        _say_where(out, "model.json")
        output.warn(warnings)


@app.command(rich_help_panel=PLAN, cls=PanelledCommand)
@reads_tables
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that 'manyjudges fit --out' wrote.")],
    judgments: JudgmentsArgument,
    reading: TableOptions,
    out: TableOutOption = None,
    memory_limit: MemoryOption = None,
    temp_dir: TempDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Predict the label of each object.

    From its judgments, by a model that was fitted before.
    """
    from manyjudges.learn.predictor import predictions_in
    from manyjudges.tables import files

    inputs.check_target(out, table=True)
    fitted = inputs.predictor_in(model)
    scanning: dict[str, Any] = {"memory_limit": memory_limit, "temp_dir": temp_dir}
    predictions, skipped = inputs.of_each_object(
        judgments, reading, fitted.plan, lambda table: predictions_in(table, fitted), **scanning
    )
    if out is not None:
        files.write_table(out, predictions)
    if as_json:
        about: dict[str, Any] = {"predictions": predictions.to_dict(orient="records"), "skipped": skipped}
        output.say_json(answers.document("predict", **about))
    else:
        output.predictions(predictions)
        output.skipped(skipped)
        _say_where(out, "predictions.csv")


def _say_where(out: Path | None, usual: str) -> None:
    output.say(f"Written to {out}." if out else f"Write it to a file with --out {usual}.")
