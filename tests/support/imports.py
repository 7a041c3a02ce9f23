"""Which names the package's modules take from each other, read from their text."""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.folders import ROOT

SOURCE = ROOT / "src"
PACKAGE = "manyjudges"
OUTSIDE = ("tests", "examples", "benchmarks", "experiments", "docs", "scripts")
"""Folders whose programs use names of the package, too."""

Uses = dict[tuple[str, str], set[str]]
"""By module and name: the modules that take it from there."""


def room_of(module: str) -> str:
    """The room that a module is in: ``core`` for ``manyjudges.core.search.greedy``."""
    return module.split(".")[1] if "." in module else module


@cache
def package_modules() -> dict[str, Path]:
    """The files of all modules of the package."""
    files = sorted((SOURCE / PACKAGE).rglob("*.py"))
    parts = [(path, path.relative_to(SOURCE).with_suffix("").parts) for path in files]
    return {".".join(part[:-1] if part[-1] == "__init__" else part): path for path, part in parts}


def definitions(module: str, *, undecorated: bool = False) -> set[str]:
    """The functions and classes that a module defines; ``undecorated`` ones are in no framework's hands."""
    body = _tree(package_modules()[module]).body
    functions = [node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    if undecorated:
        functions = [node for node in functions if not node.decorator_list]
    return {node.name for node in (*classes, *functions)}


@cache
def uses_inside() -> Uses:
    """What modules of the package take from each other; a package that only passes names on does not count."""
    return _uses(
        (module, path)
        for module, path in package_modules().items()
        if not (path.name == "__init__.py" and "lazy_names(" in path.read_text(encoding="utf-8"))
    )


@cache
def uses_outside() -> Uses:
    """What tests, examples and scripts take from modules of the package."""
    return _uses((str(path), path) for folder in OUTSIDE for path in sorted((ROOT / folder).rglob("*.py")))


def classes(module: str) -> set[str]:
    """The classes that a module defines."""
    return {node.name for node in _tree(package_modules()[module]).body if isinstance(node, ast.ClassDef)}


def types(module: str) -> set[str]:
    """The types that a module gives a name: ``Progress = Callable[[int, int], None]``."""
    return {name for name in assigned(module) if name.strip("_")[:1].isupper() and not name.isupper()}


def assigned(module: str) -> set[str]:
    """The constants and types that a module assigns."""
    return {name for name, _ in assignments(module)}


def assignments(module: str) -> Iterator[tuple[str, str]]:
    """The constants and types that a module assigns, each with the text of its value."""
    for node in _tree(package_modules()[module]).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        for target in targets:
            names, values = [target], [value]
            if isinstance(target, ast.Tuple):
                names = target.elts
                values = value.elts if isinstance(value, ast.Tuple) else [value] * len(names)
            for name, text in zip(names, values, strict=True):
                if isinstance(name, ast.Name):
                    yield name.id, "" if text is None else ast.unparse(text)


def constants(module: str) -> set[str]:
    """The constants that a module assigns, and the types that no signature of a public function names."""
    names = {name for name in assigned(module) if len(name) > 1 and not name[0].islower()}
    return {name for name in names if name.isupper()} | (names - in_signatures(module))


def in_signatures(module: str) -> set[str]:
    """Names in the types of a module's public functions, methods and fields, and in what its constants hold."""
    notes = _public_annotations(_tree(package_modules()[module]).body)
    return {node.id for note in notes for node in ast.walk(note) if isinstance(node, ast.Name)}


def _public_annotations(body: list[ast.stmt]) -> Iterator[ast.expr]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            notes = [*(parameter.annotation for parameter in parameters), node.returns]
            yield from (note for note in notes if note is not None)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from node.bases
            yield from _public_annotations(node.body)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            yield from (part for part in (getattr(node, "annotation", None), node.value) if part is not None)


def exported(module: str) -> list[str]:
    """A module's ``__all__``; none for one that has no such list."""
    return list(getattr(importlib.import_module(module), "__all__", []))


def _uses(files: Iterator[tuple[str, Path]]) -> Uses:
    uses: Uses = defaultdict(set)
    for user, path in files:
        tree = _tree(path)
        modules = dict(_imported_modules(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                for alias in node.names:
                    uses[str(node.module), alias.name].add(user)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                uses[modules[node.value.id], node.attr].add(user)
            elif isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[0], ast.Name):
                module, name = modules.get(node.args[0].id), node.args[1]
                if module and isinstance(name, ast.Constant):  # setattr(module, "name", value)
                    uses[module, name.value].add(user)
    return uses


def _imported_modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Modules of the package by the names under which a module knows them."""
    known = package_modules()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [(alias.asname or alias.name, alias.name) for alias in node.names]
        else:
            continue
        yield from ((name, module) for name, module in names if module in known)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
