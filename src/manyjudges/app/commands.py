"""Commands: what was done on the page, as lines for a terminal and for Python that do the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from manyjudges.app.choices import Choices, Money

_NEW = "new.csv"
"""The file of new objects, whose name nobody has said."""


def command_lines(tables: Sequence[str], labels: Sequence[str], choices: Choices, money: Money) -> list[str]:
    """Lines for a terminal, in the folder that has the tables.

    >>> money = Money(budget="12")
    >>> for line in command_lines(["a.csv"], [], Choices(columns={"label": "Grade"}, missing=("-99",)), money):
    ...     print(line)
    manyjudges plan a.csv --label Grade --missing=-99 --budget 12 --out plan.json
    manyjudges report a.csv --label Grade --missing=-99 --budget 12 --out report.html
    manyjudges missing plan.json a.csv --label Grade --missing=-99 --out tobuy.csv
    manyjudges fit plan.json a.csv --label Grade --missing=-99 --out model.json
    manyjudges predict model.json new.csv --label Grade --missing=-99 --out predictions.csv
    """
    reading, label = list(_reading(choices)), list(_label(choices))
    matching, price = list(_matching(choices)), list(_price(money))
    both = [*tables, *labels]
    lines = [
        ["plan", *both, *label, *reading, *matching, *price, "--out", "plan.json"],
        ["report", *both, *label, *reading, *matching, *price, "--out", "report.html"],
        ["missing", "plan.json", *tables, *label, *reading, "--out", "tobuy.csv"],
        ["fit", "plan.json", *both, *label, *reading, *matching, "--out", "model.json"],
        ["predict", "model.json", _NEW, *label, *reading, "--out", "predictions.csv"],
    ]
    return [shlex.join(["manyjudges", *parts]) for parts in lines]


def python_lines(tables: Sequence[str], labels: Sequence[str], choices: Choices, money: Money) -> list[str]:
    """Lines of Python that do the same.

    >>> money = Money(budget="12", price="0.05")
    >>> for line in python_lines(["a.csv"], ["b.csv"], Choices(drop=("Grade",)), money):
    ...     print(line)
    from pathlib import Path
    from manyjudges import answer
    found = answer("a.csv", "b.csv", budget=12, price=0.05, drop=["Grade"])
    print(found)
    Path("plan.json").write_text(found.plan.to_json(), encoding="utf-8")
    """
    source = _quoted(tables[0]) if len(tables) == 1 else f"[{', '.join(map(_quoted, tables))}]"
    arguments = [source, *map(_quoted, labels[:1])]
    arguments += [f"{name}={value}" for name, value in (*_money_arguments(money), *_reading_arguments(choices))]
    return [
        "from pathlib import Path",
        "from manyjudges import answer",
        f"found = answer({', '.join(arguments)})",
        "print(found)",
        'Path("plan.json").write_text(found.plan.to_json(), encoding="utf-8")',
    ]


def _label(choices: Choices) -> Iterator[str]:
    if name := choices.columns.get("label"):
        yield from ("--label", name)


def _reading(choices: Choices) -> Iterator[str]:
    """How to read the table, as options of the command line."""
    for role, name in choices.columns.items():
        if role != "label":
            yield from (f"--{role}", name or "")
    yield from _unless(choices, "auto", "shape", "format")
    for name in choices.drop:
        yield from ("--drop", name)
    for scale in choices.scales:
        yield from ("--scale", ",".join(scale))
    for option in ("missing", "valid"):
        if codes := getattr(choices, option):
            yield f"--{option}={','.join(codes)}"  # a code may begin with a hyphen
    yield from _unless(choices, "error", "on_invalid", "repeated")


def _unless(choices: Choices, usual: str, *options: str) -> Iterator[str]:
    """Options that have another value than the usual one."""
    for option in options:
        if (value := getattr(choices, option)) != usual:
            yield from (f"--{option.replace('_', '-')}", value)


def _matching(choices: Choices) -> Iterator[str]:
    for name in choices.noiseless:
        yield from ("--noiseless", name)
    yield from _unless(choices, "error", "unmatched")


def _price(money: Money) -> Iterator[str]:
    """What there is to spend, as options of the command line."""
    for option in ("budget", "total", "price", "currency", "new"):
        if text := getattr(money, option):
            yield from (f"--{option}", text)
    for option, amounts in (("--cost", money.costs), ("--max-repeats", money.max_repeats)):
        for name, text in amounts.items():
            yield from (option, f"{name}={text}")


def _money_arguments(money: Money) -> Iterator[tuple[str, str]]:
    for name in ("budget", "total", "price"):
        if text := getattr(money, name):
            yield name, _number(text)
    for argument, amounts in (("costs", money.costs), ("max_repeats", money.max_repeats)):
        if amounts:
            yield argument, f"{{{', '.join(f'{_quoted(name)}: {_number(text)}' for name, text in amounts.items())}}}"
    if money.currency:
        yield "currency", _quoted(money.currency)
    if money.new:
        yield "new", money.new


def _reading_arguments(choices: Choices) -> Iterator[tuple[str, str]]:
    for role, name in choices.columns.items():
        yield role, "None" if name is None else _quoted(name)
    for option in ("shape", "format"):
        if (value := getattr(choices, option)) != "auto":
            yield option, _quoted(value)
    for option in ("drop", "missing", "valid", "noiseless"):
        if values := getattr(choices, option):
            yield option, f"[{', '.join(map(_quoted, values))}]"
    if choices.scales:
        yield "scales", f"[{', '.join('[' + ', '.join(map(_quoted, scale)) + ']' for scale in choices.scales)}]"
    for option in ("on_invalid", "repeated", "unmatched"):
        if (value := getattr(choices, option)) != "error":
            yield option, _quoted(value)


def _number(text: str) -> str:
    """An amount as Python has it: a number, or a text with its currency."""
    try:
        float(text)
    except ValueError:
        return _quoted(text)
    return text


def _quoted(text: Any) -> str:
    r"""A text as Python has it, in the quotes that are usual.

    >>> print(_quoted("a"), _quoted('the "a"'))
    "a" 'the "a"'
    """
    written = repr(str(text))
    return f'"{written[1:-1]}"' if written[0] == "'" and '"' not in written else written
