"""Options about money: prices, currency, budgets and totals, as amounts that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyjudges.cli.options import as_count, pairs_of
from manyjudges.exceptions import PlanError

if TYPE_CHECKING:
    from manyjudges.learn.costs.terms import Terms


def _as_amount(text: Any) -> Any:
    """An option that is an amount, with or without a currency."""
    from manyjudges.base.money import read_amount

    try:
        return read_amount(text)
    except PlanError as error:
        raise typer.BadParameter(str(error)) from None


def _as_currency(text: str) -> str:
    """An option that is a currency."""
    from manyjudges.base.money import read_currency

    try:
        return read_currency(text)
    except PlanError as error:
        raise typer.BadParameter(str(error)) from None


BudgetOption = Annotated[
    Any,
    typer.Option(
        "--budget",
        parser=_as_amount,
        metavar="AMOUNT",
        help="Budget per object: the maximum cost of its judgments, such as 20 or $2.",
    ),
]
TotalOption = Annotated[
    Any,
    typer.Option(
        "--total",
        parser=_as_amount,
        metavar="AMOUNT",
        help="Maximum cost of all judgments instead: those that the labelled objects still lack, and those of the new "
        "objects (--new). Gives the budget per object.",
    ),
]
PriceOption = Annotated[
    Any,
    typer.Option(
        "--price",
        parser=_as_amount,
        metavar="AMOUNT",
        help="Price of one judgment, such as 0.05 or $0.05 (default: 1 unit).",
    ),
]
CostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        metavar="ATTRIBUTE=AMOUNT",
        help="Price of one judgment of ATTRIBUTE, where it is not --price. May be repeated.",
    ),
]
CurrencyOption = Annotated[
    str | None,
    typer.Option(
        "--currency",
        parser=_as_currency,
        metavar="CODE",
        help="Currency of all amounts, such as EUR, if they name none.",
    ),
]
NewOption = Annotated[
    int | None,
    typer.Option(
        "--new", parser=as_count, metavar="COUNT", help="Number of new objects to judge, for the bill and --total."
    ),
]
RecordedOption = Annotated[
    bool,
    typer.Option(
        "--recorded",
        help="No more judgments can be had than JUDGMENTS has: plan at most as many of an attribute as half of the "
        "objects have.",
    ),
]


def terms_of(*, cost: list[str] | None, **amounts: Any) -> Terms:
    """What judgments cost and how much may be spent, from the options by their parameters' names."""
    from manyjudges.learn.costs.terms import Terms

    amounts["currency"] = amounts.get("currency") or ""
    return Terms.of(costs=_amounts_of(cost), **amounts)


def terms_of_budgets(
    budgets: str, *, cost: list[str] | None, price: Any, currency: str | None
) -> tuple[list[float], Terms]:
    """Budgets with commas between them, and what judgments cost, all in one currency."""
    from manyjudges.base.money import agree_on_currency
    from manyjudges.learn.error_curve import as_budgets

    amounts = [_read(part.strip(), f"--budgets {budgets}", "budgets") for part in budgets.split(",") if part.strip()]
    as_budgets([amount.value for amount in amounts])
    code = agree_on_currency({f"budget {i}": amount for i, amount in enumerate(amounts, 1)}, currency or "")
    return [amount.value for amount in amounts], terms_of(cost=cost, budget=amounts[0], price=price, currency=code)


def _amounts_of(cost: list[str] | None) -> dict[str, Any] | None:
    """Amounts by attribute from NAME=AMOUNT, or None where there are none."""
    pairs = pairs_of(cost, "--cost")
    return {name: _read(text, f"--cost {name}={text}", "cost") for name, text in pairs.items()} or None


def _read(text: str, option: str, column: str) -> Any:
    """The amount in an option, or an error that names the option."""
    from manyjudges.base.money import read_amount

    try:
        return read_amount(text)
    except PlanError as error:
        raise PlanError(f"{option}: {error}", value=text, column=column) from None
