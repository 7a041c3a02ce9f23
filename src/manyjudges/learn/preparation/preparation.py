"""Preparation: what is done to judgments before they are averaged, and to moments before a plan is made from them."""

from __future__ import annotations

__all__ = ["Preparation"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from manyjudges.base import documents
from manyjudges.base.formatting import in_units
from manyjudges.exceptions import DocumentError
from manyjudges.judges.worker_effects import EFFECT_KINDS, WorkerEffects, estimate_worker_effects
from manyjudges.learn.preparation.rescaling import Rescaling, with_rescalings
from manyjudges.tables.judgments import Judgments


@dataclass(frozen=True)
class Trial:
    """One thing that was tried.

    Attributes
    ----------
    step : {"rescale", "worker_effects", "joint_moments", "predictor"}
    tried : str
        ``"plain"``, ``"best_linear"``, or what was done instead.
    loss : float or None
        Squared error on held-out objects; None where it was not measured.
    kept : bool
    note : str
        Why it was not tried, or what was decided without.
    """

    step: str
    tried: str
    loss: float | None
    kept: bool
    note: str = ""

    @property
    def error(self) -> float | None:
        """RMSE on held-out objects."""
        return None if self.loss is None else in_units(self.loss)

    def to_document(self) -> dict[str, Any]:
        """The trial as plain JSON."""
        told = {"step": self.step, "tried": self.tried, "error": self.error, "kept": self.kept}
        return told | {"note": self.note}


@dataclass(frozen=True, eq=False)
class Preparation:
    """What is done to judgments before they are averaged, and how moments are estimated from them.

    Attributes
    ----------
    rescalings : mapping of str to Rescaling
        Of attributes whose judgments are averaged on another scale.
    worker_effects : {"none", "random", "fixed"}
        How workers' effects are estimated that are taken off judgments.
    joint_moments : bool
        Whether the moments of attributes and label are estimated together.
    curved : bool
        Whether the predictor adds a curve to the straight line.
    effects : WorkerEffects, optional
        The effects, once they have been estimated.
    trials : tuple of Trial
        How that was decided; not kept in documents.
    """

    rescalings: Mapping[str, Rescaling] = field(default_factory=lambda: MappingProxyType({}))
    worker_effects: str = "none"
    joint_moments: bool = False
    curved: bool = False
    effects: WorkerEffects | None = None
    trials: tuple[Trial, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether everything is left as it is, and the predictor is a straight line."""
        return not (self.rescalings or self.joint_moments or self.curved) and self.worker_effects == "none"

    def of_training(self, judgments: Judgments) -> tuple[Judgments, Preparation]:
        """Judgments to learn from as they are averaged, and the preparation with the effects of their workers."""
        scaled = with_rescalings(judgments, self.rescalings)
        if self.worker_effects == "none":
            return scaled, self
        cells = scaled.cells()
        noise, variances = _variances(cells)
        effects, corrections = estimate_worker_effects(scaled, self.worker_effects, noise, variances)
        return scaled.with_values(scaled.rows().values - corrections), replace(self, effects=effects)

    def apply(self, judgments: Judgments) -> Judgments:
        """Judgments of new objects as they are averaged; those of workers nobody knows are not corrected."""
        scaled = with_rescalings(judgments, self.rescalings)
        if self.effects is None:
            return scaled
        return scaled.with_values(scaled.rows().values - self.effects.corrections(scaled))

    def only(self, attributes: Sequence[str]) -> Preparation:
        """What it does to some of the attributes."""
        rescalings = {name: self.rescalings[name] for name in attributes if name in self.rescalings}
        return replace(
            self, rescalings=rescalings, effects=None if self.effects is None else self.effects.only(attributes)
        )

    @property
    def document(self) -> dict[str, Any] | None:
        """What was decided, for a plan to keep; None where nothing was done."""
        return None if self.is_plain else self.to_document()

    def to_document(self, *, with_effects: bool = False) -> dict[str, Any]:
        """What was decided, as plain JSON; perhaps with each worker's effects."""
        document: dict[str, Any] = {
            "rescalings": {name: scale.to_document() for name, scale in self.rescalings.items()},
            "worker_effects": self.worker_effects,
            "joint_moments": self.joint_moments,
            "curved": self.curved,
        }
        if with_effects and self.effects is not None:
            own = self.effects
            rows = zip(map(str, own.workers), own.values.tolist(), strict=True)
            document["effects"] = {
                "strength": own.strength,
                "attributes": list(own.attributes),
                "workers": dict(rows),
            }
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any] | None) -> Self:
        """Read what :meth:`to_document` gave."""
        if document is None:
            return cls()
        found = documents.field(document, "rescalings", dict)
        kind = documents.field(document, "worker_effects", str)
        if kind not in ("none", *EFFECT_KINDS):
            raise DocumentError(
                f"worker_effects must be 'none', 'random' or 'fixed', not {kind!r}.",
                value=kind,
                column="worker_effects",
            )
        flags = {name: document.get(name, False) for name in ("joint_moments", "curved")}
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise DocumentError(f"{name} must be true or false, not {value!r}.", value=value, column=name)
        read = {str(name): Rescaling.from_document(each) for name, each in found.items()}
        return cls(read, kind, **flags, effects=_read_effects(document, kind))


UNCHANGED = Preparation()
"""Nothing is done: the paper's estimates from judgments as they are."""


def _read_effects(document: Mapping[str, Any], kind: str) -> WorkerEffects | None:
    if document.get("effects") is None:
        return None
    own = documents.field(document, "effects", dict)
    names, workers = tuple(documents.field(own, "attributes", list)), documents.field(own, "workers", dict)
    try:
        values = np.array(list(workers.values()), dtype=float).reshape(len(workers), len(names))
    except (TypeError, ValueError) as error:
        raise DocumentError(f"the effects of workers cannot be read: {error}.", column="effects") from None
    return WorkerEffects(kind, documents.number(own, "strength"), names, np.array(list(workers), dtype=object), values)


def _variances(cells: Any) -> tuple[Any, Any]:
    """Variance of each attribute within objects and between them, from its own judgments alone."""
    tally = cells.tally()
    noise = tally.variance / np.maximum(tally.repeated, 1)
    objects = np.maximum(tally.single + tally.repeated, 1)
    there = cells.count > 0
    mean = np.where(there, cells.mean, 0.0).sum(axis=0) / objects
    scatter = np.where(there, (cells.mean - mean) ** 2, 0.0).sum(axis=0) / objects
    error = (tally.variance_of_mean + tally.single * noise) / objects
    # Where objects hardly differ, their effects count for as much as a tenth of the noise.
    return noise, np.maximum(scatter - error, 0.1 * noise)
