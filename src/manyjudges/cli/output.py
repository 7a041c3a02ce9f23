"""What the command line prints: tables, plans, and where a study stands."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manyjudges.base import formatting
from manyjudges.base.messages import list_names

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from manyjudges.core.plan import Plan
    from manyjudges.exceptions import DataWarning
    from manyjudges.learn.costs.bill import Bill
    from manyjudges.learn.predictor import Predictor
    from manyjudges.learn.training_data import TrainingData
    from manyjudges.service.demo import Demo
    from manyjudges.service.fit import StudyFit
    from manyjudges.service.model_judges import ModelRun
    from manyjudges.service.round_planning import Decision
    from manyjudges.store.imports import Intake
    from manyjudges.study.config import Study


def say(text: str) -> None:
    """Print a line to read."""
    _console().print(text)


def say_json(document: Any) -> None:
    """Print a document for machines, in letters that the output can carry."""
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    typer.echo(json.dumps(document, indent=2, ensure_ascii=plain, default=_plain))


def say_table(columns: dict[str, Any]) -> None:
    """Print a table: the first column to the left, numbers to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right", overflow="fold")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(" ".join(str(value).split("\n")) for value in row))
    _console().print(table)


def overview(data: TrainingData, numbers: dict[str, Any]) -> None:
    """Print what is in a table of judgments."""
    import pandas as pd

    from manyjudges.tables.display import lines_of

    about: dict[str, Any] = {"source": data.source, "skipped": data.skipped}
    say("\n  ".join(lines_of(data.attributes, data.pair_counts, numbers["n_workers"] or 0, **about)))
    say(f"  label: mean {numbers['label_mean']:.4g}, standard deviation {numbers['label_deviation']:.4g}\n")
    rows = pd.DataFrame(numbers["attributes"])
    say_table(
        {
            "attribute": rows["attribute"],
            "noise/σ²": rows["noise_ratio"].map(_number),
            "noise/σ": rows["noise_per_sigma"].map(_number),
            "corr./σ": rows["correlation_per_sigma"].map(_number),
            "corr.": rows["correlation"].map(_number),
            "ICC": rows["icc"].map(_number),
            "judgments": rows["judgments"].map("{:,}".format),
        }
    )
    say(
        "\nnoise: disagreement about one object; σ: spread of the true values; ICC: reliability of one judgment."
        "\ncorr.: correlation with the label, and corr./σ the same in its units. With few objects, these are rough."
    )


def bill(found: Bill, *, table: bool = False) -> None:
    """Print what a plan costs: in words, and as a table where that is asked for."""
    from manyjudges.summary.bills import bill_columns

    if not found.attributes:
        return
    if table:
        say("")
        say_table(bill_columns(found))
        say("")
    say(found.headline)


def skipped(rows: int) -> None:
    """Print how many rows were left out, if any."""
    if rows:
        say(f"{formatting.plural(rows, 'row')} skipped.")


def unmatched_names(unjudged: Sequence[str], left_out: Sequence[str]) -> None:
    """Say which questions of a study got no judgments while others were left out: their names may differ."""
    if unjudged and left_out:
        typer.echo(
            f"warning: no judgments of {list_names(unjudged, limit=12)} were found, and "
            f"{list_names(left_out, limit=12)} in the file were left out: the study has no questions of these names. "
            "If they are the same questions, give each its name with --rename OLD=NEW.",
            err=True,
        )


def warn(warnings: Iterable[DataWarning]) -> None:
    """Print what speaks against relying on a result, apart from it."""
    for warning in warnings:
        head = "note" if warning.severity == "note" else "warning"
        code = f" {warning.code}" if warning.code else ""  # what --mute takes
        severity = f" ({warning.severity})" if warning.severity in ("stop", "serious") else ""
        typer.echo(f"{head}{code}{severity}: {warning!s}", err=True)


