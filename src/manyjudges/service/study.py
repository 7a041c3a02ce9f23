"""A study's folder, put to work: where its file, its store, the planner and the predictor meet."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from manyjudges.base.seeds import generator
from manyjudges.core.plan import Plan, as_costs
from manyjudges.exceptions import DocumentError, ManyJudgesError, MomentsError, PlanError, StudyError
from manyjudges.judges.panel import panel_variance
from manyjudges.learn.choice import AUTO
from manyjudges.learn.cross_validation import Candidate, plans
from manyjudges.learn.error_curve import error_curve_of
from manyjudges.learn.planner import Planner
from manyjudges.learn.predictor import Predictor, fit_predictor
from manyjudges.learn.training_data import TrainingData
from manyjudges.summary import Workforce, suggested_bonuses, summarize_workers
from manyjudges.summary.budgets import plan_words, round_budgets
from manyjudges.summary.plain import predictions
from manyjudges.tables import files
from manyjudges.tables.judge_columns import AT
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    from manyjudges.service.round_planning import Decision
    from manyjudges.store.store import Store
    from manyjudges.study.config import Study
    from manyjudges.study.objects import Objects


NEEDED = (
    "pydantic",
    "sqlalchemy",
    "alembic",
    "fastapi",
    "uvicorn",
    "itsdangerous",
    "python_multipart",
    "jinja2",
    "PIL",
)
"""Libraries of the extra ``serve``, as they are imported."""

KEPT = ".judgments-read.parquet"
"""The file of a study's folder that holds what was read of its judgments for the last plan."""


def check_extra() -> None:
    """Say what to install where something is missing that a study needs."""
    for name in NEEDED:
        if find_spec(name) is None:
            raise ManyJudgesError(
                f"collecting judgments needs {name}, which is not here: pip install 'manyjudges[serve]'."
            )


@contextmanager
def judgment_tables(address: str) -> Iterator[Iterator[pa.Table]]:
    """The judgments of a store that count, table by table, until the block ends and the store is closed.

    Parameters
    ----------
    address : str
        Of the store's database, such as ``"sqlite:///study/judgments.db"``.
    """
    try:
        from manyjudges.store.store import Store
    except ImportError:
        raise ManyJudgesError("reading a campaign's store needs more: pip install 'manyjudges[serve]'.") from None
    if (path := address.removeprefix("sqlite:///")) != address and not os.path.exists(path):
        raise DocumentError(f"there is no database {path!r}; name that of a campaign that has begun.")
    store = Store.open(address)
    try:
        yield (pa.Table.from_pandas(rows, preserve_index=False) for rows in store.judgment_batches())
    finally:
        store.close()


@dataclass(frozen=True, eq=False)
class OpenStudy:
    """A study with its objects and its store.

    Attributes
    ----------
    study : Study
    objects : Objects
    store : Store
    """

    study: Study
    objects: Objects
    store: Store

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    def __enter__(self) -> OpenStudy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_study(folder: str | os.PathLike[str], *, update: bool = False) -> OpenStudy:
    """Open the study in a folder: read its files, and open its store, or make it.

    Parameters
    ----------
    folder : path
        With a ``study.toml``; ``manyjudges new`` makes one.
    update : bool
        Take over what changed in ``objects.csv`` since it was last taken over, as ``manyjudges serve`` does when it
        starts. Otherwise the store stays about the objects that it knows: a server may be showing them.
    """
    check_extra()
    from manyjudges.store.store import Store
    from manyjudges.study.config import check_spending, read_study
    from manyjudges.study.objects import read_objects

    study = read_study(folder)
    objects = read_objects(study)
    check_spending(study, sum(record.label is not None for record in objects.records))
    store = Store.open(study.database_address, kept=study.folder / KEPT)
    try:
        if update or not store.costs():
            records = ((record.name, record.label) for record in objects.records)
            _check_answers(study, store)
            judges = {column.name: column.judge for column in study.columns if column.judge is not None}
            store.prepare(study.costs, records, study.plan.seed, judges=judges)
            store.set(ANSWERS, json.dumps(_answers(study)))
        elif not _same_costs(study, store):
            raise StudyError(
                f"{study.place('attributes')}: the attributes or their costs are not those in the database any more. "
                "Start 'manyjudges serve' anew, which takes them over if nothing was bought yet; or change them back."
            )
    except BaseException:
        store.close()
        raise
    return OpenStudy(study, objects, store)


