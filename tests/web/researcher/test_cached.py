"""Numbers that take time are made so often that making them is a tenth of it."""

from __future__ import annotations

import threading

import pytest

from manyjudges.web.researcher.cached import Cached


def test_kept_values_last_ten_times_as_long_as_they_took():
    now, made = [0.0], []

    def make():
        now[0] += 3.0
        made.append(1)
        return len(made)

    kept = Cached(make, least=1.0, clock=lambda: now[0])
    assert kept.get() == 1
    now[0] += 29.9
    assert kept.get() == 1
    now[0] += 0.2
    assert kept.get() == 2


def test_kept_values_that_break_are_not_tried_again_at_once():
    tried = []

    def make():
        tried.append(1)
        raise RuntimeError

    kept = Cached(make, least=60.0)
    assert kept.soon() is None
    assert kept.soon() is None
    assert len(tried) == 1


def test_what_is_forgotten_is_made_anew():
    made = []
    kept = Cached(lambda: made.append(1) or len(made), least=1e9)
    assert [kept.get(), kept.get()] == [1, 1]
    assert kept.fresh
    kept.forget()
    assert not kept.fresh
    assert kept.get() == 2


def test_what_breaks_is_raised_where_somebody_waits_for_it():
    def make():
        raise ValueError("no")

    kept = Cached(make, least=60.0)
    for _ in range(2):  # there is no value to show instead
        with pytest.raises(ValueError, match="no"):
            kept.get()


def test_while_one_makes_it_the_others_get_the_last_one():
    started, may_end, made = threading.Event(), threading.Event(), []

    def make():
        made.append(1)
        if len(made) > 1:
            started.set()
            assert may_end.wait(30)
        return len(made)

    kept = Cached(make, least=1e9)
    kept.get()
    kept.forget()
    maker = threading.Thread(target=kept.get)
    maker.start()
    assert started.wait(30)
    assert [kept.get() for _ in range(5)] == [1] * 5
    assert kept.soon(patience=0.0) == 1
    may_end.set()
    maker.join()
    assert kept.get() == 2


def test_those_who_come_first_wait_for_one_value():
    barrier, made, got = threading.Barrier(5), [], []

    def ask():
        barrier.wait()
        got.append(kept.get())

    kept = Cached(lambda: made.append(1) or len(made), least=1e9)
    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [1] * 5
