"""The public names, and that each of them is documented."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
import types
from collections import defaultdict
from pathlib import Path

import pytest

import manyjudges
from tests.support import imports
from tests.support.folders import ROOT

HEAVY = {"alembic", "dask", "duckdb", "fastapi", "matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "sqlalchemy"}


def packages():
    """All packages of the project, by name."""
    yield manyjudges
    for found in pkgutil.walk_packages(manyjudges.__path__, "manyjudges."):
        if found.ispkg:
            yield importlib.import_module(found.name)


def modules_after(code):
    """The top-level modules that are loaded when a program has run."""
    end = "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code + end], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


def test_importing_the_package_stays_light():
    assert modules_after("import manyjudges") & {*HEAVY, "numpy", "narwhals"} == set()


def test_importing_all_rooms_stays_light():
    rooms = ", ".join(package.__name__ for package in packages() if package.__name__.count(".") == 1)
    assert modules_after(f"import {rooms}") & {*HEAVY, "numpy", "narwhals"} == set()


def test_a_name_loads_what_it_needs_and_no_more():
    assert modules_after("from manyjudges import Plan") & HEAVY == set()
    assert "pandas" in modules_after("from manyjudges import read_judgments; read_judgments")


def test_an_unknown_name_is_told():
    with pytest.raises(AttributeError, match="module 'manyjudges' has no attribute 'selct'"):
        _ = manyjudges.selct
    assert {"select", "Judgments", "datasets"} <= set(dir(manyjudges))


def test_no_package_exports_a_function_named_like_one_of_its_modules():
    for package in packages():
        modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
        for name in modules & set(getattr(package, "__all__", [])):
            assert inspect.ismodule(getattr(package, name)), f"{package.__name__}.{name}"


def test_what_type_checkers_see_of_a_package_is_what_it_exports():
    for package in packages():
        text = Path(package.__file__).read_text(encoding="utf-8")
        if "lazy_names(" not in text or package.__name__ == "manyjudges.base":
            continue
        tree = ast.parse(text)
        blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        seen = {}
        for node in (each for block in blocks for each in block.body if isinstance(each, ast.ImportFrom)):
            seen.update({alias.asname or alias.name: node.module for alias in node.names})
        assert sorted(seen) == package.__all__, package.__name__
        for name, home in seen.items():
            known = getattr(importlib.import_module(home), name)
            assert getattr(package, name) is known, f"{package.__name__}.{name}"


def test_exported_names_exist_and_are_sorted():
    assert manyjudges.__all__ == sorted(manyjudges.__all__)
    assert all(hasattr(manyjudges, name) for name in manyjudges.__all__)


def test_nothing_else_is_public():
    modules = {p.stem for p in Path(manyjudges.__file__).parent.iterdir()}
    extra = {name for name in vars(manyjudges) if not name.startswith("_")} - set(manyjudges.__all__) - modules
    extra -= {"TYPE_CHECKING", "lazy_names"}
    assert extra == set()


def test_every_error_is_the_base_error():
    errors = [getattr(manyjudges, name) for name in manyjudges.__all__ if name.endswith("Error")]
    assert all(issubclass(error, manyjudges.ManyJudgesError) for error in errors)
    assert issubclass(manyjudges.ManyJudgesError, ValueError)
    assert all(error.__name__ in (inspect.getdoc(manyjudges.exceptions) or "") for error in errors)


REFERENCE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
UNDOCUMENTED = {"app", "arrays", "base", "cli", "connectors", "llm", "study", "tables", "web"}
"""Rooms that analyses and scripts do not import: docs/rooms.md has their names, and pages of docs/ what they do."""

DOCUMENTED = [
    room.name for room in pkgutil.iter_modules(manyjudges.__path__) if room.name not in {*UNDOCUMENTED, "__main__"}
]


def entries_of_the_reference():
    """The full names that docs/api.md has entries of, in order."""
    home = ""
    for kind, name in re.findall(r"^\.\. ([\w:]+):: ([\w.]+)", REFERENCE, flags=re.MULTILINE):
        if kind == "currentmodule":
            home = f"{name}."
        elif kind in ("autofunction", "autoclass", "autodata", "autoexception", "automodule", "py:data"):
            yield name if name.startswith("manyjudges.") else home + name


ENTRIES = list(entries_of_the_reference())


def ways_to(name, thing):
    """The full names under which something public can be imported."""
    for room in ("", *(f".{room}" for room in DOCUMENTED)):
        package = importlib.import_module(f"manyjudges{room}")
        if name in package.__all__ and getattr(package, name) is thing:
            yield f"manyjudges{room}.{name}"


def test_every_entry_of_the_reference_is_public_and_stands_there_once():
    assert sorted(set(ENTRIES)) == sorted(ENTRIES)
    for entry in ENTRIES:
        home, _, name = entry.rpartition(".")
        assert name in importlib.import_module(home).__all__ or importlib.util.find_spec(entry), entry


@pytest.mark.parametrize("room", ["", *DOCUMENTED])
def test_every_public_name_has_a_docstring_and_is_in_the_reference(room):
    module = importlib.import_module(f"manyjudges.{room}".rstrip("."))
    for name in module.__all__:
        thing = getattr(module, name)
        assert inspect.getdoc(thing) or not isinstance(thing, type | types.FunctionType), name
        assert set(ways_to(name, thing)) & set(ENTRIES), f"{name} is not in docs/api.md"


def test_the_reference_is_compared_to_the_letter():
    assert "manyjudges.store.Store" in ENTRIES
    assert "manyjudges.store.Stor" not in ENTRIES
    assert {"service", "store", "scan"} <= set(DOCUMENTED)


def test_every_public_method_has_a_docstring():
    for name in manyjudges.__all__:
        thing = getattr(manyjudges, name)
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and function.__module__.startswith("manyjudges"):
                    assert inspect.getdoc(function), f"{name}.{method}"


def test_version_is_in_the_changelog():
    assert f"## {manyjudges.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def modules():
    """All modules of the package but its rooms' lists of names, which load nothing, and steps of the store's tables."""
    for module, path in imports.package_modules().items():
        lazy = path.name == "__init__.py" and "lazy_names(" in path.read_text(encoding="utf-8")
        if not lazy and ".migrations" not in module and module != "manyjudges.__main__":
            yield module


@pytest.mark.slow
def test_what_other_rooms_use_is_in_the_module_s_list():
    inside = imports.uses_inside()
    missing = [
        f"{module}: {name}, used by {sorted(rooms)}"
        for module in modules()
        for name in sorted(imports.definitions(module) | imports.assigned(module))
        if (rooms := {imports.room_of(user) for user in inside.get((module, name), ())} - {imports.room_of(module)})
        if name not in imports.exported(module) and not name.startswith("__")
    ]
    assert missing == [], "other rooms use these: add them to __all__ of their module"


@pytest.mark.slow
def test_a_module_s_list_holds_nothing_else():
    inside, outside = imports.uses_inside(), imports.uses_outside()
    lent = {(home, name) for package in packages() for home, name in homes(package)}
    surplus = [
        f"{module}: {name}"
        for module in modules()
        if not module.endswith(".live")  # their pages in the documentation show them to users
        for name in imports.exported(module)
        if (module, name) not in lent
        if not {imports.room_of(user) for user in inside.get((module, name), ())} - {imports.room_of(module)}
        if not outside.get((module, name))
    ]
    assert surplus == [], "no other room uses these: take them out of __all__ of their module"


def homes(package):
    """The public names of a package, each with the module that defines it."""
    for node in ast.walk(ast.parse(Path(package.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.slow
def test_what_only_its_own_module_uses_has_an_underscore():
    inside, outside = imports.uses_inside(), imports.uses_outside()
    lonely = [
        f"{module}: {name}"
        for module in modules()
        for name in sorted(imports.definitions(module, undecorated=True))
        if not name.startswith("_") and name not in imports.exported(module)
        if not inside.get((module, name), set()) - {module} and not outside.get((module, name))
        if name not in imports.in_signatures(module)
    ]
    assert lonely == [], "only their own module uses these: give them an underscore"


@pytest.mark.slow
def test_a_constant_that_only_its_own_module_uses_has_an_underscore():
    inside, outside = imports.uses_inside(), imports.uses_outside()
    lonely = [
        f"{module}: {name}"
        for module in modules()
        for name in sorted(imports.constants(module))
        if not name.startswith("_") and name not in imports.exported(module)
        if not inside.get((module, name), set()) - {module} and not outside.get((module, name))
    ]
    assert lonely == [], "only their own module uses these: give them an underscore"


def test_no_two_public_classes_or_types_share_a_name():
    homes_of = defaultdict(list)
    for module in modules():
        for name in imports.classes(module) | imports.types(module):
            homes_of[name].append(module)
    assert {"Judge", "PlanFunction", "Progress"} <= set(homes_of)  # a class, and other names of types
    shared = {name: homes for name, homes in homes_of.items() if len(homes) > 1 and not name.startswith("_")}
    assert shared == {}, "one name, one meaning: say in the name of each what it is"


ONE_IN_EACH = {
    "CHECK": "what a module enters into the registry of checks",
    "CONNECTOR": "what a module enters into the registry of connectors",
    "DEFAULT": "the entry of a registry that is taken when none is named",
    "FORMAT": "what a module enters into the registry of formats of tables",
    "HANDED_IN": "of a tool: the states in which somebody has handed work in",
    "MARKETPLACE": "of a tool: how it sends people to the pages of a study",
    "REJECTED": "of a tool: its word for work that is not paid",
    "SECTION": "what a module enters into the registry of the report's sections",
    "SHAPE": "what a module enters into the registry of shapes of tables",
    "SERVICE": "what a module enters into the registry of model services",
}
"""Names of constants that stand for the same in several modules, each with its own value."""


def test_no_two_public_constants_share_a_name():
    homes_of = defaultdict(list)
    for module in modules():
        for name in imports.assigned(module):
            if name.isupper() and len(name) > 1 and not name.startswith("_") and name not in ONE_IN_EACH:
                homes_of[name].append(module)
    shared = {name: homes for name, homes in homes_of.items() if len(homes) > 1}
    assert shared == {}, "one name, one meaning: define it once, or say in the name of each what it is"


def test_the_page_of_names_is_that_of_the_rooms():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import room_names
    finally:
        sys.path.remove(str(ROOT / "docs"))
    page = room_names.PAGE.read_text(encoding="utf-8")
    assert page == room_names.page(), "run docs/room_names.py"
    assert [line for line in page.splitlines() if line.endswith(": ")] == [], "each public name says what it is"
