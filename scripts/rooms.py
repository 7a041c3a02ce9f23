"""The rooms of the package in numbers, and the picture of its layers in CONTRIBUTING.md.

``python scripts/rooms.py`` prints modules, lines and imports by room; ``--draw`` writes the picture between the markers
in CONTRIBUTING.md, from the contract that import-linter holds.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PACKAGE = "manyjudges"
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- layers -->\n", "<!-- end of layers -->"


def layers() -> list[list[str]]:
    """The rows of the contract, from the top, each with the rooms in it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[room.strip() for room in row.split("|")] for row in rows]


def purpose(room: str) -> str:
    """The first sentence of a room's docstring."""
    home = ROOT / "src" / PACKAGE / room
    path = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
    text = path.read_text(encoding="utf-8").split('"""')[1].strip().partition("\n\n")[0]
    sentence = re.match(r".*?[.](?= |$)", " ".join(text.split()))
    title, _, rest = (sentence[0] if sentence else text).partition(": ")
    words = (
        rest if rest and len(title.split()) < 3 else f"{title}: {rest}" if rest else title
    )  # "Learning: honest error…"
    return words[0].upper() + words[1:]


def picture() -> str:
    """The layers as text: a room may import those below it, and none beside or above it."""
    rows = ["\n".join(f"{room:<12}{purpose(room)}" for room in row) for row in layers()]
    return "```text\n" + "\n\n".join(rows) + "\n```\n"


def draw() -> None:
    """Write the picture into CONTRIBUTING.md."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}{picture()}{END}{after}", encoding="utf-8")


def longest_chain(graph: grimp.ImportGraph) -> list[str]:
    """The longest chain of modules of which each imports the next; there must be no circle of imports."""

    @cache
    def below(module: str) -> tuple[str, ...]:
        chains = [below(each) for each in graph.find_modules_directly_imported_by(module) if each != module]
        return (module, *max(chains, key=len, default=()))

    return list(max((below(module) for module in sorted(graph.modules)), key=len))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", action="store_true", help="write the picture of layers into CONTRIBUTING.md")
    if parser.parse_args().draw:
        draw()
        return
    graph = grimp.build_graph(PACKAGE, cache_dir=None, exclude_type_checking_imports=True)
    modules, lines = Counter[str](), Counter[str]()
    for path in (ROOT / "src" / PACKAGE).rglob("*.py"):
        inside = path.relative_to(ROOT / "src" / PACKAGE)
        room = inside.parts[0] if len(inside.parts) > 1 else "(root)"
        modules[room] += path.name != "__init__.py"
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
    for room in sorted(modules, key=lambda room: -lines[room]):
        print(f"{room:<12} {modules[room]:>4} modules {lines[room]:>7,} lines")
    chain = longest_chain(graph)
    print(f"{'together':<12} {modules.total():>4} modules {lines.total():>7,} lines, {graph.count_imports():,} imports")
    print(f"{len(layers())} layers; the longest chain of imports has {len(chain)} modules:")
    print("  " + "\n  ".join(chain))


if __name__ == "__main__":
    main()
