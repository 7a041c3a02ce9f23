"""The house stays one that a newcomer can read: small rooms, small modules, imports that point one way."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import grimp
import pytest

from tests.support.folders import ROOT

SOURCE = ROOT / "src" / "manyjudges"
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))

MOST_AT_THE_ROOT = 6
MOST_IN_A_FOLDER = 15
MOST_LINES = 520
MOST_LAYERS = 13

STORE = "a part of the store, which laws put to the test as one, on both databases"
LAYOUTS = "taken with all kinds of files that the connectors read"
CHART = "a part of the plots, whose pictures are tested with those of the others"

TESTED_ELSEWHERE = {
    "scan/faults.py": ("laws/test_readers.py", "finds the row that every reader names"),
    "scan/refusals.py": ("scan/test_dask_scan.py", "what partitions that cannot be summed up come back as"),
    "__main__.py": ("cli/test_start.py", "runs the command line"),
    "app/choices.py": ("app/test_forms.py", "what forms are read into"),
    "app/pages.py": ("app/test_site.py", "fills in what the site shows"),
    "app/session.py": ("app/test_site.py", "what the site's forms change"),
    "app/words.py": ("app/test_site.py", "words of the page"),
    "app/work/answers.py": ("app/test_site.py", "tells what was planned"),
    "app/work/curves.py": ("app/test_site.py", "the picture beside the answer"),
    "app/work/process.py": ("app/test_worker.py", "the other end of the worker"),
    "app/work/questions.py": ("app/test_decisions.py", "what the answers are to"),
    "app/work/readings.py": ("app/test_decisions.py", "says what is asked about a table"),
    "app/work/tasks.py": ("app/test_site.py", "what is done for the site's forms"),
    "arrays/types.py": ("test_rooms.py", "names of types, which mypy checks"),
    "base/progress.py": ("test_rooms.py", "a name of a type, which mypy checks"),
    "base/version.py": ("base/test_lazy.py", "one line"),
    "connectors/excel.py": ("connectors/test_spreadsheet.py", LAYOUTS),
    "connectors/requests.py": ("laws/test_connectors.py", "what every connector writes is made of it"),
    "connectors/selection.py": ("laws/test_connectors.py", "what every connector reads goes through it"),
    "connectors/wide.py": ("connectors/test_spreadsheet.py", LAYOUTS),
    "learn/labels/kind.py": ("laws/test_label_laws.py", "says what a kind of label is"),
    "learn/labels/registry.py": ("laws/test_label_laws.py", "the list of the kinds of labels"),
    "learn/predictors/best_linear.py": ("laws/test_predictor_laws.py", "held to the laws of all predictors"),
    "scan/duckdb/": ("scan/duckdb/test_scan.py", "parts of the scan by DuckDB, held to the law of readers"),
    "scan/sizes.py": ("scan/duckdb/test_sources.py", "says which files are scanned"),
    "scan/objects.py": ("scan/duckdb/test_objects.py", "asks DuckDB for blocks of objects"),
    "learn/predictors/linear.py": ("laws/test_predictor_laws.py", "as above"),
    "llm/services.py": ("laws/test_model_services.py", "says what a service is"),
    "plots/attributes.py": ("plots/test_plots.py", CHART),
    "plots/canvas.py": ("plots/test_plots.py", CHART),
    "plots/curves.py": ("plots/test_plots.py", CHART),
    "plots/held_out.py": ("plots/test_plots.py", CHART),
    "plots/placement.py": ("plots/test_plots.py", CHART),
    "reports/sections/": ("laws/test_report_sections.py", "sections of the report, held to the laws of all of them"),
    "scan/duckdb/errors.py": ("scan/duckdb/test_scan.py", "names the cell that DuckDB could not read"),
    "scan/duckdb/queries.py": (
        "laws/test_readers.py",
        "what DuckDB is asked, held to what other readers make of it",
    ),
    "scan/moments.py": ("scan/duckdb/test_scan.py", "gives a scan its name and its options"),
    "scan/options.py": ("laws/test_readers.py", "options, which are given to every reader"),
    "scan/readers.py": ("laws/test_readers.py", "the list of the readers"),
    "service/people_drawings.py": ("service/test_rehearsal.py", "draws the people of the rehearsal"),
    "store/call_log.py": ("laws/test_store_calls.py", STORE),
    "store/calls.py": ("laws/test_store_calls.py", STORE),
    "store/migrations/": ("laws/test_store_migrations.py", "steps of the tables, tested on both databases"),
    "store/records.py": ("laws/test_store_laws.py", "what is handed out and comes back"),
    "store/schema.py": ("laws/test_store_migrations.py", "the tables"),
    "store/store.py": ("laws/test_store_laws.py", STORE),
    "store/workers.py": ("laws/test_store_people.py", STORE),
    "study/example_pictures.py": ("study/test_scaffold.py", "draws the objects of a new study"),
    "study/pictures.py": ("study/test_objects.py", "looks at the pictures of objects"),
    "tables/blocks.py": ("tables/test_judgments.py", "checks arrays that judgments are made from"),
    "tables/reading/cells.py": ("tables/reading/test_table.py", "the steps by which a table is read"),
    "tables/reading/reading.py": ("tables/reading/test_table.py", "says what was understood of a table"),
    "tables/shapes/": ("tables/shapes/test_registry.py", "shapes, which the registry tries one after the other"),
    "tables/answers/languages/": ("laws/test_answers.py", "words of each language, held to the laws of all of them"),
    "tables/formats/": ("tables/formats/test_registry.py", "formats, held to the laws of all of them"),
}
"""Modules without a file of tests of their own, alone or by folder: the file that tests them, and why that one."""


def contracts():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("manyjudges", cache_dir=None, exclude_type_checking_imports=True)


def test_folders_can_be_read_at_a_glance():
    sizes = Counter(path.parent.as_posix() for path in MODULES if path.name != "__init__.py")
    root = sizes.pop(".")
    assert root <= MOST_AT_THE_ROOT
    assert {folder: size for folder, size in sizes.items() if size > MOST_IN_A_FOLDER} == {}


def test_modules_are_short():
    lengths = {path.as_posix(): len((SOURCE / path).read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_imports_point_one_way_without_exemptions():
    layers = next(contract for contract in contracts() if contract["type"] == "layers")
    assert len(layers["layers"]) <= MOST_LAYERS
    assert layers["exhaustive"]
    assert not [contract["name"] for contract in contracts() if contract.get("ignore_imports")]


def test_no_modules_import_each_other_in_a_circle(graph):
    edges = [(module, each) for module in graph.modules for each in graph.find_modules_directly_imported_by(module)]
    assert [
        (module, each) for module, each in edges if each != module and graph.find_shortest_chain(each, module)
    ] == []


def test_every_room_says_what_it_is_for():
    for path in (path for path in MODULES if path.name == "__init__.py"):
        text = (SOURCE / path).read_text(encoding="utf-8")
        assert text.startswith('"""'), path
        assert len(text.split('"""')[1]) > 30, path


