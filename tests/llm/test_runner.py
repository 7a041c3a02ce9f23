from __future__ import annotations

import asyncio
import itertools
import random
import signal
import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import StoreError, StudyError
from manyjudges.llm import Asker, CallError, Tally, run
from manyjudges.llm.asker import Clock
from manyjudges.llm.runner import STOPPED
from manyjudges.store import Reply
from tests.support.chat_server import PASSING, UNUSABLE, chat_server
from tests.support.llm_study import llm_study
from tests.support.messages import refused
from tests.support.plain_desk import PlainDesk

ORDERS = {(f"{name} @ small", f"letter {i}"): 1 + i % 3 for name in ("polite", "tone", "words") for i in range(8)}
TOTAL = sum(ORDERS.values())
ANSWERS = {"Is it polite?": True, "How warm is the tone?": 4, "How many words?": 3}
YES = Reply("answered", 1.0, "yes", 10, 2, 0.5)
NO_ANSWER = Reply("unreadable", None, "hm", 10, 2, 0.5)


def answer(asked):
    return ANSWERS[asked.text.split("\n")[0]]


def go(desk, ask, *, concurrency=4, attempts=3, **options):
    return asyncio.run(run(desk, ask, concurrency=concurrency, max_calls_per_judgment=attempts, **options))


async def says_yes(call):
    await asyncio.sleep(0)
    return YES


async def at_once(seconds):
    await asyncio.sleep(0)


def settled(desk, orders=ORDERS):
    """Every judgment that was ordered is recorded so often, and nothing hangs in the air."""
    assert desk.claimed == {}
    assert desk.open == []
    assert desk.counts() == Counter(orders)


def judged(folder, server, desk, *, llm="", seed=0, concurrency=8, attempts=3, **options):
    """Let a study's model judge what is ordered, with a clock that does not wait."""
    study, records = llm_study(folder, server.address, llm=llm, n=8)

    async def main():
        async with Asker(
            study, records, clock=Clock(at_once, random.Random(seed).random, itertools.count().__next__)
        ) as ask:
            return await run(desk, ask, concurrency=concurrency, max_calls_per_judgment=attempts, **options)

    return asyncio.run(main())


def test_what_is_ordered_is_judged(tmp_path):
    desk, seen = PlainDesk(ORDERS), []
    with chat_server(answer) as server:
        tally = judged(tmp_path, server, desk, progress=seen.append)
    settled(desk)
    values = {"polite @ small": 1.0, "tone @ small": 4.0, "words @ small": 3.0}
    assert all(each.value == values[each.column] for each in desk.recorded)
    assert server.requests == TOTAL
    assert server.complaints == []
    assert (tally.answered, tally.recorded, tally.failed) == (TOTAL, TOTAL, 0)
    assert tally.paid == pytest.approx(desk.paid)
    assert [each.recorded for each in seen] == list(range(1, TOTAL + 1))
    assert seen[-1] == tally


@pytest.mark.parametrize(("seed", "tries"), [(0, 1), (1, 1), (2, 2), (3, 6)])
def test_whatever_goes_wrong_exactly_what_is_ordered_is_recorded(tmp_path, seed, tries):
    desk = PlainDesk(ORDERS)
    with chat_server(answer, chance=0.6, seed=seed, faults=(*PASSING, *UNUSABLE, "no usage")) as server:
        tally = judged(tmp_path, server, desk, llm=f"max_retries = {tries - 1}", seed=seed, failures=10**6)
    settled(desk)
    assert server.complaints == []
    assert len(server.happened) > 10  # of the twenty faults that there are
    assert tally.failed == len(desk.failures)
    assert tally.failed > 0 or tries > 1
    assert tally.recorded == TOTAL
    outcomes = Counter(each.outcome for each in desk.recorded)
    assert {name: getattr(tally, name) for name in outcomes} == dict(outcomes)
    # What was paid is what the server counted for the calls that it replied to, used or not.
    assert tally.tokens_in == sum(usage[0] for usage in server.usage)
    assert tally.tokens_out == sum(usage[1] for usage in server.usage)
    assert tally.paid == pytest.approx(desk.paid)
    assert desk.paid == pytest.approx(sum(first + 2 * last for first, last in server.usage) / 1e6)
    assert Counter(reply["tokens"] for reply in desk.replies if any(reply["tokens"])) == Counter(server.usage)


