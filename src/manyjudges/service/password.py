"""The password of the researcher's page: set, made up, or taken from the environment; only a hash of it is kept."""

from __future__ import annotations

__all__ = ["PASSWORD_VARIABLE", "first_password", "other_password", "set_password"]

import os
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from manyjudges.exceptions import StudyError

if TYPE_CHECKING:
    from manyjudges.service.study import OpenStudy

_PASSWORD = "password"  # noqa: S105  # the name of a setting
PASSWORD_VARIABLE = "MANYJUDGES_PASSWORD"  # noqa: S105  # the name of an environment variable
"""The environment variable that a researcher's password is read from."""

_SHORTEST_PASSWORD = 8


def set_password(opened: OpenStudy, password: str) -> None:
    """Set the password of the researcher's page; only a hash of it is kept."""
    from manyjudges.web.security import hash_password

    if len(password) < _SHORTEST_PASSWORD:
        raise StudyError(
            f"the password has {len(password)} letters; take {_SHORTEST_PASSWORD} or more.",
            value=len(password),
            column="password",
        )
    opened.store.set(_PASSWORD, hash_password(password))


def first_password(opened: OpenStudy, ask: Callable[[], str | None]) -> str | None:
    """Set a password where there is none: from the environment, by asking, or made up; says a made-up one, once."""
    if opened.store.setting(_PASSWORD) is not None:
        return None
    password = os.environ.get(PASSWORD_VARIABLE) or ask()
    if password is not None:
        set_password(opened, password)
        return None
    made = secrets.token_urlsafe(12)
    set_password(opened, made)
    return made


def other_password(opened: OpenStudy) -> bool:
    """Whether the environment has another password than the one that was set."""
    from manyjudges.web.security import check_password

    password, kept = os.environ.get(PASSWORD_VARIABLE), opened.store.setting(_PASSWORD)
    return bool(password and kept and not check_password(password, kept))