def missing(lacking: pd.DataFrame, money: Callable[[float], str] = "{:,.6g}".format) -> None:
    """Print which judgments are missing; ``money`` shows an amount."""
    from manyjudges.summary import plain as summary

    rows, total = summary.purchase_by_attribute(lacking), summary.purchase(lacking)
    say_table(
        {
            "attribute": rows.index,
            "objects": rows["objects"].map("{:,}".format),
            "judgments to buy": rows["judgments"].map("{:,}".format),
            "cost": rows["cost"].map(money),
        }
    )
    judgments, pairs = formatting.plural(total["n_judgments"], "judgment"), total["n_pairs"]
    verb, they = ("is", "it costs") if total["n_judgments"] == 1 else ("are", "they cost")
    of_pairs = formatting.plural(pairs, "object-attribute pair")
    say(f"\n{judgments} of {of_pairs} {verb} missing; {they} {money(total['cost'])}.")


def predictor(fitted: Predictor, *, error: bool = True) -> None:
    """Print a predictor: the paper's table, the formula and, unless it is known better, the error."""
    import pandas as pd

    rows = fitted.to_frame()
    say_table(
        {
            "attribute": rows.index,
            "repeats": rows["repeats"].map(lambda n: "" if pd.isna(n) else str(n)),
            "coefficient": rows["coefficient"].map(_number),
        }
    )
    expected = f"\nerror to expect: a standard deviation of {fitted.deviation:.4g}" if error else ""
    say(f"\nprediction = {fitted}{expected}")


def predictions(table: pd.DataFrame, most: int = 10) -> None:
    """Print the first few predictions."""
    rows = table.head(most)
    say_table(
        {
            "object": rows["object"],
            "prediction": rows["prediction"].map(formatting.number),
            "± std": rows["std"].map(formatting.number),
        }
    )
    rest = len(table) - len(rows)
    say(f"\n{len(table):,} predictions" + (f", {rest:,} of them not shown." if rest else "."))


def demo(done: Demo) -> None:
    """Print what a demo came to."""
    import pandas as pd

    scene, plan, label = done.scene, done.plan, done.crowd.labels.name
    asked, known = len(done.crowd.attributes), len(done.crowd.labels)
    say(f"Predicting the {label} of {scene.objects} from judgments of {asked} {scene.attributes} (simulated).")
    say(f"A pilot asked 2 judges about each of {known:,} {scene.objects} whose {label} is known. The plan it led to:\n")
    shares(plan)
    unasked = [name for name in done.crowd.attributes if name not in plan.repeats]
    if unasked:
        say(f"\nNot asked: {list_names(unasked, limit=8)}.")
    say(f"\n{done.answer.expectation}")
    say(f"\nprediction = {done.predictor}\n")
    say(
        f"A budget of {plan.budget:g} for each {scene.object}, spent in several ways; errors are RMSE in {done.unit}:\n"
    )
    errors = done.errors
    say_table(
        {
            "way": errors.index,
            scene.attributes: errors["attributes"].map("{:.0f}".format),
            "bought for training": errors["bought"].map(lambda n: "" if pd.isna(n) else f"{n:,}"),
            f"on new {scene.objects}": errors["error"].map(lambda x: "" if pd.isna(x) else f"{x:.2f}"),
            f"on all {scene.objects} (truth)": errors["expected"].map("{:.2f}".format),
            "explained": errors["explained"].map("{:.0%}".format),
        }
    )
    say("\nAll but 'The plan' fit least squares to exactly the judgments that they ask for, as in the paper.")
    say(f"\nFiles in {done.folder}{os.sep}: {', '.join(done.files)}")
    if done.report is not None:
        say(f"Open {done.report} in a browser: what to buy, what to expect of it, and why.")
    else:
        say("There is no report among them: it needs pip install 'manyjudges[report]'.")
    say(f"A study in a browser, with simulated judges at work: {_this_program()} demo --serve")


_STAGES = {
    "pilot": "pilot",
    "plan": "buying what the plan lacks",
    "unlabelled": "judging the objects without label by the plan",
    "planning": "planning",
    "done": "done",
}


