"""Addresses: of databases and of pages, as a study's file gives them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

SQLITE = "sqlite:///"
POSTGRESQL = "postgresql+psycopg://"
KINDS = f"{SQLITE}FILE or {POSTGRESQL}USER:PASSWORD@HOST/NAME"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET = re.compile(r"(://[^:/@\s]*:|password=).*(?=@)|(password=)[^&\s\"]*", re.IGNORECASE)


def with_environment(address: str) -> str:
    """An address with each ``${NAME}`` replaced by the environment's value; ValueError where there is none."""
    for name in _VARIABLE.findall(address):
        if not os.environ.get(name):
            raise ValueError(f"needs the environment variable {name}, which is not set or empty; set it, then start.")
    if "${" in _VARIABLE.sub("", address):
        raise ValueError("has a ${ that is no variable; write ${NAME}, with a name of letters, digits and _.")
    return _VARIABLE.sub(lambda match: os.environ[match[1]], address)


def check_database(address: str) -> None:
    """Raise ValueError where this, with its variables replaced, is no address of a database that can be used."""
    if address.startswith(SQLITE):
        _check_sqlite(address.removeprefix(SQLITE))
    elif address.startswith(POSTGRESQL):
        _check_postgresql(address)
    else:
        raise ValueError(f"is no database that ManyJudges knows; write {KINDS}.{_meant(address)}")


def resolve_database(address: str, folder: Path) -> str:
    """An address with its variables replaced; a file of SQLite is looked for from the folder."""
    full = with_environment(address)
    check_database(full)
    if not full.startswith(SQLITE):
        return full
    file = os.path.abspath(folder / full.removeprefix(SQLITE))
    if "?" in file:  # what comes after it would be taken for options
        raise ValueError(f"lies in a folder with a question mark in its name, {file!r}; rename the folder.")
    return f"{SQLITE}{file}"


def without_password(address: str) -> str:
    """An address to show.

    >>> without_password("postgresql+psycopg://ann:secret@localhost/jars")
    'postgresql+psycopg://ann:…@localhost/jars'
    """
    return _SECRET.sub(r"\1\2…", address)


def is_web_address(address: str) -> bool:
    """Whether this is an http or https address of a page or picture.

    >>> is_web_address("https://example.org/a.png"), is_web_address("javascript:alert(1)")
    (True, False)
    """
    if any(character.isspace() or not character.isprintable() for character in address):
        return False
    try:
        parts = urlsplit(address)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # such as a port that is no number
        return False


def _check_sqlite(file: str) -> None:
    if not file or file == ":memory:":
        raise ValueError("keeps nothing when the server stops; name a file, such as sqlite:///judgments.db.")
    if "?" in file or file.startswith("file:"):
        raise ValueError("has options, which are not understood; name just a file, such as sqlite:///judgments.db.")
    if file.endswith(("/", "\\")):
        raise ValueError("is a folder; name a file, such as sqlite:///judgments.db.")


def _check_postgresql(address: str) -> None:
    try:
        parts = urlsplit(address)
        named = bool(parts.path.strip("/")) and (parts.port or 1) > 0
    except ValueError:
        named = False
    if not named:
        raise ValueError(f"does not say which database, or its host or port is wrong; write {POSTGRESQL}HOST/NAME.")


def _meant(address: str) -> str:
    kind = address.partition(":")[0].lower()
    if kind.partition("+")[0] in ("postgresql", "postgres", "psql"):
        return f" For PostgreSQL, {POSTGRESQL} says that psycopg 3 speaks to it: replace {kind}:// by {POSTGRESQL}"
    if kind.partition("+")[0] == "sqlite":
        return " For SQLite, three slashes come before the file, and no driver is named."
    return ""
