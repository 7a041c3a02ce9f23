"""Every Python example in the documentation runs, and what CONTRIBUTING.md names is there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import sys

import pytest

from tests.support import imports
from tests.support.folders import ROOT

PAGES = sorted((*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "checks").glob("*.md")))


def examples(page):
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page.name, str(page), 0)
    reports = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=reports.append)
    assert reports == [], "".join(reports)


def test_there_are_examples():
    assert sum(">>> " in examples(page) for page in PAGES) >= 3


TOUR = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FOLDERS = (ROOT, ROOT / "src" / "manyjudges")
MADE = {".venv", ".venv/bin/python", "docs/_build/html", "build/screenshots"}
"""What commands make, and a fresh checkout has not."""

WORDS = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", TOUR, flags=re.DOTALL | re.MULTILINE))


def paths_in(words):
    """Paths of files and folders in some code, each with the name in that file that is meant, if there is one."""
    for word in words:
        path, _, name = word.partition(": ")
        parts = [path] if name else word.split()
        for part in parts:
            is_path = re.fullmatch(r"[\w.<>*/-]+", part) and ("/" in part or re.search(r"\.(py|md|toml|txt)$", part))
            if is_path and part not in MADE and not part.startswith("manyjudges."):
                yield part, name


def files_at(path):
    """Files and folders that a path means; ``<name>`` in it stands for anything."""
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    return [found for folder in FOLDERS for found in folder.glob(pattern)]


PATHS = sorted(set(paths_in(WORDS)))


def test_paths_are_found_in_the_tour():
    assert {("core/plan.py", "Plan"), ("benchmarks/run.py", ""), ("tests/test_rooms.py", "")} <= set(PATHS)
    assert files_at("core/plans.py") == []


@pytest.mark.parametrize("place", PATHS, ids=lambda place: ": ".join(filter(None, place)))
def test_what_the_tour_names_is_there(place):
    path, name = place
    if path in ("utils.py", "__init__.py"):  # what no room has, and what all of them have
        return
    found = files_at(path)
    assert found, f"CONTRIBUTING.md names {path}, which does not exist"
    if name:
        home = ROOT if path.startswith("tests/") else ROOT / "src"
        module = ".".join(found[0].relative_to(home).with_suffix("").parts)
        assert hasattr(importlib.import_module(module), name), f"{path} has no {name}"


@pytest.mark.parametrize("word", sorted({word for word in WORDS if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", word)}))
def test_dotted_names_of_the_tour_are_there(word):
    if word == "utils.py" or files_at(word):  # files' names
        return
    module, _, name = word.rpartition(".")
    homes = [known for known in imports.package_modules() if f".{known}".endswith(f".{module}")]
    assert any(hasattr(importlib.import_module(home), name) for home in homes), f"{word} is not in {homes}"


def test_where_to_add_what_has_something_to_copy_and_a_law():
    table = TOUR.partition("## Where to add what")[2].partition("\n\n**")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| a ")]
    assert len(rows) >= 13
    for what, _, copied, law in rows:
        (example,) = paths_in(re.findall("`(.+?)`", copied))
        (tests,) = paths_in(re.findall("`(.+?)`", law))
        assert example[0].endswith(".py"), f"{what}: copy what?"
        assert tests[0].startswith("tests/"), f"{what}: which tests?"
        assert tests[0].endswith(".py"), f"{what}: which tests?"


def test_every_benchmark_is_in_the_tour():
    table = TOUR.partition("## Benchmarks")[2].partition("\n## ")[0]
    named = {path for path, _ in paths_in(re.findall("`([^`]+)`", table)) if path.startswith("benchmarks/")}
    assert named == {f"benchmarks/{path.name}" for path in (ROOT / "benchmarks").glob("*.py")}


@pytest.mark.parametrize("script", ["constants", "workers"])
def test_benchmarks_try_constants_that_exist_and_their_shipped_values(script, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"benchmark_{script}", ROOT / "benchmarks" / f"{script}.py")
    benchmark = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, benchmark)
    spec.loader.exec_module(benchmark)
    assert len(benchmark.TRIED) >= 7
    for (module, name), values in benchmark.TRIED.items():
        assert getattr(module, name) in values, f"{module.__name__}.{name}"