def _same_costs(study: Study, store: Store) -> bool:
    """Whether the store is about the study's columns, at its costs; what models cost is seen when they are paid."""
    known = store.costs()
    fixed = {column.name: column.cost for column in study.columns if column.judge is None}
    return list(known) == list(study.costs) and all(known[name] == cost for name, cost in fixed.items())


ANSWERS = "answers"
"""The setting that holds what could be answered to each question when it was taken over."""


def _answers(study: Study) -> dict[str, Any]:
    return {each.name: [each.kind, each.range] for each in study.attributes}


def _check_answers(study: Study, store: Store) -> None:
    """Answers on two scales are not to be mixed up under one name."""
    kept = json.loads(store.setting(ANSWERS) or "{}")
    if store.began() is None:
        return
    for i, (name, now) in enumerate(json.loads(json.dumps(_answers(study))).items()):
        if name in kept and kept[name] != now:
            kind, limits = kept[name]
            raise StudyError(
                f"{study.place('attributes', i)}: {name!r} was judged as {kind}{f' of {limits}' if limits else ''} "
                "before; change its kind and range back, or ask the new question in a new study."
            )


class StudyPlanner(Planner):
    """The planner of a study: plans, and says with each plan what error to expect at other budgets."""

    def __init__(self, opened: OpenStudy) -> None:
        terms = opened.study.plan
        super().__init__(
            labels_of(opened.store),
            terms.budget,
            method=terms.method,
            costs=opened.store.costs(),
            noiseless=(),
            random_state=terms.seed,
            max_repeats=terms.max_repeats,
        )

    def _details(self, data: TrainingData, plan: Plan, terms: dict[str, Any]) -> dict[str, Any]:
        """The error to expect at several budgets; only what the plan says of itself where objects are too few."""
        found: dict[str, Any] = {"label_variance": plan.label_variance, "explained": plan.explained, "curve": []}
        with contextlib.suppress(ManyJudgesError):  # too few to hold any out, as for the error itself
            found["curve"] = self._curve(data, plan, terms)
        return found

    def _curve(self, data: TrainingData, plan: Plan, terms: dict[str, Any]) -> list[dict[str, float | str]]:
        """Error and plan at budgets around the study's own, all of them made as its plan was."""
        budgets = round_budgets(self._budget, as_costs(terms["costs"], data.attributes))
        way: dict[str, Any] = {"methods": [plan.method], "shrinkage": plan.shrinkage, "cv_repeats": 1}
        errors = error_curve_of(data, budgets, **way, rng=generator(0), **terms)
        made = plans(data.moments, Candidate(plan.method, plan.shrinkage), budgets, **terms)
        points = zip(budgets, errors.loss[0].tolist(), errors.std_error[0].tolist(), made, strict=True)
        return [
            {"budget": budget, "loss": loss, "std_error": error, "plan": plan_words(each.repeats)}
            for budget, loss, error, each in points
        ]


def order_first_round(opened: OpenStudy) -> None:
    """Order the pilot, or what the round under way lacks of objects that were added; that takes no plan."""
    from manyjudges.service.round_planning import order_missing

    order_missing(opened.store, opened.study.plan, StudyPlanner(opened))


def labels_of(store: Store) -> pd.Series[Any]:
    """The labels that are known, by object."""
    things = store.objects()
    return things.dropna(subset="label").set_index("object")["label"]


