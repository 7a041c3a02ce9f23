"""The demo: the main job from end to end, on a simulated crowd whose truth is known."""

from __future__ import annotations

__all__ = ["CROWDS", "STEPS", "Demo", "run_demo"]

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from manyjudges import simulate
from manyjudges.base import documents
from manyjudges.base.methods import CURVE_SEARCHES
from manyjudges.base.templates import missing_extra
from manyjudges.core.budget import as_budget, as_costs
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import as_plan, select
from manyjudges.core.search.result import SearchResult, explained_along
from manyjudges.exceptions import DocumentError, PlanError
from manyjudges.learn.answers import Answer, answer_of
from manyjudges.learn.baselines import baseline
from manyjudges.learn.costs.terms import Terms
from manyjudges.learn.fitting import fit
from manyjudges.learn.predictor import Predictor
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

_OWN_ROW = "The plan"
"""The row of the plan and the predictor that the demo shows and keeps."""

STEPS = 10
"""How often a demo calls back on its way."""

DemoProgress = Callable[[str], None]


@dataclass(frozen=True)
class Scene:
    """What is judged in a demo.

    Parameters
    ----------
    make : callable
        Makes a crowd from a number of objects, a label and a seed.
    object, objects, attributes : str
        What people call an object, the objects and the attributes.
    judges : str
        Who judges, and how.
    judge : str, optional
        What people call a judge, where a judge answers all questions about an object.
    units : dict
        The unit of each label that can be predicted, the usual label first.
    budget, n_objects : float and int
        If nothing else is asked for.
    single : str
        The attribute that is tried alone, with the label as ``{label}``.
    """

    make: Callable[[int, str, int], SimulatedCrowd]
    object: str
    objects: str
    attributes: str
    judges: str
    judge: str | None
    units: Mapping[str, str]
    budget: float
    n_objects: int
    single: str


CROWDS: Mapping[str, Scene] = {
    "essays": Scene(
        make=lambda n, _, seed: simulate.essays(n, random_state=seed),
        object="essay",
        objects="essays",
        attributes="criteria",
        judges="graders who rate them from 1 to 6",
        judge="grader",
        units={"grade": "points"},
        budget=8,
        n_objects=300,
        single="argument",
    ),
    "height": Scene(
        make=lambda n, label, seed: simulate.height_weight(n, label=label, random_state=seed),
        object="photo",
        objects="photos",
        attributes="attributes",
        judges="a crowd that judges the people on them",
        judge=None,
        units=LABEL_UNITS,
        budget=40,
        n_objects=880,
        single="{label} (numerical)",
    ),
}
"""The crowds of a demo, the usual one first."""


@dataclass(frozen=True, eq=False)
class Demo:
    """What a demo came to.

    ``errors`` has a row for each way of planning: ``attributes`` (how many it chose), ``bought`` (judgments bought for
    training after the pilot), ``error`` (root mean squared error on the new objects), ``expected`` (the same for all
    possible new objects, from the known truth) and ``explained`` (the share of the label's variance that such
    predictions explain, from 0 to 1). ``answer`` is what the pilot led to, with the error that was to be expected.
    """

    folder: Path
    scene: Scene
    crowd: SimulatedCrowd
    answer: Answer
    predictor: Predictor
    errors: pd.DataFrame
    files: tuple[str, ...]
    unit: str

    @property
    def plan(self) -> Plan:
        """That of the answer."""
        return self.answer.plan

    @property
    def report(self) -> Path | None:
        """The page that was written, where matplotlib and jinja2 are there to write it."""
        return self.folder / _REPORT if _REPORT in self.files else None


