"""Summaries made up of plain numbers, for what is drawn of them."""

from __future__ import annotations

import numpy as np

from manyjudges.summary import AttributeMap, Reliability

WORDS = ("tall", "male", "age in years", "smiling", "glasses", "beard", "standing", "indoors", "teeth visible", "slim")


def names_of(many: int, long: bool = False) -> tuple[str, ...]:
    tail = " as seen by somebody who looks twice" if long else ""
    return tuple(f"{WORDS[i % len(WORDS)]} {i}{tail}" for i in range(many))


def attribute_map_of(names: tuple[str, ...], seed: int = 0) -> AttributeMap:
    rng = np.random.default_rng(seed)
    many = len(names)
    repeats = np.where(rng.random(many) < 0.25, rng.integers(1, 18, many), 0)
    return AttributeMap(
        attributes=names,
        correlation=np.clip(rng.normal(0, 0.3, many), -1, 1),
        noise_ratio=np.exp(rng.normal(0, 0.8, many)),
        mean=np.zeros(many),
        deviation=np.ones(many),
        repeats=repeats,
        share=repeats / max(repeats.sum(), 1),
    )


def reliability_of(names: tuple[str, ...], seed: int = 0) -> Reliability:
    rng = np.random.default_rng(seed)
    many, numbers = len(names), (1, 2, 3, 5, 10, 20, 50)
    icc = rng.uniform(0.05, 0.9, many)
    projected = np.array([[n * i / (1 + (n - 1) * i) for n in numbers] for i in icc])
    return Reliability(
        attributes=names,
        n_objects=np.full(many, 100),
        n_judgments=np.full(many, 200),
        k=np.full(many, 2.0),
        object_variance=icc,
        noise_variance=1 - icc,
        worker_variance=np.full(many, np.nan),
        icc1=icc,
        icc1_low=icc - 0.05,
        icc1_high=icc + 0.05,
        icck=projected[:, 1],
        numbers=numbers,
        projected=projected,
        targets=(0.7, 0.8, 0.9),
        needed=np.ceil(np.outer(1 / icc - 1, [7 / 3, 4, 9])),
    )
