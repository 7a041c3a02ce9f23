"""Concerns: when data can be used, but can hardly carry the question."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from manyjudges.base.messages import list_names
from manyjudges.core.estimation import error_of_means
from manyjudges.core.moments import Moments
from manyjudges.exceptions import DataWarning, MomentsError
from manyjudges.judges.dependence import Independence, check_independence
from manyjudges.tables.judgments import Judgments

# The rules below come from crowds of simulate.gaussian with 3 to 30 attributes and 10 to 500 objects, two judgments a
# pair, and plans of two judgments an attribute: the loss that the plan projected against its true one.

OBJECTS_PER_ATTRIBUTE = 5
"""Below this, the true loss was more than twice the projected one.

10 attributes (medians, as shares of the label's variance): projected 0.03, true 0.89 with 20 objects; 0.17 and 0.87
with 30; 0.27 and 0.60 with 60; 0.30 and 0.42 with 200. 30 attributes: 0.06 and 0.68 with 60, 0.13 and 0.56 with 100,
0.22 and 0.46 with 200, 0.26 and 0.37 with 500.
"""

FEW_OBJECTS = 30
"""Of fewer objects, not even three attributes can be learned: projected 0.34, true 0.57 with 20; 0.35 and 0.50 with 30.
"""

NEGATIVE_SHARE = 0.2
"""Share of the eigenvalues that is negative, from which noise drowns what attributes have to tell.

With noise of 3 to 10 times the variance of the true values, 100 objects and 10 attributes have a share of 0.23, and the
plan projected 0.37 where the truth was 0.74; 200 objects 0.12, 0.52 and 0.72; 500 objects 0.05, 0.53 and 0.62. With
noise of 0.3 to 3 times, a share of 0.2 is met only where there are no more objects than attributes.
"""

ALIKE = 1e-5
"""Share of an attribute's variance below which its noise is none."""

FEW_PAIRS = 20
"""Pairs with two judgments below which an estimate of the noise is off by a third or more.

Of 500 objects, of which only so many had a second judgment, the plan's true loss was 30 and 87 % above the best one's
(medians; 5 and 20 attributes) with 10 such pairs, 15 and 59 % with 20, 8 and 38 % with 50, 1 and 9 % with 500.
"""


def check_data(
    moments: Moments, judgments: Judgments | None = None, *, workers: Independence | None = None
) -> tuple[DataWarning, ...]:
    """What speaks against relying on a plan made from these moments; nothing, if all is well.

    Each concern is a :class:`DataWarning`, whose text says what is wrong, what it does to the result and what to do.
    Its ``kind`` is

    - ``"few_objects"``: too few objects for so many attributes.
    - ``"negative_eigenvalues"``: taking the noise off leaves a covariance that no true values can have.
    - ``"few_pairs"``: the noise of an attribute rests on few pairs with two judgments.
    - ``"identical_judgments"``: of an attribute that takes many values, different judgments are always the same.
    - ``"dependent_workers"``: the same worker's judgments move together, as :func:`check_independence` finds.

    Parameters
    ----------
    moments : Moments
        Those that were given or regularized do not know what they came from, and give no second or third concern.
    judgments : Judgments, optional
        What the moments were estimated from, for the last two.
    workers : Independence, optional
        What :func:`check_independence` says of them, if that is at hand.

    Examples
    --------
    >>> from manyjudges import Moments, simulate
    >>> crowd = simulate.gaussian(60, 20, random_state=0)
    >>> for concern in check_data(Moments.estimate(crowd.pilot(3), crowd.labels)):
    ...     print(concern.kind, concern.values["n_objects"])
    few_objects 60
    """
    if not isinstance(moments, Moments):
        raise MomentsError(f"check_data needs Moments, not {type(moments).__name__}; make them with Moments.estimate.")
    moments = moments.to_numpy()
    found = [*_few_objects(moments), *_negative_eigenvalues(moments), *_few_pairs(moments)]
    if judgments is not None:
        found += [*_copies(moments, judgments), *_dependent_workers(judgments, workers)]
    return tuple(found)


def _few_objects(moments: Moments) -> Iterator[DataWarning]:
    n, d = moments.n_objects, len(moments.attributes)
    enough = max(FEW_OBJECTS, OBJECTS_PER_ATTRIBUTE * d)
    if 0 < n < enough:  # none at all are those of a known truth
        yield DataWarning(
            f"There are {n:,} objects for {d:,} attribute{'s' * (d != 1)}: so few that chance passes for knowledge, "
            f"and the true error can be twice the projected one or more. Judge and label {enough:,} objects or more, "
            "or leave attributes out.",
            "few_objects",
            {"n_objects": n, "n_attributes": d, "enough": enough},
        )


def _negative_eigenvalues(moments: Moments) -> Iterator[DataWarning]:
    below, of = moments.removed, int(np.count_nonzero(moments.scale > 0))
    share = _negative_share(moments)
    if share >= NEGATIVE_SHARE:
        yield DataWarning(
            f"Workers disagree so much that, with their noise taken off, {share:.0%} of what attributes have in common "
            f"comes out negative ({len(below):,} of {of:,} eigenvalues), which no true values can have. "
            "It is set to zero, and the projected error is then too low, often by half. Collect more judgments a "
            "pair or more objects, or leave the noisiest attributes out.",
            "negative_eigenvalues",
            {"share": share, "smallest": float(below.min()), "negative": len(below), "of": of},
        )


def _negative_share(moments: Moments) -> float:
    """Of the covariance before it was made positive semi-definite, in standardized units: negative among all."""
    if (sums := moments.sums) is None or not len(moments.removed):
        return 0.0
    negative = float(np.abs(moments.removed).sum())
    # The eigenvalues add up to the trace. A diagonal element is 1, but for the error of the means.
    used = moments.scale > 0
    exact = np.array([name in moments.noiseless for name in moments.attributes], dtype=bool)
    error = error_of_means(sums, moments.noise, exact)
    trace = float(np.sum(1 - error[used] / moments.scale[used] ** 2))
    return negative / (trace + 2 * negative)


def _few_pairs(moments: Moments) -> Iterator[DataWarning]:
    if (sums := moments.sums) is None:
        return
    noisy = np.array([name not in moments.noiseless for name in moments.attributes], dtype=bool)
    few = np.flatnonzero(noisy & (sums.repeated < FEW_PAIRS))
    if not len(few):
        return
    # Of normal noise: a variance from f spare judgments has a relative standard error of √(2/f).
    spare = (sums.judgments - sums.repeated - sums.single)[few]
    error = np.sqrt(2 / np.maximum(spare, 1))
    least = int(sums.repeated[few].min())
    names = tuple(moments.attributes[i] for i in few)
    yield DataWarning(
        f"The noise of {list_names(names)} is known from few objects with two or more judgments of it ({least:,}"
        f"{' at the least' if len(few) > 1 else ''}), to within {error.max():.0%} either way; a plan may then ask for "
        f"too many judgments or too few. Collect a second judgment on {FEW_PAIRS} objects or more.",
        "few_pairs",
        {
            "attributes": names,
            "pairs": tuple(sums.repeated[few].tolist()),
            "relative_error": tuple(error.tolist()),
            "enough": FEW_PAIRS,
        },
    )


def _copies(moments: Moments, judgments: Judgments) -> Iterator[DataWarning]:
    """Of a yes or no, all may well think the same; of a number, nobody guesses exactly what somebody else does."""
    alike = (moments.noise <= ALIKE * moments.variances) & (moments.variances > 0) & (moments.judgments > 0)
    names = [name for name, same in zip(moments.attributes, alike, strict=True) if same]
    names = [name for name in names if name not in moments.noiseless and name in judgments.attributes]
    if not names:
        return
    rows = judgments.only(names).rows()
    many = [len(np.unique(rows.values[rows.attributes == i])) > 2 for i in range(len(names))]
    if same := tuple(name for name, each in zip(names, many, strict=True) if each):
        yield DataWarning(
            f"Different judgments of {list_names(same)} are all but identical, as copies of one opinion "
            f"are; six copies "
            "are not six opinions, and a plan takes one of them for certain. If it is measured without error, name it "
            "in noiseless (--noiseless); if not, find out why nobody disagrees.",
            "identical_judgments",
            {"attributes": same},
        )


def _dependent_workers(judgments: Judgments, known: Independence | None) -> Iterator[DataWarning]:
    if not len(judgments.workers):
        return
    found = known or check_independence(judgments)
    if found.broken:
        yield DataWarning(
            found.message,
            "dependent_workers",
            {
                "halo": found.halo,
                "halo_error": found.halo_error,
                "answers": found.answers,
                "opinions": found.opinions,
                "bias_share": found.bias_share,
                "shared_noise": found.shared_noise,
            },
        )
