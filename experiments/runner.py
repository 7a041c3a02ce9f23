"""Splits in parallel, with progress, that go on where they were stopped."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from manyjudges import ManyJudgesError
from manyjudges.scan import dask_scan

HERE = Path(__file__).parent
RESULTS = HERE / "results"

SPLITS = 50
"""As in the paper."""

PROTOCOL = ("sources.py", "curves.py", "tradeoff.py", "tables.py")
"""What a split computes is in these; when they change, older splits are not gone on with."""


@dataclass(frozen=True)
class Places:
    """Where results are written: those of so many splits, and what is not yet that."""

    results: Path = RESULTS
    partial: Path = HERE / ".partial"
    splits: int = SPLITS


PLACES = Places()


@dataclass(frozen=True)
class Experiment:
    """One file of results: how to do a split of it and how to put splits together."""

    key: str
    source: Callable[[], Any]
    one_split: Callable[[Any, int], list[dict[str, Any]]]
    gathered: Callable[[Any, list[dict[str, Any]]], dict[str, Any]]


def run(
    experiment: Experiment,
    splits: int,
    jobs: int,
    console: Console,
    address: str | None = None,
    places: Places = PLACES,
) -> dict[str, Any]:
    """Do the splits that are not yet done, here or on a cluster, and put all of them together."""
    source = experiment.source()
    identity = _identity(experiment, source)
    folder = places.partial / identity
    folder.mkdir(parents=True, exist_ok=True)
    missing = [seed for seed in range(splits) if not (folder / f"{seed}.json").exists()]
    work = [(experiment.key, seed, identity) for seed in missing]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(experiment.key, total=splits, completed=splits - len(missing))
        for seed, found in _here(work, jobs) if address is None else _on_cluster(work, address):
            write(folder / f"{seed}.json", found)
            progress.advance(task)
    rows = []
    for seed in range(splits):
        done = json.loads((folder / f"{seed}.json").read_text(encoding="utf-8"))
        rows += [row | {"split": seed} for row in done]
    result = experiment.gathered(source, rows)
    write(target(experiment.key, splits, places), result)
    return result


def target(key: str, splits: int, places: Places = PLACES) -> Path:
    """Where results go: those of a trial with fewer splits do not replace the true ones."""
    folder = places.results if splits == places.splits else places.partial / f"trial-{splits}"
    return folder / f"{key}.json"


def _identity(experiment: Experiment, source: Any, protocol: Path = HERE) -> str:
    """Simulated and true data, and other versions of the protocol, are not gone on with for each other."""
    digest = hashlib.sha256(b"".join((protocol / name).read_bytes() for name in PROTOCOL)).hexdigest()
    return f"{experiment.key}{'-simulated' if _simulated(source) else ''}-{digest[:10]}"


def _simulated(source: Any) -> bool:
    return bool(getattr(source, "simulated", True))


Work = tuple[str, int, str]
Done = tuple[int, list[dict[str, Any]]]


def _here(work: list[Work], jobs: int) -> Iterator[Done]:
    """Splits as they are done, by processes of this machine."""
    return iter(Parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(_do)(*each) for each in work))


def _on_cluster(work: list[Work], address: str) -> Iterator[Done]:
    """Splits as they are done, by a cluster of dask, whose workers must have this package and its data, too."""

    def there(*each: Any) -> Done:
        # A function within another travels as it is, not by its name: the scheduler need not find this package.
        from experiments.runner import _do

        return _do(*each)

    dask_scan.check_extra()
    with dask_scan.connected(address) as client:
        executor = client.get_executor(pure=False)
        futures = [executor.submit(there, *each) for each in work]
        try:
            for future in as_completed(futures):
                yield _result(future)
        finally:
            for future in futures:
                future.cancel()


def _result(future: Future[Done]) -> Done:
    """What a worker did, or in one line why it did not."""
    try:
        return future.result()
    except ManyJudgesError:
        raise
    except ModuleNotFoundError as error:
        raise ManyJudgesError(
            f"a worker of the cluster has no module {error.name!r}. Start workers in a clone of this repository, by "
            "python -m distributed.cli.dask_worker, so that they find it."
        ) from error
    except Exception as error:  # whatever went wrong on another machine
        words = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        raise ManyJudgesError(f"a worker of the cluster could not do a split. {words}.") from error


def _do(key: str, seed: int, identity: str) -> Done:
    from experiments.catalogue import EXPERIMENTS  # in the worker, where sources are made anew

    experiment = EXPERIMENTS[key]
    source = experiment.source()
    if _identity(experiment, source) != identity:
        raise ManyJudgesError(
            f"{key} is not the same everywhere: its data came or went while it was running, or a worker has another "
            "version of the experiments. Start it again, with the same everywhere."
        )
    return seed, experiment.one_split(source, seed)


def write(path: Path, content: Any) -> None:
    """All of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        scratch.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
