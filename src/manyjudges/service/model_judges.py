"""The models of a study at work: they are called and rounds are planned, until there is nothing left to ask."""

from __future__ import annotations

__all__ = ["ModelRun", "judge_study"]

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from manyjudges.base.formatting import listed
from manyjudges.core.plan import Plan
from manyjudges.exceptions import StoreError, StudyError
from manyjudges.service.study import OpenStudy, check_extra
from manyjudges.service.study_planner import order_first_round, plan_study
from manyjudges.tables.judge_columns import AT

if TYPE_CHECKING:
    from manyjudges.llm.asker import Waits
    from manyjudges.llm.runner import Tally
    from manyjudges.llm.services import Connect
    from manyjudges.service.round_planning import Decision
    from manyjudges.study.models import Model

_PLANNING = "planning"
_WAITING = "waiting"
_STOPPING = "stopping"


@dataclass(frozen=True)
class ModelRun:
    """What the models of a study did.

    Attributes
    ----------
    tallies : dict of str to Tally
        By model.
    paid : float
        For all calls of the study so far, in its currency.
    limit : float, optional
        What they may cost.
    wanted : int
        Judgments of these models that were ordered so far, those that are there among them.
    open : int
        Those of them that are still to be given.
    others : int
        Judgments that are asked of others now.
    steps : tuple of Decision
        What was decided on the way.
    stage : str
        ``"pilot"``, ``"plan"``, ``"unlabelled"`` or ``"done"``; ``"planning"`` while a plan is made, and ``"waiting"``
        while calls are out that another process made, or one that broke off; ``"stopping"`` after Ctrl-C.
    state : str
        Of the study: ``"running"``, ``"paused"`` or ``"closed"``.
    plan : dict, optional
        Judgments of each column for one object, by the latest plan.
    asking : str
        The same in words, where the study names its models: whom to ask how often about what.
    uncounted : tuple of str
        Models that have a price, but whose service does not always say how many tokens it took.
    trouble : str
        What is in the way of calls right now, if anything is.
    """

    tallies: dict[str, Tally]
    paid: float
    limit: float | None
    wanted: int = 0
    open: int = 0
    others: int = 0
    steps: tuple[Decision, ...] = ()
    stage: str = ""
    state: str = ""
    plan: dict[str, int] | None = None
    asking: str = ""
    uncounted: tuple[str, ...] = ()
    trouble: str = ""

    def to_document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        steps = [{"stage": step.stage, "ordered": step.ordered, "reason": step.reason} for step in self.steps]
        names = ("paid", "limit", "wanted", "open", "others", "stage", "state", "plan", "asking")
        numbers = {name: getattr(self, name) for name in names} | {"uncounted": list(self.uncounted)}
        return {"models": {name: asdict(tally) for name, tally in self.tallies.items()}, **numbers, "steps": steps}

    @property
    def recorded(self) -> int:
        """Judgments that were recorded, with a value or without."""
        return sum(tally.recorded for tally in self.tallies.values())


RunProgress = Callable[[ModelRun], object]


@dataclass(frozen=True)
class Timing:
    """How long to wait for what, in seconds.

    Attributes
    ----------
    poll : float
        Between two looks at work that another process is doing.
    report : float
        Between two reports on how things stand; counting takes the database some time, too.
    silence : float
        Without a reply, after which reports say what is in the way.
    waits : Waits, optional
        Before a call is tried again.
    """

    poll: float = 1.0
    report: float = 0.25
    silence: float = 2.0
    waits: Waits | None = None


