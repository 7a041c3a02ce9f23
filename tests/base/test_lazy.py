"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from manyjudges.base.lazy import lazy_names

INIT = """
from manyjudges.base.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {{"numbers": ["ONE", "two"], "{package}.words": ["hello"]}}, submodules=["words"]
)
"""


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    """A package with two modules, each of which says when it is loaded."""
    name = f"lazy_{request.node.name.split('[')[0]}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(INIT.format(package=name))
    (tmp_path / name / "numbers.py").write_text("ONE = 1\ndef two():\n    return 2\n_three = 3\n")
    (tmp_path / name / "words.py").write_text("def hello():\n    return 'hello'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module(name)
    for loaded in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[loaded]


def loaded(package):
    return {name.rpartition(".")[2] for name in sys.modules if name.startswith(f"{package.__name__}.")}


def test_nothing_is_loaded_until_it_is_used_and_then_no_more_than_that(package):
    assert loaded(package) == set()
    assert package.ONE == 1
    assert loaded(package) == {"numbers"}
    assert package.words.hello() == package.hello() == "hello"
    assert loaded(package) == {"numbers", "words"}


def test_what_was_loaded_once_is_found_without_asking_again(package):
    assert "two" not in vars(package)
    assert package.two() == 2
    assert vars(package)["two"] is package.two


def test_all_names_are_listed_before_any_is_loaded(package):
    assert package.__all__ == ["ONE", "hello", "two", "words"]
    assert set(package.__all__) <= set(dir(package))
    assert dir(package) == sorted(dir(package))
    assert loaded(package) == set()
    names = {}
    exec(f"from {package.__name__} import *", names)
    assert set(package.__all__) <= set(names)


@pytest.mark.parametrize("name", ["three", "_three", "numbers_", "__path_"])
def test_a_name_that_there_is_not_is_an_attribute_error_as_everywhere(package, name):
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute '{name}'"):
        getattr(package, name)
    assert not hasattr(package, name)


def test_a_module_that_cannot_be_loaded_says_so_itself(package):
    load, _, _ = lazy_names(package.__name__, {"missing": ["anything"]})
    with pytest.raises(ModuleNotFoundError, match=r"\.missing'"):
        load("anything")


def test_it_takes_nothing_of_the_project_but_itself():
    code = "import manyjudges.base.lazy, sys; print(*(m for m in sys.modules if m.startswith('manyjudges')))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert set(run.stdout.split()) <= {
        "manyjudges",
        "manyjudges.base",
        "manyjudges.base.lazy",
        "manyjudges.base.version",
    }
