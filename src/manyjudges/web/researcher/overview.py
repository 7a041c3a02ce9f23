"""Overview: what the researcher's page shows, gathered from the store and put into words and rows."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from manyjudges.base import formatting
from manyjudges.campaign.outlook import Forecast, forecast, later_cost
from manyjudges.web.researcher import charts

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.store.store import Store
    from manyjudges.study.config import Study

_STAGES = {
    "pilot": "The pilot: every attribute of every labelled object is judged a few times, to learn what to ask.",
    "planning": "Planning: a round is complete, and what to buy next is worked out.",
    "plan": "Following the plan: what it asks for and the pilot did not bring is bought.",
    "unlabelled": "The plan stands: objects without a label are judged by it, so that they can be predicted.",
    "done": "There is nothing more to ask.",
}
_ERRORS = ("error", "low", "high", "baseline_error", "explained")
"""What is shown of an answer for each round."""

_SHOWN_ROUNDS = 6
"""Rounds that are shown side by side; what was before is folded away."""


def moment(at: float | None, *, day: bool = True) -> str:
    """A time as a person reads it, in UTC.

    >>> moment(0.0), moment(0.0, day=False), moment(None)
    ('1 Jan 1970, 00:00 UTC', '00:00', '–')
    """
    if at is None or not math.isfinite(at):
        return formatting.NONE
    when = datetime.fromtimestamp(at, UTC)
    return f"{when.day} {when:%b %Y, %H:%M} UTC" if day else f"{when:%H:%M}"


def duration(seconds: float) -> str:
    """How long, in words.

    >>> duration(90), duration(7200), duration(3 * 86400)
    ('2 minutes', '2 hours', '3 days')
    """
    for size, name, least in ((86400, "day", 2), (3600, "hour", 2), (60, "minute", 1)):
        if seconds >= least * size:
            return formatting.plural(round(seconds / size), name)
    return "less than a minute"


def moving(study: Study, store: Store, now: float | None = None) -> dict[str, Any]:
    """Everything that changes while judges work, apart from the workers."""
    now = time.time() if now is None else now
    position, counts, rounds = store.position(), store.progress(), store.rounds()
    arrivals = store.arrivals(24)
    later = later_cost(position, _plan_cost(rounds), study.plan.budget, study.plan.judge_unlabelled)
    waiting = int(counts["out"].sum() + counts["open"].sum())
    ahead = forecast(store.spending(), waiting, later, arrivals, now, study.plan.spending_limit, store.began())
    errors = _errors(rounds)
    return {
        "position": position,
        "stage": _STAGES.get(position["stage"], position["stage"]),
        "reason": _sentence(position["reason"]),
        "done": position["stage"] == "done",
        "progress": _progress(counts),
        "totals": {name: int(counts[name].sum()) for name in ("wanted", "have", "out", "open", "cant_tell")},
        "money": _money(study, ahead, now),
        "arrivals": _arrivals(arrivals),
        "rounds": _rounds(rounds, list(counts["attribute"])),
        "answer": _answer(rounds),
        "errors": errors,
        "curve": _curve(rounds),
        "checks": _checks(rounds),
    }


def _sentence(text: str) -> str:
    """A text with a capital letter and a full stop.

    >>> _sentence("the plan stands"), _sentence("")
    ('The plan stands.', '')
    """
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


def planning_failed(stage: str, events: Sequence[Mapping[str, Any]]) -> str:
    """Why planning failed, where it did and nothing was planned since; events are the newest first."""
    if stage != "planning":
        return ""
    last = next((event for event in events if event["what"] in ("planned", "problem") and _of_plan(event)), None)
    return "" if last is None or last["what"] == "planned" else _sentence(str(last["detail"]))


def _of_plan(event: Mapping[str, Any]) -> bool:
    """Whether an event is about planning, and not about an image that is damaged."""
    return event["what"] == "planned" or str(event["detail"]).startswith("planning")


def _plan_cost(rounds: Sequence[Mapping[str, Any]]) -> float | None:
    plans = [round_["plan"] for round_ in rounds if round_.get("plan")]
    return float(plans[-1]["cost"]) if plans else None


def _progress(counts: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each attribute with its bar: what was handed in, is out, and is open."""
    rows: list[dict[str, Any]] = counts.to_dict("records")  # type: ignore[assignment]  # names are text
    for row in rows:
        done = row["wanted"] - row["out"] - row["open"]
        row["done"] = done
        row["bar"] = charts.stacked([("in", done), ("out", row["out"])], row["wanted"])
        row["share"] = done / row["wanted"] if row["wanted"] else None
    return rows


