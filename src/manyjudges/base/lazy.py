"""Lazy: names of a package that are loaded when they are first used (PEP 562).

The libraries behind most names take seconds to import, and a program that only reads a plan needs few of them. A
package lists its public names with the modules that define them, and what a type checker sees of them under
``if TYPE_CHECKING``; a test compares the two.
"""

from __future__ import annotations

__all__ = ["lazy_names"]

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]], submodules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : mapping of str to sequence of str
        Modules, relative to the package, and the public names that each of them defines; by its full name a module of
        another package.
    submodules : sequence of str
        Modules of the package that are public names themselves.
    """
    root = package.partition(".")[0] + "."
    homes = {
        name: module if module.startswith(root) else f"{package}.{module}"
        for module, names in modules.items()
        for name in names
    }
    homes.update((module, f"{package}.{module}") for module in submodules)

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(homes[name])
        value = module if name in submodules else getattr(module, name)
        setattr(sys.modules[package], name, value)  # the next use finds it without asking here
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return load, names, sorted(homes)
