from __future__ import annotations

import ast

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, choose, fit_predictor, projected_error, select
from manyjudges.base.seeds import generator
from manyjudges.exceptions import JudgmentsError, ManyJudgesError, MomentsError, PlanError
from manyjudges.learn.choice import choose_from
from manyjudges.learn.error_curve import error_curve_of
from manyjudges.learn.fitting import fit
from manyjudges.learn.training_data import load_training_data, match_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.reading.table import read_judgments
from tests.support.folders import ROOT
from tests.support.messages import refused
from tests.support.scanned import crowd as gappy

CROWD, PILOT = (100, 4, 0), 2


@pytest.fixture
def paths(crowd, pilot, tmp_path):
    pilot.to_frame().to_csv(tmp_path / "judgments.csv", index=False)
    return str(tmp_path / "judgments.csv"), crowd.labels


def test_moments_are_estimated_once(crowd, pilot):
    data = match_training_data(pilot, crowd.labels)
    assert data.moments is data.moments
    direct = Moments.estimate(pilot, crowd.labels)
    np.testing.assert_array_equal(data.moments.covariance, direct.covariance)
    np.testing.assert_array_equal(data.moments.cross, direct.cross)


def test_read_or_scanned_it_is_the_same_table(paths):
    small, large = load_training_data(*paths), load_training_data(*paths, scan_from=0)
    assert large.table is None
    assert small.scan is None
    assert load_training_data(*paths, scan_from=1).table is None
    whole = load_training_data(*paths, scan_from=1, whole=True)
    pd.testing.assert_frame_equal(whole.in_memory.to_frame(), small.in_memory.to_frame())
    assert small.attributes == large.attributes
    assert small.n_objects == large.n_objects == 100
    np.testing.assert_allclose(small.moments.covariance, large.moments.covariance, rtol=1e-9)
    plan = select(small.moments, 12)
    lacks = [data.lacking(plan) for data in (small, large)]
    assert [each["judgments"] for each in lacks] == [lacks[0]["judgments"]] * 2
    losses = [error_curve_of(data, [4, 8], rng=generator(0)).loss for data in (small, large)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=0.2)  # other folds


def test_every_function_says_of_it_what_it_says_of_a_table(crowd, pilot):
    data = match_training_data(pilot, crowd.labels)
    curve = projected_error(pilot, crowd.labels, [3, 6], cv_repeats=1, random_state=3)
    again = error_curve_of(data, [3, 6], cv_repeats=1, rng=generator(3))
    np.testing.assert_array_equal(curve.loss, again.loss)
    chosen = choose(pilot, crowd.labels, 6, cv_repeats=1), choose_from(data, 6, cv_repeats=1)
    assert chosen[0].to_json() == chosen[1].to_json()
    plan = select(data.moments, 6)
    assert fit_predictor(plan, pilot, crowd.labels).to_json() == fit(plan, data).to_json()


def test_of_a_scanned_table_only_sums_are_kept(paths):
    large = load_training_data(*paths, scan_from=0)
    for ask in (lambda: large.in_memory, lambda: large.known_labels):
        with refused(JudgmentsError):
            ask()


def test_a_table_that_can_be_read_only_once_is_not_fitted_to(crowd, pilot):
    once = load_training_data(iter([pilot.to_frame()]), crowd.labels)
    with refused(JudgmentsError, column="judgments"):
        fit(select(once.moments, 6), once)


def test_some_of_it(crowd, pilot):
    data = match_training_data(pilot, crowd.labels, noiseless=["a0"])
    some = data.only(["a1", "a0"])
    assert some.attributes == ("a1", "a0")
    assert some.noiseless == {"a0"}
    assert data.only(["a2"]).noiseless == frozenset()
    assert data.with_noiseless(["a3", "elsewhere"]).noiseless == {"a0", "a3"}
    assert data.of_objects(np.arange(10)).n_objects == 10


def test_attributes_that_were_judged_once(crowd, pilot):
    frame = pilot.to_frame()
    once = frame[(frame["attribute"] != "a1") | ~frame.duplicated(["object", "attribute"])]
    data = match_training_data(Judgments.from_frame(once), crowd.labels)
    assert data.judged_once == ("a1",)
    assert data.only(["a0", "a2"]).judged_once == ()
    with refused(MomentsError, column="a1"):
        _ = data.moments
    assert data.with_noiseless(data.judged_once).moments.noise[1] == 0


def test_wrong_tables_and_names(crowd, pilot):
    with refused(JudgmentsError, value=[], column="judgments"):
        load_training_data([], crowd.labels)
    with refused(PlanError, value="a0", column="noiseless"):
        load_training_data(pilot, crowd.labels, noiseless="a0")
    with refused(JudgmentsError, value="zz", column="noiseless") as caught:
        match_training_data(pilot, crowd.labels, noiseless=["zz"])
    assert caught.value.value == "zz"
    with refused(PlanError, value="1GB", column="memory_limit") as caught:
        load_training_data(pilot, crowd.labels, ScanOptions(memory_limit="1GB"))
    assert caught.value.value == "1GB"


def test_a_temporary_folder_must_be_there_even_if_a_small_table_does_not_need_it(paths):
    with refused(ManyJudgesError, value="/nowhere"):
        load_training_data(*paths, ScanOptions(temp_dir="/nowhere"))


