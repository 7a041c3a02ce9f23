"""Panels: judges that are asked again and again, such as language models, and how many opinions they are worth.

What differs from call to call is the noise of a judge's column, which more calls average away; what judges disagree
about stays in the covariance of the columns, and only other judges help. How much there is of each is told as
generalizability theory does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats
from manyjudges.base.formatting import listed, number, plural
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, JudgmentsError, MomentsError, PlanError
from manyjudges.judges.variance_components import (
    Distances,
    JudgePairSums,
    VarianceComponents,
    effective_opinions,
    jackknife_error,
)
from manyjudges.tables.columns import take_columns
from manyjudges.tables.judge_columns import columns_by_judge, split
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.values import locate_from_zero

__all__ = ["PanelVariance", "by_judge", "panel_variance"]

COMPONENTS = ("object", "between", "prompt", "within")

_FEWEST_OBJECTS = 3
"""With two, every two judges agree or disagree entirely."""

# A variance from f differences has a relative standard error of √(2/f): .26 for 30 objects, which make 29.
_FEW_OBJECTS = 30
"""Of fewer in common, a variance between two judges is off by a quarter or more."""

# A trade-off, which no benchmark sets: the lower, the fewer copies are found; the higher, the more judges of different
# views pass for one.
_NEARLY = 0.25
"""How much two judges may be apart, as a share of what each differs from itself, to pass for one."""

_SHARE_TOLERANCE = 1e-12
"""How far shares may differ from what they add up to: a few roundings of double precision."""

# Its square is 1e300, and the largest double 1.8e308: a hundred million of them can be added up.
_LARGEST_VALUE = 1e150
"""What is larger cannot be squared."""


@dataclass(frozen=True, eq=False, repr=False)
class PanelVariance:
    """How much judges of a panel agree, disagree with each other, and disagree with themselves.

    Made by :func:`panel_variance`. What a judge adds to all objects alike is no noise, as a linear predictor takes
    it off.

    Attributes
    ----------
    components : pandas.DataFrame
        By attribute, the variances of ``object`` (what all judges agree on), ``between`` (a model's own view of an
        object, which comes back in each of its calls), ``prompt`` (the same of a prompt or persona, among those of one
        model) and ``within`` (what differs from call to call). Estimated without bias, so that they may fall below 0;
        NaN where there is nothing to tell them from. Without groups of several, ``prompt`` is NaN and part of
        ``between``.
    std_errors : pandas.DataFrame
        Their standard errors, over objects; judges are taken as given.
    pooled : pandas.Series
        The same as shares of the variance of one call, averaged over the attributes where all of it is known.
    pairs : pandas.DataFrame
        For each two judges who judged the same: how many differences tell of it (``freedom``), ``between`` and
        its ``std_error`` (variance between their views) and ``within`` (of their calls), as shares of the variance of
        one call; the nearest first.
    groups : dict
        The model of each judge.
    columns : tuple of str
        What was judged, by whom.
    n_objects : int
    warnings : tuple of DataWarning
        What could not be estimated, or not well, and what to do about it. Their kinds are ``"no_repeats"``,
        ``"one_judge"`` and ``"panel_few_objects"``.
    """

    components: pd.DataFrame
    std_errors: pd.DataFrame
    pooled: pd.Series[float]
    pairs: pd.DataFrame
    groups: dict[str, str]
    columns: tuple[str, ...]
    n_objects: int
    warnings: tuple[DataWarning, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """What is judged."""
        return tuple(self.components.index)

    @property
    def judges(self) -> tuple[str, ...]:
        """Who judges."""
        return tuple(self.groups)

    @property
    def message(self) -> str:
        """What could not be estimated, or not well; empty when all is fine."""
        return " ".join(map(str, self.warnings))

    @cached_property
    def used(self) -> pd.DataFrame:
        """The components as they are reckoned with: not below 0, and no prompts where none were told apart."""
        # Estimates without bias stray below 0 where there is next to nothing, and variances cannot: rounded up to 0, as
        # the paper does with σ² (Alg. 1, line 7).
        used = self.components.clip(lower=0)
        return used.assign(prompt=used["prompt"].fillna(0.0))

    def opinions(self, repeats: Mapping[str, int] | Plan) -> pd.DataFrame:
        """How many independent opinions so many calls are worth, by attribute.

        One opinion is a single call of a fresh model with a fresh prompt. The calls are weighed as is best for them, by
        the components, as a predictor does; ``opinions`` is the variance of one opinion's noise divided by that of what
        they say together. So one call is worth 1, and no calls are worth more than their number.

        Parameters
        ----------
        repeats : Plan or mapping
            Calls by column, such as ``{"tone @ gpt-small": 3}``.
        """
        calls = self._calls(repeats.repeats if isinstance(repeats, Plan) else repeats)
        return table(
            {
                "calls": [sum(counts.values()) for counts in calls.values()],
                "judges": [len(counts) for counts in calls.values()],
                "models": [len(self._grouped(counts)) for counts in calls.values()],
                "opinions": [self._worth(name, counts) for name, counts in calls.items()],
            },
            index=list(calls),
            index_name="attribute",
        )

    @cached_property
    def ceiling(self) -> pd.Series[float]:
        """What the judges of each attribute would be worth, in opinions, if they were called without end."""
        # With calls without end, within / calls is 0. What is left of the noise is prompt and between, which only other
        # prompts and other models average out.
        calls: dict[str, dict[str, float]] = {name: {} for name in self.attributes}
        for column in self.columns:
            name, judge = split(column)
            calls[name][judge] = np.inf
        worths = [self._worth(name, counts) for name, counts in calls.items()]
        return pd.Series(worths, index=self.components.index, name="ceiling", dtype=float)

    def alike(self, max_distance: float = _NEARLY) -> pd.DataFrame:
        """Pairs of judges who disagree no more than each disagrees with itself: nearly the same judge, asked twice.

        Parameters
        ----------
        max_distance : float
            How much more than with itself a judge may disagree with the other, as a share; two standard errors above
            the estimate must still be within it.

        Returns
        -------
        pandas.DataFrame
            Rows of ``pairs``.
        """
        if (
            isinstance(max_distance, bool)
            or not isinstance(max_distance, int | float | np.number)
            or not max_distance >= 0
        ):
            raise JudgmentsError(
                f"max_distance must be 0 or a positive number, not {quote_value(max_distance)}.",
                value=max_distance,
                column="max_distance",
            )
        # Two standard errors above the estimate, so that a pair passes for one judge only where that is nearly certain.
        surely = self.pairs["between"] + 2 * self.pairs["std_error"]
        return self.pairs[surely <= max_distance * self.pairs["within"] + _SHARE_TOLERANCE].reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """By attribute: the components, the standard error of ``between``, the ceiling, and how many judges there are.

        The components are as estimated: below 0 where there is next to nothing.
        """
        pairs = [split(column) for column in self.columns]
        judges = [[judge for of, judge in pairs if of == name] for name in self.attributes]
        return self.components.assign(
            between_error=self.std_errors["between"],
            ceiling=self.ceiling,
            judges=[len(names) for names in judges],
            models=[len({self.groups[judge] for judge in names}) for names in judges],
        )

    def __repr__(self) -> str:
        models = len(set(self.groups.values()))
        head = (
            f"Noise of {plural(len(self.judges), 'judge')} of {plural(models, 'model')}, "
            f"{plural(len(self.attributes), 'attribute')} of {plural(self.n_objects, 'object')}"
        )
        return "\n  ".join([head, *_shares(self.pooled), *_limits(self), *map(str, self.warnings)])

    def _repr_html_(self) -> str:
        rows = self.to_frame().to_html(float_format="{:.3g}".format, max_rows=20)
        return f"<p>{'<br>'.join(repr(self).splitlines())}</p>{rows}"

    def _worth(self, attribute: str, counts: Mapping[str, float]) -> float:
        _, between, prompt, within = self.used.loc[[attribute]].to_numpy(dtype=float)[0].tolist()
        # ``object`` is what all agree on: it is what is to be measured, and no noise.
        return effective_opinions(between, prompt, within, self._grouped(counts).values())

    def _grouped(self, counts: Mapping[str, float]) -> dict[str, list[float]]:
        grouped: dict[str, list[float]] = {}
        for judge, count in counts.items():
            grouped.setdefault(self.groups[judge], []).append(count)
        return grouped

    def _calls(self, repeats: Any) -> dict[str, dict[str, float]]:
        """Calls of each judge by attribute, as far as there are any."""
        if not isinstance(repeats, Mapping):
            raise PlanError(
                f"repeats must be a Plan or calls by column, not {type(repeats).__name__}.",
                value=repeats,
                column="repeats",
            )
        calls: dict[str, dict[str, float]] = {}
        for column, count in repeats.items():
            if column not in self.columns:
                columns = list_names(self.columns, limit=8)
                raise PlanError(
                    f"nobody's calls are known as {quote_value(column)}; there are "
                    f"{columns}.{suggest(column, self.columns)}",
                    value=column,
                    column="repeats",
                )
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
                raise PlanError(
                    f"the calls of {column!r} must be a whole number of 0 or more, not {quote_value(count)}.",
                    value=count,
                    row=column,
                    column="repeats",
                )
            name, judge = split(column)
            if count:
                calls.setdefault(name, {})[judge] = int(count)
        return calls


def by_judge(
    frame: Any,
    *,
    object: str = "object",
    attribute: str = "attribute",
    worker: str = "worker",
    value: str = "value",
) -> Judgments:
    """Take judgments apart by who gave them: a column ``"attribute @ worker"`` for each, whose repeats are the calls.

    Parameters
    ----------
    frame : Judgments, or a pandas, polars, pyarrow or duckdb table
        A row a judgment. A worker, which may be a model or a person, may judge the same pair any number of times.
    object, attribute, worker, value : str
        Names of the columns; those of Judgments are known.

    Examples
    --------
    >>> import pandas as pd
    >>> calls = pd.DataFrame({
    ...     "object": ["essay 1", "essay 1", "essay 1", "essay 2"],
    ...     "attribute": "tone",
    ...     "worker": ["gpt-small", "gpt-small", "gpt-large", "gpt-small"],
    ...     "value": [3, 4, 2, 5],
    ... })
    >>> by_judge(calls).counts()
    attribute  tone @ gpt-large  tone @ gpt-small
    object
    essay 1                   1                 2
    essay 2                   0                 1
    """
    if isinstance(frame, Judgments):
        return frame.by_judge()
    columns = take_columns(frame, {"object": object, "attribute": attribute, "worker": worker, "value": value})
    return Judgments.from_columns(columns_by_judge(columns, locate_from_zero), locate_from_zero)


def panel_variance(judgments: Judgments, *, groups: Mapping[str, str] | None = None) -> PanelVariance:
    """Tell what judges agree on from what they disagree about and from what changes with every call.

    Components of variance by moments: the calls of one judge about one object give ``within``; the difference of two
    judges' means about the same objects, less what their calls differ by, gives ``between`` where the two are of
    different models and ``prompt`` where they are of the same one; the covariance of the means of judges of different
    models gives ``object``. Judges need not have judged the same objects, nor equally often.

    Parameters
    ----------
    judgments : Judgments
        Over columns such as ``"tone @ gpt-small"``, as :func:`by_judge` makes them. What stands behind the last `` @ ``
        is the judge.
    groups : mapping, optional
        From judge to what it shares with others: the model behind several prompts or personas. Judges that are not in
        it are models of their own.

    Examples
    --------
    Four models, each called twice, whose own views of an object are as large as what they agree on:

    >>> from manyjudges.judges import by_judge, panel_variance
    >>> from manyjudges.simulate import simulate_panel
    >>> panel = simulate_panel(300, 3, between=1.0, within=0.2, random_state=0)
    >>> noise = panel_variance(by_judge(panel.frame))
    >>> noise
    Noise of 4 judges of 4 models, 3 attributes of 300 objects
      of the variance of one call, 45% is what all agree on, 46% a model's own view and 9% chance from call to call
      called without end, they are worth 4.8 independent opinions
    >>> noise.opinions({"criterion 1 @ model a": 10}).round(2)
                 calls  judges  models  opinions
    attribute
    criterion 1     10       1       1      1.18
    """
    columns = _columns(judgments)
    names, judges = (sorted({pair[i] for pair in columns}) for i in (0, 1))
    models = _models(judges, groups)
    place = {judge: i for i, judge in enumerate(judges)}
    parts, distances = {}, Distances(len(judges))
    for name in names:
        at = np.array([i for i, (of, _) in enumerate(columns) if of == name], dtype=np.int64)
        judge_of_column = [columns[i][1] for i in at]
        # Sums over all objects and, with the same effort, without each block of them: all components get their
        # jackknife errors from one pass.
        sums = JudgePairSums.over(judgments.cells(at)).left_out()
        parts[name] = VarianceComponents.of(
            sums, np.array([models[judge] for judge in judge_of_column], dtype=np.object_)
        )
        # Attributes have scales of their own, so that distances between judges are added up in shares of a call's
        # variance.
        distances.add(np.array([place[judge] for judge in judge_of_column], dtype=np.int64), sums)
    # The first entry is of all objects; those after it, each without a block, are the jackknife's.
    components, errors = _frame(parts, lambda part: part[0]), _frame(parts, jackknife_error)
    return PanelVariance(
        components=components,
        std_errors=errors,
        pooled=_pooled(components),
        pairs=_pairs(distances, judges),
        groups=models,
        columns=judgments.attributes,
        n_objects=len(judgments.objects),
        warnings=tuple(_warnings(components, columns, judgments)),
    )


def _columns(judgments: Judgments) -> list[tuple[str, str]]:
    """Attribute and judge of each column, of judgments that can be used."""
    if not isinstance(judgments, Judgments):
        raise JudgmentsError(
            f"judgments must be a Judgments, not {type(judgments).__name__}; make one with by_judge.",
            value=judgments,
            column="judgments",
        )
    columns = [split(name) for name in judgments.attributes]
    if len(judgments.objects) < _FEWEST_OBJECTS:
        raise MomentsError(
            f"{plural(len(judgments.objects), 'object')} cannot tell what judges agree on; it takes {_FEWEST_OBJECTS} "
            "or more, and some dozens to be of use.",
            value=len(judgments.objects),
            column="objects",
        )
    largest = np.abs(np.nan_to_num(judgments.cells().mean)).max(axis=0)
    if too_large := [name for name, most in zip(judgments.attributes, largest, strict=True) if most > _LARGEST_VALUE]:
        raise MomentsError(
            f"values of {list_names(too_large)} are too large to square; use another unit.", column=too_large[0]
        )
    return columns


def _models(judges: list[str], groups: Mapping[str, str] | None) -> dict[str, str]:
    """The model of each judge, itself unless told."""
    if not isinstance(groups, Mapping | None):
        raise JudgmentsError(
            f"groups must map judges to models, not be {quote_value(groups)}.", value=groups, column="groups"
        )
    models = dict(groups or {})
    if unknown := [name for name in models if name not in judges]:
        raise JudgmentsError(
            f"groups names {list_names(unknown)}, which has judged nothing here; the judges are "
            f"{list_names(judges, limit=8)}.{suggest(unknown[0], judges)}",
            value=unknown[0],
            column="groups",
        )
    if wrong := [name for name, model in models.items() if not isinstance(model, str) or not model.strip()]:
        raise JudgmentsError(
            f"the group of {wrong[0]!r} must be a name, not {quote_value(models[wrong[0]])}.",
            value=models[wrong[0]],
            row=wrong[0],
            column="groups",
        )
    return {judge: models.get(judge, judge) for judge in judges}


def _frame(components: Mapping[str, VarianceComponents], pick: Callable[[Floats], Any]) -> pd.DataFrame:
    columns = {name: [float(pick(getattr(parts, name))) for parts in components.values()] for name in COMPONENTS}
    return table(columns, index=list(components), index_name="attribute")


def _pooled(components: pd.DataFrame) -> pd.Series[float]:
    """Shares of a call's variance, averaged over the attributes where they are known."""
    used = components.clip(lower=0)
    # Where no model has two prompts, what prompts add is part of ``between``, and 0 here would say that they add
    # nothing.
    has_prompts = used["prompt"].notna().any()
    used = used.assign(prompt=used["prompt"].fillna(0.0)).dropna()
    used = used[used.sum(axis=1) > 0]
    # Shares are averaged, not variances, or the attribute with the widest scale would be all of it.
    shares = used.div(used.sum(axis=1), axis=0).mean()
    return shares if has_prompts else shares.where(shares.index != "prompt")


