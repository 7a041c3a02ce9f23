"""The password of the researcher's page: set once, kept as a hash, never said twice."""

from __future__ import annotations

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.service.password import PASSWORD_VARIABLE, first_password, other_password, set_password
from tests.support.messages import refused


def test_a_password_is_set_once_and_only_its_hash_is_kept(study, monkeypatch):
    opened, _ = study
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    made = first_password(opened, lambda: None)
    assert made is not None
    assert len(made) >= 16
    kept = opened.store.setting("password")
    assert made not in kept
    assert first_password(opened, lambda: pytest.fail("asked again")) is None
    from manyjudges.web.security import check_password

    assert check_password(made, kept)
    assert not check_password(made + "x", kept)
    with refused(StudyError, value=3, column="password"):
        set_password(opened, "abc")


def test_a_password_from_the_environment_is_never_said(study, monkeypatch):
    opened, _ = study
    monkeypatch.setenv(PASSWORD_VARIABLE, "open sesame")
    assert first_password(opened, lambda: pytest.fail("asked")) is None


def test_another_password_in_the_environment_is_noticed(study, monkeypatch):
    opened, _ = study
    set_password(opened, "open sesame")
    monkeypatch.setenv(PASSWORD_VARIABLE, "open sesame")
    assert not other_password(opened)
    monkeypatch.setenv(PASSWORD_VARIABLE, "something else")
    assert other_password(opened)
