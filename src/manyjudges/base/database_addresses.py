"""Database addresses: which texts name a database that judgments can be kept in, and what is wrong with the others.

A study's file is checked before any database is opened, a store checks what it is opened with, and commands look for
the file that an address names. All of them read the same table of forms, without SQLAlchemy. What a database does with
its address is the store's business: each form here has a dialect of the same name in ``store.dialects``.
"""

from __future__ import annotations

__all__ = ["PATTERNS", "address_form", "file_address", "file_of"]

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class AddressForm:
    """How the addresses of one kind of database are written.

    Attributes
    ----------
    dialect : str
        The dialect's name, such as ``"sqlite"``.
    prefix : str
        What every address of this form begins with.
    pattern : str
        The form as a message shows it.
    schemes : tuple of str
        What people write before ``://`` when they mean this database.
    correction : str
        What to say to them; ``{scheme}`` stands for what they wrote.
    check : callable
        Raises ValueError for an address with this prefix that cannot be used.
    """

    dialect: str
    prefix: str
    pattern: str
    schemes: tuple[str, ...]
    correction: str
    check: Callable[[str], None]


_SQLITE = "sqlite:///"
_POSTGRESQL = "postgresql+psycopg://"


def _check_sqlite(address: str) -> None:
    file = address.removeprefix(_SQLITE)
    if not file or file == ":memory:":
        raise ValueError("keeps nothing when the server stops; name a file, such as sqlite:///judgments.db.")
    if "?" in file or file.startswith("file:"):
        raise ValueError("has options, which are not understood; name just a file, such as sqlite:///judgments.db.")
    if file.endswith(("/", "\\")):
        raise ValueError("is a folder; name a file, such as sqlite:///judgments.db.")


def _check_postgresql(address: str) -> None:
    try:
        parts = urlsplit(address)
        complete = bool(parts.path.strip("/")) and (parts.port or 1) > 0
    except ValueError:  # a port that is not a number
        complete = False
    if not complete:
        raise ValueError(f"does not say which database, or its host or port is wrong; write {_POSTGRESQL}HOST/NAME.")


FORMS = (
    AddressForm(
        dialect="sqlite",
        prefix=_SQLITE,
        pattern=f"{_SQLITE}FILE",
        schemes=("sqlite",),
        correction="For SQLite, three slashes come before the file, and no driver is named.",
        check=_check_sqlite,
    ),
    AddressForm(
        dialect="postgresql",
        prefix=_POSTGRESQL,
        pattern=f"{_POSTGRESQL}USER:PASSWORD@HOST/NAME",
        schemes=("postgresql", "postgres", "psql"),
        correction=f"For PostgreSQL, {_POSTGRESQL} says that psycopg 3 speaks to it: replace {{scheme}}:// by "
        f"{_POSTGRESQL}",
        check=_check_postgresql,
    ),
)
"""Each database that a study can use."""

PATTERNS = " or ".join(form.pattern for form in FORMS)
"""All forms, for messages."""


def address_form(address: str) -> AddressForm:
    """The form of an address; ValueError where it is the address of no database that can be used.

    The message goes on from the address: ``"... is no database that ManyJudges knows; write ..."``.

    >>> address_form("sqlite:///judgments.db").dialect
    'sqlite'
    """
    for form in FORMS:
        if address.startswith(form.prefix):
            form.check(address)
            return form
    raise ValueError(f"is no database that ManyJudges knows; write {PATTERNS}.{_correction(address)}")


def file_of(address: str) -> str | None:
    """The path in an address that names a file; None where a server has the database.

    >>> file_of("sqlite:////srv/judgments.db"), file_of("postgresql+psycopg://localhost/x")
    ('/srv/judgments.db', None)
    """
    return address.removeprefix(_SQLITE) if address.startswith(_SQLITE) else None


def file_address(path: str) -> str:
    """The address of a database in a file.

    >>> file_address("/srv/judgments.db")
    'sqlite:////srv/judgments.db'
    """
    return f"{_SQLITE}{path}"


def _correction(address: str) -> str:
    scheme = address.partition(":")[0].lower()
    for form in FORMS:
        if scheme.partition("+")[0] in form.schemes:
            return f" {form.correction.format(scheme=scheme)}"
    return ""
