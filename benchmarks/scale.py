"""What size costs: tables larger than the memory, orders of rows, growth, and a cluster on one machine.

    python benchmarks/scale.py tables                 # 1, 10 and 100 million judgments, shuffled; against DuckDB alone
    python benchmarks/scale.py texts                  # the largest of these with long names instead of numbers
    python benchmarks/scale.py orders                 # a million objects, sorted and shuffled
    python benchmarks/scale.py wide                   # 10,000 attributes, 300 an object; against its products alone
    python benchmarks/scale.py selection              # 10,000 attributes, a budget of 2,000; against its reads alone
    python benchmarks/scale.py growth                 # objects, attributes, judgments a pair, budget: fitted exponents
    python benchmarks/scale.py cluster                # Dask with 1, 2 and 4 workers against one process

Everything is measured in one run and told as ratios; the files (1.6 GB for 100 million judgments) go to --folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from many import selection
from scipy.linalg import blas

ATTRIBUTES, PER_PAIR = 50, 2
STEP = 2_000_000
MEMORY = "2GB"

ALONE = """
import duckdb, shutil, sys, tempfile
folder = tempfile.mkdtemp()
limits = {"memory_limit": sys.argv[2], "temp_directory": folder, "preserve_insertion_order": False}
connection = duckdb.connect(config=limits)
told = "count(*), avg(value), var_samp(value)"
query = f"SELECT object, attribute, {told} FROM '{sys.argv[1]}' GROUP BY object, attribute"
for batch in connection.sql(query).to_arrow_reader(1 << 18):
    pass
connection.close()
shutil.rmtree(folder)
"""


def make(folder: Path, n_objects: int, *, shuffled: bool = True) -> tuple[Path, Path]:
    """A table of judgments and one of labels, unless they are there already."""
    name = f"{n_objects}-{'shuffled' if shuffled else 'sorted'}"
    path, labels = folder / f"{name}.parquet", folder / f"{n_objects}-labels.parquet"
    if path.exists() and labels.exists():
        return path, labels
    rng = np.random.default_rng(0)
    true = rng.normal(size=(n_objects, ATTRIBUTES)).astype(np.float32)
    total = n_objects * ATTRIBUTES * PER_PAIR
    order = rng.permutation(total) if shuffled else np.arange(total)
    names = pa.array([f"attribute {i:02d}" for i in range(ATTRIBUTES)])
    writer = None
    for start in range(0, total, STEP):
        at = order[start : start + STEP]
        thing, asked, turn = at // (ATTRIBUTES * PER_PAIR), at // PER_PAIR % ATTRIBUTES, at % PER_PAIR
        table = pa.table(
            {
                "object": thing,
                "attribute": pa.DictionaryArray.from_arrays(pa.array(asked.astype(np.int32)), names),
                "worker": (thing * 7 + asked) % 5000 + turn * 5000,
                "value": true[thing, asked] + rng.normal(size=len(at)),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()
    y = true[:, :10].sum(axis=1) + rng.normal(size=n_objects)
    pq.write_table(pa.table({"object": np.arange(n_objects), "label": y}), labels)
    return path, labels


LAUNCH = """
import os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(time.perf_counter() - began, usage.ru_maxrss / 2**20, status)
"""


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds, and the most memory in GiB, of a process of its own.

    Started by a small one: the memory of whoever starts a process counts as its own until it has begun.
    """
    told = subprocess.run([sys.executable, "-c", LAUNCH, *command], stdout=subprocess.PIPE, text=True, check=True)
    seconds, memory, status = told.stdout.split()
    if int(status):
        raise SystemExit(f"{command} ended with {status}")
    return float(seconds), float(memory)


def plan(path: Path, labels: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "manyjudges", "plan", str(path), str(labels), "--budget", "20", *more]