def judge_study(
    opened: OpenStudy,
    names: Sequence[str] = (),
    progress: RunProgress | None = None,
    *,
    timing: Timing | None = None,
    connect: Connect | None = None,
) -> ModelRun:
    """Let models judge what is asked of them, and plan as rounds are complete, until nothing is left for them.

    Parameters
    ----------
    opened : OpenStudy
    names : sequence of str
        Models of the study, all of them unless given. A study that names none takes any model.
    progress : callable, optional
        Is told several times a second how things stand.
    timing : Timing, optional
    connect : callable, optional
        Makes the service of a model (:class:`~manyjudges.llm.services.ModelService`); by default one that speaks
        OpenAI's protocol.

    Returns
    -------
    ModelRun

    Raises
    ------
    StudyError
        Where a model is not known or cannot be reached, or its service will answer no call. What was answered is kept.
    """
    check_extra()
    chosen = list(dict.fromkeys(names or [model.name for model in opened.study.models]))
    if not chosen:
        raise StudyError(
            f"{opened.study.place()}: no model is named: say which one (--model NAME), or add a table [[models]].",
            **opened.study.located("models"),
        )
    for name in chosen:
        opened.study.model(name)
    order_first_round(opened)
    runner = _ModelRunner(opened, chosen, progress or (lambda standing: None), timing or Timing(), connect)
    return asyncio.run(runner.run())


class _ModelRunner:
    """The models of a study that judge now, and what they did so far."""

    def __init__(
        self, opened: OpenStudy, names: Sequence[str], progress: RunProgress, timing: Timing, connect: Connect | None
    ) -> None:
        self._opened, self._names, self._progress = opened, names, progress
        self._timing, self._connect = timing, connect
        self._done: dict[str, Tally] = {}
        self._running: dict[str, Tally] = {}
        self._steps: list[Decision] = []
        self._busy = ""
        self._trouble, self._heard = "", time.monotonic()

    async def run(self) -> ModelRun:
        """Judge and plan in turn, until neither leads anywhere."""
        async with self._watched():
            while True:
                before = self._recorded
                await self._call_models()
                planned = await self._plan()
                if not planned and self._recorded == before:
                    break
        return self._through()

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        """Report how things stand, now and then; what is said at the end is left to others."""
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _watch(self) -> None:
        while True:
            with suppress(StoreError):  # the database is busy; so it is said the next time
                self._progress(await asyncio.to_thread(self._standing))
            await asyncio.sleep(self._timing.report)

    async def _call_models(self) -> None:
        """Let all models work until none has anything left to do; when one cannot go on, nobody does."""
        stop = asyncio.Event()
        tasks = [asyncio.create_task(self._work(name, stop)) for name in self._names]
        try:
            for finished in asyncio.as_completed(tasks):
                await finished
        except asyncio.CancelledError:
            self._busy = _STOPPING
            raise
        finally:
            stop.set()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._done, self._running = self._tallies, {}

    async def _work(self, name: str, stop: asyncio.Event) -> None:
        from manyjudges.llm.asker import Asker
        from manyjudges.llm.runner import run
        from manyjudges.llm.store_queue import StoreCallQueue

        study = self._opened.study

        def tell(tally: Tally) -> None:
            self._running[name] = tally
            self._busy = self._busy if self._busy == _STOPPING else ""
            self._trouble, self._heard = "", time.monotonic()
            self._check_counted(name)

        def troubled(message: str) -> None:
            self._trouble = message

        records, waits, connect = self._opened.objects.records, self._timing.waits, self._connect
        async with Asker(study, records, name, waits=waits, troubled=troubled, connect=connect) as ask:
            with StoreCallQueue(self._opened.store, study, study.model(name)) as queue:
                self._running[name] = await run(
                    queue,
                    ask,
                    concurrency=study.llm.concurrency,
                    max_calls_per_judgment=study.llm.max_calls_per_judgment,
                    stop=stop,
                    progress=tell,
                )

    def _check_counted(self, name: str) -> None:
        """A limit is no limit where nobody says what calls cost."""
        study = self._opened.study
        if study.llm.spending_limit is not None and _uncounted(study.model(name), self._running[name]):
            raise StudyError(
                f"the service of model {name!r} does not say how many tokens a call took, so llm.spending_limit cannot "
                "be kept. What was answered is kept; remove the limit, or the model's prices, to go on without it.",
                value=name,
                column="llm.spending_limit",
            )

    async def _plan(self) -> bool:
        """Plan if the round is complete; whether there may be more to judge now."""
        store = self._opened.store
        self._busy = _PLANNING if store.idle else self._busy
        step = await asyncio.to_thread(plan_study, self._opened)
        self._busy = ""
        if step is not None:
            self._steps.append(step)
            return step.ordered > 0
        if store.being_planned or store.call_log.count_in_flight(self._names):
            self._busy = _WAITING
            # Another process plans, or one that died had calls in flight: both pass.
            await asyncio.sleep(self._timing.poll)
            return True
        return False

    @property
    def _tallies(self) -> dict[str, Tally]:
        return {name: _sum(self._done.get(name), self._running.get(name)) for name in self._names}

    @property
    def _recorded(self) -> int:
        return sum(tally.recorded for tally in self._tallies.values())

    def _standing(self) -> ModelRun:
        """How things stand now."""
        study, store, tallies = self._opened.study, self._opened.store, self._tallies
        counts = store.progress().set_index("attribute")
        waiting = counts["open"] + counts["out"]
        own = {column.name for column in study.columns if column.judge in self._names}
        mine = waiting.index.isin(own) if own else [True] * len(waiting)
        remaining = int(waiting[mine].sum())
        return ModelRun(
            tallies,
            store.call_log.paid(),
            study.llm.spending_limit,
            wanted=int(counts["wanted"][mine].sum()),
            open=remaining,
            others=int(waiting.sum()) - remaining,
            steps=tuple(self._steps),
            stage=self._busy or store.standing()["stage"],
            state=store.state,
            uncounted=tuple(name for name, tally in tallies.items() if _uncounted(study.model(name), tally)),
            trouble=self._trouble if time.monotonic() - self._heard > self._timing.silence else "",
        )

    def _through(self) -> ModelRun:
        """How things stand in the end, with the plan that was made last."""
        rounds = self._opened.store.rounds()
        if not rounds:
            return self._standing()
        plan = Plan.from_document(rounds[-1]["plan"]).repeats
        asking = asked_in_words(plan, self._opened.study.costs) if self._opened.study.models else ""
        return replace(self._standing(), plan=plan, asking=asking)


