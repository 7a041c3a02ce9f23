"""The demo: the main job from end to end, on a simulated crowd whose truth is known."""

from __future__ import annotations

__all__ = ["STEPS", "Demo", "run_demo"]

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from manyjudges import simulate
from manyjudges.base import documents
from manyjudges.base.methods import CURVE_SEARCHES
from manyjudges.base.templates import missing_extra
from manyjudges.core.budget import as_budget
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import select
from manyjudges.exceptions import DocumentError, PlanError
from manyjudges.learn.baselines import baseline
from manyjudges.learn.predictor import Predictor, fit
from manyjudges.learn.training_data import TrainingData, match_training_data
from manyjudges.reports import Report
from manyjudges.simulate.crowd import SimulatedCrowd
from manyjudges.simulate.populations import LABEL_UNITS
from manyjudges.summary import plain as summary
from manyjudges.summary.overall import summarize_data
from manyjudges.tables import files
from manyjudges.tables.judgments import Judgments

_REPORT = "report.html"
"""The file that the demo writes its report to."""

STEPS = 10
"""How often a demo calls back on its way."""

DemoProgress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Demo:
    """What a demo came to.

    ``errors`` has a row for each way of planning: ``attributes`` (how many it chose), ``bought`` (judgments bought for
    training after the pilot), ``error`` (root mean squared error on the new objects), ``expected`` (the same for all
    possible new objects, from the known truth) and ``unexplained`` (``expected`` squared, as a share of the label's
    variance).
    """

    folder: Path
    crowd: SimulatedCrowd
    plan: Plan
    predictor: Predictor
    errors: pd.DataFrame
    files: tuple[str, ...]
    unit: str

    @property
    def report(self) -> Path | None:
        """The page that was written, where matplotlib and jinja2 are there to write it."""
        return self.folder / _REPORT if _REPORT in self.files else None