def _money(study: Study, ahead: Forecast, now: float) -> dict[str, Any]:
    """Spending in units and in money, with a bar of the whole."""
    total = max(ahead.limit or 0.0, ahead.whole)
    parts = [("in", ahead.spent), ("out", ahead.out), ("open", ahead.open), ("later", ahead.later)]
    return {
        "ahead": ahead,
        "bar": charts.stacked(parts, total),
        "pay": lambda units: f"{formatting.fixed(units * study.work.pay_per_unit)} {study.work.currency}",
        "round_end": _when(ahead.round_end, now),
        "end": _when(ahead.end, now),
        "used": ahead.spent / ahead.limit if ahead.limit else None,
    }


def _when(at: float | None, now: float) -> str:
    return formatting.NONE if at is None else f"in about {duration(at - now)}" if at - now >= 60 else "any moment"


def _arrivals(arrivals: Sequence[tuple[float, int]]) -> dict[str, Any]:
    counts = [count for _, count in arrivals]
    total, most = sum(counts), max(counts, default=0)
    hours = [moment(start, day=False) for start, _ in arrivals]
    every = {charts.WIDE_CHART: 3, charts.NARROW_CHART: 6}
    description = f"Judgments per hour in the last 24 hours: {total:,} in all, at most {most:,} in an hour."
    drawn = {
        width: charts.columns(counts, [h if at % step == 2 else "" for at, h in enumerate(hours)], description, width)
        for width, step in every.items()
    }
    return {
        "said": description,
        "total": total,
        "chart": _both(drawn),
        "rows": [(hour, count) for hour, count in zip(hours, counts, strict=True) if count][::-1],
    }