def _pairs(distances: Distances, judges: list[str]) -> pd.DataFrame:
    """Every two judges who judged the same, the nearest first."""
    freedom = distances.freedom[0] if np.ndim(distances.freedom) else np.zeros((len(judges), len(judges)))
    first, second = np.nonzero(np.triu(freedom > 0, 1))
    # The first row is of all objects, the others are without a block each, as jackknife_error takes them.
    apart = distances.between()[:, first, second] if len(first) else np.zeros((1, 0))
    order = np.argsort(apart[0], kind="stable")
    first, second, named = first[order], second[order], np.array(judges, dtype=np.object_)
    return table(
        {
            "judge": named[first],
            "other": named[second],
            "freedom": freedom[first, second].astype(np.int64),
            "between": apart[0][order],
            "std_error": jackknife_error(apart)[order],
            "within": distances.within[first, second] / freedom[first, second] if len(first) else np.array([]),
        }
    )


def _warnings(components: pd.DataFrame, columns: list[tuple[str, str]], judgments: Judgments) -> Iterator[DataWarning]:
    """What cannot be told from these judgments, or not well."""
    silent = list(components.index[components["within"].isna()])
    if silent:
        yield DataWarning(
            f"No judge was asked twice about {list_names(silent)} of any object, so what differs from call to call "
            "cannot be told from what judges disagree about (NaN). Repeat some calls.",
            "no_repeats",
            {"attributes": silent},
        )
    alone = list(components.index[components["between"].isna() & components["within"].notna()])
    if alone:
        yield DataWarning(
            f"No two models judged {list_names(alone)} of the same objects, so what a model's own view adds cannot be "
            "known (NaN), however often it is called. Ask another model about some of them.",
            "one_judge",
            {"attributes": alone},
        )
    if len(judgments.objects) < _FEW_OBJECTS:
        yield DataWarning(
            f"{len(judgments.objects)} objects are few: the variances are off by a quarter or more. Judge "
            f"{_FEW_OBJECTS} or more.",
            "panel_few_objects",
            {"n_objects": len(judgments.objects)},
        )


def _shares(pooled: pd.Series[float]) -> list[str]:
    """What a call's variance is made of, in words, where that is known."""
    words = {
        "object": "what all agree on",
        "between": "a model's own view",
        "prompt": "a prompt's",
        "within": "chance from call to call",
    }
    parts = [f"{pooled[name]:.0%} {description}" for name, description in words.items() if np.isfinite(pooled[name])]
    head, *rest = parts or [""]
    return [f"of the variance of one call, {listed([head.replace('% ', '% is ', 1), *rest])}"] if rest else []


def _limits(noise: PanelVariance) -> list[str]:
    """What the judges are worth at most, in words, where that is known."""
    ceilings = noise.ceiling.dropna()
    if not len(ceilings):
        return []
    spans = dict.fromkeys(number(most, 2) for most in (ceilings.min(), ceilings.max()))
    return [f"called without end, they are worth {' to '.join(spans)} independent opinions"]
