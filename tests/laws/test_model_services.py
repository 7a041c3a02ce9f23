"""Laws that every model service must keep: what an asker may rely on, whatever protocol there is between them.

They hold for each service of the registry, and for one in this process that is in no registry. A further service needs
an entry in ``SERVERS``: a way to let it misbehave as a :class:`ChatServer` does.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from contextlib import contextmanager

import pytest

from manyjudges.exceptions import CallError, StudyError
from manyjudges.llm import registry
from manyjudges.llm.asker import Asker, Clock, Waits
from manyjudges.llm.runner import run
from manyjudges.store.records import Call
from tests.support.chat_server import PASSING, UNUSABLE, ChatServer, chat_server
from tests.support.llm_study import MODELS, llm_study
from tests.support.messages import refused
from tests.support.plain_desk import PlainDesk
from tests.support.plain_service import SECRET, connect_to

POLITE = Call(1, "polite @ small", "letter 0", 1)
ANSWERS = {"Is it polite?": True, "How warm is the tone?": 4, "How many words?": 3}


PLAIN = "plain"
SERVERS = {"openai": chat_server}
"""What answers each service of the registry, by its name: it is told how to misbehave, and has an ``address``."""


@contextmanager
def in_process(*parts, **options):
    """A service that is a few lines in this process."""
    server = ChatServer(*parts, **options)
    yield server, "", connect_to(server)


def behind(name):
    """A service of the registry, and a server of its protocol."""

    @contextmanager
    def serve(*parts, **options):
        with SERVERS[name](*parts, **options) as server:
            yield server, server.address, registry.SERVICES[name].connect
            assert server.complaints == []

    return serve


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    monkeypatch.setenv("OURS", SECRET)
    for service in registry.SERVICES.values():
        for name in (service.api_key_env, service.address_env):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=[*registry.SERVICES, PLAIN])
def serve(request):
    """Starts a service that answers, and misbehaves, as it is told."""
    return in_process if request.param == PLAIN else behind(request.param)


@pytest.fixture(params=registry.SERVICES)
def service(request):
    """What the registry holds of a service."""
    return registry.SERVICES[request.param]


class TestWhatTheRegistryHolds:
    def test_each_goes_by_its_name(self, service):
        assert registry.SERVICES[service.name] is service
        assert service.title

    def test_a_key_is_looked_for_where_the_service_says(self, tmp_path, monkeypatch, service):
        study, _ = llm_study(tmp_path, models=f'{MODELS}service = "{service.name}"\n')
        with pytest.raises(StudyError) as caught:
            registry.connect(study, study.models[0])
        assert (caught.value.value, caught.value.column) == (service.api_key_env, "api_key_env")
        monkeypatch.setenv(service.api_key_env, SECRET)
        made = registry.connect(study, study.models[0])
        assert service.title in made.name
        asyncio.run(made.close())

    def test_its_address_may_be_told_by_the_environment(self, tmp_path, monkeypatch, service):
        monkeypatch.setenv(service.api_key_env, SECRET)
        with SERVERS[service.name]() as server:
            monkeypatch.setenv(service.address_env, server.address)
            (reply,) = ask(tmp_path, (server, "", service.connect), POLITE, key="")
        assert (reply.value, server.asked[0].key) == (1.0, SECRET)

    def test_what_requests_hold_may_not_be_set(self, tmp_path, service):
        for name in service.reserved:
            study, _ = llm_study(tmp_path, models=f"{MODELS}options = {{ {name} = 1 }}\n")
            with pytest.raises(StudyError):
                registry.check_options(study)


@pytest.mark.parametrize("instructions", ["", "Judge letters."])
def test_all_of_a_prompt_reaches_the_model(tmp_path, serve, instructions):
    picture = "https://example.org/d.png"
    models = MODELS + f'system = "{instructions}"\n'
    with serve() as service:
        objects = f"id,label,image,text\na,1,{picture},A man\nb,2,,A cat\n"
        calls = [Call(at, "polite @ small", name, 1) for at, name in enumerate("ab", start=1)]
        ask(tmp_path, service, *calls, models=models, objects=objects)
    first, second = service[0].asked
    assert [asked.system for asked in (first, second)] == [instructions] * 2
    assert [asked.images for asked in (first, second)] == [(picture,), ()]
    assert [asked.text.split("\n\n")[0] for asked in (first, second)] == ["Is it polite?"] * 2
    assert [asked.text.split("\n\n")[-1] for asked in (first, second)] == ["A man", "A cat"]


class Time:
    """A clock that only goes on while somebody sleeps."""

    def __init__(self):
        self.at, self.slept = 0.0, []
        self.clock = Clock(self.sleep, lambda: 0.0, lambda: self.at, lambda: 1_000_000.0 + self.at)

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


def ask(folder, service, *calls, llm="", time=None, models=MODELS, key='api_key_env = "OURS"', **options):
    """What becomes of some calls, one after the other."""
    _, address, connect = service
    study, records = llm_study(folder, address, llm=f"{key}\n{llm}", models=models, **options)

    async def all_of_them():
        async with Asker(study, records, clock=(time or Time()).clock, connect=connect) as asker:
            return [await asker(call) for call in calls]

    return asyncio.run(all_of_them())


def error(status, message, **more):
    return status, {"error": {"message": message, "type": "error", "param": None, "code": None, **more}}


def test_an_answer_comes_with_what_it_cost(tmp_path, serve):
    with serve(lambda asked: 6) as service:
        (reply,) = ask(tmp_path, service, Call(1, "tone @ small", "letter 1", 1))
        server = service[0]
    assert (reply.outcome, reply.value) == ("answered", 6.0)
    assert [(reply.tokens_in, reply.tokens_out)] == server.usage
    assert reply.paid == pytest.approx((reply.tokens_in + 2 * reply.tokens_out) / 1e6)
    (asked,) = server.asked
    assert asked.model == "tiny-1"
    assert "How warm is the tone?" in asked.text
    assert "Dear number 1!" in asked.text


@pytest.mark.parametrize(("structured", "form"), [("schema", "json_schema"), ("json", "json_object"), ("text", "text")])
def test_each_form_of_answers(tmp_path, serve, structured, form):
    with serve(lambda asked: "5" if asked.form == "text" else 5) as service:
        (reply,) = ask(tmp_path, service, Call(1, "tone @ small", "letter 2", 1), llm=f'structured = "{structured}"')
        assert (reply.value, service[0].asked[0].form) == (5.0, form)


@pytest.mark.parametrize("fault", [*PASSING, "slow"])
def test_what_may_pass_is_tried_again(tmp_path, serve, fault):
    with serve(script=[fault]) as service:
        (reply,) = ask(tmp_path, service, POLITE, llm="timeout = 0.5")
        assert (reply.value, service[0].requests) == (1.0, 2)


@pytest.mark.parametrize("retries", [0, 2])
def test_what_does_not_pass_is_given_up_after_so_many_retries(tmp_path, serve, retries):
    with serve(script=["500"] * 9) as service:
        with refused(CallError, row="letter 0", column="polite @ small"):
            ask(tmp_path, service, POLITE, llm=f"max_retries = {retries}")
        assert service[0].requests == retries + 1


def test_a_limit_holds_all_calls_up_for_as_long_as_the_service_says(tmp_path, serve):
    time = Time()
    with serve(script=[(429, {"error": {"message": "Slow down"}}, {"Retry-After": "7"})]) as service:
        (reply,) = ask(tmp_path, service, POLITE, time=time)
    assert reply.value == 1.0
    assert [seconds for seconds in time.slept if seconds] == [7.0]


def test_a_pause_that_is_too_long_ends_the_run(tmp_path, serve):
    seconds = int(Waits.longest_pause) + 1
    with serve(script=[(429, {"error": {"message": "Daily limit"}}, {"Retry-After": str(seconds)})]) as service:
        with refused(StudyError, value=seconds, row="letter 0", column="polite @ small"):
            ask(tmp_path, service, POLITE)
        assert service[0].requests == 1


@pytest.mark.parametrize(
    "final",
    [
        error(401, f"Incorrect API key {SECRET}"),
        error(402, "Payment required"),
        error(404, "No such model"),
        error(429, "Out of money", code="insufficient_quota"),
        (200, {"error": {"code": 401, "message": "User not found"}}),
    ],
    ids=["key", "payment", "model", "credit", "disguised"],
)
def test_what_no_call_will_get_past_ends_the_run_at_once_and_shows_no_key(tmp_path, serve, final):
    with serve(script=[final]) as service:
        with refused(StudyError, row="letter 0", column="polite @ small") as caught:
            ask(tmp_path, service, POLITE)
        assert service[0].requests == 1
    assert "secret" not in str(caught.value)


def test_an_object_that_the_service_takes_offence_at_is_refused_not_an_error(tmp_path, serve):
    with serve(script=["filtered"]) as service:
        (reply,) = ask(tmp_path, service, POLITE)
        assert (reply.outcome, reply.value, service[0].requests) == ("refused", None, 1)
    assert reply.text


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("refusal", "refused"),
        ("content_filter", "refused"),
        ("cut", "unreadable"),
        ("nonsense", "unreadable"),
        ("empty", "unreadable"),
        ("null", "unreadable"),
        ("wrong types", "unreadable"),
        ("no usage", "answered"),
    ],
)
def test_every_reply_is_one_and_what_it_cost_is_counted(tmp_path, serve, fault, outcome):
    with serve(script=[fault]) as service:
        (reply,) = ask(tmp_path, service, POLITE)
        server = service[0]
    assert (reply.outcome, server.requests) == (outcome, 1)
    assert (reply.tokens_in > 0) == (fault != "no usage")


def test_a_bug_is_not_taken_for_a_fault_of_the_service(tmp_path, serve):
    with serve() as service:
        _, address, connect = service
        study, _ = llm_study(tmp_path, address)
        made = connect(study, study.model("small"))
        with pytest.raises(ZeroDivisionError):
            made.failure(ZeroDivisionError(), 0.0)
        asyncio.run(made.close())


def test_services_are_closed_whatever_happens(tmp_path, serve):
    closed = []
    with serve(script=[error(401, "No")]) as service:
        server, address, connect = service

        def watched(study, model):
            made = connect(study, model)
            close = made.close

            async def closing():
                closed.append(model.name)
                await close()

            made.close = closing
            return made

        with pytest.raises(StudyError):
            ask(tmp_path, (server, address, watched), POLITE, models=MODELS + MODELS.replace("small", "large"))
    assert sorted(closed) == ["large", "small"]


@pytest.mark.parametrize(("seed", "retries"), [(0, 0), (1, 1), (3, 5)])
def test_whatever_goes_wrong_exactly_what_is_ordered_is_recorded(tmp_path, serve, seed, retries):
    orders = {(f"{name} @ small", f"letter {i}"): 1 + i % 3 for name in ("polite", "tone", "words") for i in range(4)}
    queue = PlainDesk(orders)
    options = {"chance": 0.4, "faults": (*PASSING, *UNUSABLE), "seed": seed}
    with serve(lambda asked: ANSWERS[asked.text.split("\n")[0]], **options) as (server, address, connect):
        study, records = llm_study(tmp_path, address, llm=f"max_retries = {retries}", n=4)

        async def main():
            clock = Clock(_at_once, random.Random(seed).random, itertools.count().__next__)
            async with Asker(study, records, clock=clock, connect=connect) as asker:
                return await run(queue, asker, concurrency=8, max_calls_per_judgment=3, failures=10**6)

        tally = asyncio.run(main())
        assert sum(sent for sent, _ in server.usage) == tally.tokens_in
    assert (queue.claimed, queue.open) == ({}, [])
    assert queue.counts() == Counter(orders)
    assert tally.recorded == sum(orders.values())


async def _at_once(seconds):
    await asyncio.sleep(0)
