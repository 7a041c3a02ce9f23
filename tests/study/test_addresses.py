"""Addresses of databases and of pages, as a study's file gives them."""

from __future__ import annotations

import pytest

from manyjudges.study.addresses import is_web_address, resolve_database, with_environment, without_password
from manyjudges.study.config import read_study
from tests.support.messages import refused, said
from tests.support.study_files import ATTRIBUTE, TOP, problems, write


def test_passwords_are_not_shown(tmp_path):
    address = f"postgresql://ann:se@cret@{'h' * 90}/x"
    for key in ("database", "databse"):
        for problem in problems(tmp_path, f"{TOP}{key} = '{address}'\n{ATTRIBUTE}"):
            assert "cret" not in repr(problem)
            assert "ann:…" in problem.message
    assert without_password("x:///y?password=secret&a=b") == "x:///y?password=…&a=b"
    assert without_password("postgresql://localhost:5432/x") == "postgresql://localhost:5432/x"
    study = read_study(write(tmp_path, f"{TOP}database = 'postgresql+psycopg://ann:secret@h/x'\n{ATTRIBUTE}"))
    assert "secret" not in repr(study)


def test_web_addresses():
    assert is_web_address("http://[::1]:8000/x")
    for address in ("http:///x", "http://a:b/", "https://a\nb", "//a/b", "", "data:image/png;base64,x", "http://[x"):
        assert not is_web_address(address)


@pytest.mark.parametrize("address", ["https://example.org", "HTTP://a", "http://a:1/b?c#d", "https://ann@host/x"])
def test_pages_that_can_be_opened(address):
    assert is_web_address(address)


@pytest.mark.parametrize("address", ["ftp://a", "javascript:alert(1)", "https://a b", "https://a\u200b", "a.b"])
def test_what_is_no_page(address):
    assert not is_web_address(address)


def test_variables_are_replaced_by_what_the_environment_says(monkeypatch):
    monkeypatch.setenv("NAME", "ann")
    monkeypatch.setenv("PASSWORD", "${NAME}")  # what it says is not looked at again
    assert with_environment("a://${NAME}:${PASSWORD}@b/${NAME}") == "a://ann:${NAME}@b/ann"
    assert with_environment("sqlite:///a$b{c}.db") == "sqlite:///a$b{c}.db"


@pytest.mark.parametrize("address", ["x://${NOT_SET_HERE}", "x://${EMPTY}", "x://${", "x://${1}", "x://${A B}"])
def test_variables_that_are_not_there_are_no_empty_texts(monkeypatch, address):
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    with refused(ValueError) as caught:
        with_environment(address)
    said(caught.value)


def test_a_file_lies_in_the_folder_of_the_study(tmp_path):
    assert resolve_database("sqlite:///a.db", tmp_path) == f"sqlite:///{tmp_path / 'a.db'}"
    assert resolve_database("sqlite:///../a.db", tmp_path / "study") == f"sqlite:///{tmp_path / 'a.db'}"
    assert resolve_database("sqlite:////srv/a.db", tmp_path) == "sqlite:////srv/a.db"
    elsewhere = "postgresql+psycopg://ann@db/x"
    assert resolve_database(elsewhere, tmp_path) == elsewhere


def test_a_folder_with_a_question_mark_cannot_be_used(tmp_path):
    with refused(ValueError) as caught:
        resolve_database("sqlite:///a.db", tmp_path / "what?")
    said(caught.value)


@pytest.mark.parametrize(
    "address",
    ["postgresql+psycopg://ann:se@cret@localhost/x", "postgresql+psycopg:///x?user=ann&password=secret&host=/run"],
)
def test_a_password_is_not_shown_wherever_it_stands(address):
    shown = without_password(address)
    assert "cret" not in shown
    assert "ann" in shown
    assert "…" in shown
