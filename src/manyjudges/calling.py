"""Calling: the models of a study at work. They are called, rounds are planned, until there is nothing left to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import StudyError
from manyjudges.studies import OpenStudy, begin, check_extra, plan_study

if TYPE_CHECKING:
    from manyjudges.collection.director import Step
    from manyjudges.collection.llm.running import Tally

POLL = 1.0
"""Seconds between two looks at work that somebody else has at hand."""


@dataclass(frozen=True)
class Judged:
    """What the models of a study did.

    Attributes
    ----------
    tallies : dict of str to Tally
        By model.
    paid : float
        For all calls of the study so far, in its currency.
    limit : float, optional
        What they may cost.
    open : int
        Judgments that these models would still have to give.
    others : int
        Judgments that are asked of others now.
    steps : tuple of Step
        What was decided on the way.
    """

    tallies: dict[str, Tally]
    paid: float
    limit: float | None
    open: int = 0
    others: int = 0
    steps: tuple[Step, ...] = ()

    def to_document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        plans = [{"stage": step.stage, "ordered": step.ordered, "reason": step.reason} for step in self.steps]
        numbers = {"paid": self.paid, "limit": self.limit, "open": self.open, "others": self.others}
        return {"models": {name: asdict(tally) for name, tally in self.tallies.items()}, **numbers, "steps": plans}

    @property
    def recorded(self) -> int:
        """Judgments that were recorded, with a value or without."""
        return sum(tally.recorded for tally in self.tallies.values())


Progress = Callable[[Judged], object]


def judge_study(opened: OpenStudy, names: Sequence[str] = (), progress: Progress | None = None) -> Judged:
    """Let models judge what is asked of them, and plan as rounds are complete, until nothing is left for them.

    Parameters
    ----------
    opened : OpenStudy
    names : sequence of str
        Models of the study, all of them unless given. A study that names none takes any model.
    progress : callable, optional
        Is told after every reply how things stand.

    Returns
    -------
    Judged

    Raises
    ------
    StudyError
        Where a model is not known or cannot be reached, or its service will answer no call. What was answered is kept.
    """
    check_extra()
    wanted = list(dict.fromkeys(names or [model.name for model in opened.study.models]))
    if not wanted:
        raise StudyError(
            f"{opened.study.place()}: no model is named: say which one (--model NAME), or add a table [[models]]."
        )
    for name in wanted:
        opened.study.model(name)
    begin(opened)
    return asyncio.run(_Bench(opened, wanted, progress or (lambda judged: None)).sit())


class _Bench:
    """The models of a study that judge now, and what they did so far."""

    def __init__(self, opened: OpenStudy, names: Sequence[str], progress: Progress) -> None:
        self._opened, self._names, self._progress = opened, names, progress
        self._done: dict[str, Tally] = {}
        self._running: dict[str, Tally] = {}
        self._steps: list[Step] = []

    async def sit(self) -> Judged:
        """Judge and plan in turn, until neither leads anywhere."""
        while True:
            before = self.judged.recorded
            await self._run()
            planned = await self._plan()
            if not planned and self.judged.recorded == before:
                return self._through()

    @property
    def judged(self) -> Judged:
        """How things stand."""
        tallies = {name: _sum(self._done.get(name), self._running.get(name)) for name in self._names}
        paid = self._opened.store.callbook.paid()
        return Judged(tallies, paid, self._opened.study.llm.spending_limit, steps=tuple(self._steps))

    async def _run(self) -> None:
        """Let all models work until none has anything left to do; when one cannot go on, nobody does."""
        stop = asyncio.Event()
        tasks = [asyncio.create_task(self._work(name, stop)) for name in self._names]
        try:
            for finished in asyncio.as_completed(tasks):
                await finished
        finally:
            stop.set()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._done, self._running = self.judged.tallies, {}

    async def _work(self, name: str, stop: asyncio.Event) -> None:
        from manyjudges.collection.llm.asking import Asker
        from manyjudges.collection.llm.bookings import StoreDesk
        from manyjudges.collection.llm.running import run

        study = self._opened.study

        def tell(tally: Tally) -> None:
            self._running[name] = tally
            self._progress(self.judged)

        async with Asker(study, self._opened.objects.records, name) as ask:
            with StoreDesk(self._opened.store, study, study.model(name)) as desk:
                terms = {"concurrency": study.llm.concurrency, "attempts": study.llm.attempts}
                self._running[name] = await run(desk, ask, **terms, stop=stop, progress=tell)

    async def _plan(self) -> bool:
        """Plan if the round is complete; whether there may be more to judge now."""
        step = await asyncio.to_thread(plan_study, self._opened)
        if step is not None:
            self._steps.append(step)
            return step.ordered > 0
        store = self._opened.store
        if store.being_planned or store.callbook.flying(self._names):
            await asyncio.sleep(POLL)  # another process plans, or one that died had calls in flight: both pass
            return True
        return False

    def _through(self) -> Judged:
        progress = self._opened.store.progress().set_index("attribute")
        waiting = progress["open"] + progress["out"]
        own = {column.name for column in self._opened.study.columns if column.judge in self._names}
        mine = waiting.index.isin(own) if own else [True] * len(waiting)
        left = int(waiting[mine].sum())
        return replace(self.judged, open=left, others=int(waiting.sum()) - left)


def _sum(one: Tally | None, other: Tally | None) -> Tally:
    from manyjudges.collection.llm.running import Tally

    given = [each for each in (one, other) if each is not None]
    return Tally(*(sum(getattr(each, field.name) for each in given) for field in fields(Tally)))
