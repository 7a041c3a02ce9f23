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

WITHOUT_TESTS = {
    "__main__.py": "runs the command line",
    "arrays/types.py": "names of types, which mypy checks",
    "base/version.py": "one line, held against the changelog",
    "store/migrations/env.py": "tested on both databases by laws/test_store_migrations.py",
    "store/migrations/versions/0001_first_tables.py": "as above",
    "store/migrations/versions/0002_models.py": "as above",
}
"""Modules that no file of tests is about, and why."""

TESTED_TOGETHER = {
    "connectors": "laws/test_connectors.py",
    "learn/predictors": "learn/predictors/test_registry.py",
    "llm": "llm/test_runner.py",
    "plots": "plots/test_plots.py",
    "reports/sections": "laws/test_report_sections.py",
    "scan": "laws/test_readers.py",
    "store": "laws/test_store_laws.py",
    "tables/formats": "tables/formats/test_registry.py",
}
"""Folders whose modules do one job together, and the tests that run on the whole."""


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


def has_tests(path: Path, tests: dict[str, str]) -> bool:
    """Whether a module has a file of tests of its own, shares that of its package, or is imported by tests."""
    if (path.parent / f"test_{path.name}").as_posix() in tests or path.parent.as_posix() in TESTED_TOGETHER:
        return True
    package = path.parent
    if any(name.startswith(f"{package.parent.as_posix()}/test_{package.name}") for name in tests):
        return True
    dotted = ".".join(("manyjudges", *path.with_suffix("").parts))
    imported = re.compile(
        rf"{re.escape(dotted)}\b|from {re.escape(dotted.rpartition('.')[0])} import [^\n]*\b{path.stem}\b"
    )
    return any(imported.search(text) for text in tests.values())


def test_tests_lie_where_modules_do():
    folder = ROOT / "tests"
    tests = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    assert set(TESTED_TOGETHER.values()) <= set(tests)
    modules = [path for path in MODULES if path.name != "__init__.py" and path.as_posix() not in WITHOUT_TESTS]
    assert [path.as_posix() for path in modules if not has_tests(path, tests)] == []


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