def run_demo(
    folder: str | os.PathLike[str],
    *,
    label: str = "height",
    budget: float = 40,
    n_objects: int = 880,
    n_new: int = 1000,
    random_state: int = 0,
    progress: DemoProgress = lambda _: None,
) -> Demo:
    """Pilot, plan, buy what is missing, fit, predict new objects; then the same in other ways, for comparison.

    All files are written when all is done: an interrupted demo leaves none.
    """
    target, budget = Path(folder), as_budget(budget)
    if target.exists() and not target.is_dir():
        raise DocumentError(f"{str(target)!r} is a file; name a folder for the demo's files.", file=str(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise DocumentError(
            f"cannot write beside {str(target)!r}: {error.strerror or error}.", file=str(target)
        ) from None
    try:
        study = _study(scratch, label, budget, n_objects, n_new, random_state, progress)
        errors = _comparison(study, label, budget, progress)
        files.write_table(scratch / "errors.csv", errors.reset_index())
        progress("writing a report to look at")
        _write_report(scratch / _REPORT, study, label, random_state)
        progress("done")
        names = tuple(sorted(path.name for path in scratch.iterdir()))
        target.mkdir(exist_ok=True)
        for name in names:
            os.replace(scratch / name, target / name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Demo(target, study.crowd, study.plan, study.predictor, errors, names, LABEL_UNITS[label])


def _buy(crowd: SimulatedCrowd, plan: Plan, judgments: Judgments) -> Judgments:
    """Judgments with what the plan lacks bought from a simulated crowd."""
    missing = plan.missing(judgments)
    return judgments + Judgments.from_frame(crowd.judge(missing)) if len(missing) else judgments


@dataclass(frozen=True, eq=False)
class _Study:
    """The main job, done."""

    crowd: SimulatedCrowd
    pilot: TrainingData
    plan: Plan
    predictor: Predictor
    new: SimulatedCrowd
    judged: TrainingData


def _study(
    folder: Path, label: str, budget: float, n_objects: int, n_new: int, seed: int, progress: DemoProgress
) -> _Study:
    """Do the main job, from a pilot to predictions, and write its files."""
    progress(f"simulating {n_objects:,} photos of people and a crowd that judges them")
    crowd = simulate.height_weight(n_objects, label=label, random_state=seed)
    files.write_table(folder / "labels.csv", crowd.labels.rename("label").reset_index())
    progress("pilot: 2 judgments of each attribute of each photo")
    pilot = crowd.pilot(2)
    files.write_table(folder / "pilot.csv", pilot.to_frame())
    progress(f"planning for a budget of {budget:g} an object")
    data = match_training_data(pilot, crowd.labels)
    plan = select(data.moments, budget, costs=crowd.costs)
    if not plan.repeats:
        raise PlanError(
            f"a budget of {budget:g} buys nothing here; a yes or no costs 1.", value=budget, column="budget"
        )
    documents.write(folder / "plan.json", plan.to_json())
    progress("buying the judgments that the plan lacks")
    files.write_table(folder / "tobuy.csv", plan.missing(pilot))
    bought = _buy(crowd, plan, pilot)
    files.write_table(folder / "judgments.csv", bought.to_frame())
    progress("fitting the predictor")
    predictor = fit(plan, match_training_data(bought, crowd.labels))
    documents.write(folder / "model.json", predictor.to_json())
    progress(f"predicting {n_new:,} new photos")
    new = crowd.more(n_new)
    judged = match_training_data(new.follow(plan), new.labels)
    files.write_table(folder / "new_judgments.csv", judged.in_memory.to_frame())
    predictions = summary.predictions(predictor, judged.in_memory).assign(truth=judged.known_labels)
    files.write_table(folder / "predictions.csv", predictions)
    return _Study(crowd, data, plan, predictor, new, judged)


def _write_report(path: Path, study: _Study, label: str, seed: int) -> None:
    """A page on the plan as it was made from the pilot, where the libraries for it are here."""
    if missing_extra():
        return
    summary = summarize_data(
        study.pilot,
        study.plan.budget,
        title=f"Predicting {label} from photos (a simulated crowd)",
        costs=study.crowd.costs,
        method=study.plan.method,
        shrinkage=study.plan.shrinkage,
        random_state=seed,
    )
    Report.from_summary(summary, label_name=f"{label} in {LABEL_UNITS[label]}").save(path)


def _comparison(study: _Study, label: str, budget: float, progress: DemoProgress) -> pd.DataFrame:
    """What other ways to spend the budget come to: follow each as the paper does, by least squares."""
    crowd, pilot, costs = study.crowd, study.pilot.in_memory, study.crowd.costs
    single = {"kind": "single", "attribute": f"{label} (numerical)"}
    own = study.plan.method.capitalize()
    others = [name for name in CURVE_SEARCHES if name != study.plan.method]
    plans = {
        own: study.plan,
        **{name.capitalize(): select(study.pilot.moments, budget, method=name, costs=costs) for name in others},
        "Averages": baseline(pilot, crowd.labels, budget, kind="averages", costs=costs),
        "Copies": baseline(pilot, crowd.labels, budget, kind="copies", costs=costs),
        f"{label.capitalize()} estimate alone": baseline(pilot, crowd.labels, budget, costs=costs, **single),
    }
    progress("comparing with other ways to plan")
    rows = {f"{own}, best linear": _row(study, study.predictor, study.judged)}
    for name, plan in plans.items():
        if plan.repeats:
            bought = match_training_data(_buy(crowd, plan, pilot), crowd.labels)
            fitted = fit(plan, bought, predictor="least_squares")
            followed = plan is study.plan
            judged = study.judged if followed else match_training_data(study.new.follow(plan), study.new.labels)
            rows[name] = _row(study, fitted, judged)
    progress("comparing with a plan that knows the truth")
    best = select(crowd.truth, budget, costs=costs)
    rows["Knowing the truth"] = {"attributes": len(best.repeats), "expected": float(np.sqrt(best.projected_loss))}
    errors = pd.DataFrame.from_dict(rows, orient="index").astype({"bought": "Int64"})
    errors.index.name = "plan"
    errors["unexplained"] = errors["expected"] ** 2 / crowd.truth.label_variance
    return errors.sort_values("expected", ascending=False)


def _row(study: _Study, predictor: Predictor, judged: TrainingData) -> dict[str, float]:
    plan = predictor.plan
    missed = predictor.predict(judged.in_memory) - judged.known_labels
    return {
        "attributes": len(plan.repeats),
        "bought": int(plan.missing(study.pilot.in_memory)["count"].sum()),
        "error": float(np.sqrt(np.mean(missed**2))),
        "expected": float(np.sqrt(predictor.expected_loss(study.crowd.truth))),
    }
