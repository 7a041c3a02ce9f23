"""What a store offers to those who ask language models: whoever keeps calls takes them back in the same words."""

from __future__ import annotations

import inspect

import pytest

from manyjudges.llm.call_queue import CallQueue
from manyjudges.llm.store_queue import StoreCallQueue
from manyjudges.store.records import Call
from tests.support.plain_desk import PlainDesk

METHODS = [name for name in vars(CallQueue) if not name.startswith("_")]


@pytest.mark.parametrize("queue", [StoreCallQueue, PlainDesk])
@pytest.mark.parametrize("name", METHODS)
def test_a_queue_can_be_called_as_the_protocol_says(queue, name):
    agreed, own = (inspect.signature(getattr(each, name)).parameters for each in (CallQueue, queue))
    for parameter in agreed.values():
        assert own[parameter.name].kind == parameter.kind
        assert own[parameter.name].default == parameter.default
    more = [parameter for parameter in own.values() if parameter.name not in agreed]
    assert all(parameter.default is not parameter.empty for parameter in more)


def test_the_protocol_has_all_that_asking_takes():
    assert METHODS == ["claim", "replied", "failed", "money"]
    assert all(inspect.getdoc(getattr(CallQueue, name)) for name in METHODS)


def test_a_call_that_is_asked_again_is_the_next_attempt_at_the_same_judgment():
    desk = PlainDesk({("tone", "a"): 1}, limit=1.0)
    (first,) = desk.claim(5)
    second = desk.replied(first, "unreadable", paid=0.4, again=True)
    assert (second.column, second.object, second.attempt) == ("tone", "a", 2)
    assert second.id != first.id
    assert desk.replied(second, "unreadable", paid=0.6, again=True) is None, "the money is spent"
    assert (desk.money(), desk.claim(1)) == ((1.0, 1.0), [])
    assert isinstance(desk.open[0], Call)
