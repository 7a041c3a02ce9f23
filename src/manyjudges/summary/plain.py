"""Results of other rooms as plain numbers and tables, for the terminal and for JSON."""

from __future__ import annotations

__all__ = [
    "overview",
    "predictions",
    "purchase",
    "purchase_by_attribute",
    "warnings",
]

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.core.moments import Moments
from manyjudges.exceptions import DataWarning
from manyjudges.learn.predictor import Predictor
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.judgments import Judgments


def overview(data: TrainingData, moments: Moments) -> dict[str, Any]:
    """What there is: counts, the label, and a row for each attribute, the most predictive first.

    Correlations are at most 1, which estimates from few objects may pass. How many workers there are is not known of a
    table that was scanned.
    """
    pairs = data.pair_counts
    table = moments.to_frame()
    most = float(np.sqrt(moments.label_variance))
    limits = {"correlation": 1.0, "correlation_per_sigma": most}
    table = table.assign(**{name: table[name].clip(-limit, limit) for name, limit in limits.items()})
    table = table.iloc[np.argsort(-table["correlation"].abs().fillna(-1).to_numpy(), kind="stable")]
    return {
        "n_judgments": data.n_judgments,
        "n_objects": moments.n_objects,
        "n_attributes": len(moments.attributes),
        "n_workers": None if data.table is None else len(data.table.workers),
        "judgments_per_pair": {"least": min(pairs), "most": max(pairs)},
        "label_mean": moments.label_mean,
        "label_deviation": most,
        "attributes": [
            {key: None if pd.isna(value) else value for key, value in row.items()}
            for row in table.reset_index().to_dict(orient="records")
        ],
    }


def predictions(predictor: Predictor, judgments: Judgments) -> pd.DataFrame:
    """Prediction and standard deviation of its error for each object."""
    predicted, deviations = predictor.predict(judgments, return_std=True)
    return pd.DataFrame({"object": judgments.objects, "prediction": predicted, "std": deviations})


def warnings(data_warnings: Iterable[DataWarning]) -> list[dict[str, Any]]:
    """What speaks against relying on a result, as plain values."""
    return [
        {
            "code": warning.code,
            "kind": warning.kind,
            "severity": warning.severity,
            "message": str(warning),
            "values": warning.values,
        }
        for warning in data_warnings
    ]


def purchase(missing: pd.DataFrame) -> dict[str, Any]:
    """What a table of missing judgments adds up to."""
    return {
        "n_judgments": int(missing["count"].sum()),
        "n_pairs": len(missing),
        "n_objects": int(missing["object"].nunique()),
        "cost": float(missing["cost"].sum()),
    }


def purchase_by_attribute(missing: pd.DataFrame) -> pd.DataFrame:
    """What is missing of each attribute: objects, judgments and their cost."""
    grouped = missing.groupby("attribute", sort=True)
    return grouped.agg(objects=("object", "nunique"), judgments=("count", "sum"), cost=("cost", "sum"))
