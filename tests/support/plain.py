"""Plain twins, the slow and obvious way to what the package does in a fast one, and problems to try them on."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from manyjudges import Moments

TIE = 1e-7  # pseudo-inverses do not tell true ties apart more finely


def random_moments(rng, d, *, noiseless=0.2, rank=None, least_noise=0.05):
    """Moments as they could be: cross in the range of a covariance, which may be singular."""
    rank = d if rank is None else rank
    root = rng.normal(size=(d, max(rank, 1))) * rng.uniform(0.1, 3, size=(d, 1))
    covariance = root @ root.T / max(rank, 1)
    w = rng.normal(size=d)
    noise = np.exp(rng.uniform(np.log(least_noise), np.log(4), size=d)) * np.diag(covariance)
    noise[rng.random(d) < noiseless] = 0.0
    label_variance = float(w @ covariance @ w * rng.uniform(1.05, 3) + 1e-3)
    return Moments.from_values(covariance @ w, noise, covariance, label_variance)


def random_costs(rng, d, kind):
    """Prices of judgments, all the same, whole or real; None where all the same."""
    return {"equal": None, "whole": rng.integers(1, 5, size=d), "real": rng.uniform(0.3, 3, size=d)}[kind]


def random_caps(rng, d):
    """The most judgments of each attribute; for half of them as many as one likes."""
    return np.where(rng.random(d) < 0.5, rng.integers(0, 4, size=d), np.inf)


def unbalanced_frame(rng, n_objects=30, attributes=("a", "b", "c"), max_repeats=4, absent=0.15):
    """Random judgments whose number differs by object and attribute; some pairs have one or none."""
    rows = []
    for o in range(n_objects):
        truth = rng.normal(size=len(attributes)) + rng.normal()
        for i, a in enumerate(attributes):
            n = 0 if rng.random() < absent else int(rng.integers(1, max_repeats + 1))
            rows += [(f"o{o:03d}", a, truth[i] + rng.normal() * (i + 1)) for _ in range(n)]
    return pd.DataFrame(rows, columns=["object", "attribute", "value"])


def plain_explained(moments, repeats):
    """obj(r) by a pseudo-inverse, word for word as in the paper's Alg. 1."""
    chosen = np.flatnonzero(repeats)
    if len(chosen) == 0:
        return 0.0
    b = moments.cross[chosen]
    m_r = moments.covariance[np.ix_(chosen, chosen)] + np.diag(moments.noise[chosen] / np.asarray(repeats)[chosen])
    # Standardized first: the pseudo-inverse's cut-off is relative to the largest eigenvalue.
    scale = np.sqrt(np.where(np.diag(m_r) > 0, np.diag(m_r), 1.0))
    standard = m_r / np.outer(scale, scale)
    return float((b / scale) @ np.linalg.pinv(standard, rcond=1e-11, hermitian=True) @ (b / scale))


def plain_scoring_objective(moments, repeats):
    """Eq. (1) of the paper."""
    total = 0.0
    for b, v, s, r in zip(moments.cross, moments.noise, np.diag(moments.covariance), repeats, strict=True):
        if r > 0 and s + v / r > 0:
            total += b**2 / (s + v / r)
    return total


def plain_greedy(objective, moments, budget, costs=None, *, nothing=1e-13):
    """Greedy by asking the objective about every attribute at every step: B·d evaluations."""
    d = len(moments.cross)
    costs = np.ones(d) if costs is None else np.asarray(costs, dtype=float)
    repeats, left, now, path = np.zeros(d, dtype=int), float(budget), 0.0, []
    while True:
        worth = np.zeros(d)
        for i in np.flatnonzero(costs <= left + 1e-9 * budget):
            gain = objective(moments, repeats + np.eye(d, dtype=int)[i]) - now
            worth[i] = gain / costs[i] if gain > nothing * moments.label_variance else 0.0
        if worth.max(initial=0.0) <= 0:
            return repeats, path
        i = int((worth >= worth.max() * (1 - TIE)).argmax())
        repeats[i] += 1
        left -= costs[i]
        now = objective(moments, repeats)
        path.append(i)


