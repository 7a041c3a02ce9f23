"""Every Python example in the documentation runs, its commands exist, and what CONTRIBUTING.md names is there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import shlex
import sys

import pytest
from typer.main import get_command

from manyjudges import simulate
from manyjudges.cli.main import app
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


README = ROOT / "README.md"
HOME = ROOT / "docs" / "index.md"


def shown_commands(text):
    """The arguments of each call of manyjudges in the console examples of a page."""
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    shown = [line.removeprefix("$ ") for line in lines if line.startswith("$ manyjudges ")]
    return [shlex.split(line.partition(" | ")[0].partition(" > ")[0], comments=True)[1:] for line in shown]


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_commands_that_are_shown_exist_with_their_options(page):
    known = get_command(app).commands
    for name, *arguments in shown_commands(page.read_text(encoding="utf-8")):
        if name.startswith("--"):
            continue
        assert name in known, f"manyjudges {name}"
        options = {option for parameter in known[name].params for option in parameter.opts} | {"--help"}
        for argument in arguments:
            if argument.startswith("--"):
                assert argument.partition("=")[0] in options, f"manyjudges {name} {argument}"


def door(text, title):
    """What a page says under a heading."""
    assert f"## {title}\n" in text, title
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def survey(crowd, raters):
    """Ratings as a survey tool exports them: a row for each rater and essay, a column for each question."""
    rows = crowd.pilot(raters).to_frame()
    table = rows.pivot(index=["object", "worker"], columns="attribute", values="value").reset_index()
    table = table.rename(columns={"object": "Essay", "worker": "Rater"})
    return table.assign(Grade=table["Essay"].map(crowd.labels))


@pytest.mark.slow
@pytest.mark.parametrize("page", [README, HOME], ids=lambda page: page.name)
def test_who_has_ratings_gets_from_a_table_to_predictions(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    essays = simulate.essays(60, random_state=0)
    new = essays.more(5)
    survey(essays, raters=2).to_csv("survey.csv", index=False)
    survey(new, raters=4).drop(columns="Grade").to_csv("new-survey.csv", index=False)
    (tmp_path / "new-essays.txt").write_text("\n".join(new.objects))
    commands = shown_commands(door(page.read_text(encoding="utf-8"), "I have ratings"))
    assert {"plan", "report"} <= {command[0] for command in commands}
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            app(command)
        out, err = capsys.readouterr()
        assert ended.value.code == 0, f"{command}: {err}"
        assert out
    assert {"plan.json", "report.html"} <= {path.name for path in tmp_path.iterdir()}


NEWCOMERS = ROOT / "docs" / "newcomers.md"
MOST_COMMANDS = 4


@pytest.mark.slow
def test_newcomers_get_from_their_file_to_predictions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = NEWCOMERS.read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(examples(NEWCOMERS), {}, NEWCOMERS.name, str(NEWCOMERS), 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
    for title in ("A survey", "Crowd data"):
        commands = shown_commands(door(text, title))
        assert [name for name, *_ in commands] == ["plan", "missing", "fit", "predict"]
        assert len(commands) <= MOST_COMMANDS
        for command in commands:
            with pytest.raises(SystemExit) as ended:
                app(command)
            assert ended.value.code == 0, f"{command}: {capsys.readouterr().err}"
        assert len((tmp_path / "to-ask.csv").read_text().splitlines()) > 20
        assert len((tmp_path / "predictions.csv").read_text().splitlines()) == 21
        for made in ("plan.json", "to-ask.csv", "model.json", "predictions.csv"):
            (tmp_path / made).unlink()
    said = [line for line in door(text, "A survey").splitlines() if line.startswith("   read from")]
    with pytest.raises(SystemExit):
        app(["plan", "survey.csv", "--label", "Grade", "--budget", "12"])
    assert said[0].strip(" …") in capsys.readouterr().err


@pytest.mark.slow
def test_the_readme_s_python_prints_what_its_comments_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = README.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    promised = re.findall(r"^print\(.*\)  # (.*?)(?: \+ …)?$", code, flags=re.MULTILINE)
    assert len(promised) == len(said) >= 2
    for words, line in zip(promised, said, strict=True):
        assert words in line


@pytest.mark.parametrize("page", [README, HOME], ids=lambda page: page.name)
def test_a_first_page_has_three_doors_two_commands_and_how_to_cite(page):
    text = page.read_text(encoding="utf-8")
    for title in ("I have ratings", "I have judges", "I have models", "How to cite"):
        assert door(text, title).strip(), title
    assert "make demo" in text
    assert "make test" in text
    assert "2013" in door(text, "How to cite")
    assert len(text.split()) < 1000


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


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "docs").glob("*.py")))
def test_scripts_of_the_docs_use_what_there_is(script, monkeypatch):
    """They are run by hand, so that nobody would notice a name that they import and that was renamed."""
    spec = importlib.util.spec_from_file_location("docs_script", ROOT / "docs" / script)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)


@pytest.mark.parametrize("script", ["constants", "workers"])
def test_benchmarks_try_constants_that_exist_and_their_shipped_values(script, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"benchmark_{script}", ROOT / "benchmarks" / f"{script}.py")
    benchmark = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, benchmark)
    spec.loader.exec_module(benchmark)
    assert len(benchmark.TRIED) >= 7
    for (module, name), values in benchmark.TRIED.items():
        assert getattr(module, name) in values, f"{module.__name__}.{name}"
