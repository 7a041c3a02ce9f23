"""Crowds whose judgments depend on each other, by halo and by bias."""

from __future__ import annotations

import numpy as np
import pandas as pd


def crowd(rng, *, n_objects=150, d=5, n_workers=50, k=3, halo=0.0, bias=0.0, signs=None):
    """Every object judged on all attributes by the same k workers; noise has variance 1, of which bias is a share."""
    signs = np.ones(d) if signs is None else np.asarray(signs)
    who = np.array([rng.choice(n_workers, k, replace=False) for _ in range(n_objects)])
    shared = rng.normal(size=(n_objects, k, 1)) * signs
    own = rng.normal(size=(n_objects, k, d))
    noise = np.sqrt(1 - bias) * (np.sqrt(halo) * shared + np.sqrt(1 - halo) * own)
    noise += np.sqrt(bias) * rng.normal(size=(n_workers, d))[who]
    values = rng.normal(size=(n_objects, 1, d)) + noise
    o, w, a = (axis.ravel() for axis in np.indices(values.shape))
    return pd.DataFrame({"object": o, "attribute": [f"a{i}" for i in a], "worker": who[o, w], "value": values.ravel()})
