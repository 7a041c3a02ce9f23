from __future__ import annotations

import asyncio
import email.utils
import logging
import sys
import tomllib

import pytest

from manyjudges.exceptions import CallError, StudyError
from manyjudges.llm.asker import Asker, Clock, Gate, Waits
from manyjudges.llm.openai_service import endpoint_of
from manyjudges.store.records import Call
from tests.support.chat_server import PASSING, chat_server
from tests.support.llm_study import MODELS, llm_study
from tests.support.messages import refused
from tests.support.plain_service import PlainService
from tests.support.study_files import ATTRIBUTE, TOP, problems

KEY = "sk-secret-0123456789"
POLITE = Call(1, "polite @ small", "letter 0", 1)


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)


class Time:
    """A clock that only goes on while somebody sleeps."""

    def __init__(self, chance=0.5, now=1_000_000.0):
        self.at, self.slept = 0.0, []
        self.clock = Clock(self.sleep, lambda: chance, lambda: self.at, lambda: now + self.at)

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


def ask(study, records, *calls, model=None, time=None, connect=None):
    """What becomes of some calls, one after the other."""

    async def all_of_them():
        async with Asker(study, records, model, clock=(time or Time()).clock, connect=connect) as asker:
            return [await asker(call) for call in calls]

    return asyncio.run(all_of_them())


def test_an_answer_and_what_was_paid_for_it(tmp_path):
    answers = {"polite": True, "tone": 6, "words": 12}
    with chat_server(lambda asked: answers[asked.text.split("|")[0]]) as server:
        llm = 'system = "Judge letters."\nprompt = "{attribute}|{text}"'
        study, records = llm_study(tmp_path, server.address, llm=llm)
        calls = [Call(i, f"{name} @ small", "letter 1", 1) for i, name in enumerate(answers)]
        replies = ask(study, records, *calls)
    assert [(reply.outcome, reply.value) for reply in replies] == [
        ("answered", 1.0),
        ("answered", 6.0),
        ("answered", 12.0),
    ]
    assert server.complaints == []
    assert [asked.system for asked in server.asked] == ["Judge letters."] * 3
    assert [asked.model for asked in server.asked] == ["tiny-1"] * 3
    assert {asked.form for asked in server.asked} == {"json_schema"}
    for reply, usage in zip(replies, server.usage, strict=True):
        assert (reply.tokens_in, reply.tokens_out) == usage
        assert reply.paid == pytest.approx((usage[0] * 1.0 + usage[1] * 2.0) / 1e6)


@pytest.mark.parametrize(("structured", "form"), [("schema", "json_schema"), ("json", "json_object"), ("text", "text")])
def test_each_form_of_answers(tmp_path, structured, form):
    with chat_server(lambda asked: "5" if asked.form == "text" else 5) as server:
        study, records = llm_study(tmp_path, server.address, llm=f'structured = "{structured}"')
        (reply,) = ask(study, records, Call(1, "tone @ small", "letter 2", 1))
    assert (reply.outcome, reply.value) == ("answered", 5.0)
    assert (server.asked[0].form, server.complaints) == (form, [])


def test_what_a_model_is_set_to_is_sent(tmp_path):
    models = MODELS + "temperature = 0.7\nmax_tokens = 50\n[models.options]\nseed = 3\n"
    with chat_server() as server:
        study, records = llm_study(tmp_path, server.address, models=models)
        ask(study, records, POLITE)
    assert server.complaints == []
    sent = server.asked[0].body
    assert {key: sent[key] for key in ("temperature", "max_tokens", "seed")} == {
        "temperature": 0.7,
        "max_tokens": 50,
        "seed": 3,
    }


def test_a_study_that_names_no_model_takes_any(tmp_path):
    with chat_server() as server:
        study, records = llm_study(tmp_path, server.address, models="")
        (reply,) = ask(study, records, Call(1, "polite", "letter 0", 1), model="other-2")
        with refused(StudyError, column="model"):
            ask(study, records, Call(1, "polite", "letter 0", 1))
    assert (reply.value, reply.paid, server.asked[0].model) == (1.0, 0.0, "other-2")


def test_what_the_study_does_not_have_is_named(tmp_path):
    study, records = llm_study(tmp_path, "http://127.0.0.1:9/v1")
    with refused(StudyError, value="letter 0", row="letter 0", column="rude @ small"):
        ask(study, records, Call(1, "rude @ small", "letter 0", 1))
    with refused(StudyError, value="smal", column="models", file=str(tmp_path / "study.toml")):
        ask(study, records, model="smal")


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(tmp_path, fault):
    with chat_server(script=[fault, fault]) as server:
        study, records = llm_study(tmp_path, server.address)
        (reply,) = ask(study, records, POLITE)
    assert (reply.value, server.requests) == (1.0, 3)


@pytest.mark.parametrize("fault", ["slow", "trickle"])
def test_an_answer_that_does_not_come_is_not_waited_for(tmp_path, fault):
    with chat_server(script=[fault]) as server:
        study, records = llm_study(tmp_path, server.address, llm="timeout = 0.3")
        (reply,) = ask(study, records, POLITE)
    assert (reply.value, server.requests) == (1.0, 2)


