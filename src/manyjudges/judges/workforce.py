"""Workforce: what each worker did, how fast, how well it goes with what others say, and who deserves more."""

from __future__ import annotations

__all__ = ["Workforce", "suggested_bonuses", "summarize_workers"]

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.formatting import plural
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.results import Result
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.judges.agreement import SHRINK, Comparisons, shrunk

_LEDGER_COLUMNS = ("id", "at", "worker", "external", "batch", "object", "attribute", "kind", "value", "cost", "seconds")
"""What a ledger needs to have."""

# Thresholds that accuse people are set so that honest ones are left alone. Of 208 honest workers in 16 crowds of vague
# answers (``benchmarks/workers.py``), none has a suspicious batch with these; what other values do stands at each.

TOO_FAST = 0.2
"""Share of the typical time of a judgment below which nobody has looked.

Of workers at a tenth of the usual time, 100 % are found; 75 % with 0.1, none with 0.05.
"""

ENOUGH = 8
"""Judgments of a batch below which nothing is made of it. With 4 or 16, the same workers are found."""

CROWD = 3
"""Workers that an attribute needs before anybody is called fast or slow at it: of two, neither is the typical one."""

VARIES = 0.5
"""Spread of others' means, in standard deviations of judgments, from which a single answer to all of them is odd.

With 0.25 or 1, the same workers are found.
"""

ONE_ANSWER_ERROR = 0.35
"""Standard error of relative agreement up to which an honest worker would hardly ever give one answer to everything.

Of workers with one answer to everything, 44 % are found; 63 % with 0.5, where an honest worker with few comparisons is
told from them no longer.
"""

CHANCE = 0.25
"""The most relative agreement, 1 being typical, that may pass for chance.

Of workers who guess, 38 % are found among answers as vague as these, and all of them among clearer ones; 31 % with 0.1.
"""

FAR, FARTHER = 3.0, 3.5
"""Standard errors below typical that are suspicious of a worker, and of a single batch, of which there are more.

With 2 and 3.5, 63 % of those who guess are found, but 1 % of honest workers, too; with 3 and 2.5, 50 % and 1.4 %.
"""

_BONUS_JUDGMENTS = 50
"""Judgments that a bonus takes at least. A convention that no benchmark sets: a bonus is for those who stayed."""

_CLEARLY = 1.645
"""Standard errors above typical from which agreement is clearly better: one of twenty typical workers gets there."""


@dataclass(frozen=True, eq=False, repr=False)
class Workforce(Result):
    """Workers in numbers. Made by :func:`summarize_workers`; arrays have an entry for each worker, by name.

    Attributes
    ----------
    workers, externals : tuples
        Pseudonyms, and the names that the workers came with (None where there is none).
    judgments : array of int
        Judgments that count: the last word on each pair, less what was withdrawn and "can't tell".
    cant_tell : array
        Share of "can't tell" in the answers that stand.
    batches : array of int
        Batches with an answer that stands.
    seconds : array
        Median time per judgment.
    agreement : array
        Correlation of the worker's judgments with the mean of others' about the same pair, in standard deviations of
        each attribute, pulled toward the crowd's overall value where there are few; NaN where there is none.
    agreement_error : array
        Its standard error.
    typical : array
        Agreement that the crowd shows on the same attributes.
    comparisons : array of int
        Judgments that these rest on.
    relative, relative_error : arrays
        How far the worker's answers follow those of others, as a share of how far the crowd's do on the very same
        questions, 1 being typical and 0 chance, and its standard error.
    suspicious : array
        Share of batches that look as if nobody had looked.
    reasons : tuple of str
        Why, in words; empty where nothing is suspicious.
    first, last : arrays
        When the first and the last answer came, in seconds since 1970.
    earned : array
        Units.
    overall : float
        Agreement over all workers.
    """

    FORMAT: ClassVar[str] = "manyjudges.workforce/1"

    workers: tuple[str, ...]
    externals: tuple[str | None, ...]
    judgments: Integers
    cant_tell: Floats
    batches: Integers
    seconds: Floats
    agreement: Floats
    agreement_error: Floats
    typical: Floats
    comparisons: Integers
    relative: Floats
    relative_error: Floats
    suspicious: Floats
    reasons: tuple[str, ...]
    first: Floats
    last: Floats
    earned: Floats
    overall: float

    def to_frame(self) -> pd.DataFrame:
        """A row for each worker."""
        names = [field.name for field in fields(self) if field.name not in {"workers", "externals", "overall"}]
        columns = {"external": pd.Series(self.externals, index=self.workers, dtype=object)} | {
            name: getattr(self, name) for name in names
        }
        return table(columns, index=self.workers, index_name="worker")


