"""The experiments: their protocol against a plain one, going on after a stop, and pages that fit their results."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from experiments import curves, figures, findings, pages, runner, sources, tables, tradeoff
from experiments.catalogue import EXPERIMENTS
from experiments.runner import Experiment, Places
from manyjudges import Judgments, ManyJudgesError, Moments, baseline, datasets, select
from tests.support.folders import ROOT
from tests.support.messages import refused

FOUND = figures.results()


@pytest.fixture
def small():
    """Twelve photos for each attribute would be few; so would they be for a figure. For a test they do."""
    photos = sources.photos("height", 60)
    return replace(photos, budgets=(3, 6, 10), few_budgets=(6,))


@pytest.fixture
def quiet():
    return Console(quiet=True)


def test_a_split_has_every_method_at_every_budget(small):
    rows = curves.one_split(small, 0)
    at = {(row["method"], row["budget"]) for row in rows}
    assert {(name, b) for name in ("Full", "Scoring") for b in small.budgets} <= at
    assert {(name, 6) for name in (*curves.OURS, "Averages", "Copies", "Numeric estimate alone")} <= at
    assert ("Numeric estimate alone", 3) not in at  # it costs 4
    assert all(0 < row["error"] < 5 for row in rows)
    assert rows == curves.one_split(small, 0)


def test_the_protocol_is_plain_least_squares_on_exactly_the_planned_judgments(small):
    split = small.split(1)
    two = dict.fromkeys(split.attributes, 2)
    train = curves.Pool.bought(split.train_judge(), split.train, split.attributes, two, two)
    test = curves.Pool.bought(split.test_judge(), split.test, split.attributes, two, two)
    y = split.labels[split.train]
    plan = select(
        Moments.estimate(train.first(two), y), 10, costs=split.costs, max_repeats=dict.fromkeys(split.attributes, 4)
    )
    row = curves._followed(split, "Full", plan, train, test)

    def means(pool):
        at = [(split.attributes.index(name), n) for name, n in plan.repeats.items()]
        return np.column_stack([np.ones(len(pool.objects)), *(pool.values[:, a, :n].mean(axis=1) for a, n in at)])

    w = np.linalg.lstsq(means(train), y.to_numpy(), rcond=None)[0]
    variance = np.var(split.labels.to_numpy())
    missed = means(test) @ w - split.labels[split.test].to_numpy()
    assert row["error"] == pytest.approx(np.mean(missed**2) / variance)
    assert row["training"] == pytest.approx(np.mean((means(train) @ w - y.to_numpy()) ** 2) / variance)
    assert row["attributes"] == len(plan.repeats)


def test_a_pool_keeps_the_pilot_first_and_gives_exactly_so_many():
    crowd = datasets.make_height_weight(5, random_state=0)
    pool = curves.Pool.bought(crowd.judge, crowd.objects, crowd.attributes, {"male": 2, "tall": 1}, {"male": 3})
    first = pool.first({"male": 2, "tall": 1, "thin": 0})
    assert first.counts().to_dict("list") == {"male": [2] * 5, "tall": [1] * 5}
    longer = pool.first({"male": 5})
    np.testing.assert_array_equal(longer.means(2)["male"].to_numpy(), first.means(2)["male"].to_numpy())


def test_baselines_see_two_judgments_only(small):
    split = small.split(2)
    two = dict.fromkeys(split.attributes, 2)
    pilot = curves.Pool.bought(split.train_judge(), split.train, split.attributes, two).first(two)
    made = dict(curves._plans(replace(small, budgets=(10,), few_budgets=()), split, pilot, split.labels[split.train]))
    expected = baseline(pilot, split.labels[split.train], 10, kind="averages", costs=split.costs)
    assert made["Averages"].repeats == expected.repeats
    assert set(made["Averages"].repeats.values()) <= {2}
    assert set(made["Copies"].repeats.values()) <= {1, 2}


def test_gathered_pairs_each_method_with_full_of_the_same_split(small):
    rows = [
        {"method": name, "budget": 5.0, "error": error, "attributes": 2, "training": 0.1, "split": split}
        for split, (full, other) in enumerate([(0.4, 0.5), (0.2, 0.4)])
        for name, error in (("Full", full), ("Copies", other))
    ]
    result = curves.gathered(small, rows)
    copies = result["methods"]["Copies"]
    assert copies["error"] == [pytest.approx(0.45)]
    assert copies["less_full"] == [pytest.approx(0.15)]
    assert copies["less_full_std_error"] == [pytest.approx(0.05)]
    assert result["splits"] == 2
    assert result["simulated"]
    assert findings.versus(result, "Copies")["above"] == [5.0]


def test_the_trade_off_has_every_number_of_judgments():
    source = sources.slice_source(part=False, data=datasets.make_slice(120, random_state=0))
    few = {"constants": (120,), "numbers": (2, 4), "budgets": (8,)}
    rows = [row | {"split": seed} for seed in (0, 1) for row in tradeoff.one_split(source, seed, **few)]
    assert {(row["k"], row["method"]) for row in rows} == {(k, m) for k in (2, 4) for m in ("Full", "Scoring")}
    result = tradeoff.gathered(source, rows)
    assert {row["k"] for row in result["rows"]} == {row["best_k"] for row in findings.best_numbers(result)} | {
        row["worst_k"] for row in findings.best_numbers(result)
    }
    assert "simulated" in figures.titled(result)


def test_tables_give_back_what_was_published():
    rows = [row | {"split": 0} for row in tables.one_split(None, 0)]
    result = tables.gathered(None, rows)
    height = {row["attribute"]: row for row in result["labels"]["height"]["attributes"]}
    assert height["male"]["published_noise"] == pytest.approx(0.39, abs=0.005)
    assert height["male"]["published_correlation"] == pytest.approx(0.15, abs=0.005)
    assert len(height) == 39
    predictor = result["labels"]["height"]["predictor"]
    assert predictor[-1]["attribute"] == "(bias)"
    costs = {"height (numerical)": 4, "weight (numerical)": 4}
    assert sum(row["repeats"] * costs.get(row["attribute"], 1) for row in predictor[:-1]) <= 35


def test_a_run_goes_on_where_it_was_stopped(tmp_path, monkeypatch, quiet):
    places = Places(tmp_path / "results", tmp_path / "partial", splits=4)
    done, stop = [], [2]

    def one_split(_, seed):
        if seed in stop:
            raise KeyboardInterrupt
        done.append(seed)
        return [{"seed": seed}]

    experiment = Experiment("some", lambda: None, one_split, lambda _, rows: {"rows": rows})
    monkeypatch.setitem(EXPERIMENTS, "some", experiment)
    with pytest.raises(KeyboardInterrupt):
        runner.run(experiment, 4, 1, quiet, places=places)
    kept = sorted(path.name for path in (tmp_path / "partial").rglob("*"))
    assert "0.json" in kept
    assert not any(name.startswith(".") for name in kept)
    stop.clear()
    result = runner.run(experiment, 4, 1, quiet, places=places)
    assert sorted(done) == [0, 1, 2, 3]  # none twice
    assert [row["split"] for row in result["rows"]] == [0, 1, 2, 3]
    assert json.loads((tmp_path / "results" / "some.json").read_text(encoding="utf-8")) == result


def test_results_are_those_of_fifty_splits_and_say_what_is_simulated():
    assert set(FOUND) == set(EXPERIMENTS)
    for key, result in FOUND.items():
        assert result["splits"] == 50, key
        assert result["simulated"] == (key not in ("faces", "odours", "skating", "slice-part")), key


def test_pages_are_those_of_the_results():
    """After new results: python -m experiments --draw."""
    for path, text in pages.rendered().items():
        if path.suffix == ".md":
            assert path.read_text(encoding="utf-8") == text, f"{path.name} is not what the results say"


@pytest.mark.parametrize("key", FOUND)
def test_every_figure_says_whether_it_is_simulated(key):
    names = [f"map-{label}" for label in FOUND[key].get("labels", ())] or [key]
    for name in names:
        text = (figures.FIGURES / f"{name}.svg").read_text(encoding="utf-8")
        assert ("simulated" in text) == FOUND[key]["simulated"], name
        assert (figures.FIGURES / f"{name}.png").stat().st_size > 10_000


def test_one_page_has_every_figure_once_and_loads_nothing():
    text = pages.rendered()[runner.HERE / "index.html"]
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    assert text.count("<svg") == len(pages.sections(FOUND))
    assert text.count('role="img"') == text.count("<svg")
    assert "src=" not in text


@pytest.mark.slow
def test_unknown_experiments_are_refused():
    command = [sys.executable, "-m", "experiments", "slise"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert "there is no experiment 'slise'" in done.stderr
    assert "Traceback" not in done.stderr


def test_experiments_use_the_public_interface_only():
    public = {"experiments", "manyjudges", "manyjudges.scan"}
    for path in (ROOT / "experiments").glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(("from manyjudges", "import manyjudges")):
                assert line.split()[1] in public, f"{path.name}: {line}"


def test_recorded_sets_are_split_in_halves(rng):
    frame = simulated_records(rng)
    labels = frame.groupby("object")["value"].mean()
    source = sources.recorded_source("faces", "Faces", "trust", 40, lambda name: (frame, labels, "made up"))
    split = source.split(0)
    assert len(split.train) == len(split.test) == 10
    assert not set(split.train) & set(split.test)
    assert split.max_repeats == {"a": 4, "b": 4}
    one, other = split.train_judge(), split.train_judge()
    asked = sources.requests(split.train, {"a": 2})
    assert one(asked).equals(other(asked))


def simulated_records(rng):
    values = rng.normal(size=(20, 2, 4))
    names = [f"o{i:02d}" for i in range(20)]
    return Judgments.from_array(values, objects=names, attributes=["a", "b"]).to_frame()


def test_sentences_follow_the_numbers():
    medians = {2: 0.5, 5: 0.6, 20: 0.3}
    rows = [
        {"method": "Full", "budget": 20, "constant": 100, "k": k, "median": m, "error": m, "std_error": 0.1}
        for k, m in medians.items()
    ]
    sentence = findings.tradeoff_sentence({"rows": rows})
    assert "5 judgments a pair or fewer in 0" in sentence
    assert "10 or more in 0" in sentence
    assert "0.200 above the least" in sentence


def test_a_trial_does_not_replace_results(tmp_path, monkeypatch, quiet):
    places = Places(tmp_path / "results", tmp_path / "partial")
    experiment = Experiment("some", lambda: None, lambda _, seed: [{"seed": seed}], lambda _, rows: {"rows": rows})
    monkeypatch.setitem(EXPERIMENTS, "some", experiment)
    runner.run(experiment, 2, 1, quiet, places=places)
    assert not (tmp_path / "results").exists()
    assert (tmp_path / "partial" / "trial-2" / "some.json").exists()


def test_a_damaged_file_of_slices_is_not_replaced_by_simulated_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYJUDGES_DATA", str(tmp_path))
    (tmp_path / "slice_localization_data.csv").write_text("patientId,value0\n1,2\n")
    with refused(ManyJudgesError, row=1, column="value1", file="slice_localization_data.csv"):
        sources.slices.__wrapped__(part=False)


def test_a_method_that_is_missing_in_a_split_is_not_averaged_over_the_others(small):
    rows = [
        {"method": "Full", "budget": 5.0, "error": 0.4, "attributes": 2, "training": 0.1, "split": split}
        for split in (0, 1)
    ]
    rows.append(rows[0] | {"method": "Copies"})
    with refused(ManyJudgesError):
        curves.gathered(small, rows)


def test_splits_of_another_protocol_are_not_gone_on_with(tmp_path):
    experiment = Experiment("some", lambda: None, lambda _, seed: [], lambda _, rows: {})
    before = runner._identity(experiment, None)
    for name in runner.PROTOCOL:
        (tmp_path / name).write_bytes((runner.HERE / name).read_bytes())
    assert runner._identity(experiment, None, tmp_path) == before
    (tmp_path / "curves.py").write_text("PILOT = 3")
    assert runner._identity(experiment, None, tmp_path) != before


def test_the_page_has_both_tables_of_the_paper():
    text = pages.rendered()[runner.HERE / "index.html"]
    for label, own in FOUND["tables"]["labels"].items():
        table = text[text.index(f'id="table-{label}"') :].split("</section>")[0]
        assert table.count('scope="row"') == len(own["attributes"]) + len(own["predictor"])
        assert "(bias)" in table


@pytest.mark.slow
@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1"])
def test_a_wrong_address_is_said_and_the_program_ends(address):
    command = [sys.executable, "-m", "experiments", "tables", "--splits", "2", "--address", address]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert f"there is no cluster at '{address}'" in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr


@contextmanager
def processes(folder, worker_in):
    """A scheduler in a folder of its own, and one worker; the address of the scheduler."""
    told, module = folder / "scheduler.json", [sys.executable, "-m"]
    options = ["--scheduler-file", str(told), "--dashboard-address", "127.0.0.1:0"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*module, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *options]
    worker = [*module, "distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", *options]
    worker += ["--local-directory", str(folder)]
    started = [subprocess.Popen(scheduler, cwd=folder, **silent)]
    try:
        for _ in range(600):
            with suppress(OSError, ValueError):  # not yet there, or not all of it
                address = json.loads(told.read_text())["address"]
                break
            time.sleep(0.1)
        started.append(subprocess.Popen(worker, cwd=worker_in, **silent))
        yield address
    finally:
        for process in started:
            process.kill()  # asked to end, a worker that just starts may not hear it
            process.wait(60)


@pytest.mark.slow
def test_only_workers_need_the_experiments(tmp_path, quiet):
    pytest.importorskip("distributed")
    one, again = (Places(tmp_path / "results", tmp_path / name) for name in ("partial", "again"))
    with processes(tmp_path, worker_in=ROOT) as address:
        there = runner.run(EXPERIMENTS["tables"], 2, 1, quiet, address, places=one)
    assert runner.run(EXPERIMENTS["tables"], 2, 1, quiet, places=again) == there


def test_a_worker_without_the_experiments(tmp_path):
    pytest.importorskip("distributed")
    with (
        processes(tmp_path, worker_in=tmp_path) as address,
        refused(ManyJudgesError),
    ):
        next(runner._on_cluster([("tables", 0, "x")], address))


def test_what_goes_wrong_with_a_split_elsewhere_is_one_line():
    future = Future()
    future.set_exception(RuntimeError("all is\nlost."))
    with refused(ManyJudgesError):
        runner._result(future)
