"""How far a long job has come: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from manyjudges.service.model_judges import ModelRun

_BRIEF = 0.5
"""Seconds that a job may take before anything is said about it on a terminal."""

QUIET = 2.0
"""Seconds between two lines about it elsewhere."""

_CALLING = {
    "pilot": "pilot",
    "plan": "plan",
    "unlabelled": "objects without label",
    "planning": "planning",
    "waiting": "waiting for calls that another run made (90 seconds at most, if it broke off)",
    "stopping": "stopping when calls in flight are in (Ctrl-C again: at once)",
    "done": "done",
}


@contextlib.contextmanager
def steps(count: int) -> Iterator[Callable[[str], None]]:
    """A job in so many named steps: a bar on a terminal, a line for each step elsewhere."""
    console = _console()
    if not console.is_terminal:
        yield lambda step: typer.echo(step, err=True)
        return
    with _bars(console) as bars:
        task = bars.add_task("starting", total=count)
        yield lambda step: bars.update(task, advance=1, description=step)


@contextlib.contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """How far a job has come: a bar on a terminal, now and then a line elsewhere; nothing if it takes no time."""
    with _line(what) as update:
        yield lambda done, total: update(done, total, f"{what}: {done} of {total}")


@contextlib.contextmanager
def scan(what: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """How far a table has been read: how much, how fast, and how long it will take."""
    began = time.monotonic()

    def report(done: int, total: int) -> None:
        rate = done / max(time.monotonic() - began, 1e-9)
        left = (total - done) / rate if rate else 0.0
        update(done, total, f"{what}: {done:,} of {total:,} {unit}, {rate:,.0f} a second, {left:,.0f} s left")

    with _line(what) as update:
        yield report


def busy(what: str) -> contextlib.AbstractContextManager[Any]:
    """A sign of life on a terminal, for work that cannot say how far it is."""
    console = _console()
    return console.status(what) if console.is_terminal else contextlib.nullcontext()


@contextlib.contextmanager
def planning() -> Iterator[tuple[Callable[[int, int], None], Callable[[float, float, float], None]]]:
    """How far an answer has come: what is held out, and then the proof of a plan, where one is made."""

    def held_out(done: int, total: int) -> None:
        update(done, total, f"estimating the error: {done} of {total}")

    def proof(explained: float, bound: float, seconds: float) -> None:
        gap = 1 - explained / bound if bound > 0 else 0.0
        update(0, 0, f"proving: at most {gap:.2%} below the best plan (Ctrl-C takes it as it is)")

    with _line("planning") as update:
        yield held_out, proof


@contextlib.contextmanager
def _line(what: str, quiet: float | None = None) -> Iterator[Callable[[int, int, str], None]]:
    console = _console()
    began = last = time.monotonic()
    pause = QUIET if quiet is None else quiet
    if not console.is_terminal:

        def echo(done: int, total: int, text: str) -> None:
            nonlocal last
            if time.monotonic() - last >= pause:
                last = time.monotonic()
                typer.echo(text, err=True)

        yield echo
        return
    with _bars(console) as bars:
        task = bars.add_task(what, total=None, visible=False)

        def update(done: int, total: int, text: str) -> None:
            late = time.monotonic() - began >= _BRIEF
            bars.update(task, completed=done, total=total or None, description=text, visible=late)

        yield update


@contextlib.contextmanager
def calls(currency: str, *, quiet: float | None = None) -> Iterator[Callable[[ModelRun], None]]:
    """How many judgments models gave, and what that cost; a line every ``quiet`` seconds where there is no terminal."""

    def report(run: ModelRun) -> None:
        done = run.wanted - run.open
        limit = "" if run.limit is None else f" of {run.limit:,.10g}"
        parts = [f"{done:,} of {run.wanted:,} judgments"]
        lost = sum(tally.refused + tally.unreadable for tally in run.tallies.values())
        parts += [f"{lost:,} without a usable answer"] if lost else []
        parts += [f"{run.paid:,.4f}{limit} {currency}"]
        trouble = f"; trying again: {run.trouble}" if run.trouble else ""
        update(done, run.wanted, f"{_CALLING[run.stage]}: {', '.join(parts)}{trouble}")

    with _line("calling", quiet) as update:
        yield report


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


def _bars(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    look = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*look, console=console, transient=True)