def summarize_workers(ledger: pd.DataFrame, prices: Mapping[str, float] | None = None) -> Workforce:
    """What each worker did and how well, from every row that a store ever wrote.

    Of each pair of object and attribute, a worker's last row holds. A batch is suspicious when

    - it took less than a fifth of the time that a judgment of its attribute typically takes, or
    - it has the same answer to everything where others differ by a lot, or
    - it agrees with others no more than chance would, and clearly less than the crowd does on the same questions.
      Where that holds of a worker as a whole, it holds of all of the worker's batches.

    Parameters
    ----------
    ledger : pandas.DataFrame
        As a store gives it: ``id``, ``at``, ``worker``, ``external``, ``batch``, ``object``, ``attribute``, ``kind``,
        ``value``, ``cost`` and ``seconds``.
    prices : mapping of str to float, optional
        The cost of a judgment of each attribute, for rows that do not say it.
    """
    if missing := [name for name in _LEDGER_COLUMNS if name not in ledger.columns]:
        raise JudgmentsError(
            f"the ledger has no column {list_names(missing)}; it needs {list_names(_LEDGER_COLUMNS, 99)}.",
            column=missing[0],
        )
    rows = _LedgerRows.of(ledger)
    counting = rows.take(rows.standing & np.isfinite(rows.value))
    compared = Comparisons.of(counting.value, counting.pairs, counting.attribute, rows.n_attributes)
    w, b = len(rows.workers), rows.n_batches
    who, where = counting.worker[compared.rows], counting.batch[compared.rows]
    correlation, deviation = compared.correlation(who, w)
    comparisons = np.bincount(who, minlength=w)
    overall = float(compared.correlation(np.zeros_like(who), 1)[0][0])
    relative, error = compared.relative(who, w)
    flags = _Flags.of(counting, compared, where, _no_better_than_chance(relative, error, FAR), b)
    answered = rows.take(rows.standing)
    owner = np.zeros(b, dtype=np.int64)
    owner[answered.batch] = answered.worker
    batches = np.bincount(owner[np.unique(answered.batch)], minlength=w)
    reasons = flags.reasons(owner, batches)
    many = np.bincount(counting.worker, minlength=w)
    standing = np.bincount(answered.worker, minlength=w)
    times = pd.Series(rows.at).groupby(rows.worker)
    return Workforce(
        workers=rows.workers,
        externals=_externals(ledger, rows.worker, w),
        judgments=many,
        cant_tell=(standing - many) / np.maximum(standing, 1),
        batches=batches,
        seconds=_medians(counting.seconds, counting.worker, w),
        agreement=shrunk(correlation, comparisons, overall),
        # The error shrinks with the part that the worker's own comparisons have in ``agreement``.
        agreement_error=deviation * comparisons / (comparisons + SHRINK),
        typical=compared.expected(who, w),
        comparisons=comparisons,
        relative=relative,
        relative_error=error,
        suspicious=np.bincount(owner[flags.any], minlength=w) / np.maximum(batches, 1),
        reasons=reasons,
        first=np.asarray(times.min(), dtype=np.float64),
        last=np.asarray(times.max(), dtype=np.float64),
        earned=np.asarray(np.bincount(rows.worker, weights=_costs(ledger, prices or {}), minlength=w), dtype=float),
        overall=overall,
    )