def tables(folder: Path, sizes: list[int], rounds: int) -> dict:
    """``manyjudges plan`` against DuckDB's GROUP BY alone, in turns."""
    found = []
    started = min(timed(plan(*make(folder, 20), "--memory-limit", MEMORY)) for _ in range(3))[0]
    print(f"a plan of next to nothing: {started:.1f} s", flush=True)
    for n_objects in sizes:
        path, labels = make(folder, n_objects)
        ours, alone = [], []
        for _ in range(rounds):
            alone.append(timed([sys.executable, "-c", ALONE, str(path), MEMORY]))
            ours.append(timed(plan(path, labels, "--memory-limit", MEMORY)))
        best = {"plan": min(ours), "group by": min(alone)}
        row = {
            "judgments": n_objects * ATTRIBUTES * PER_PAIR,
            "plan, s": round(best["plan"][0], 1),
            "group by alone, s": round(best["group by"][0], 1),
            "ratio": round(best["plan"][0] / best["group by"][0], 2),
            "plan less its start, s a million": (best["plan"][0] - started) / n_objects / ATTRIBUTES / PER_PAIR * 1e6,
            "plan, GiB": round(max(memory for _, memory in ours), 2),
        }
        print(row, flush=True)
        found.append(row)
    sizes, rates = ([row[name] for row in found] for name in ("judgments", "plan less its start, s a million"))
    slope = 1 + np.polyfit(np.log(sizes), np.log(rates), 1)[0] if len(found) > 1 else np.nan
    return {"start, s": round(started, 1), "tables": found, "exponent": round(float(slope), 2)}


LONG = {
    "object": "'object-' || lpad(object::VARCHAR, 9, '0')",
    "attribute": "attribute || ' and how much do you agree with that?'",
    "worker": "'worker-' || worker",
}


def texts(folder: Path, n_objects: int) -> dict:
    """The same with names that are texts; with 2 GB, DuckDB cannot group them."""
    found = [folder / f"{n_objects}-texts.parquet", folder / f"{n_objects}-texts-labels.parquet"]
    for given, made in zip(make(folder, n_objects), found, strict=True):
        columns = [name for name in pq.read_schema(given).names if name in LONG]
        changed = ", ".join(f"{LONG[name]} AS {name}" for name in columns)
        duckdb.sql(f"COPY (SELECT * REPLACE ({changed}) FROM '{given}') TO '{made}'")
    alone, _ = timed([sys.executable, "-c", ALONE, str(found[0]), "3GB"])
    ours, memory = timed(plan(*found, "--memory-limit", "3GB"))
    return {"plan, s": ours, "group by alone, s": alone, "ratio": ours / alone, "plan, GiB": memory}


def orders(folder: Path, n_objects: int) -> dict:
    found = {}
    for shuffled in (False, True):
        path, labels = make(folder, n_objects, shuffled=shuffled)
        seconds, memory = timed(plan(path, labels, "--memory-limit", MEMORY))
        found["shuffled" if shuffled else "sorted"] = {"s": round(seconds, 1), "GiB": round(memory, 2)}
        print(found, flush=True)
    return {"orders": found, "ratio": round(found["shuffled"]["s"] / found["sorted"]["s"], 2)}


WIDE = """
import sys, time
from pathlib import Path
from manyjudges import Moments
from manyjudges.scan.duckdb.scan import scan
from manyjudges.scan.options import ScanOptions
began = time.perf_counter()
found = scan(sys.argv[1], sys.argv[2], ScanOptions(memory_limit=sys.argv[3]))
scanned = time.perf_counter()
Moments.from_scan(found.attributes, found.sums, (), 0)
Path(sys.argv[4]).write_text(f"{scanned - began} {time.perf_counter() - scanned}")
"""


