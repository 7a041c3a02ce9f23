"""Write rooms.md, the names that each room of the package lends to others: python docs/room_names.py."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import manyjudges

PAGE = Path(__file__).parent / "rooms.md"
HEAD = """# Names by room

For those who work on ManyJudges or build on it: what each room of the package lends to others. What analyses and
scripts need is in {doc}`api`, with parameters and examples. Import a name from its room
(`from manyjudges.core import Plan`); names listed under a module need the module's name to be understood
(`from manyjudges.base import formatting`). Everything else may change without notice.

<!-- written by docs/room_names.py -->
"""


def summary_of(text: str | None) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join((text or "").strip().partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.]) (?=[A-Z`:])", paragraph)[0]
    return re.sub(r"(?::\w+:)?(`+)~?(.+?)\1", r"`\2`", sentence)


def constants_of(module: ModuleType) -> dict[str, str]:
    """What is said below the constants and types that a module assigns."""
    body = ast.parse(inspect.getsource(module)).body
    said = {}
    for node, after in itertools.pairwise(body):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            said.update({name.id: str(after.value.value) for name in names if isinstance(name, ast.Name)})
    return said


def meaning(module: ModuleType, name: str) -> str:
    """What a public name is, in its own words."""
    value = getattr(module, name)
    if inspect.isroutine(getattr(value, "__wrapped__", value)) or inspect.isclass(value) or inspect.ismodule(value):
        return summary_of(inspect.getdoc(value))
    homes = [module, *(importlib.import_module(found) for found in modules_of(module))]
    return summary_of(next((words[name] for words in map(constants_of, homes) if name in words), ""))


def modules_of(package: ModuleType) -> list[str]:
    """All modules of a package, by name, but those that run when they are imported."""
    found = pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}.")
    return [module.name for module in found if ".migrations" not in module.name]


def rooms() -> Iterator[ModuleType]:
    """The packages right below the root."""
    for found in pkgutil.iter_modules(manyjudges.__path__, "manyjudges."):
        if found.ispkg:
            yield importlib.import_module(found.name)


def lines(module: ModuleType, names: list[str]) -> Iterator[str]:
    """A list of names, each with what it is."""
    for name in names:
        yield f"- `{name}`: {meaning(module, name)}"


def page() -> str:
    """All rooms with their names."""
    parts = [HEAD]
    for room in rooms():
        parts.append(f"\n## `{room.__name__}`\n\n{summary_of(inspect.getdoc(room))}\n")
        public = list(getattr(room, "__all__", []))
        parts.append("\n" + "\n".join(lines(room, public)) + "\n" if public else "")
        for name in modules_of(room):
            module = importlib.import_module(name)
            own = [each for each in getattr(module, "__all__", []) if each not in public]
            if hasattr(module, "__path__"):
                public = [*public, *own]  # its modules need not say them again
            if own:
                parts.append(f"\n`{name.removeprefix('manyjudges.')}`\n\n" + "\n".join(lines(module, own)) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