def _uncounted(model: Model, tally: Tally) -> bool:
    """Whether calls have a price that nobody knows."""
    return tally.uncounted > 0 and model.price_in + model.price_out > 0


def _sum(one: Tally | None, other: Tally | None) -> Tally:
    from manyjudges.llm.runner import Tally

    tallies = [tally for tally in (one, other) if tally is not None]
    return Tally(*(sum(getattr(tally, field.name) for tally in tallies) for field in fields(Tally)))


def asked_in_words(repeats: Mapping[str, int], columns: Iterable[str]) -> str:
    """Whom a plan asks how often about what, in a sentence; columns without a judge are those of people.

    >>> columns = ["tone @ atlas", "tone @ birch", "grammar @ atlas", "grammar @ birch"]
    >>> asked_in_words({"tone @ atlas": 2, "tone @ birch": 1}, columns)
    'ask atlas twice and birch once about tone, and nobody about grammar'
    """
    judges_by_attribute: dict[str, list[str]] = {}
    for column in columns:
        attribute, at, judge = column.rpartition(AT) if AT in column else (column, "", "")
        judges = judges_by_attribute.setdefault(attribute, [])
        if count := repeats.get(column, 0):
            judges.append(f"{judge} {_times(count)}" if at else _people(count))
    some = [f"{listed(judges)} about {attribute}" for attribute, judges in judges_by_attribute.items() if judges]
    none = [attribute for attribute, judges in judges_by_attribute.items() if not judges]
    nobody = [f"nobody about {listed(none)}"] if none else []
    if not some:
        return f"ask {nobody[0]}"
    return f"ask {'; '.join(some)}" + "".join(f", and {words}" for words in nobody)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _people(count: int) -> str:
    return "one person" if count == 1 else f"{count:,} people"