def test_slow_and_broken_servers_do_no_harm(tmp_path):
    desk = PlainDesk(ORDERS)
    with chat_server(answer, script=["", "slow", "drop", "trickle", "html", "slow", "drop"]) as server:
        judged(tmp_path, server, desk, llm="timeout = 0.5")
    settled(desk)
    assert desk.paid == pytest.approx(sum(first + 2 * last for first, last in server.usage) / 1e6)


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_never_more_calls_in_flight_than_allowed_and_no_fewer_than_possible(concurrency):
    flying, most, full = 0, 0, asyncio.Event()

    async def ask(call):
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        if flying == concurrency:
            full.set()
        await asyncio.wait_for(full.wait(), 20)  # the first ones wait for each other
        for _ in range(call.id % 5):
            await asyncio.sleep(0)
        flying -= 1
        return YES if call.id % 3 else NO_ANSWER

    desk = PlainDesk(ORDERS)
    go(desk, ask, concurrency=concurrency, attempts=2)
    settled(desk)
    assert most == concurrency
    assert desk.most <= concurrency


def test_a_server_never_sees_more_than_that(tmp_path):
    desk = PlainDesk(ORDERS)
    with chat_server(answer) as server:
        judged(tmp_path, server, desk, concurrency=3)
    assert 1 <= server.most <= 3


@pytest.mark.parametrize(
    ("outcome", "attempts"), [("refused", 3), ("unreadable", 3), ("unreadable", 1), ("refused", 2)]
)
def test_what_is_no_answer_is_asked_again_and_then_recorded_as_such(outcome, attempts):
    async def ask(call):
        return Reply(outcome, None, f"attempt {call.attempt}", 10, 2, 0.5)

    desk = PlainDesk({("tone", "a"): 2})
    tally = go(desk, ask, attempts=attempts)
    settled(desk, {("tone", "a"): 2})
    assert [(each.outcome, each.text) for each in desk.recorded] == [(outcome, f"attempt {attempts}")] * 2
    assert getattr(tally, outcome) == tally.recorded == 2
    assert tally.paid == 2 * attempts * 0.5
    assert (tally.tokens_in, tally.tokens_out) == (20 * attempts, 4 * attempts)


def test_an_answer_on_the_second_attempt_is_one_and_cant_tell_is_not_asked_again():
    async def ask(call):
        if call.object == "b":
            return Reply("cant_tell", None, "null")
        return YES if call.attempt == 2 else NO_ANSWER

    desk = PlainDesk({("tone", "a"): 1, ("tone", "b"): 1})
    tally = go(desk, ask)
    assert {each.object: (each.outcome, each.value) for each in desk.recorded} == {
        "a": ("answered", 1.0),
        "b": ("cant_tell", None),
    }
    assert tally == Tally(answered=1, cant_tell=1, tokens_in=20, tokens_out=4, paid=1.0, uncounted=1)
    assert len(desk.replies) == 3


@pytest.mark.parametrize("concurrency", [1, 4])
def test_no_more_is_spent_than_the_limit_and_the_calls_in_flight(concurrency):
    desk = PlainDesk(ORDERS, limit=5.2)
    tally = go(desk, says_yes, concurrency=concurrency)
    assert desk.claimed == {}
    assert 5.2 <= desk.paid <= 5.2 + concurrency * 0.5
    assert tally.paid == desk.paid
    assert len(desk.open) == TOTAL - tally.recorded > 0
    again = go(desk, says_yes)
    assert again == Tally()


def test_asking_again_costs_money_too():
    async def ask(call):
        return NO_ANSWER

    desk = PlainDesk({("tone", "a"): 5}, limit=1.0)
    tally = go(desk, ask, concurrency=1, attempts=20)
    assert (desk.paid, tally.recorded, desk.claimed) == (1.0, 0, {})
    assert [call.attempt for call in desk.open] == [1, 1, 1, 1, 3]


def test_a_call_that_fails_goes_back_and_is_made_again():
    tries = Counter()

    async def ask(call):
        tries[call.object] += 1
        if tries[call.object] <= 2:
            raise CallError(f"no luck with {call.object}")
        return YES

    desk = PlainDesk({("tone", name): 1 for name in "abc"})
    tally = go(desk, ask)
    settled(desk, {("tone", name): 1 for name in "abc"})
    assert sorted(desk.failures) == sorted(f"no luck with {name}" for name in "aabbcc")
    assert (tally.failed, tally.answered) == (6, 3)


@pytest.mark.parametrize("concurrency", [1, 5])
def test_too_many_failures_in_a_row_end_it(concurrency):
    async def ask(call):
        await asyncio.sleep(0)
        raise CallError(f"no connection for {call.object}.")

    desk, seen = PlainDesk(ORDERS), []
    with refused(CallError):
        go(desk, ask, concurrency=concurrency, failures=4, progress=seen.append)
    assert desk.claimed == {}
    assert len(desk.open) == TOTAL
    assert 4 <= len(desk.failures) < 4 + concurrency
    assert seen[-1].failed == len([said for said in desk.failures if said != STOPPED])


