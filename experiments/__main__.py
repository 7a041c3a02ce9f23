"""Repeat the paper's experiments: ``python -m experiments`` (what ``make reproduce`` runs)."""

from __future__ import annotations

import argparse
import os
import sys

from rich.console import Console

from experiments import figures, pages
from experiments.catalogue import EXPERIMENTS
from experiments.runner import SPLITS, run, target
from manyjudges import ManyJudgesError


def main(arguments: list[str] | None = None) -> int:
    """Run experiments, draw their figures and write their pages."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="NAME", help=f"which experiments; all: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--splits", type=int, default=SPLITS, help="random splits of each (50; others are a trial)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="splits at the same time (all cores)")
    parser.add_argument("--address", help="of a cluster of dask that does the splits, such as tcp://10.0.0.1:8786")
    parser.add_argument("--draw", action="store_true", help="only draw and write what results there are")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.only) - set(EXPERIMENTS)):
        parser.error(f"there is no experiment {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}.")
    if options.splits < 2 or options.jobs < 1:
        parser.error("there must be 2 splits or more, and 1 job or more.")
    console = Console(stderr=True)
    try:
        chosen = [EXPERIMENTS[name] for name in options.only or EXPERIMENTS]
        if not options.draw and not _run(chosen, options.splits, options.jobs, console, options.address):
            return 1
        if options.splits != SPLITS:
            console.print(f"a trial: its results are in {target('', options.splits).parent}, and nothing is drawn")
            return 0
        if missing := [name for name in pages.NEEDED if name not in figures.results()]:
            console.print(f"there are no results of {', '.join(missing)} yet; nothing is drawn")
            return 1
        figures.draw_all()
        console.print(f"wrote {pages.write_all()}")
    except KeyboardInterrupt:
        console.print("stopped; what is done is kept, and the same command goes on from there")
        return 130
    return 0


def _run(experiments: list, splits: int, jobs: int, console: Console, address: str | None) -> int:
    """Run what can be run; how many could."""
    done = 0
    for experiment in experiments:
        try:
            run(experiment, splits, jobs, console, address)
            done += 1
        except ManyJudgesError as error:
            console.print(f"{experiment.key}: left as it is. {error}")
    return done


if __name__ == "__main__":
    sys.exit(main())