def _rounds(rounds: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """The plan of each round, attribute by attribute, with what changed."""
    plans = [dict((round_.get("plan") or {}).get("repeats", {})) for round_ in rounds]
    planned = [name for name in names if any(plan.get(name) for plan in plans)]
    rows = []
    for name in planned:
        counts = [int(plan.get(name, 0)) for plan in plans]
        before = [None, *counts[:-1]]
        rows.append({"name": name, "cells": [_cell(n, was) for n, was in zip(counts, before, strict=True)]})
    heads = [
        {
            "number": round_["number"],
            "at": moment(round_["at"]),
            "cost": (round_.get("plan") or {}).get("cost"),
            "note": round_.get("note") or "",
        }
        for round_ in rounds
    ]
    return {
        "heads": heads,
        "rows": rows,
        "shown": _SHOWN_ROUNDS,
        "kept": [name for name in names if name not in planned],
    }


def _checks(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What the checks of the data came to when the latest plan was made; None where nothing was checked."""
    results = ((rounds[-1].get("outlook") or {}) if rounds else {}).get("checks")
    if not results:
        return None
    names = ("failed", "passed", "not applicable", "muted")
    counts = [(sum(result["status"] == name for result in results), name) for name in names]
    return {
        "failed": [result for result in results if result["status"] == "failed"],
        "others": [result for result in results if result["status"] != "failed"],
        "counts": ", ".join(f"{count} {name}" for count, name in counts if count),
    }


def _cell(count: int, before: int | None) -> dict[str, Any]:
    change = 0 if before is None else count - before
    return {"count": count, "change": change, "kind": "up" if change > 0 else "down" if change < 0 else ""}


def _answer(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The answer of the latest round, and whether the study asks for another plan meanwhile; None before the first."""
    if not rounds or (answer := _answer_in(rounds[-1])) is None:
        return None
    following = (rounds[-1].get("plan") or {}).get("repeats")
    error, baseline = answer["error"], answer["baseline_error"]
    useless = error is not None and error >= baseline
    return dict(answer) | {"useless": useless, "another": following != answer["plan"]["repeats"]}


def _answer_in(round_: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return (round_.get("outlook") or {}).get("answer")


def _errors(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The error to expect after each round, its limits, and the share of the label's variance explained."""
    rows = []
    for round_ in rounds:
        answer = _answer_in(round_)
        if answer is None or answer["error"] is None:
            continue
        last = {"last": True} if round_ is rounds[-1] else {}
        rows.append({name: answer[name] for name in _ERRORS} | {"number": round_["number"]} | last)
    description = f"Error to expect by round; the last is {formatting.number(rows[-1]['error'])}." if rows else ""
    points = [_point(float(row["number"]), row) for row in rows]
    labels = [str(row["number"]) for row in rows]
    return {"rows": rows, "chart": _drawn(points, labels, description, "after round") if len(rows) > 1 else None}


def _point(x: float, row: Mapping[str, Any], chosen: bool = False) -> charts.Point:
    return charts.Point(x, row["error"], row["low"], row["high"], chosen)


def _curve(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The latest budget curve: the error to expect by units an object."""
    curves = [round_ for round_ in rounds if (round_.get("outlook") or {}).get("curve")]
    if not curves:
        return None
    last = curves[-1]
    budget = (last.get("plan") or {}).get("budget")
    rows = [entry | {"chosen": entry["budget"] == budget} for entry in last["outlook"]["curve"]]
    points = [_point(row["budget"], row, row["chosen"]) for row in rows]
    description = f"Error to expect by budget: from {_error_at_budget(rows[0])} to {_error_at_budget(rows[-1])}."
    chart = _drawn(points, [formatting.number(p.x) for p in points], description, "units an object")
    return {"rows": rows, "chart": chart, "said": description, "round": last["number"]}


def _error_at_budget(row: Mapping[str, Any]) -> str:
    return f"{formatting.number(row['error'])} for {formatting.number(row['budget'])} units"


def _drawn(points: Sequence[charts.Point], labels: Sequence[str], description: str, axis: str) -> Markup:
    return _both(
        {
            width: charts.errors(points, labels, description, axis, width)
            for width in (charts.WIDE_CHART, charts.NARROW_CHART)
        }
    )


def _both(drawn: Mapping[int, Markup]) -> Markup:
    """The same chart for a desk and for a phone; the style sheet shows one of them."""
    stages = ((charts.WIDE_CHART, "wide"), (charts.NARROW_CHART, "narrow"))
    placed = [
        Markup('<div class="stage" data-width="{}">{}</div>').format(name, drawn[width]) for width, name in stages
    ]
    return Markup("").join(placed)


def fitted(result: Mapping[str, Any]) -> dict[str, Any]:
    """A predictor to show: its terms, and the error to expect of it in words."""
    about = {name: result.get(name) for name in ("expectation", "explained")}
    return {"model": json.loads(result["model"]), "predicted": result.get("predicted", 0)} | about


def crowd(frame: pd.DataFrame, workers: Sequence[Any]) -> list[dict[str, Any]]:
    """A row for each worker who judged anything, most judgments first."""
    table = frame.reset_index() if frame.index.name == "worker" else frame
    by_name = {worker.name: worker for worker in workers}
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]  # names are text
    for row in rows:
        worker = by_name.get(str(row["worker"]))
        row["blocked"] = bool(worker and worker.blocked)
        row["source"] = worker.source if worker else ""
        row["gone"] = worker is None
        row["seen"] = moment(row["last"]).removesuffix(" UTC").replace(f" {datetime.now(UTC).year},", ",")
    return sorted(rows, key=lambda row: (-row["judgments"], row["worker"]))