def plan_study(opened: OpenStudy, *, force: bool = False, give_up: bool = False) -> Decision | None:
    """When a round is complete, plan and order what comes next; None where there is nothing to decide.

    Parameters
    ----------
    opened : OpenStudy
    force : bool
        Plan now, even though the round is not complete.
    give_up : bool
        What is still open cannot be had, and is not asked for again.
    """
    from manyjudges.service.round_planning import plan_round

    opened.store.callbook.reprice()
    return plan_round(opened.store, opened.study.plan, StudyPlanner(opened), force=force or give_up, give_up=give_up)


@dataclass(frozen=True, eq=False)
class StudyFit:
    """What a study has come to.

    Attributes
    ----------
    model : Predictor
        Of the latest plan, fitted to all judgments of labelled objects.
    loss, std_error : float, optional
        Squared error to expect on new objects, as it was estimated with the plan.
    predictions : pandas.DataFrame
        ``object``, ``prediction``, ``std`` of each object without label that was judged.
    """

    model: Predictor
    loss: float | None
    std_error: float | None
    predictions: pd.DataFrame


def fit_study(opened: OpenStudy) -> StudyFit:
    """Fit the predictor of the latest plan to what came so far, and predict the objects without label."""
    store = opened.store
    rounds = store.rounds()
    if not rounds:
        raise PlanError(
            "there is no plan to fit yet; 'manyjudges status' says how far the pilot is, or why it is done."
        )
    plan, labels, frame = Plan.from_document(rounds[-1]["plan"]), labels_of(store), store.judgments()
    chosen = frame[frame["attribute"].isin(plan.repeats)]
    if not plan.repeats or chosen.empty:
        raise PlanError("the latest plan buys nothing, so there is nothing to fit; see 'manyjudges status'.")
    active = set(store.objects()["object"])
    known, new = chosen["object"].isin(labels.index), chosen["object"].isin(active - set(labels.index))
    ridge = AUTO if opened.study.plan.method == AUTO else 0.0
    model = fit_predictor(plan, Judgments.from_frame(chosen[known]), labels, predictor_ridge=ridge, unmatched="drop")
    predicted = _none_predicted() if not new.any() else predictions(model, Judgments.from_frame(chosen[new]))
    return StudyFit(model, rounds[-1]["loss"], rounds[-1]["std_error"], predicted)


def exported(opened: OpenStudy, *, worker_ids: bool = False, everything: bool = False) -> pd.DataFrame:
    """The judgments of a study as a table.

    Parameters
    ----------
    opened : OpenStudy
    worker_ids : bool
        Add the names by which workers came, such as those of Prolific; pseudonyms only, unless asked for.
    everything : bool
        All rows of the ledger, "can't tell", corrected and withdrawn ones among them; else those that count.
    """
    from manyjudges.store.queries import worker_label

    rows = opened.store.ledger()
    replaced = rows["id"].isin(rows["replaces"].dropna())
    gone = rows["external"].isna() if everything else pd.Series(False, index=rows.index)
    rows["value"] = rows["value"].mask(gone)  # what somebody withdrew is nobody's to read
    if not everything:
        rows = rows[~replaced & rows["value"].notna()]
    rows["worker"] = [worker_label(*each) for each in zip(rows["worker"], rows["turn"], strict=True)]
    rows = rows.assign(
        at=pd.to_datetime((rows["at"] * 1000).round(), unit="ms", utc=True).astype("datetime64[ms, UTC]")
    )
    columns = ["object", "attribute", "worker", "value", "at", "batch", "cost"]
    if worker_ids:
        columns.insert(3, "external")
    if everything:
        columns = ["id", *columns, "kind", "replaces", "seconds"]
    return rows[columns].reset_index(drop=True)


