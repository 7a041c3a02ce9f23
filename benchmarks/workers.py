"""How often honest workers are called suspicious, and how often cheats are found, for several thresholds.

    python benchmarks/workers.py [--crowds 20]

Each crowd has 16 workers who judge 80 objects by two yes-or-no questions and a number, four to a pair. One of them
guesses, one gives the same answer to everything, and one answers at a tenth of the usual time. Docstrings of the
thresholds in ``manyjudges/judges/workforce.py`` quote this table.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from manyjudges.judges import summarize_workers, workforce

COLUMNS = ["at", "worker", "external", "batch", "object", "attribute", "kind", "value", "cost", "seconds"]
OBJECTS, JUDGES, WORKERS, BATCH, NOISE = 80, 4, 16, 20, 1.2
CHEATS = {0: "guesses", 1: "same answer", 2: "too fast"}
TRIED = {
    (workforce, "TOO_FAST"): (0.05, 0.1, 0.2, 0.4),
    (workforce, "ENOUGH"): (4, 8, 16),
    (workforce, "VARIES"): (0.25, 0.5, 1.0),
    (workforce, "ONE_ANSWER_ERROR"): (0.2, 0.35, 0.5),
    (workforce, "CHANCE"): (0.1, 0.25, 0.5),
    (workforce, "FAR"): (2.0, 3.0, 4.0),
    (workforce, "FARTHER"): (2.5, 3.5, 4.5),
}


def answer(rng, worker, truth, is_binary):
    """A judgment, and how long it took."""
    value, seconds = truth + NOISE * rng.normal(), float(rng.lognormal(0.6, 0.7))
    if CHEATS.get(worker) == "guesses":
        value = rng.normal()
    if CHEATS.get(worker) == "same answer":
        value = 1.0
    if CHEATS.get(worker) == "too fast":
        seconds /= 10
    return float(value > 0.4) if is_binary else 60 + 10 * value, seconds


def ledger(seed):
    """All that a crowd answered."""
    rng, rows = np.random.default_rng(seed), []
    for attribute, is_binary in enumerate((True, False, True)):
        truth = rng.normal(size=OBJECTS)
        work = [(thing, worker) for thing in range(OBJECTS) for worker in rng.choice(WORKERS, JUDGES, replace=False)]
        for worker in range(WORKERS):
            mine = [thing for thing, who in work if who == worker]
            for at, thing in enumerate(mine):
                value, seconds = answer(rng, worker, truth[thing], is_binary)
                name = f"b{attribute}-{worker}-{at // BATCH}"
                rows.append(
                    (
                        1e9 + len(rows),
                        f"w{worker}",
                        None,
                        name,
                        f"o{thing}",
                        f"a{attribute}",
                        "answer",
                        value,
                        1.0,
                        seconds,
                    )
                )
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame.insert(0, "id", range(1, len(frame) + 1))
    return frame.assign(replaces=None)


def measure(ledgers):
    """Share of suspicious batches of honest workers and of each kind of cheat."""
    shares = {name: [] for name in ("honest", *CHEATS.values())}
    for rows in ledgers:
        frame = summarize_workers(rows).to_frame()
        for worker in range(WORKERS):
            shares[CHEATS.get(worker, "honest")].append(frame.loc[f"w{worker}", "suspicious"] > 0)
    return {name: float(np.mean(found)) for name, found in shares.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crowds", type=int, default=20)
    crowds = [ledger(seed) for seed in range(parser.parse_args().crowds)]
    print("workers with a suspicious batch: threshold, value | honest | " + " | ".join(CHEATS.values()))
    for (_, name), values in TRIED.items():
        shipped = getattr(workforce, name)
        for value in values:
            setattr(workforce, name, value)
            found = measure(crowds)
            print(
                f" {'*' if value == shipped else ' '} {name} {value:g} | "
                + " | ".join(f"{x:.1%}" for x in found.values())
            )
        setattr(workforce, name, shipped)


if __name__ == "__main__":
    main()