def test_a_call_that_keeps_failing_is_given_up(tmp_path):
    time = Time(chance=1.0)
    with chat_server(script=["500"] * 9) as server:
        study, records = llm_study(tmp_path, server.address, llm="max_retries = 8")
        with refused(CallError, row="letter 0", column="polite @ small"):
            ask(study, records, POLITE, time=time)
    assert server.requests == 9
    assert time.slept == [min(Waits.first * 2**i, Waits.longest) for i in range(8)]  # twice as long, but bounded
    assert Waits.longest in time.slept


def test_waiting_is_left_to_chance_from_the_start(tmp_path):
    time = Time(chance=0.0)
    with chat_server(script=["500", "drop"]) as server:
        study, records = llm_study(tmp_path, server.address)
        ask(study, records, POLITE, time=time)
    assert time.slept == [0.0, 0.0]


def test_a_server_that_is_not_there_is_named(tmp_path):
    with chat_server() as server:
        pass
    study, records = llm_study(tmp_path, server.address, llm="max_retries = 1")
    with refused(CallError, row="letter 0", column="polite @ small"):
        ask(study, records, POLITE)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5),
        ({"Retry-After": email.utils.formatdate(1_000_020, usegmt=True)}, 20.0),
        ({"Retry-After": email.utils.formatdate(999_000, usegmt=True)}, None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_service_is_left_alone_for_as_long_as_it_asks(tmp_path, headers, seconds, status):
    time = Time(chance=0.0)
    with chat_server(script=[(status, {"error": {"message": "Slow down"}}, headers)]) as server:
        study, records = llm_study(tmp_path, server.address)
        (reply,) = ask(study, records, POLITE, time=time)
    assert reply.value == 1.0
    assert [slept for slept in time.slept if slept] == ([] if seconds is None else [seconds])


def test_a_pause_that_is_too_long_ends_the_run(tmp_path):
    with chat_server(script=[(429, {"error": {"message": "Daily limit"}}, {"Retry-After": "7200"})]) as server:
        study, records = llm_study(tmp_path, server.address)
        with refused(StudyError, value=7200.0, row="letter 0", column="polite @ small"):
            ask(study, records, POLITE)
    assert Waits.longest_pause < 7200


def test_when_one_call_is_told_to_wait_all_of_that_model_do(tmp_path):
    models = MODELS + MODELS.replace("small", "large")

    async def together(study, records, time, server):
        async with Asker(study, records, clock=time.clock) as asker:
            first = asyncio.create_task(asker(POLITE))
            while not time.slept:  # the first has been told
                await asyncio.sleep(0.001)
            before = server.requests
            seen = []
            others = [asyncio.create_task(asker(Call(i, "polite @ small", "letter 1", 1))) for i in (2, 3)]
            free = await asker(Call(4, "polite @ large", "letter 1", 1))
            seen.append(server.requests - before)
            time.release.set()
            return seen, free, await asyncio.gather(first, *others)

    class Held(Time):
        async def sleep(self, seconds):
            self.slept.append(seconds)
            until = self.at + seconds
            await self.release.wait()
            self.at = max(self.at, until)

    async def main(study, records, server):
        time = Held(chance=1.0)
        time.release = asyncio.Event()
        return (*await together(study, records, time, server), time.slept)

    with chat_server(script=[(429, {"error": {"message": "Slow"}}, {"Retry-After": "30"})]) as server:
        study, records = llm_study(tmp_path, server.address, models=models)
        seen, free, replies, slept = asyncio.run(main(study, records, server))
    assert seen == [1]  # only the call of the other model went through meanwhile
    assert free.value == 1.0
    assert [reply.value for reply in replies] == [1.0] * 3
    assert slept == [30.0 + Waits.spread] * 3


def test_a_gate_that_is_closed_again_stays_closed():
    async def through():
        time = Time(chance=0.0)
        gate = Gate(time.clock)
        gate.close(5)
        gate.close(2)
        waiting = asyncio.create_task(gate.passed())
        await asyncio.sleep(0)
        gate.close(1)
        await waiting
        return time.slept

    assert asyncio.run(through()) == [5.0, 1.0]


def final(status, message, **more):
    return status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}


@pytest.mark.parametrize(
    "error",
    [
        final(401, "Incorrect API key"),
        final(403, "Forbidden"),
        final(404, "No such model"),
        final(429, "Out of money", code="insufficient_quota"),
        final(402, "Payment required"),
        final(400, "json_schema is not supported"),
        final(400, "Invalid parameter", param="response_format"),
        final(422, "Unsupported parameter: 'max_tokens'"),
        final(400, "Bad temperature"),
        (418, "<html>I am a teapot</html>"),
        (400, "plain words"),
        (200, {"error": {"code": 401, "message": "User not found"}}),
    ],
)
def test_what_will_not_pass_ends_the_run_with_advice(tmp_path, error):
    with chat_server(script=[error]) as server:
        study, records = llm_study(tmp_path, server.address)
        with refused(StudyError, row="letter 0", column="polite @ small"):
            ask(study, records, POLITE)
    assert server.requests == 1


