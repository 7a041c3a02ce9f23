"""Labels that are numbers: squared error, estimated without bias for judgments that were never collected.

For any weights w and any repeats r, also more than there are, ::

    ℓ_r(w, x, y) = (w·x̄ - y)² + Σ w[i]² VarEst[i] (1/r[i] - 1/k[i])

is an unbiased estimate of the squared error under r from k ≥ 2 judgments of an object (the paper's Lemma on ℓ_r).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.moments import Moments
from manyjudges.learn.labels.kind import LabelKind
from manyjudges.tables.label_columns import as_floats


def held_out_losses(parts: Sequence[Sums], trained: Moments, w: Floats, repeats: Integers) -> Floats:
    """ℓ_r of predictions ``label_mean + w·(x̄ - means)``, summed over the objects of each part.

    Objects may lack attributes: a product then stands for the objects that have both, and an object with a single
    judgment has the noise of the others.
    """
    at = np.flatnonzero(repeats)
    # About the training means and label mean: the predictor is label_mean + w·(x̄ - means), and a held-out object must
    # not move them.
    own = [part.only(at).materialized().around(trained.means[at], trained.label_mean) for part in parts]
    w, r, n = w[at], repeats[at], sum(part.n_objects for part in own)
    exact = np.array([trained.attributes[i] in trained.noiseless for i in at], dtype=bool)
    objects, repeated = sum(part.objects for part in own), sum(part.repeated for part in own)
    overlap = sum(_counts(part.overlap) for part in own)
    variance = sum(part.variance for part in own)
    # VarEst needs k ≥ 2. Where k = 1 it is borrowed: the mean variance of the held-out objects that have two judgments
    # or, if none has, of the training ones. Both estimate the same noise, which v is the mean of over objects.
    noise = np.where(repeated > 0, variance / np.maximum(repeated, 1), trained.noise[at]) * ~exact
    # Sums are over the objects that have the attribute; n / objects times as much stands for all n of them.
    share = n / np.maximum(objects, 1)
    # A pair of attributes that nobody here was judged on both of goes together as in training.
    apart = np.where(overlap > 0, 0.0, trained.matrix.block(at))
    # As for ``share``: a product summed over the objects that have both stands for all n.
    both = np.outer(w, w) * n / np.maximum(overlap, 1)
    losses = []
    for part in own:
        # ℓ_r = (w·x̄ - y)² + Σ w[i]² VarEst[i] (1/r[i] - 1/k[i]), with x̄ and y about their training
        # means. Here variance is Σ VarEst over the part's objects, and variance_of_mean is Σ VarEst / k.
        one_judgment = np.where(exact, 0.0, part.variance) + part.single * noise
        judgments_at_hand = np.where(exact, 0.0, part.variance_of_mean) + part.single * noise
        # (w·x̄ - y)² = Σ w[i] w[j] x̄[i] x̄[j] - 2 Σ w[i] x̄[i] y + y², summed over objects.
        quadratic = float(np.sum(both * part.products.dense)) + part.n_objects * float(w @ apart @ w)
        linear = float((w * share) @ part.cross)
        # Σ w² VarEst / r: the noise that r judgments will have, in the place of that which k of them have.
        correction = float((w**2 * share) @ (one_judgment / r - judgments_at_hand))
        losses.append(quadratic - 2 * linear + part.label_scatter + correction)
    return np.array(losses)


def _counts(overlap: Integers | None) -> Integers:
    return np.zeros((0, 0), dtype=np.int64) if overlap is None else overlap


NUMBER = LabelKind("number", "a finite number for each object", "error (RMSE)", as_floats, held_out_losses)
