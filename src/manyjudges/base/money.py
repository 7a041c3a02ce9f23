"""Money: amounts as people write them, in which currency they are, and how to show them.

An amount without a currency is in units, whatever these are worth. Currencies have their ISO 4217 code, such as EUR.
"""

from __future__ import annotations

__all__ = ["Amount", "agree_on_currency", "format_amount", "read_amount", "read_currency"]

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from manyjudges.base.formatting import NONE
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import PlanError

_DOLLARS = ("USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD")
_CENTS = (*_DOLLARS, "EUR", "ZAR")

_MARKS: dict[str, tuple[str, ...]] = {
    "$": _DOLLARS,
    "us$": ("USD",),
    "a$": ("AUD",),
    "au$": ("AUD",),
    "c$": ("CAD",),
    "ca$": ("CAD",),
    "hk$": ("HKD",),
    "nz$": ("NZD",),
    "s$": ("SGD",),
    "mx$": ("MXN",),
    "nt$": ("TWD",),
    "r$": ("BRL",),
    "dollar": _DOLLARS,
    "dollars": _DOLLARS,
    "€": ("EUR",),
    "euro": ("EUR",),
    "euros": ("EUR",),
    "£": ("GBP",),
    "pound": ("GBP",),
    "pounds": ("GBP",),
    "¥": ("JPY", "CNY"),
    "￥": ("JPY", "CNY"),
    "円": ("JPY",),
    "yen": ("JPY",),
    "元": ("CNY",),
    "rmb": ("CNY",),
    "yuan": ("CNY",),
    "kr": ("DKK", "ISK", "NOK", "SEK"),
    "kr.": ("DKK", "ISK", "NOK", "SEK"),
    "fr.": ("CHF",),
    "sfr.": ("CHF",),
    "₹": ("INR",),
    "₩": ("KRW",),
    "₽": ("RUB",),
    "₺": ("TRY",),
    "₪": ("ILS",),
    "₫": ("VND",),
    "₴": ("UAH",),
    "₦": ("NGN",),
    "₱": ("PHP",),
    "฿": ("THB",),
    "zł": ("PLN",),
    "kč": ("CZK",),
    "ft": ("HUF",),
}
"""Signs and words in small letters, and the currencies that each may stand for."""

_HUNDREDTHS: dict[str, tuple[str, ...]] = {
    "¢": _CENTS,
    "ct": _CENTS,
    "cent": _CENTS,
    "cents": _CENTS,
    "p": ("GBP",),
    "pence": ("GBP",),
    "penny": ("GBP",),
}
"""The same for hundredths of a currency."""

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND
VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
"""Currencies in use, as ISO 4217 lists them, without funds, metals and test codes."""

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "INR": "₹"}
"""Signs that amounts are shown with; other currencies are shown by their code."""

_WITHOUT_CENTS = frozenset({"CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XAF", "XOF", "XPF"})

_POINT_FOR_DECIMALS = frozenset({*_DOLLARS, *_WITHOUT_CENTS, "CNY", "GBP", "ILS", "INR", "PHP", "THB"}) - {
    "CLP",
    "ISK",
    "PYG",
    "VND",
}
"""Currencies of which ``1,234`` is one thousand and more."""

_UNITS = ("unit", "units")

_NUMBER = r"[-+]?(?:[0-9](?:[0-9.,' ’]*[0-9])?[.,]?|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?"
_AMOUNT = re.compile(rf"(?P<before>[A-Za-z]+\.(?![0-9])\s*|[^0-9.,+\-]*)(?P<number>{_NUMBER})(?P<after>[^0-9]*)")
_DASHES = re.compile(r"(?<=[0-9])[,.][-–—]+")
"""How ``5.–`` and ``5,-`` say that there are no cents."""

_PLAIN = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?(?:[0-9]+,[0-9]+|,[0-9]+)")
_EITHER = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")
"""One thousand and more, or one and a bit: the sign between them may be for thousands or for decimals."""

_GROUPED = [
    re.compile(rf"(?P<whole>[-+]?[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+)(?:{point}(?P<decimals>[0-9]+))?")
    for group, point in ((",", r"\."), (r"\.", ","), ("[ '’]", "[.,]"))
]