def test_failures_that_are_not_in_a_row_do_not():
    counted = itertools.count()

    async def ask(call):
        if next(counted) % 4:
            raise CallError("no")
        return YES

    desk = PlainDesk(ORDERS)
    tally = go(desk, ask, concurrency=1, failures=4)
    settled(desk)
    assert tally.failed == 3 * (TOTAL - 1)


@pytest.mark.parametrize("error", [StudyError("the key is wrong"), ZeroDivisionError("a fault of ours")])
def test_an_error_that_will_not_pass_ends_it_and_nothing_stays_claimed(error):
    async def ask(call):
        await asyncio.sleep(0)
        if call.id == 7:
            raise error
        return YES

    desk = PlainDesk(ORDERS)
    with pytest.raises(type(error), match=str(error)):
        go(desk, ask)
    assert desk.claimed == {}
    assert str(error) in desk.failures
    assert len(desk.recorded) + len(desk.open) == TOTAL
    assert len(desk.recorded) >= 4  # those in flight were waited for, and are paid


def test_a_wrong_key_is_said_once_and_costs_nothing(tmp_path):
    desk = PlainDesk(ORDERS)
    wrong = (401, {"error": {"message": "Incorrect API key"}})
    with (
        chat_server(answer, script=[wrong] * 50) as server,
        refused(StudyError, column="polite @ small", varying=r"letter \d"),
    ):
        judged(tmp_path, server, desk, concurrency=4)
    assert server.requests <= 4
    assert (desk.claimed, desk.recorded, desk.paid) == ({}, [], 0.0)


def test_a_desk_that_breaks_ends_it():
    class Broken(PlainDesk):
        def claim(self, most):
            if len(self.recorded) > 3:
                raise StoreError("the disk is full")
            return super().claim(most)

    desk = Broken(ORDERS)
    with refused(StoreError):
        go(desk, says_yes)
    assert desk.claimed == {}

    class Deaf(PlainDesk):
        def replied(self, *given, **more):
            raise StoreError("the disk is full")

    with refused(StoreError):
        go(Deaf(ORDERS), says_yes)


def test_it_ends_early_when_told_and_records_what_is_in_flight():
    async def main():
        stop, desk = asyncio.Event(), PlainDesk(ORDERS)
        in_flight = []

        async def ask(call):
            in_flight.append(call)
            if len(in_flight) == 4:
                stop.set()
            while not stop.is_set():
                await asyncio.sleep(0)
            return YES if call.id % 2 else NO_ANSWER

        tally = await run(desk, ask, concurrency=4, max_calls_per_judgment=3, stop=stop)
        return desk, tally, in_flight

    desk, tally, in_flight = asyncio.run(main())
    assert (len(in_flight), tally.answered, tally.paid) == (4, 2, 2.0)
    assert desk.claimed == {}
    assert desk.failures == [STOPPED] * 2  # the next calls about the two that could not be read
    assert len(desk.open) == TOTAL - 2


def test_stopped_before_it_starts_it_claims_nothing():
    async def main():
        stop = asyncio.Event()
        stop.set()
        return await run(PlainDesk(ORDERS), says_yes, concurrency=4, max_calls_per_judgment=1, stop=stop)

    assert asyncio.run(main()) == Tally()


def cancelled(desk, ask, *, after, times=1, grace=5.0):
    """Run, and cancel once the asker says so; the second time as soon as it waits for what is in flight."""

    async def main():
        task = asyncio.create_task(run(desk, ask, concurrency=4, max_calls_per_judgment=3, grace=grace))
        await asyncio.wait_for(after.wait(), 20)
        for _ in range(times):
            task.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_when_cancelled_it_waits_for_what_is_paid():
    after, asked = asyncio.Event(), []

    async def ask(call):
        asked.append(call)
        if len(asked) == 4:
            after.set()
        await after.wait()
        for _ in range(50):
            await asyncio.sleep(0.0001)
        return YES

    desk = PlainDesk(ORDERS)
    cancelled(desk, ask, after=after)
    assert desk.claimed == {}
    assert len(desk.recorded) == 4
    assert len(desk.open) == TOTAL - 4


@pytest.mark.parametrize(("times", "grace"), [(1, 0.01), (2, 600.0), (3, 600.0)])
def test_what_takes_too_long_is_given_back_and_a_second_time_ends_at_once(times, grace):
    after, asked = asyncio.Event(), []

    async def ask(call):
        asked.append(call)
        if len(asked) == 4:
            after.set()
        await asyncio.sleep(600)

    desk = PlainDesk(ORDERS)
    cancelled(desk, ask, after=after, times=times, grace=grace)
    assert desk.claimed == {}
    assert desk.failures == [STOPPED] * 4
    assert (len(desk.recorded), len(desk.open)) == (0, TOTAL)


