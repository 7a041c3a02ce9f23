"""A study under way, and a researcher who is logged in."""

from __future__ import annotations

import pytest

from tests.support.researchers import busy_world, log_in, make_world
from tests.support.web import TestClient


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A study in its third round; tests only read it."""
    world = busy_world(tmp_path_factory.mktemp("busy") / "study", n_objects=60)
    yield world
    world.store.close()


@pytest.fixture
def world(tmp_path):
    made = make_world(tmp_path / "study", n_objects=30)
    made.order_pilot()
    yield made
    made.store.close()


@pytest.fixture
def client(world):
    with TestClient(world.app()) as client:
        assert log_in(client).status_code == 303
        yield client
