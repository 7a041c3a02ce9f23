from __future__ import annotations

import contextlib
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
import typer.testing
from hypothesis import HealthCheck, settings

from manyjudges import simulate
from manyjudges.cli import progress
from manyjudges.service.study import open_study
from manyjudges.store.dialects import DIALECTS
from tests.support import browser as browsers
from tests.support import postgres as servers
from tests.support.collecting import beans_folder
from tests.support.stores import NOW, PRICES, KeptStores, objects, places_for

settings.register_profile(
    "project", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")


@pytest.fixture(autouse=True, scope="session")
def no_lines_of_progress():
    """On a slow machine, commands would say how far they are in the middle of what tests read.

    This is patched, as tests run commands with the arguments of users, who have no option for it.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "QUIET", math.inf)
        yield


@pytest.fixture(autouse=True, scope="session")
def commands_built_once():
    """For each command that a test runs, typer would build all of them, which takes longer than to run most of them.

    A process builds them once, also outside tests. Nothing of a run stays in what was built.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.testing._get_command))
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(20130613)


@pytest.fixture(scope="session")
def beans():
    """A jelly-bean crowd of 120 jars with its pilot."""
    crowd = simulate.jelly_beans(n_objects=120, random_state=7)
    return crowd, crowd.pilot(2)


@pytest.fixture
def frame():
    """Two attributes of three jars by named workers: one of numbers, one of yes and no."""
    rows = [(o, a, w) for o in ("jar 1", "jar 2", "jar 3") for a in ("beans", "round") for w in ("ann", "bob")]
    table = pd.DataFrame(rows, columns=["object", "attribute", "worker"])
    table["value"] = ["10", "12", "yes", "no", "20", "22", "yes", "yes", "30", "31", "no", "no"]
    return table


@pytest.fixture(scope="module")  # while playwright runs, no other test may run an event loop
def browser():
    """A real Chromium, through playwright."""
    with browsers.chromium() as running:
        yield running


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL of these tests' own."""
    with servers.cluster() as running:
        yield running


@pytest.fixture(params=DIALECTS)
def kind(request):
    """Of database: what must hold on all is tested on each."""
    return request.param


@pytest.fixture
def places(kind, tmp_path, request):
    """Fresh databases."""
    return places_for(kind, tmp_path, request.getfixturevalue)


@pytest.fixture(scope="session")
def kept_stores(tmp_path_factory, request):
    """Stores that are made once and emptied for each test, as that is much faster than to make one."""
    with contextlib.closing(KeptStores(tmp_path_factory.mktemp("stores"), request.getfixturevalue)) as kept:
        yield kept


@pytest.fixture
def clock(kept_stores):
    """The clock of the next two, which is set by hand."""
    kept_stores.clock.now = NOW
    return kept_stores.clock


@pytest.fixture
def store(kind, kept_stores, clock):
    """A store of six jars and two attributes, on each database."""
    found = kept_stores.empty(kind)
    found.prepare(PRICES, objects(6))
    return found


@pytest.fixture
def other(kind, kept_stores, store):
    """The same store through other connections, as another server has it."""
    return kept_stores.again(kind)


@pytest.fixture
def study(tmp_path):
    """A study of jars, open, and the crowd that judges them."""
    folder, crowd = beans_folder(tmp_path / "jars")
    with open_study(folder) as opened:
        yield opened, crowd


@pytest.fixture
def ann(store):
    return store.enter("open", "ann")


@pytest.fixture
def bob(store):
    return store.enter("open", "bob")
