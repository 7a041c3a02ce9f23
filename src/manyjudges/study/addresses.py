"""Addresses: of databases and of pages, as a study's file gives them.

Which addresses of databases can be used is written down in ``base.database_addresses``, as stores check them too.
"""

from __future__ import annotations

__all__ = ["is_web_address", "without_password"]

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from manyjudges.base.database_addresses import address_form, file_address, file_of

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


def resolve_database(address: str, folder: Path) -> str:
    """An address with its variables replaced; a file of SQLite is looked for from the folder."""
    full = with_environment(address)
    address_form(full)
    name = file_of(full)
    if name is None:
        return full
    file = os.path.abspath(folder / name)
    if "?" in file:  # what comes after it would be taken for options
        raise ValueError(f"lies in a folder with a question mark in its name, {file!r}; rename the folder.")
    return file_address(file)


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
