"""A crowd and its pilot, as a module of tests asks for them: ``CROWD = (objects, attributes, seed)``, ``PILOT = k``."""

from __future__ import annotations

import pytest

from manyjudges import simulate


@pytest.fixture(scope="module")
def crowd_and_pilot(request):
    """The pilot is drawn at once: what tests draw later must not change it."""
    n_objects, n_attributes, seed = request.module.CROWD
    crowd = simulate.gaussian(n_objects, n_attributes, random_state=seed)
    return crowd, crowd.pilot(request.module.PILOT)


@pytest.fixture(scope="module")
def crowd(crowd_and_pilot):
    return crowd_and_pilot[0]


@pytest.fixture(scope="module")
def pilot(crowd_and_pilot):
    return crowd_and_pilot[1]