def suggested_bonuses(
    workforce: Workforce, *, pay_per_unit: float, currency: str, share: float = 0.2, external: bool = False
) -> pd.DataFrame:
    """Whom to pay more and how much: those who agree with others clearly better than is typical.

    Parameters
    ----------
    workforce : Workforce
    pay_per_unit : float
        What a unit is in money.
    currency : str
        Of that money; it is a column, so that the table can be read alone.
    share : float
        Bonus as a share of a worker's pay.
    external : bool
        Whether to name workers as their source does, which paying them takes; the names are personal data.

    Returns
    -------
    pandas.DataFrame
        ``worker``, ``external`` if asked for, ``judgments``, ``agreement``, ``pay``, ``bonus``, ``currency`` and
        ``reason``, the largest bonus first.
    """
    for name, value in (("share", share), ("pay_per_unit", pay_per_unit)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < np.inf:
            raise PlanError(
                f"{name} must be a number of 0 or more, not {quote_value(value)}.", value=value, column=name
            )
    frame = workforce.to_frame().reset_index()
    clearly = workforce.agreement - _CLEARLY * workforce.agreement_error > workforce.typical
    good = frame[
        clearly & (workforce.judgments >= _BONUS_JUDGMENTS) & (workforce.suspicious == 0) & (workforce.earned > 0)
    ]
    pay = good["earned"] * pay_per_unit
    chosen = good[["worker", *(["external"] if external else []), "judgments", "agreement"]].assign(
        pay=pay.round(2),
        bonus=(share * pay).round(2),
        currency=currency,
        reason=[
            f"agreement of {own:.2f}, where {typical:.2f} is typical of these questions, in {plural(n, 'comparison')}"
            for own, typical, n in zip(good["agreement"], good["typical"], good["comparisons"], strict=True)
        ],
    )
    chosen = chosen[chosen["bonus"] > 0]
    ordered: pd.DataFrame = chosen.sort_values(["bonus", "worker"], ascending=[False, True], ignore_index=True)
    return ordered


@dataclass(frozen=True, eq=False)
class _LedgerRows:
    """A ledger coded to integers, in an order that does not depend on that of its rows."""

    workers: tuple[str, ...]
    n_batches: int
    n_attributes: int
    worker: Integers
    batch: Integers
    attribute: Integers
    pairs: Integers
    value: Floats
    seconds: Floats
    at: Floats
    standing: Any  # the worker's last word on the pair, and not withdrawn

    @classmethod
    def of(cls, ledger: pd.DataFrame) -> _LedgerRows:
        worker, workers = pd.factorize(ledger["worker"], sort=True)
        batch, batches = pd.factorize(ledger["batch"].where(ledger["batch"].notna(), ledger["worker"]), sort=True)
        attribute, attributes = pd.factorize(ledger["attribute"], sort=True)
        objects, _ = pd.factorize(ledger["object"], sort=True)
        pairs = np.unique(objects * max(len(attributes), 1) + attribute, return_inverse=True)[1]
        numbers = {
            name: pd.to_numeric(ledger[name], errors="coerce").to_numpy(dtype=float, na_value=np.nan)
            for name in ("value", "seconds", "at")
        }
        # One number for each worker and pair, so that sorting by it brings together all that a worker said of a pair.
        one = worker * (int(pairs.max(initial=0)) + 1) + pairs
        order = np.lexsort((ledger["id"].to_numpy(dtype=np.int64), one))
        # Rows of a worker and pair in the order of their ids: the last before another pair begins is the last word.
        last = np.zeros(len(order), dtype=bool)
        last[order] = np.append(one[order][1:] != one[order][:-1], [True] * bool(len(order)))
        standing = last & (ledger["kind"] != "withdrawal").to_numpy(dtype=bool)
        named = tuple(map(str, workers))
        return cls(named, len(batches), len(attributes), worker, batch, attribute, pairs, **numbers, standing=standing)

    def take(self, which: Any) -> _LedgerRows:
        """Some of the rows, ordered by worker and pair."""
        at = np.flatnonzero(which)
        at = at[np.lexsort((self.pairs[at], self.worker[at]))]
        names = ("worker", "batch", "attribute", "pairs", "value", "seconds", "at", "standing")
        columns = {name: getattr(self, name)[at] for name in names}
        return _LedgerRows(self.workers, self.n_batches, self.n_attributes, **columns)


@dataclass(frozen=True, eq=False)
class _Flags:
    """What is wrong with each batch."""

    fast: Any
    same: Any
    chance: Any

    @classmethod
    def of(cls, rows: _LedgerRows, compared: Comparisons, where: Integers, chance: Any, n: int) -> _Flags:
        enough = np.bincount(rows.batch, minlength=n) >= ENOUGH
        relative, error = compared.relative(where, n)
        alike = pd.Series(rows.value).groupby(rows.batch).nunique().reindex(range(n), fill_value=0).to_numpy() == 1
        # One answer to everything is fine where all objects are alike. It is odd where others' means differ, on enough
        # judgments for an honest worker to have differed with them.
        odd = (compared.standard_deviation(where, n) >= VARIES) & (error <= ONE_ANSWER_ERROR)
        mine = np.zeros(n, dtype=bool)
        # What is at chance over all of a worker's judgments, which are many, is so in batches too short to show it.
        mine[rows.batch] = chance[rows.worker]
        weak = enough & _no_better_than_chance(relative, error, FARTHER)
        return cls(fast=enough & _fast(rows, n), same=enough & alike & odd, chance=mine | weak)

    @property
    def any(self) -> Any:
        """Batches with anything wrong."""
        return self.fast | self.same | self.chance

    def reasons(self, owner: Integers, batches: Integers) -> tuple[str, ...]:
        """For each worker, what is wrong with how many batches."""
        kinds = (
            (self.fast, "answered much too fast"),
            (self.same, "with the same answer to everything, where others differ"),
            (self.chance, "in agreement with others no more than by chance"),
        )
        counts = [np.bincount(owner[which], minlength=len(batches)) for which, _ in kinds]
        return tuple(
            "; ".join(
                f"{count[at]:,} of {plural(int(many), 'batch', 'batches')} {words}"
                for count, (_, words) in zip(counts, kinds, strict=True)
                if count[at]
            )
            for at, many in enumerate(batches)
        )


def _no_better_than_chance(relative: Floats, error: Floats, far: float) -> Any:
    """At chance as far as can be known, and far from typical; what is not known is neither."""
    # Both are needed: where little is known everything is near chance, and also near typical.
    return (relative <= np.minimum(2 * error, CHANCE)) & (1 - relative >= far * error)


def _fast(rows: _LedgerRows, n: int) -> Any:
    """Batches that took less than a fifth of the time a judgment of their attribute typically takes."""
    typical = _medians(rows.seconds, rows.attribute, rows.n_attributes)
    timed = np.isfinite(rows.seconds)
    people = np.unique(rows.attribute[timed] * (len(rows.workers) + 1) + rows.worker[timed]) // (len(rows.workers) + 1)
    enough_workers = np.bincount(people, minlength=rows.n_attributes) >= CROWD
    # By the typical time of the batch's own attribute: a question of one glance takes less than a guess of a number.
    limit = np.full(n, -np.inf)
    limit[rows.batch] = np.where(enough_workers, TOO_FAST * typical, -np.inf)[rows.attribute]
    return _medians(rows.seconds, rows.batch, n) < limit


def _medians(values: Floats, groups: Integers, n: int) -> Floats:
    medians = pd.Series(values).groupby(groups).median().reindex(range(n))
    return np.asarray(medians, dtype=np.float64)


def _externals(ledger: pd.DataFrame, worker: Integers, n: int) -> tuple[str | None, ...]:
    """The name each worker came with, from the last row that has one."""
    externals = ledger["external"]
    has_name = externals.notna().to_numpy(dtype=bool)
    order = np.argsort(ledger["id"].to_numpy(dtype=np.int64)[has_name], kind="stable")
    names: list[str | None] = [None] * n
    last = pd.Series(externals[has_name].to_numpy(dtype=object)[order]).groupby(worker[has_name][order]).last()
    for at, name in last.items():
        names[int(str(at))] = str(name)
    return tuple(names)


def _costs(ledger: pd.DataFrame, prices: Mapping[str, float]) -> Floats:
    """What each row cost; where it does not say, the price of its attribute."""
    costs = pd.to_numeric(ledger["cost"], errors="coerce").to_numpy(dtype=float, na_value=np.nan).copy()
    if len(unsaid := np.flatnonzero(np.isnan(costs))):
        attributes = ledger["attribute"].to_numpy(dtype=object)[unsaid]
        if unknown := sorted({str(name) for name in attributes if name not in prices}):
            raise JudgmentsError(
                f"no price of {list_names(unknown)} is known, and the ledger has rows without a cost.",
                value=unknown[0],
                column="cost",
            )
        costs[unsaid] = [prices[name] for name in attributes]
    return costs