class Amount(NamedTuple):
    """An amount as somebody wrote it.

    Attributes
    ----------
    value : float
    currencies : tuple of str
        Codes of those that it may be in: none where no currency is named, several where ``$`` leaves it open.
    text : str
        As it was written.
    """

    value: float
    currencies: tuple[str, ...]
    text: str


def read_amount(amount: object, column: str = "price") -> Amount:
    """Read an amount of money, or of units.

    Parameters
    ----------
    amount : number, str or Amount
    column : str
        What it is given for, for the error.

    Examples
    --------
    >>> read_amount("0,05 €")
    Amount(value=0.05, currencies=('EUR',), text='0,05 €')
    >>> read_amount("CHF 1,234.50").value, read_amount("5p").value, read_amount(3).currencies
    (1234.5, 0.05, ())
    """
    if isinstance(amount, Amount):
        return amount
    if not isinstance(amount, str):
        return Amount(_as_number(amount, column), (), str(amount))
    text = " ".join(amount.split())
    match = _AMOUNT.fullmatch(_DASHES.sub("", text))
    if match is None:
        raise _refused(
            amount, f"{quote_value(amount)} is not an amount. Write it like 0.05, $0.05 or 0.05 EUR.", column
        )
    before, after = match["before"].strip(), match["after"].strip()
    currencies, parts = _currencies_of(before or after, amount, column)
    if before and after:  # such as "$5 CAD"
        others = _currencies_of(after, amount, column)
        currencies = tuple(code for code in others[0] if code in currencies)
        if not currencies or parts != others[1]:
            raise _refused(amount, f"{quote_value(amount)} has two currencies, {before!r} and {after!r}.", column)
    number = _number_in(match["number"].strip(), currencies, (before or after).lower() in _UNITS, amount, column)
    return Amount(number / parts, currencies, text)


def read_currency(currency: object) -> str:
    """The code of a currency that is named by its code or its sign; nothing stays nothing.

    >>> read_currency("eur"), read_currency("€"), read_currency("")
    ('EUR', 'EUR', '')
    """
    if not isinstance(currency, str):
        raise _refused(currency, f"The currency must be a text such as 'EUR', not {quote_value(currency)}.", "currency")
    mark = currency.strip()
    if not mark:
        return ""
    if mark.lower() in _HUNDREDTHS or mark.lower() in _UNITS:
        raise _refused(currency, f"{mark!r} is not a currency. Write its code, such as USD or EUR.", "currency")
    return _only_one({"currency": Amount(0.0, _currencies_of(mark, currency, "currency")[0], mark)})


def agree_on_currency(amounts: Mapping[str, Amount], currency: str = "") -> str:
    """The one currency that amounts are in, as its code; empty where none of them names one.

    Parameters
    ----------
    amounts : mapping of str to Amount
        By what they are given for, in the words of the error.
    currency : str
        What the user says it is.

    Examples
    --------
    >>> agree_on_currency({"price": read_amount("$0.05"), "budget": read_amount(2)})
    'USD'
    >>> agree_on_currency({"price": read_amount("$0.05")}, currency="CAD")
    'CAD'
    """
    code = read_currency(currency)
    stated = {"currency": Amount(0.0, (code,), currency.strip())} if code else {}
    return _only_one(stated | {name: amount for name, amount in amounts.items() if amount.currencies})


def format_amount(value: float, currency: str = "") -> str:
    """An amount for people; :func:`read_amount` reads it back. Below one, it has four significant digits.

    >>> format_amount(0.05, "USD"), format_amount(1234.5, "EUR"), format_amount(1.2, "CHF"), format_amount(4)
    ('$0.05', '€1,234.50', 'CHF 1.20', '4 units')
    >>> format_amount(0.000023, "USD"), format_amount(0.0015, "EUR"), format_amount(1.5)
    ('$0.000023', '€0.0015', '1.5 units')
    """
    if not math.isfinite(value):
        number = NONE if math.isnan(value) else "∞"
    elif not currency:
        number = _digits(value, least=0, most=2)
    else:
        cents = 0 if currency in _WITHOUT_CENTS else 2
        number = _digits(value, least=cents, most=cents)
    if not currency:
        return f"{number} {'unit' if number == '1' else 'units'}"
    sign = _SIGNS.get(currency)
    return f"{sign}{number}" if sign else f"{currency} {number}"


