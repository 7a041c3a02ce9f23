"""MJ401: predictions may be no better than always guessing the label's mean."""

from __future__ import annotations

from manyjudges.base.formatting import in_units, number
from manyjudges.base.results import loss_limits
from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome, Failed, NotApplicable, Passed


def _check_help(data: CheckedData) -> CheckOutcome:
    """Compare the error on held-out objects, and its upper limit, with that of guessing the mean."""
    if (error := data.held_out) is None:
        return NotApplicable("No error on held-out objects was estimated.")
    if not error.n_attributes:
        return NotApplicable("The plan buys nothing.")
    limits_of_loss = loss_limits(error.loss, error.std_error)
    off, low, high, baseline = map(in_units, (error.loss, *limits_of_loss, error.baseline_loss))
    limits = f"{number(off)} ({number(low)} to {number(high)})"
    numbers = f"the {data.label_kind.error} is {limits} with judgments, and {number(baseline)} without"
    # Two ways to fail: no better as estimated, or perhaps no better, by the upper limit of the estimate.
    worse = error.loss >= error.baseline_loss
    if not worse and not limits_of_loss[1] >= error.baseline_loss:  # no limit where that is NaN
        return Passed(f"On held-out objects, {numbers}.")
    certainty = "are no better" if worse else "may be no better"
    return Failed(
        f"On held-out objects, predictions from these judgments {certainty} than always guessing the label's mean: "
        f"{numbers}.",
        "Judgments that do not help are not worth their money.",
        "Before buying anything, label more objects, ask other questions, or see whether the labels belong to these "
        "objects.",
        {"error": off, "low": low, "high": high, "baseline_error": baseline},
    )


CHECK = Check("MJ401", "serious", "These judgments may not help", _check_help, kind="no_help")