def test_where_json_is_not_understood_plain_text_may_be(tmp_path):
    with chat_server(script=[final(400, "response_format is unknown")]) as server:
        study, records = llm_study(tmp_path, server.address, llm='structured = "json"')
        with refused(StudyError, row="letter 0", column="polite @ small"):
            ask(study, records, POLITE)


def test_an_object_that_a_service_takes_offence_at_is_refused(tmp_path):
    with chat_server(script=["filtered"]) as server:
        study, records = llm_study(tmp_path, server.address)
        (reply,) = ask(study, records, POLITE)
    assert (reply.outcome, reply.text) == ("refused", "status 400: The prompt triggered the content filter")


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
def test_every_reply_is_one(tmp_path, fault, outcome):
    with chat_server(script=[fault]) as server:
        study, records = llm_study(tmp_path, server.address)
        (reply,) = ask(study, records, POLITE)
    assert (reply.outcome, server.requests) == (outcome, 1)
    assert [(reply.tokens_in, reply.tokens_out)] == (server.usage or [(0, 0)])


def test_a_fault_of_ours_is_not_tried_again(tmp_path):
    tried = []

    class Faulty(PlainService):
        async def complete(self, prompt):
            tried.append(prompt)
            raise ZeroDivisionError

    with chat_server() as server:
        study, records = llm_study(tmp_path, server.address)
        with pytest.raises(ZeroDivisionError):
            ask(study, records, POLITE, connect=lambda study, model: Faulty(study, model, server))
    assert len(tried) == 1


def test_the_key_is_the_one_that_the_study_names(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "for-openai")
    monkeypatch.setenv("OURS", f"{KEY}\n")
    with chat_server() as server:
        one, records = llm_study(tmp_path / "one", server.address)
        two, _ = llm_study(tmp_path / "two", server.address, llm='api_key_env = "OURS"')
        three, _ = llm_study(tmp_path / "three", server.address, models=MODELS + 'api_key_env = "OURS"\n')
        four, _ = llm_study(tmp_path / "four", server.address, llm='api_key_env = "NOT_SET"')
        five, _ = llm_study(tmp_path / "five", server.address, llm='api_key_env = "OPENAI_API_KEY"')
        for study in (one, two, three, four, five):
            ask(study, records, POLITE)
    assert [asked.key for asked in server.asked] == ["none", KEY, KEY, "none", "for-openai"]


def test_openai_needs_a_key_and_is_given_it(tmp_path, monkeypatch):
    study, records = llm_study(tmp_path)
    with refused(StudyError, value="OPENAI_API_KEY", column="api_key_env"):
        ask(study, records, POLITE)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = endpoint_of(study, study.model("small"))
    assert (endpoint.address, endpoint.key, endpoint.name) == (None, KEY, "model 'small' at OpenAI")
    assert KEY not in repr(endpoint)
    monkeypatch.setenv("OPENAI_API_KEY", "a key\nof two lines")
    with refused(StudyError, value="OPENAI_API_KEY", column="api_key_env") as caught:
        ask(study, records, POLITE)
    assert "two lines" not in str(caught.value)


def test_the_environment_may_say_where_openai_is(tmp_path, monkeypatch):
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        study, records = llm_study(tmp_path)
        ask(study, records, POLITE)
    assert server.asked[0].key == KEY


@pytest.mark.parametrize("status", [401, 500, 400])
def test_a_key_that_comes_back_is_not_shown(tmp_path, monkeypatch, caplog, status):
    monkeypatch.setenv("OURS", KEY)
    caplog.set_level(logging.DEBUG)
    with chat_server(script=[final(status, "x" * 280 + f" wrong key {KEY}")] * 2) as server:
        study, records = llm_study(tmp_path, server.address, llm='api_key_env = "OURS"\nmax_retries = 1')
        with pytest.raises((StudyError, CallError)) as caught:
            ask(study, records, POLITE)
    assert server.asked[0].key == KEY
    assert KEY[:9] not in str(caught.value)
    assert KEY[:9] not in caplog.text


def test_without_the_client_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    study, records = llm_study(tmp_path, "http://127.0.0.1:9/v1")
    with refused(StudyError, value="openai"):
        ask(study, records, POLITE)


@pytest.mark.parametrize("value", ["1979-05-27", "nan", "[1.0, inf]", "{a = 1979-05-27T07:32:00Z}"])
def test_options_that_cannot_be_sent_are_found_in_the_study(tmp_path, value):
    text = TOP + ATTRIBUTE + f'[[models]]\nname = "a"\n[models.options]\nseed = {value}\n'
    [problem] = problems(tmp_path, text)
    assert problem.key == "models.options"
    assert repr(problem.value) == repr(tomllib.loads(f"seed = {value}"))