def serving(study: Study, site: str) -> None:
    """Print where a study is served."""
    judges = study.server.address or site
    say(f"Serving {study.title!r}.")
    if study.entry.open:
        say(f"  judges:      {judges}/")
    say(f"  researcher:  {judges}/admin")
    say("Ctrl-C stops the server; everything that was handed in is kept.")


def status(numbers: dict[str, Any]) -> None:
    """Print where a study stands."""
    import pandas as pd

    why = f" ({numbers['reason']})" if numbers["reason"] else ""
    say(f"{numbers['title']}: {numbers['state']}, round {numbers['round']}, {_STAGES[numbers['stage']]}{why}.")
    say(f"{numbers['objects']:,} objects, {numbers['labelled']:,} of them with label; {numbers['workers']:,} workers.")
    limit = "" if numbers["spending_limit"] is None else f" of {numbers['spending_limit']:,.6g}"
    came = f'{numbers["judgments"]:,} judgments and {numbers["cant_tell"]:,} times "can\'t tell"'
    say(f"{came} for {numbers['spent']:,.6g}{limit} units.")
    if numbers["paid"]:
        say(f"{numbers['paid']:,.4f} {numbers['currency']} of it were paid for calls of models.")
    say(f"{numbers['out']:,} more are with judges, and {numbers['open']:,} are still to be handed out.\n")
    rows, plan = pd.DataFrame(numbers["attributes"]), numbers["plan"] or {}
    say_table(
        {
            "attribute": rows["attribute"],
            "plan": rows["attribute"].map(lambda name: str(plan.get(name, "")) or "–"),
            "have": rows["have"].map("{:,}".format),
            "with judges": rows["out"].map("{:,}".format),
            "still open": rows["open"].map("{:,}".format),
            "can't tell": rows["cant_tell"].map("{:,}".format),
        }
    )
    if numbers["plan"] is not None:
        say(f"\nplan: judgments of each attribute for one object, within a budget of {numbers['budget']:g}.")
    if (answer := numbers["answer"]) is not None:
        _answer_so_far(answer, numbers["plan"])
    opinions(numbers["opinions"])
    for problem in numbers["problems"]:
        say(f"left out of the objects: {problem}")


def _answer_so_far(answer: dict[str, Any], following: dict[str, int] | None) -> None:
    """Print what to buy for new objects by the judgments so far, and whether the study asks for something else."""
    say(f"\nBy the judgments so far: {answer['sentence']}")
    for note in answer["notes"]:
        say(note)
    if following != answer["plan"]["repeats"]:
        say(
            "Meanwhile, the study collects judgments for the plan in the table. They show whether attributes are as "
            "good as they look. When none of them is missing, the other plan is followed."
        )


def decision(decided: Decision | None) -> None:
    """Print what was decided when a round was complete."""
    if decided is None:
        say("Nothing to plan: 'manyjudges status' says how far the round is, or why the campaign is done.")
        return
    if decided.round is not None:
        say(f"Plan: {decided.round}.")
    if decided.reason:
        say(f"Training is done: {decided.reason}.")
    say(f"{decided.ordered:,} judgments may be handed out now ({_STAGES[decided.stage]}).")


def taken_in(intake: Intake, study: Path) -> None:
    """What became of judgments that were put into a study."""
    parts = [f"{intake.added:,} judgments put into {study}, of {formatting.plural(intake.workers, 'new worker')}"]
    more = {
        "were there already": intake.repeated,
        "corrected": intake.corrected,
        "of blocked workers left out": intake.refused,
    }
    parts += [f"{count:,} {words}" for words, count in more.items() if count]
    say("; ".join(parts) + ".")


