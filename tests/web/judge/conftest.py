"""A study with something to judge, and a judge who is in."""

from __future__ import annotations

import time

import pytest

from tests.support.web import BINARY, Session, make_study, opened


@pytest.fixture
def clock():
    return [time.time()]


@pytest.fixture
def start(tmp_path, clock):
    """Opens a study with some attribute ordered, and gives a judge who is in."""
    open_now = []

    def start(order=BINARY, n=4, **options):
        study = make_study(tmp_path, n=n, **options)
        context = opened(study, order=order, clock=lambda: clock[0])
        open_now.append(context)
        judge = Session(context.__enter__())
        judge.app = judge.client.app
        judge.enter()
        return judge

    yield start
    for context in open_now:
        context.__exit__(None, None, None)