def _digits(value: float, least: int, most: int) -> str:
    """A number with so many decimals, and with more where it is below one and they would hide it."""
    size = abs(value)
    decimals = most
    if 0 < size < 1:
        decimals = max(most, 3 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}"
    if "." not in text:
        return text
    whole, point, rest = text.partition(".")
    rest = rest.rstrip("0").ljust(least, "0")
    return f"{whole}{point}{rest}" if rest else whole


def _as_number(amount: object, column: str) -> float:
    """A number that is one already, such as those of numpy."""
    try:
        if isinstance(amount, bool | bytes) or amount is None:
            raise TypeError
        return float(amount)  # type: ignore[arg-type]  # whatever has a __float__
    except (TypeError, ValueError, OverflowError):
        raise _refused(
            amount, f"The {column} must be a number or a text such as '$0.05', not {quote_value(amount)}.", column
        ) from None


def _currencies_of(mark: str, amount: object, column: str) -> tuple[tuple[str, ...], int]:
    """Which currencies a mark may stand for, and into how many parts it divides them."""
    small = mark.lower()
    if not mark or small in _UNITS:
        return (), 1
    if mark.upper() in _CODES.split():
        return (mark.upper(),), 1
    if small in _MARKS:
        return _MARKS[small], 1
    if small in _HUNDREDTHS:
        return _HUNDREDTHS[small], 100
    raise _refused(
        amount, f"{quote_value(amount)} has the unknown currency {mark!r}. Write its code, such as USD or EUR.", column
    )


def _number_in(text: str, currencies: tuple[str, ...], units: bool, amount: object, column: str) -> float:
    """The number that a text stands for, whichever signs it has for thousands and decimals."""
    comma_groups = units or (bool(currencies) and _POINT_FOR_DECIMALS.issuperset(currencies))
    if _EITHER.fullmatch(text) and not comma_groups and ("," in text or currencies):
        one, other = text.replace(".", "").replace(",", ""), text.replace(",", ".")
        raise _refused(
            amount, f"{quote_value(amount)} can be read in two ways. Write {one} or {float(other):g}.", column
        )
    if _PLAIN.fullmatch(text):
        return float(text)
    if _DECIMAL_COMMA.fullmatch(text) and not _EITHER.fullmatch(text):
        return float(text.replace(",", "."))
    for pattern in _GROUPED:
        if match := pattern.fullmatch(text):
            return float(re.sub("[^-+0-9]", "", match["whole"]) + f".{match['decimals'] or 0}")
    raise _refused(amount, f"{quote_value(amount)} is not an amount. Write it like 1234.50.", column)


def _only_one(amounts: Mapping[str, Amount]) -> str:
    """The currency that all amounts can be in."""
    left: tuple[str, ...] = ()
    for position, (name, amount) in enumerate(amounts.items()):
        both = tuple(code for code in left if code in amount.currencies) if position else amount.currencies
        if not both:
            # Of those before, the first that it contradicts; or the first of all where they do only together.
            other = next(
                (key for key, one in amounts.items() if not set(one.currencies) & set(amount.currencies)),
                next(iter(amounts)),
            )
            raise PlanError(
                f"The amounts are in different currencies: {_named(other, amounts[other])}, "
                f"{_named(name, amount)}. Give all of them in one currency.",
                value=amount.text,
                column=name,
            )
        left = both
    if len(left) <= 1:
        return left[0] if left else ""
    if left[0] == _DOLLARS[0] and any(amount.currencies == _DOLLARS for amount in amounts.values()):
        return left[0]
    name, amount = next(iter(amounts.items()))
    raise PlanError(
        f"The currency of {quote_value(amount.text)} is not clear: {list_names(left, limit=4)}. Add the code of yours.",
        value=amount.text,
        column=name,
    )


def _named(name: str, amount: Amount) -> str:
    codes = amount.currencies[0] if "$" in amount.text or len(amount.currencies) == 1 else "/".join(amount.currencies)
    return f"{name} {quote_value(amount.text)}" + ("" if amount.text == codes else f" is {codes}")


def _refused(value: object, message: str, column: str) -> PlanError:
    return PlanError(message, value=value, column=column)