def exported_file(rows: pd.DataFrame, kind: str) -> bytes:
    """What was exported, as the contents of a file: ``".csv"``, ``".parquet"`` or another kind of table."""
    if kind not in files.PARQUET:  # the others know no times
        rows = rows.assign(at=[at.isoformat(timespec="milliseconds") for at in rows["at"]])
    return files.encoded(rows, kind)


def workforce_of(opened: OpenStudy) -> Workforce:
    """The people of a study in numbers; models are none."""
    rows = opened.store.ledger()
    return summarize_workers(rows[rows["source"] != "model"], opened.store.costs())


def bonuses_of(opened: OpenStudy, *, external: bool = False) -> pd.DataFrame:
    """Whom to pay more, and how much."""
    work = opened.study.work
    found = workforce_of(opened)
    return suggested_bonuses(found, pay_per_unit=work.pay_per_unit, currency=work.currency, external=external)


def opinions_of(opened: OpenStudy) -> dict[str, Any] | None:
    """How many independent opinions the models of a study are worth; None where that cannot be told yet.

    ``shares`` says what the variance of one call is made of; ``attributes`` has, of each attribute, what the latest
    plan buys: ``calls``, ``judges``, ``models``, ``opinions``, and the ``ceiling`` that no number of calls exceeds.
    """
    columns = {column.name for column in opened.study.columns if column.judge is not None}
    rows = opened.store.judgments()
    rows = rows[rows["attribute"].isin(columns)]
    if rows.empty:
        return None
    judges = {model.name: model.called for model in opened.study.models}
    seen = {column.rpartition(AT)[2] for column in rows["attribute"].unique()}
    try:
        noise = panel_variance(
            Judgments.from_frame(rows), groups={name: called for name, called in judges.items() if name in seen}
        )
    except MomentsError:  # too few objects to tell anything
        return None
    rounds = opened.store.rounds()
    bought = Plan.from_document(rounds[-1]["plan"]).repeats if rounds else {}
    worth = noise.opinions({name: count for name, count in bought.items() if name in noise.columns})
    worth["ceiling"] = noise.ceiling.reindex(worth.index)
    rows_of = worth.reset_index().to_dict(orient="records")
    return {
        "shares": _known(noise.pooled.to_dict()),
        "attributes": [_known(row) for row in rows_of],
        "message": noise.message,
    }


def _known(numbers: dict[Any, Any]) -> dict[Any, Any]:
    """Numbers with None for those that are not known: JSON has no NaN."""
    return {name: None if pd.isna(value) else value for name, value in numbers.items()}


def status_of(opened: OpenStudy) -> dict[str, Any]:
    """Where a study stands, in numbers."""
    store, study = opened.store, opened.study
    progress, spending, rounds = store.progress(), store.spending(), store.rounds()
    last = rounds[-1] if rounds else None
    return {
        "title": study.title,
        "state": store.state,
        **store.position(),
        "judgments": int(progress["have"].sum()),
        "cant_tell": int(progress["cant_tell"].sum()),
        "out": int(progress["out"].sum()),
        "open": int(progress["open"].sum()),
        "spent": spending["spent"],
        "committed": spending["out"] + spending["open"],
        "spending_limit": study.plan.spending_limit,
        "budget": study.plan.budget,
        "workers": sum(worker.judged > 0 for worker in store.workers()),
        "plan": None if last is None else Plan.from_document(last["plan"]).repeats,
        "loss": None if last is None else last["loss"],
        "std_error": None if last is None else last["std_error"],
        "label_variance": None if last is None else Plan.from_document(last["plan"]).label_variance,
        "attributes": progress.to_dict(orient="records"),
        "paid": store.callbook.paid(),
        "currency": study.work.currency,
        "opinions": opinions_of(opened),
        "problems": [f"line {each.line}: {each.message}" for each in opened.objects.problems],
    }


def _none_predicted() -> pd.DataFrame:
    return pd.DataFrame({"object": [], "prediction": [], "std": []}).astype({"object": object})
