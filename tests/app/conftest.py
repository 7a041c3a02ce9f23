from __future__ import annotations

import pytest

from tests.support.app_pages import Visitor


@pytest.fixture(scope="module")
def returning_visitor(tmp_path_factory):
    """One session for several tests: its worker is a process that takes longer to start than to read a small table."""
    made = Visitor(tmp_path_factory.mktemp("session"))
    made.enter()
    try:
        yield made
    finally:
        made.session.close()


@pytest.fixture
def visitor(returning_visitor):
    """Somebody who came to the page with the token, and has done nothing there."""
    returning_visitor.session.clear()
    return returning_visitor