def all_plans(d, budget, costs=None):
    """Every repeat vector that the budget allows."""
    costs = np.ones(d) if costs is None else np.asarray(costs)
    ranges = [range(int((budget + 1e-9) // c) + 1) for c in costs]
    for repeats in itertools.product(*ranges):
        if np.dot(repeats, costs) <= budget + 1e-9:
            yield np.array(repeats)


def plain_moments(frame, labels):
    """The estimates, one object and one pair of attributes at a time."""
    attributes = sorted(frame["attribute"].unique())
    objects = sorted(frame["object"].unique())
    judged = {key: group.to_numpy() for key, group in frame.groupby(["object", "attribute"])["value"]}
    y = np.array([labels[o] for o in objects])
    d = len(attributes)
    mean = {a: np.mean([judged[o, a].mean() for o in objects if (o, a) in judged]) for a in attributes}
    noise, cross, covariance = np.zeros(d), np.zeros(d), np.zeros((d, d))
    for i, a in enumerate(attributes):
        noise[i] = np.mean([x.var(ddof=1) for (_, b), x in judged.items() if b == a and len(x) > 1])
        having = [o for o in objects if (o, a) in judged]
        cross[i] = np.mean([(judged[o, a].mean() - mean[a]) * (labels[o] - y.mean()) for o in having])
        for j, b in enumerate(attributes):
            both = [o for o in having if (o, b) in judged]
            covariance[i, j] = np.mean(
                [(judged[o, a].mean() - mean[a]) * (judged[o, b].mean() - mean[b]) for o in both]
            )
    scale = np.sqrt(np.diag(covariance))
    for i, a in enumerate(attributes):
        sizes = [judged[o, a] for o in objects if (o, a) in judged]
        covariance[i, i] -= np.mean([(x.var(ddof=1) if len(x) > 1 else noise[i]) / len(x) for x in sizes])
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    psd = (vectors * np.maximum(values, 0)) @ vectors.T * np.outer(scale, scale)
    return {"cross": cross, "noise": noise, "covariance": psd, "label_variance": y.var(), "smallest": values.min()}


def plain_nearest_psd(matrix, scale):
    """All eigenvectors in standardized units, the negative eigenvalues set to zero; and those that were negative."""
    used = np.flatnonzero(scale > 0)
    units = np.outer(scale[used], scale[used])
    values, vectors = np.linalg.eigh(matrix[np.ix_(used, used)] / units)
    out = np.zeros_like(matrix)
    out[np.ix_(used, used)] = (vectors * np.maximum(values, 0)) @ vectors.T * units
    return out, values[values < -1e-12]


def plain_due(counts, picks, costs, limit):
    """What a campaign asks for next: pick after pick, object after object, while there is money."""
    n, d = counts.bought.shape
    have = (counts.bought + counts.pending).tolist()
    left = np.inf if limit is None else limit * (1 + 1e-9) - float(np.sum(have, axis=0) @ costs)
    due = [[0] * d for _ in range(n)]
    for step, a in enumerate(picks):
        number = list(picks[:step]).count(a)
        if sum(not counts.dry[i, a] or counts.bought[i, a] > number for i in range(n)) < n / 2:
            continue  # more than half of the objects cannot have it
        for i in range(n):
            if have[i][a] <= number and not counts.dry[i, a] and costs[a] <= left:
                due[i][a] += 1
                left -= costs[a]
    return due


def plain_icc(frame, attribute):
    """ICC(1), ICC(1,k), k0 and both mean squares of one attribute, word for word as in McGraw and Wong (1996)."""
    groups = [g["value"].to_numpy(dtype=float) for _, g in frame[frame["attribute"] == attribute].groupby("object")]
    everything = np.concatenate(groups)
    n, total = len(groups), len(everything)
    k = (total - sum(len(g) ** 2 for g in groups) / total) / (n - 1)
    between = sum(len(g) * (g.mean() - everything.mean()) ** 2 for g in groups) / (n - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (total - n)
    mean_icc = (between - within) / between if between > 0 else -np.inf
    return (between - within) / (between + (k - 1) * within), mean_icc, k, between, within


def plain_worker_effects(frame, strength, shrink, rounds=12):
    """Effects of workers by dictionaries and loops, and what to take off each judgment: its worker's, elsewhere."""
    corrections, effects = np.zeros(len(frame)), {}
    for name, own in frame.groupby("attribute"):
        rows = [
            (o, w, x - own["value"].mean()) for o, w, x in own[["object", "worker", "value"]].itertuples(index=False)
        ]
        by_object, by_worker = (sorted({row[i] for row in rows}) for i in (0, 1))
        effect = dict.fromkeys(by_worker, 0.0)
        for _ in range(rounds):
            mean = {}
            for o in by_object:
                away = [x - effect[w] for other, w, x in rows if other == o]
                mean[o] = sum(away) / (len(away) + shrink[name])
            rest = [(o, w, x - mean[o]) for o, w, x in rows]
            of_worker = {w: [r for _, who, r in rest if who == w] for w in by_worker}
            effect = {w: sum(left) / (len(left) + strength) for w, left in of_worker.items()}
        effects[name] = effect
        for at, (o, w, _) in zip(own.index, rows, strict=True):
            elsewhere = [r for other, who, r in rest if who == w and other != o]
            corrections[at] = sum(elsewhere) / (len(elsewhere) + strength)
    return effects, corrections


def plain_reliability(frame):
    """Reliability of one judgment of the only attribute, object by object."""
    judged = [group.to_numpy() for _, group in frame.groupby("object")["value"]]
    means = np.array([x.mean() for x in judged])
    noise = np.mean([x.var(ddof=1) for x in judged if len(x) > 1])
    error = np.mean([(x.var(ddof=1) if len(x) > 1 else noise) / len(x) for x in judged])
    between = means.var() - error
    return between / (between + noise)


def plain_leave_one_out(x, y, gamma, penalty):
    """Mean squared error of a kernel ridge regression fitted anew without each object."""
    errors = []
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        squares = ((x[:, None, :] - x[None, rest, :]) ** 2).sum(axis=2)
        kernel = np.exp(-gamma * squares)
        coefficients = np.linalg.solve(kernel[rest] + penalty * np.eye(len(rest)), y[rest])
        errors.append(y[i] - kernel[i] @ coefficients)
    return float(np.mean(np.square(errors)))