def test_skipped_rows_of_a_table_in_memory_are_known(tmp_path, crowd, pilot):
    frame = pilot.to_frame().astype({"value": object})
    frame.loc[0, "value"] = "perhaps"
    frame.to_csv(tmp_path / "odd.csv", index=False)
    data = match_training_data(read_judgments(tmp_path / "odd.csv", on_invalid="skip"), crowd.labels)
    assert data.skipped == data.moments.skipped == 1


MATCHES = {"learn/training_data.py", "core/moments.py", "scan/readers.py", "tables/judgments.py"}
"""Who matches judgments with labels: one place for whoever learns, and moments, readers and tables what they see."""

READS = {
    "learn/training_data.py: load_training_data",
    "learn/predictor.py: Predictor",
    "scan/readers.py: MemoryReader",
    "tables/reading/table.py: read_judgments",
    "tables/reading/labels.py: _same_for_every_judge",
    "learn/object_tables.py: ObjectTable",
    "app/work/readings.py: _tried",
    "app/work/readings.py: _read",
}
"""Who reads a table of judgments: training data, the reader in memory, those who need no labels, the page that asks
what is in a table, and whoever looks for columns that may be labels."""


_READERS = ("read_judgments", "read_table")


class Readings(ast.NodeVisitor):
    """Where a module reads judgments, or matches them with labels: the functions and classes that do."""

    def __init__(self, source):
        self.matches, self.reads, self._inside = set(), set(), "module"
        tree = ast.parse(source)
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        pairs = {(alias.name, alias.asname) for node in imports for alias in node.names}
        # Whatever a module calls them.
        self._matching = {short for name, short in pairs if name == "match" and short}
        self._reading = {*_READERS} | {short for name, short in pairs if name in _READERS and short}
        for node in tree.body:
            self._inside = getattr(node, "name", "module")
            self.visit(node)

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        pattern = isinstance(node.func, ast.Attribute) and (
            isinstance(node.func.value, ast.Name) and (node.func.value.id == "re" or node.func.value.id.isupper())
        )
        if name in self._matching or (name == "match" and not pattern):
            self.matches.add(self._inside)
        # Other libraries have a read_table of their own.
        if name in self._reading and not (name == "read_table" and isinstance(node.func, ast.Attribute)):
            self.reads.add(self._inside)
        self.generic_visit(node)


def test_judgments_are_read_and_matched_with_labels_in_one_place():
    """Whoever learns from a table is handed training data."""
    package = ROOT / "src" / "manyjudges"
    sources = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    readings = {name: Readings(source) for name, source in sources.items()}
    assert {name for name, reading in readings.items() if reading.matches} == MATCHES
    assert {f"{name}: {function}" for name, each in readings.items() for function in each.reads} == READS


@pytest.mark.parametrize(
    "line",
    [
        "judgments.match(labels)",
        "Judgments.from_frame(frame).match(y, unmatched='drop')",
        "match(labels, objects)",
        "together(labels, objects)",
        "labelling.match(labels, objects)",
        "files.read_judgments(path)",
        "read_judgments(path, worker=None)",
        "table_in(path)",
    ],
)
def test_who_reads_or_matches_elsewhere_is_found(line):
    head = "from manyjudges.tables.labels import match as together\n"
    head += "from manyjudges.tables.files import read_judgments as table_in\n\n"
    reading = Readings(f"{head}def learn(*given):\n    if given:\n        return {line}\n")
    assert reading.matches | reading.reads == {"learn"}
    assert Readings(f"{head}def learn(text):\n    return re.match('a', text), _WORD.match(text)\n").matches == set()


@pytest.fixture
def spoiled(crowd, pilot, tmp_path):
    """A file with two rows that are no judgments, and the labels."""
    path = tmp_path / "spoiled.csv"
    path.write_text(
        pilot.to_frame().to_csv(index=False) + f"object 1,{pilot.attributes[0]},w,maybe\nonly,three,cells\n"
    )
    return str(path), crowd.labels


def test_a_small_table_with_invalid_rows_is_read_whole(spoiled):
    """So that its workers can be looked at."""
    data = load_training_data(*spoiled, ScanOptions.of(on_invalid="skip"))
    assert data.table is not None
    assert (data.skipped, data.moments.skipped) == (2, 2)
    scanned = load_training_data(*spoiled, ScanOptions.of(on_invalid="skip"), scan_from=0)
    assert scanned.table is None
    assert (scanned.skipped, scanned.moments.skipped) == (2, 2)


def test_what_was_skipped_is_told_of_a_table_that_was_read_before(spoiled):
    path, labels = spoiled
    table = read_judgments(path, on_invalid="skip")
    assert table.skipped == 2
    data = match_training_data(table, labels)
    assert (data.skipped, data.moments.skipped) == (2, 2)
    assert Moments.estimate(table, labels).skipped == 2
    assert projected_error(table, labels, [3, 6], cv_repeats=1).skipped == 2
    assert choose(table, labels, 6, cv_repeats=1).skipped == 2


def test_pairs_are_counted_alike_in_memory_and_by_a_scan(tmp_path):
    frame, labels = gappy(gaps=0.3, k=3)
    frame.to_csv(tmp_path / "judgments.csv", index=False)
    read, scanned = (
        load_training_data(tmp_path / "judgments.csv", labels, ScanOptions(memory_limit=limit))
        for limit in (None, "1GB")
    )
    assert scanned.table is None
    assert read.pair_counts == scanned.pair_counts
    assert read.pair_counts[0] > 0
    assert sum(n * pairs for n, pairs in read.pair_counts.items()) == len(frame)
