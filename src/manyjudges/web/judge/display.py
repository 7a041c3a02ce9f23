"""Display: a batch, a worker's account and a receipt as plain values and words for the templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manyjudges.base.formatting import listed, plural
from manyjudges.web.images import look_at

if TYPE_CHECKING:
    from starlette.datastructures import State

    from manyjudges.store.records import Batch, Item, Worker
    from manyjudges.study.config import Study


@dataclass(frozen=True)
class ShownItem:
    """One object as its judge sees it: by its position, never by its name.

    Attributes
    ----------
    position : int
        In the batch, from 0.
    number : int
        On the page, from 1.
    image : str
        Address of its image here; empty where it has none.
    text : str
    problem : bool
        Whether there is nothing to see.
    entered : str
        What stands in its field.
    wrong : str
        What is wrong about that.
    """

    position: int
    number: int
    image: str = ""
    text: str = ""
    problem: bool = False
    entered: str = ""
    wrong: str = ""

    @property
    def called(self) -> str:
        """What a screen reader calls it."""
        return f"{'Picture' if self.image else 'Text'} {self.number}"


def open_items(batch: Batch) -> tuple[Item, ...]:
    """What a page asks about: of a batch that was handed in, only what was answered may be corrected."""
    return tuple(item for item in batch.items if batch.state != "done" or item.answered)


def unseen(state: State, batch: Batch) -> set[int]:
    """Positions with nothing to see. The researcher is told once."""
    return {item.position for item in open_items(batch) if problem_of(state, item.object)}


def problem_of(state: State, name: str) -> str:
    """Why an object has nothing to see, for the researcher; nothing where all is well."""
    record = state.records.get(name)
    if record is None:
        return _note(state, f"the object {name!r} is in the store, but not in the table of objects any more")
    if record.image is None:
        return "" if record.text or record.address else _note(state, f"the object {name!r} has nothing to show")
    picture = look_at(record.image, state.study.folder)
    if not picture.problem:
        return ""
    what = f"line {record.line} of the objects: the image of {name!r} cannot be shown: {picture.problem}"
    return _note(state, what)


def _note(state: State, problem: str) -> str:
    if problem not in state.noted:
        state.noted.add(problem)
        state.store.note("problem", f"{problem}; judges are told, and answer “can’t tell”.")
    return problem


def shown_items(
    state: State, batch: Batch, entered: Mapping[int, str], wrong: Mapping[int, str] | None = None
) -> list[ShownItem]:
    """The objects of a batch, with what was entered so far."""
    nothing = unseen(state, batch)
    items = []
    for number, item in enumerate(open_items(batch), start=1):
        record, position = state.records.get(item.object), item.position
        pictured = record is not None and bool(record.image or record.address)
        items.append(
            ShownItem(
                position,
                number,
                image=f"/judge/{batch.id}/{position}/image" if pictured or position in nothing else "",
                text=(record.text or "") if record is not None else "",
                problem=position in nothing,
                entered=entered.get(position, ""),
                wrong=(wrong or {}).get(position, ""),
            )
        )
    return items


def money(study: Study, units: float) -> str:
    """Pay for so many units; nothing where nothing is paid."""
    pay = study.work.pay_per_unit
    return f"{units * pay:,.2f} {study.work.currency}" if pay else ""


def account(study: Study, worker: Worker) -> list[str]:
    """What a worker did so far, in words."""
    done = [plural(worker.batches, "batch", "batches"), plural(worker.judged, "judgment")]
    return [*done, *filter(None, [money(study, worker.earned)])]


def minutes_left(seconds: float) -> str:
    """Time left, in plain words.

    >>> minutes_left(1790), minutes_left(61), minutes_left(20), minutes_left(-3), minutes_left(7300)
    ('30 minutes', '2 minutes', 'less than a minute', 'no time', '2 hours')
    """
    if seconds <= 0:
        return "no time"
    if seconds < 50:
        return "less than a minute"
    minutes = -int(-seconds // 60)
    return plural(minutes, "minute") if minutes <= 100 else plural(round(minutes / 60), "hour")


def receipt_in_words(study: Study, receipt: Mapping[str, Any]) -> list[str]:
    """What became of answers that were handed in, in sentences."""
    sentences = []
    if accepted := receipt.get("accepted", 0):
        pay = money(study, receipt.get("earned", 0.0))
        sentences.append(f"{plural(accepted, 'judgment')} counted{f', {pay} earned' if pay else ''}.")
    if corrected := receipt.get("corrected", 0):
        sentences.append(f"{plural(corrected, 'answer')} corrected.")
    if returned := receipt.get("returned", 0):
        sentences.append(f"{plural(returned, 'object')} went back to be judged by others.")
    if late := receipt.get("late", 0):
        others = "somebody else had judged it" if late == 1 else "somebody else had judged those"
        sentences.append(
            f"{plural(late, 'answer')} came after the time was up, and {others}, so we could not count them."
        )
    if not sentences:
        sentences.append("We had these answers already. All is well.")
    return sentences


@dataclass(frozen=True)
class Waiting:
    """Why there is no work now.

    Attributes
    ----------
    heading, text : str
    may_come : bool
        Whether waiting makes sense.
    """

    heading: str
    text: str
    may_come: bool = False


def why_no_work(study: Study, store: Any, worker: Worker) -> Waiting:
    """Why there is no work for this worker now."""
    state, stage = store.state, store.position()["stage"]
    if state == "closed" or stage == "done":
        return Waiting("All is judged", "The study has all the judgments it needs. Thank you for your help!")
    if worker.blocked:
        return Waiting("That was all for you", "There is no more work for you in this study. Thank you for your help!")
    if reached := _limits_reached(study, worker):
        text = f"You have handed in {reached}, which is the most for one person. Thank you for your help!"
        return Waiting("You have done your share", text)
    if state == "paused":
        return Waiting("A short break", "The study is paused by its researchers. It will go on from where it is.", True)
    if stage == "planning":
        return Waiting("Just a moment", "We are working out what to ask next. That takes a moment.", True)
    if store.work_left(worker.id):
        return Waiting("Nothing to do right now", "Others are judging what is left. Some of it may come to you.", True)
    text = "You have judged all that there is at present. More may come when the others are through."
    return Waiting("Nothing to do right now", text, True)


def _limits_reached(study: Study, worker: Worker) -> str:
    work = study.work
    reached = [
        plural(done, noun, nouns)
        for done, most, noun, nouns in (
            (worker.judged, work.most_judgments, "judgment", "judgments"),
            (worker.batches, work.most_batches, "batch", "batches"),
        )
        if most is not None and done >= most
    ]
    return listed(reached)
