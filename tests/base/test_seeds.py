"""Random numbers from a seed that somebody gave."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges.base.seeds import generator
from manyjudges.exceptions import PlanError
from tests.support.messages import refused


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), np.uint8(3)])
def test_the_same_seed_gives_the_same_numbers(seed):
    assert generator(seed).random() == generator(int(seed)).random()


def test_without_a_seed_numbers_differ():
    assert generator(None).random() != generator(None).random()


@pytest.mark.parametrize("seed", [-1, 1.0, "7", True, [1]])
def test_what_is_no_seed(seed):
    with refused(PlanError, value=seed):
        generator(seed)