def has_tests(path: Path, tests: set[str]) -> bool:
    """Whether a module has a file of tests of its own, or shares that of its package."""
    package = path.parent
    own, shared = package / f"test_{path.name}", package.parent / f"test_{package.name}.py"
    return own.as_posix() in tests or (package != Path() and shared.as_posix() in tests)


def test_tests_lie_where_modules_do():
    folder = ROOT / "tests"
    tests = {path.relative_to(folder).as_posix() for path in folder.rglob("test_*.py")}
    modules = [path.as_posix() for path in MODULES if path.name != "__init__.py"]
    without = {path for path in modules if not has_tests(Path(path), tests)}
    covered = {
        key: {path for path in without if path == key or (key[-1] == "/" and path.startswith(key))}
        for key in TESTED_ELSEWHERE
    }
    assert sorted(without.difference(*covered.values())) == [], "write tests/<room>/test_<module>.py"
    assert [key for key, paths in covered.items() if not paths] == [], "these have tests of their own, or are gone"
    assert {file for file, _ in TESTED_ELSEWHERE.values()} <= tests


def test_no_file_of_tests_imports_another():
    """What several files need lies in tests/support."""
    folder = ROOT / "tests"
    importing = re.compile(r"^\s*(?:from|import) tests\.(?!support\b)", re.MULTILINE)
    assert [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if importing.search(path.read_text(encoding="utf-8"))
    ] == []


def test_the_picture_of_the_layers_is_that_of_the_contract():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import rooms
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    assert rooms.picture() in Path(ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), "run scripts/rooms.py --draw"


def test_the_numbers_of_the_rooms_can_be_printed():
    done = subprocess.run([sys.executable, "scripts/rooms.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "the longest chain of imports" in done.stdout
