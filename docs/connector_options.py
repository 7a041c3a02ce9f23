"""Write the table of connectors' options into connectors.md, between its markers: python docs/connector_options.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from manyjudges.connectors.registry import NAMES, Connector, ConnectorOption, connector

PAGE = Path(__file__).parent / "connectors.md"
MARKED = re.compile(r"(<!-- options of connectors -->\n).*?(<!-- end -->)", flags=re.DOTALL)
FUNCTIONS = ("read", "write")
COMMAND_LINE = {
    "attributes": "--attribute",
    "attribute": "--attribute",
    "rejected": "--rejected",
    "repeated": "--repeated",
}
"""Options that have one of their own on the command line; all others are set by --option."""


def value_of(option: ConnectorOption) -> str:
    """What an option takes, in words."""
    words = ", ".join(f"`{choice}`" for choice in option.choices) or option.type
    return f"{words}; may be repeated" if option.several or option.type == "word=number" else words


def rows_of(tool: Connector) -> Iterator[str]:
    """The table's rows about one connector."""
    for name, option in tool.options.items():
        shown = f"`{name}`" + (f" ({COMMAND_LINE[name]})" if name in COMMAND_LINE else "")
        takers = ", ".join(function for function in FUNCTIONS if function in option.on)
        yield f"| `{tool.name}` | {shown} | {takers} | {value_of(option)} | {option.help} |"


def table() -> str:
    """The options of all connectors."""
    head = ["| tool | option | of | value | |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(row for name in NAMES for row in rows_of(connector(name)))])


def renew(text: str) -> str:
    """The page with the table as it is now."""
    return MARKED.sub(lambda found: f"{found[1]}\n{table()}\n\n{found[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(renew(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
