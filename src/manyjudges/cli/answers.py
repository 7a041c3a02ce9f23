"""What commands on tables print of an answer, and of the errors at several budgets: the same words in all of them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from manyjudges.base.formatting import in_units, listed, plural
from manyjudges.cli import output
from manyjudges.exceptions import spelled

if TYPE_CHECKING:
    from manyjudges.exceptions import DataWarning
    from manyjudges.learn.answers import Answer
    from manyjudges.learn.error_curve import ErrorCurve

_FORMAT = "manyjudges.output/1"
"""Of what commands print with ``--json``; ``docs/json-output.md`` lists the fields."""


def document(command: str, **parts: Any) -> dict[str, Any]:
    """What a command prints for machines."""
    head = {"format": _FORMAT, "command": command}
    return head | parts | head


def answer(found: Answer, *, bound: bool = False, money: bool = False) -> None:
    """Print an answer: what was read, the plan, the error to expect, the bill and what was chosen.

    Parameters
    ----------
    found : Answer
    bound : bool
        Whether to say how good the best plan could be, which may have to be worked out.
    money : bool
        Whether to print the bill as a table, too.
    """
    attributes = plural(len(found.plan.attributes), "attribute")
    judged = f"{plural(found.n_judgments, 'judgment')} of {attributes}"
    output.say(f"{judged} on {plural(found.n_objects, 'object')} with a label.\n")
    if found.plan.repeats:
        output.shares(found.plan)
        output.say("")
    output.say(found.sentence)
    if found.helps is not False and found.explained and found.error:
        output.say(f"On new objects, predictions explain about {found.explained:.0%} of the label's variance.")
    output.bill(found.bill, table=money)
    for note in found.notes:
        output.say(spelled(note))
    output.skipped(found.skipped)
    _choice(found)
    if bound or found.plan.proven_bound is not None:
        _bound(found)


def next_steps(
    plan: str, *, tables: Sequence[str], labelled: Sequence[str], options: Sequence[str], lacking: int
) -> None:
    """Print which commands come after a plan.

    Parameters
    ----------
    plan : str
        The file that it was written to.
    tables, options : sequence of str
        The judgments, and how to read them, as they were typed.
    labelled : sequence of str
        The judgments with their labels, and how to read both.
    lacking : int
        Judgments that the labelled objects lack.
    """
    output.say("\nNext:")
    if lacking:
        output.say(f"- To complete the labelled objects, list the {plural(lacking, 'judgment')} that they lack:")
        _command("missing", plan, *tables, *options, "--out", "tobuy.csv")
    output.say("- To predict new objects, write their names into a file, a name in each row, and list what to ask:")
    _command("missing", plan, "new-names.txt", "--out", "tobuy-new.csv")
    output.say("- When you have the answers, fit the predictor and predict:")
    _command("fit", plan, *labelled, "--out", "model.json")
    _command("predict", "model.json", "new.csv", *options, "--out", "predictions.csv")


def _command(*words: str) -> None:
    output.say(f"  {shlex.join(['manyjudges', *words])}")


def errors(curve: ErrorCurve, tolerance: float, cheapest: float) -> None:
    """Print what error to expect at each budget."""
    frame = curve.to_frame()
    limits = [f"{low:.4g} to {high:.4g}" for low, high in zip(frame["low"], frame["high"], strict=True)]
    ways = zip(frame["method"], frame["searched"], frame["shrinkage"], strict=True)
    output.say_table(
        {
            "method": [_way(*way) for way in ways],
            "budget": frame["budget"].map("{:,.6g}".format),
            "error to expect": frame["error"].map("{:.4g}".format),
            "limits": limits,
            "explained": frame["explained"].map("{:.1%}".format),
            "the plan's own claim": frame["in_sample_error"].map("{:.4g}".format),
        }
    )
    output.say(
        f"\nErrors are RMSE on held-out objects, from {curve.n_objects:,} objects, with 95 % limits; "
        f"explained is the share of the label's variance. Guessing the mean would be off by "
        f"{curve.baseline_error:.4g}. The plan's own claim is optimistic."
    )
    best = curve.best()
    if best["error"] >= curve.baseline_error:
        output.say("No better than guessing the mean: as things stand, buy nothing.")
        return
    output.say(
        f"Least error: {best['method']} at a budget of {best['budget']:g}. Within {tolerance:.0%} of it from a budget "
        f"of {cheapest:g} on."
    )


def curve_document(curve: ErrorCurve) -> dict[str, Any]:
    """Errors at several budgets for machines, in the words of an answer."""
    from manyjudges.base.results import plain

    rows = curve.to_frame().drop(columns=["loss", "std_error"]).to_dict(orient="records")
    plans = [plan.repeats for of_method in curve.plans for plan in of_method]
    return {
        "errors": [plain(row | {"plan": repeats}) for row, repeats in zip(rows, plans, strict=True)],
        "baseline_error": curve.baseline_error,
        "label_deviation": in_units(curve.label_variance),
        "n_objects": curve.n_objects,
    }


def stops(warnings: Iterable[DataWarning]) -> None:
    """Say where planning would stop, where something else goes on."""
    if codes := [warning.code or warning.kind for warning in warnings if warning.severity == "stop"]:
        output.say(f"\nplan, forecast and report stop here until that is settled: {listed(codes)}.")


def _way(method: str, searched: str, shrinkage: float) -> str:
    """A method, and what it took where it chose.

    >>> _way("auto", "scoring", 0.2), _way("full", "full", 0.0), _way("exact", "exchange", 0.0)
    ('auto: scoring, shrinkage 0.2', 'full', 'exact: exchange')
    """
    taken = [searched] if searched != method else []
    taken += [f"shrinkage {shrinkage:g}"] if shrinkage else []
    return f"{method}: {', '.join(taken)}" if taken else method


def _choice(found: Answer) -> None:
    """Print what was chosen by the error on held-out objects, in a line."""
    chosen = found.choice
    if chosen is None:
        return
    output.say(f"Chosen by that error, of {plural(len(chosen.considered), 'way')}: {chosen}.")
    if chosen.predictor_ridge:
        output.say("'manyjudges fit' takes this ridge; with --predictor-ridge auto, it chooses one again.")


def explanation(found: Answer) -> None:
    """Print what was tried, and what was kept and why."""
    from manyjudges.learn.wording.decisions import decisions_of

    if found.choice is None:
        output.say("\nNothing was tried: no error was estimated, or everything was named.")
        return
    rows = decisions_of(found.choice)
    output.say("\nHow this was decided, by errors (RMSE) on held-out objects, the same plans within each step:\n")
    output.say_table(
        {
            "decided": [row.question for row in rows],
            "tried": [row.tried for row in rows],
            "error": ["" if row.error is None else f"{row.error:.4g}" for row in rows],
            "result": ["kept" if row.kept else "left out" for row in rows],
            "why": [row.why for row in rows],
        }
    )


def _bound(found: Answer) -> None:
    """Print how good a plan is proven to be."""
    if found.gap == 0:
        output.say("By these estimates, no plan for this budget explains more: proven.")
    elif found.bound is not None and found.gap is not None:
        output.say(
            f"By these estimates, no plan for this budget explains more than {found.bound:.1%} of the label's "
            f"variance: this one reaches {1 - found.gap:.2%} of that, at least."
        )
