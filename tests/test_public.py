"""The public names, and that each of them is documented."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

import manyjudges

ROOT = Path(__file__).parent.parent


def test_exported_names_exist_and_are_sorted():
    assert manyjudges.__all__ == sorted(manyjudges.__all__)
    assert all(hasattr(manyjudges, name) for name in manyjudges.__all__)


def test_nothing_else_is_public():
    modules = {p.stem for p in Path(manyjudges.__file__).parent.iterdir()}
    extra = {name for name in vars(manyjudges) if not name.startswith("_")} - set(manyjudges.__all__) - modules
    assert extra == set()


def test_every_error_is_the_base_error():
    errors = [getattr(manyjudges, name) for name in manyjudges.__all__ if name.endswith("Error")]
    assert all(issubclass(error, manyjudges.ManyJudgesError) for error in errors)
    assert issubclass(manyjudges.ManyJudgesError, ValueError)
    assert all(error.__name__ in (inspect.getdoc(manyjudges.exceptions) or "") for error in errors)


def test_every_public_name_has_a_docstring_and_is_in_the_reference():
    reference = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in manyjudges.__all__:
        assert inspect.getdoc(getattr(manyjudges, name)), name
        assert name in reference, f"{name} is not in docs/api.md"


@pytest.mark.parametrize("room", ["datasets", "plots", "simulate", "summary"])
def test_every_public_name_of_a_room_is_in_the_reference(room):
    reference = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    module = importlib.import_module(f"manyjudges.{room}")
    inside = {"choice", "errors", "overview", "plan_shares", "predictions", "purchase", "purchase_by_attribute"}
    for name in set(module.__all__) - inside - {"warnings", *manyjudges.__all__}:
        assert f"manyjudges.{room}.{name}" in reference, f"{room}.{name} is not in docs/api.md"


def test_every_public_method_has_a_docstring():
    for name in manyjudges.__all__:
        thing = getattr(manyjudges, name)
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and function.__module__.startswith("manyjudges"):
                    assert inspect.getdoc(function), f"{name}.{method}"


def test_version_is_in_the_changelog():
    assert f"## {manyjudges.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_readme_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.split("```python\n")[1].split("```")[0]
    exec(compile(block, "README.md", "exec"), {})
    assert "·" in capsys.readouterr().out
