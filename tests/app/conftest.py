from __future__ import annotations

import pytest

from tests.support.app_pages import Visitor


@pytest.fixture
def visitor(tmp_path):
    """Somebody who came to the page with the token."""
    folder = tmp_path / "session"
    folder.mkdir()
    made = Visitor(folder)
    made.enter()
    try:
        yield made
    finally:
        made.session.close()