def wide(folder: Path, n_objects: int, d: int = 10_000, each: int = 300) -> dict:
    """Many attributes, of which an object has few, against the products of matrices that cannot be spared."""
    path, labels, told = (folder / f"wide-{n_objects}{end}" for end in (".parquet", "-labels.parquet", ".txt"))
    rng = np.random.default_rng(0)
    if not path.exists():
        asked = np.concatenate([rng.choice(d, each, replace=False) for _ in range(n_objects)]).astype(np.int32)
        true = rng.normal(size=len(asked))
        pair = rng.permutation(len(asked) * PER_PAIR)
        names = pa.array([f"criterion {i:05d}" for i in range(d)])
        columns = {
            "object": pair // PER_PAIR // each,
            "attribute": pa.DictionaryArray.from_arrays(pa.array(asked[pair // PER_PAIR]), names),
            "worker": pair % PER_PAIR,
            "value": true[pair // PER_PAIR] + rng.normal(size=len(pair)),
        }
        pq.write_table(pa.table(columns), path, row_group_size=1 << 20)
        pq.write_table(pa.table({"object": np.arange(n_objects), "label": rng.normal(size=n_objects)}), labels)
    _, memory = timed([sys.executable, "-c", WIDE, str(path), str(labels), MEMORY, str(told)])
    scanned, estimated = map(float, told.read_text().split())
    # Values with values, whether judged with the same, and values with that: two of them are symmetric.
    x, result = rng.normal(size=(512, d)), np.zeros((d, d), order="F")
    products = _least(lambda: blas.dsyrk(1.0, x.T, beta=1.0, c=result, overwrite_c=1)) * 2
    products += _least(lambda: blas.dgemm(1.0, x.T, x.T, beta=1.0, c=result, trans_b=1, overwrite_c=1))
    products *= n_objects / len(x)
    found = {
        "judgments": n_objects * each * PER_PAIR,
        "scan, s": round(scanned, 1),
        "its products alone, s": round(products, 1),
        "ratio": round(scanned / products, 2),
        "semi-definite step and the rest, s": round(estimated, 1),
        "GiB": round(memory, 2),
        "GiB of three matrices": round(3 * 8 * d * d / 2**30, 2),
    }
    print(found, flush=True)
    return {"wide": found}


def growth() -> dict:
    """Time of moments and of a plan as one thing grows, and the exponent that fits it."""
    from manyjudges import Judgments, Moments, select

    def moments(n: int, d: int, k: int) -> float:
        rng = np.random.default_rng(0)
        values = rng.normal(size=(n, d, 1)) + rng.normal(size=(n, d, k))
        y = values[:, : min(d, 5)].mean(axis=2).sum(axis=1)
        table = Judgments.from_array(values, copy=False)
        return _least(lambda: Moments.estimate(table, y))

    def choosing(d: int, budget: int) -> float:
        rng = np.random.default_rng(0)
        x = rng.normal(size=(2 * d, d))
        sigma = x.T @ x / len(x)
        given = Moments.from_values(rng.normal(size=d) * 0.1, np.ones(d), sigma, 10.0)
        return _least(lambda: select(given, budget))

    cases = {
        "moments, objects": [(n, moments(n, 50, 2)) for n in (20_000, 40_000, 80_000, 160_000)],
        "moments, attributes": [(d, moments(4000, d, 2)) for d in (100, 200, 400, 800)],
        "moments, judgments a pair": [(k, moments(20_000, 50, k)) for k in (2, 4, 8, 16)],
        "plan, attributes": [(d, choosing(d, 100)) for d in (500, 1000, 2000, 4000)],
        "plan, budget": [(budget, choosing(1000, budget)) for budget in (50, 100, 200, 400)],
    }
    found = {}
    for name, rows in cases.items():
        sizes, seconds = zip(*rows, strict=True)
        slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        times = {str(size): round(each / seconds[0], 2) for size, each in rows}
        found[name] = {"times the first": times, "exponent": round(slope, 2)}
        print(name, found[name], flush=True)
    return {"growth": found}


def _least(work, repeats: int = 3) -> float:
    best = np.inf
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


def cluster(folder: Path, n_objects: int, workers: list[int]) -> dict:
    """Moments by Dask on this machine against one process."""
    from distributed import Client, LocalCluster

    from manyjudges import scan_moments

    whole, labels = make(folder, n_objects)
    (folder / f"{n_objects}-parts").mkdir(exist_ok=True)
    for at, batch in enumerate(pq.ParquetFile(whole).iter_batches(1_000_000)):
        pq.write_table(pa.Table.from_batches([batch]), folder / f"{n_objects}-parts" / f"{at:03d}.parquet")
    path = folder / f"{n_objects}-parts" / "*.parquet"
    alone = _least(lambda: scan_moments(path, str(labels)), 1)
    found = {"one process": 1.0}
    for many in workers:
        with LocalCluster(n_workers=many, threads_per_worker=1, dashboard_address=None) as made, Client(made):
            taken = _least(partial(scan_moments, path, str(labels), engine="dask", address=made.scheduler_address), 1)
            found[f"{many} workers"] = round(taken / alone, 2)
        print(found, flush=True)
    return {"cluster": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tables", "texts", "orders", "wide", "selection", "growth", "cluster"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "manyjudges-scale")
    parser.add_argument("--objects", type=int, nargs="+", help="how many; sizes of the tables unless told")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.what == "tables":
        found = tables(given.folder, given.objects or [10_000, 100_000, 1_000_000], given.rounds)
    elif given.what == "texts":
        found = texts(given.folder, (given.objects or [1_000_000])[0])
    elif given.what == "orders":
        found = orders(given.folder, (given.objects or [1_000_000])[0])
    elif given.what == "wide":
        found = wide(given.folder, (given.objects or [30_000])[0])
    elif given.what == "selection":
        found = {"selection": selection(10_000, 2_000)}
    elif given.what == "growth":
        found = growth()
    else:
        found = cluster(given.folder, (given.objects or [100_000])[0], [1, 2, 4])
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