@pytest.mark.parametrize("method", ["claim", "replied", "failed"])
def test_a_cancellation_while_the_desk_is_busy_loses_nothing(method):
    """Whatever the desk was doing in its thread is done, and known of."""
    entered, let_go = threading.Event(), threading.Event()

    class Slow(PlainDesk):
        pass

    def slowly(self, *given, **more):
        entered.set()
        assert let_go.wait(20)
        return getattr(PlainDesk, method)(self, *given, **more)

    setattr(Slow, method, slowly)

    async def ask(call):
        if method == "failed":
            raise CallError("no")
        return NO_ANSWER

    async def main(desk):
        task = asyncio.create_task(run(desk, ask, concurrency=4, max_calls_per_judgment=3, grace=600.0))
        await asyncio.to_thread(entered.wait, 20)
        task.cancel()
        await asyncio.sleep(0)
        let_go.set()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)

    desk = Slow(ORDERS)
    asyncio.run(main(desk))
    assert desk.claimed == {}
    assert len(desk.open) + len(desk.recorded) == TOTAL


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c(times):
    """Once: what is in flight is recorded. Twice: it is given back at once."""
    asked = []
    let_go = asyncio.Event()

    async def ask(call):
        asked.append(call)
        if len(asked) == 4:
            loop = asyncio.get_running_loop()
            for i in range(times):
                loop.call_later(0.01 * (1 + i), signal.raise_signal, signal.SIGINT)
            if times == 1:
                loop.call_later(0.05, let_go.set)
        await let_go.wait()
        return YES

    desk = PlainDesk(ORDERS)
    with pytest.raises(KeyboardInterrupt):
        go(desk, ask, grace=600.0)
    assert desk.claimed == {}
    assert len(desk.recorded) == (4 if times == 1 else 0)
    assert len(desk.recorded) + len(desk.open) == TOTAL


class Crashing(PlainDesk):
    """A desk that whoever asks cannot reach any more, after so many judgments, as if the process were gone."""

    last = 10

    def claim(self, most):
        self._reach()
        return super().claim(most)

    def replied(self, *given, **more):
        self._reach()
        return super().replied(*given, **more)

    def failed(self, *given):
        self._reach()
        super().failed(*given)

    def _reach(self):
        if len(self.recorded) >= self.last:
            raise StoreError("gone")


def test_after_a_crash_nothing_that_was_recorded_is_asked_again(tmp_path):
    desk = Crashing(ORDERS)
    with chat_server(answer, chance=0.3, faults=PASSING, seed=1) as server:
        with refused(StoreError):
            judged(tmp_path, server, desk, failures=10**6)
        assert len(desk.claimed) > 0
        recorded, paid = list(desk.recorded), len(server.usage)
        desk.expire()
        desk.last = TOTAL + 1
        tally = judged(tmp_path, server, desk, failures=10**6)
    settled(desk)
    assert desk.recorded[: len(recorded)] == recorded
    assert tally.recorded == TOTAL - len(recorded) == len(server.usage) - paid


@given(
    st.lists(st.sampled_from(["answered", "cant_tell", "refused", "unreadable", "failed"]), min_size=1, max_size=40),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4), min_size=1),
    st.integers(1, 6),
    st.integers(1, 4),
    st.none() | st.integers(1, 20),
)
def test_for_any_replies_in_any_order_the_books_balance(outcomes, orders, concurrency, attempts, limit):
    turns = itertools.chain(outcomes, itertools.repeat("answered"))

    async def ask(call):
        outcome = next(turns)
        for _ in range(call.id % 3):
            await asyncio.sleep(0)
        if outcome == "failed":
            raise CallError("no")
        return Reply(outcome, 1.0 if outcome == "answered" else None, "", 3, 1, 1.0)

    wanted = {("tone", name): count for name, count in orders.items()}
    desk = PlainDesk(wanted, limit)
    tally = go(desk, ask, concurrency=concurrency, attempts=attempts, failures=100)
    assert desk.claimed == {}
    assert desk.most <= concurrency
    assert tally.paid == desk.paid == len(desk.replies)
    assert tally.failed == len(desk.failures)
    assert desk.counts() + Counter((call.column, call.object) for call in desk.open) == Counter(wanted)
    if limit is None or desk.paid < limit:
        settled(desk, wanted)
    else:
        assert desk.paid < limit + concurrency
    unusable = [reply["call"].attempt for reply in desk.replies if reply["outcome"] in ("refused", "unreadable")]
    assert max(unusable, default=1) <= attempts
    assert tally.refused + tally.unreadable == unusable.count(attempts)