def judged(run: ModelRun, currency: str) -> None:
    """Print what models did, why they ended, and what the plan is."""
    tallies = run.tallies.values()
    say_table(
        {
            "model": list(run.tallies),
            "answered": [f"{tally.answered:,}" for tally in tallies],
            "can't tell": [f"{tally.cant_tell:,}" for tally in tallies],
            "refused": [f"{tally.refused:,}" for tally in tallies],
            "unreadable": [f"{tally.unreadable:,}" for tally in tallies],
            "tokens": [f"{tally.tokens_in + tally.tokens_out:,}" for tally in tallies],
            f"paid ({currency})": [f"{tally.paid:,.4f}" for tally in tallies],
        }
    )
    limit = "" if run.limit is None else f" of {run.limit:,.10g}"
    say(f"Paid for all calls of this study: {run.paid:,.4f}{limit} {currency}.")
    for name in run.uncounted:
        many = formatting.plural(run.tallies[name].uncounted, "call")
        say(f"The service of {name} did not say how many tokens {many} took, so nothing is known of what they cost.")
    if run.open:
        say(f"{formatting.plural(run.open, 'judgment')} still open for them: {_why_open(run)}")
    if run.others:
        say(f"{formatting.plural(run.others, 'judgment')} asked of others; when they are in, start again.")
    if run.steps and run.steps[-1].reason:
        say(f"Training is done: {run.steps[-1].reason}.")
    if run.asking:
        say(f"\nThe plan, for one object: {run.asking}.")


def opinions(numbers: dict[str, Any] | None) -> None:
    """Print how many independent opinions models are worth, where that is known."""
    if numbers is None:
        return
    words = {"object": "what all agree on", "between": "a model's own view", "prompt": "a prompt's", "within": "chance"}
    shares_known = {name: share for name, share in numbers["shares"].items() if share is not None}
    shares = [f"{share:.0%} {words[name]}" for name, share in shares_known.items()]
    if shares:
        say(f"\nOf the variance of one call, {formatting.listed(shares)}.".replace("% ", "% is ", 1))
    rows = numbers["attributes"]
    if rows:
        say_table(
            {
                "attribute": [row["attribute"] for row in rows],
                "calls": [f"{row['calls']:,}" for row in rows],
                "judges": [f"{row['judges']:,}" for row in rows],
                "models": [f"{row['models']:,}" for row in rows],
                "independent opinions": [_number(row["opinions"]) for row in rows],
                "at most": [_number(row["ceiling"]) for row in rows],
            }
        )
        say("calls: for one object, by the plan; judges: models, each persona or prompt of its own.")
        say("An independent opinion is one call of yet another model.")
        say("at most: what these models are worth however often they are called.")
    if numbers["message"]:
        say(numbers["message"])


def _why_open(run: ModelRun) -> str:
    if run.state != "running":
        then = "'manyjudges resume' goes on" if run.state == "paused" else "no more is asked"
        return f"the study is {run.state}; {then}."
    if run.limit is not None:
        return "the spending limit does not leave enough for another call. Raise llm.spending_limit in study.toml."
    return "another process is at them, or the model was withdrawn."


def fit(fitted: StudyFit, predictions: Path | None) -> None:
    """Print what a study's predictor promises, and where its predictions are."""
    say(fitted.expectation)
    if len(fitted.predictions):
        where = f"written to {predictions}" if predictions else "write them with --predictions predictions.csv"
        say(f"{len(fitted.predictions):,} objects without label predicted; {where}.")


def shares(chosen: Plan) -> None:
    """Print a plan: what it buys of each attribute, and what share of what is explained that adds."""
    from manyjudges.learn.answers import plan_shares

    rows = plan_shares(chosen)
    say_table(
        {
            "attribute": rows.index,
            "repeats": rows["repeats"],
            "cost": rows["cost"].map("{:,.6g}".format),
            "share of what is explained": rows["share"].map("{:.1%}".format),
        }
    )


def _this_program() -> str:
    """How to call us again from the same place: by name, or by the path that we were called by."""
    return "manyjudges" if shutil.which("manyjudges") else os.path.relpath(sys.argv[0])


def _console() -> Console:
    from rich.console import Console

    # A pipe or a file has no width: rather long lines than names cut short. Brackets in names are no markup.
    wide = None if sys.stdout.isatty() else 160
    return Console(width=wide, soft_wrap=wide is not None, markup=False, highlight=False, emoji=False)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def _number(value: Any) -> str:
    import pandas as pd

    return "–" if value is None or pd.isna(value) else f"{value:.3g}" if abs(value) < 1e5 else f"{value:.3e}"