def run_demo(
    folder: str | os.PathLike[str],
    *,
    crowd: str = "essays",
    label: str | None = None,
    budget: float | None = None,
    n_objects: int | None = None,
    n_new: int = 1000,
    random_state: int = 0,
    progress: DemoProgress = lambda _: None,
) -> Demo:
    """Pilot, plan, buy what is missing, fit, predict new objects; then the same in other ways, for comparison.

    All files are written when all is done: an interrupted demo leaves none.

    Parameters
    ----------
    folder : path
        For the files.
    crowd : {"essays", "height"}
        Essays rated on a rubric, or the paper's photos of people.
    label : str, optional
        What to predict: ``"grade"`` of essays (default), ``"height"`` (default) or ``"weight"`` of people.
    budget : float, optional
        Per object (default: 8 for essays, 40 for photos).
    n_objects, n_new : int
        Objects with a known label (default: 300 essays, 880 photos), and new ones to predict.
    random_state : int
    progress : callable
        Called with what is being done.
    """
    scene = _named(crowd)
    label = next(iter(scene.units)) if label is None else label
    if label not in scene.units:
        known = " or ".join(map(repr, scene.units))
        raise PlanError(f"the label of {scene.objects} is {known}, not {label!r}.", value=label, column="label")
    budget = as_budget(scene.budget if budget is None else budget)
    n_objects = scene.n_objects if n_objects is None else n_objects
    target = Path(folder)
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
        study = _study(scratch, scene, label, budget, n_objects, n_new, random_state, progress)
        errors = _comparison(study, scene.single.format(label=label), budget, progress)
        files.write_table(scratch / "errors.csv", errors.reset_index())
        progress("writing a report to look at")
        _write_report(scratch / _REPORT, study, f"{label} in {scene.units[label]}", random_state)
        progress("done")
        names = tuple(sorted(path.name for path in scratch.iterdir()))
        target.mkdir(exist_ok=True)
        for name in names:
            os.replace(scratch / name, target / name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    unit = scene.units[label]
    return Demo(target, scene, study.crowd, study.answer, study.predictor, errors, names, unit)


def _named(crowd: str) -> Scene:
    if crowd not in CROWDS:
        known = " and ".join(map(repr, CROWDS))
        raise PlanError(f"there is no crowd {crowd!r} for a demo; there are {known}.", value=crowd, column="crowd")
    return CROWDS[crowd]


def _buy(crowd: SimulatedCrowd, plan: Plan, judgments: Judgments) -> Judgments:
    """Judgments with what the plan lacks bought from a simulated crowd."""
    missing = plan.missing(judgments)
    return judgments + Judgments.from_frame(crowd.judge(missing)) if len(missing) else judgments


@dataclass(frozen=True, eq=False)
class _Study:
    """The main job, done."""

    scene: Scene
    crowd: SimulatedCrowd
    pilot: TrainingData
    answer: Answer
    predictor: Predictor
    new: SimulatedCrowd
    judged: TrainingData

    @property
    def plan(self) -> Plan:
        """That of the answer."""
        return self.answer.plan


def _study(
    folder: Path,
    scene: Scene,
    label: str,
    budget: float,
    n_objects: int,
    n_new: int,
    seed: int,
    progress: DemoProgress,
) -> _Study:
    """Do the main job, from a pilot to predictions, and write its files."""
    progress(f"simulating {n_objects:,} {scene.objects} and {scene.judges}")
    crowd = scene.make(n_objects, label, seed)
    files.write_table(folder / "labels.csv", crowd.labels.rename("label").reset_index())
    progress(f"pilot: 2 judgments of each of {len(crowd.attributes)} {scene.attributes}, for all {scene.objects}")
    pilot = crowd.pilot(2)
    _write_pilot(folder, pilot, crowd, scene)
    progress(f"planning for a budget of {budget:g} an object")
    data = match_training_data(pilot, crowd.labels)
    answer = answer_of(data, budget, costs=crowd.costs, random_state=seed)
    plan = answer.plan
    if not plan.repeats:
        raise PlanError(
            f"a budget of {budget:g} buys nothing here; the cheapest judgment costs 1.", value=budget, column="budget"
        )
    documents.write(folder / "plan.json", plan.to_json())
    progress("buying the judgments that the plan lacks")
    files.write_table(folder / "tobuy.csv", plan.missing(pilot))
    bought = _buy(crowd, plan, pilot)
    files.write_table(folder / "judgments.csv", bought.to_frame())
    progress("fitting the predictor")
    predictor = fit(plan, match_training_data(bought, crowd.labels), random_state=seed)
    documents.write(folder / "model.json", predictor.to_json())
    progress(f"predicting {n_new:,} new {scene.objects}")
    new = crowd.more(n_new)
    judged = match_training_data(new.follow(plan), new.labels)
    files.write_table(folder / "new_judgments.csv", judged.in_memory.to_frame())
    predictions = summary.predictions(predictor, judged.in_memory).assign(truth=judged.known_labels)
    files.write_table(folder / "predictions.csv", predictions)
    return _Study(scene, crowd, data, answer, predictor, new, judged)


def _write_pilot(folder: Path, pilot: Judgments, crowd: SimulatedCrowd, scene: Scene) -> None:
    """The pilot as people keep such tables: where a judge answers all questions, a row for each judge and object."""
    long = pilot.to_frame()
    if scene.judge is None:
        files.write_table(folder / "pilot.csv", long)
        return
    wide = long.pivot(index=["object", "worker"], columns="attribute", values="value").astype("int64").reset_index()
    wide[crowd.labels.name] = crowd.labels.astype("int64").loc[wide["object"]].to_numpy()
    files.write_table(folder / "ratings.csv", wide.rename(columns={"object": scene.object, "worker": scene.judge}))


def _write_report(path: Path, study: _Study, label_name: str, seed: int) -> None:
    """A page on the plan as it was made from the pilot, where the libraries for it are here."""
    if missing_extra():
        return
    summary = summarize_data(
        study.pilot,
        Terms.of(study.plan.budget, costs=study.crowd.costs),
        title=f"Predicting the {study.crowd.labels.name} of {study.scene.objects} (simulated)",
        random_state=seed,
    )
    Report.from_summary(summary, label_name=label_name).save(path)


def _comparison(study: _Study, single: str, budget: float, progress: DemoProgress) -> pd.DataFrame:
    """What other ways to spend the budget come to: follow each as the paper does, by least squares."""
    crowd, pilot, costs = study.crowd, study.pilot.in_memory, study.crowd.costs
    searched = {name: select(study.pilot.moments, budget, method=name, costs=costs) for name in CURVE_SEARCHES}
    plans = {
        f"{_OWN_ROW}, least squares": study.plan,
        **{name.capitalize(): plan for name, plan in searched.items() if plan.repeats != study.plan.repeats},
        "Averages": baseline(pilot, crowd.labels, budget, kind="averages", costs=costs),
        "Copies": baseline(pilot, crowd.labels, budget, kind="copies", costs=costs),
        "All alike": _all_alike(study.pilot.moments, budget, costs),
        f"{single.capitalize()} alone": baseline(
            pilot, crowd.labels, budget, costs=costs, kind="single", attribute=single
        ),
    }
    progress("comparing with other ways to plan")
    rows = {_OWN_ROW: _row(study, study.predictor, study.judged)}
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
    missed = study.new.labels - crowd.labels.mean()
    deviation = float(np.sqrt(crowd.truth.label_variance + (crowd.labels.mean() - crowd.truth.label_mean) ** 2))
    rows["Guessing the mean"] = {"attributes": 0, "error": float(np.sqrt(np.mean(missed**2))), "expected": deviation}
    errors = pd.DataFrame.from_dict(rows, orient="index").astype({"bought": "Int64"})
    errors.index.name = "plan"
    errors["explained"] = (1 - errors["expected"] ** 2 / crowd.truth.label_variance).clip(0, 1)
    return errors.sort_values("expected", ascending=False)


def _all_alike(moments: Moments, budget: float, costs: Mapping[str, float]) -> Plan:
    """As many judgments of every attribute as the budget allows, and of each as many; nothing if that is none."""
    prices = as_costs(costs, moments.attributes)
    picks = np.tile(np.arange(len(prices)), int(budget // prices.sum()))
    result = SearchResult(picks, explained_along(moments, picks))
    return as_plan(moments, result, budget, prices, np.full(len(prices), np.inf), "alike")


def _row(study: _Study, predictor: Predictor, judged: TrainingData) -> dict[str, float]:
    plan = predictor.plan
    missed = predictor.predict(judged.in_memory) - judged.known_labels
    return {
        "attributes": len(plan.repeats),
        "bought": int(plan.missing(study.pilot.in_memory)["count"].sum()),
        "error": float(np.sqrt(np.mean(missed**2))),
        "expected": float(np.sqrt(predictor.expected_loss(study.crowd.truth))),
    }
