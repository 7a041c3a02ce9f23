"""Whole studies that language models judge, against a server on this machine."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import pytest

from manyjudges.core.plan import Plan
from manyjudges.exceptions import StudyError
from manyjudges.llm import CallError
from manyjudges.service.fit import fit_study
from manyjudges.service.model_judges import asked_in_words, judge_study
from manyjudges.service.study import open_study
from manyjudges.study.scaffold import new_study
from tests.support.chat_server import PASSING, UNUSABLE, ChatServer, chat_server
from tests.support.commands import invoke
from tests.support.letters import MODELS, PILOT, QUICK, Panel, bought, change, held, judged, letters, planned, settled
from tests.support.messages import refused
from tests.support.stores import processes

ANYWHERE = "http://127.0.0.1:9/v1"
"""An address at which nobody is asked."""


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.slow
def test_a_whole_study(tmp_path):
    panel, seen = Panel(), []
    with chat_server(panel) as server, open_study(letters(tmp_path, server.address), update=True) as opened:
        found = judge_study(opened, progress=seen.append, timing=QUICK)
        settled(opened)
        assert server.complaints == []
        assert server.requests == sum(bought(opened).values()) == found.recorded
        # Every value in the store was answered, by that model, about that question and object.
        rows = opened.store.judgments()
        names = [column.split(" @ ") for column in rows["attribute"]]
        kept = Counter(
            (judge, name, thing, value)
            for (name, judge), thing, value in zip(names, rows["object"], rows["value"], strict=True)
        )
        assert kept == panel.said
        assert {worker.split(" #")[0] for worker in rows["worker"]} == {"atlas", "birch"}
        assert (found.open, found.others, found.stage, found.state) == (0, 0, "done", "running")
        assert found.steps[0].round is not None
        assert found.asking == asked_in_words(found.plan, opened.study.costs)
        assert found.paid == pytest.approx(sum(10 * sent + 20 * got for sent, got in server.usage) / 1e6)
        fitted = fit_study(opened)
        assert len(fitted.predictions) == 4
        assert seen
        assert seen[-1].wanted <= found.wanted
        assert all(each.paid <= found.paid for each in seen)
        # Once it is done, nothing is asked again.
        again = judge_study(opened)
        assert (again.recorded, again.paid, again.plan) == (0, found.paid, found.plan)


@pytest.mark.slow
def test_everything_goes_wrong_at_once(tmp_path):
    faults = (*PASSING, *UNUSABLE, "no usage", "drop")
    # Long enough that no answer of a busy machine comes too late: the server counts what it has sent.
    llm = "timeout = 3.0\nmax_calls_per_judgment = 20\nmax_retries = 49"
    with chat_server(Panel(), chance=0.5, faults=faults, script=["", "slow", "trickle"], seed=5) as server:
        folder = letters(tmp_path, server.address, llm=llm)
        with open_study(folder, update=True) as opened:
            found = judge_study(opened, timing=QUICK)
            settled(opened)
            assert len(server.happened) > 15
            calls = opened.store.call_log.to_frame()
            assert calls["tokens_in"].sum() == sum(sent for sent, _ in server.usage)
            assert found.paid == pytest.approx(sum(10 * sent + 20 * got for sent, got in server.usage) / 1e6)
            assert set(calls["state"]) == {"answered", "refused", "unreadable"}
            assert (calls["judgment"].notna()).all()  # each is part of what some judgment cost
    assert server.complaints == []


def test_refusals_are_kept_and_never_turned_into_numbers(tmp_path):
    def refuses(asked):
        return "I would rather not" if "number 3!" in asked.text else Panel()(asked)

    server, folder = ChatServer(refuses), letters(tmp_path, ANYWHERE, n=8)
    found = judged(folder, server, "atlas", "birch")
    with open_study(folder) as opened:
        rows = opened.store.judgments()
        assert "letter 3" not in set(rows["object"])
        calls = opened.store.call_log.to_frame()
        mine = calls[calls["object"] == "letter 3"]
        assert set(mine["state"]) == {"unreadable"}
        assert "I would rather not" in mine["said"].iloc[0]
        # Three calls for each judgment and two judgments a round for each pair, until three had no answer.
        assert set(Counter(mine["attribute"]).values()) == {3 * 4}
        assert sum(tally.unreadable for tally in found.tallies.values()) == 4 * 6
        assert opened.store.discrepancies() == []


def test_costs_follow_from_what_was_paid(tmp_path):
    models = MODELS.replace("10.0", "30.0", 1).replace("20.0", "60.0", 1)
    folder = letters(tmp_path, ANYWHERE, models=models, budget=20.0)
    judged(folder, ChatServer(Panel()))
    with open_study(folder) as opened:
        costs = opened.store.costs()
        rows = opened.store.ledger()
        for name in ("polite", "tone", "long"):
            dear, cheap = costs[f"{name} @ atlas"], costs[f"{name} @ birch"]
            assert dear == pytest.approx(3 * cheap, rel=0.01)
            paid = rows[rows["attribute"] == f"{name} @ birch"]["cost"]
            assert cheap == pytest.approx(paid.mean(), rel=0.05)
        assert costs["tone @ birch"] > costs["long @ birch"]  # a longer question
        plan = Plan.from_document(opened.store.rounds()[-1]["plan"])
        # Planned with what was known by then; a few more calls change the mean a little.
        spent = sum(costs[column] * count for column, count in plan.repeats.items())
        assert plan.cost == pytest.approx(spent, rel=0.05)
        assert plan.cost <= 20.0


def test_the_limit_holds_but_for_the_calls_in_flight_and_can_be_raised(tmp_path):
    limit, concurrency = 0.05, 3
    with chat_server(Panel(), chance=0.2, faults=UNUSABLE) as server:
        folder = letters(tmp_path, server.address, llm=f"spending_limit = {limit}", concurrency=concurrency)
        found = judged(folder, server)
        dearest = max(10 * sent + 20 * got for sent, got in server.usage) / 1e6
        assert limit - dearest * (2 * concurrency + 1) < found.paid <= limit + 2 * concurrency * dearest
        assert found.open > 0
        said = invoke("ask-models", folder).output
        assert "the spending limit does not leave enough for another call" in said
        assert "Raise llm.spending_limit" in said
        assert judged(folder, server).paid <= limit + 2 * concurrency * dearest
        change(folder, f"spending_limit = {limit}", "spending_limit = 5.0")
        assert judged(folder, server).open == 0
        with open_study(folder) as opened:
            assert opened.store.discrepancies() == []
            assert opened.store.call_log.paid() == pytest.approx(
                sum(10 * sent + 20 * got for sent, got in server.usage) / 1e6
            )


def test_a_limit_that_cannot_be_kept_ends_the_run(tmp_path):
    with chat_server(Panel(), chance=1.0, faults=["no usage"]) as server:
        folder = letters(tmp_path, server.address, llm="spending_limit = 5.0", n=6)
        said = invoke("ask-models", folder, code=2).stderr
        assert "does not say how many tokens a call took, so llm.spending_limit cannot be kept" in said
        assert server.requests <= 8  # those in flight
        change(folder, "spending_limit = 5.0", "")
        assert "nothing is known of what they cost" in invoke("ask-models", folder).output


def test_a_service_that_stops_counting_ends_the_run_too(tmp_path):
    with chat_server(Panel(), script=[""] * 20, chance=1.0, faults=["no usage"]) as server:
        folder = letters(tmp_path, server.address, llm="spending_limit = 5.0")
        assert "llm.spending_limit cannot be kept" in invoke("ask-models", folder, code=2).stderr
        assert 20 < server.requests <= 20 + 2 * 8  # those in flight


def test_people_and_models(tmp_path):
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address, llm="people = true", n=8)
        found = judged(folder, server)
        assert (found.open, found.others, found.plan) == (0, 8 * 3 * PILOT, None)
        assert "48 judgments asked of others" in invoke("ask-models", folder).output
        with open_study(folder) as opened:
            assert set(opened.study.costs) == {
                f"{name}{at}" for name in ("polite", "tone", "long") for at in ("", " @ atlas", " @ birch")
            }
            for person in ("ann", "bob"):
                rows = [(f"letter {i}", name, person, float(i % 2)) for i in range(8) for name in ("polite", "long")]
                rows += [(f"letter {i}", "tone", person, float(1 + i % 7)) for i in range(8)]
                opened.store.take_in("elsewhere", rows)
        found = judged(folder, server)
        assert found.plan is not None
        assert found.open == 0
        with open_study(folder) as opened:
            assert opened.store.discrepancies() == []
            mine = {pair: n for pair, n in bought(opened).items() if " @ " in pair[0]}
            assert mine == {pair: n for pair, n in planned(opened).items() if " @ " in pair[0]}


def test_judgments_of_people_are_not_for_a_study_of_models_only(tmp_path):
    folder = letters(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "long.csv").write_text("task,worker,label\nletter 0,ann,1\n")
    given = ["crowd-kit", tmp_path / "long.csv", "--attribute", "polite", "--into", folder]
    said = invoke("import", *given, code=2).output
    assert "'polite' cannot be taken in: only models judge in this study. Set people = true under [llm]" in said


def test_one_model_at_a_time(tmp_path):
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address, n=8)
        found = judged(folder, server, "birch")
        assert set(found.tallies) == {"birch"}
        assert (found.open, found.others) == (0, 8 * 3 * PILOT)
        assert {asked.model for asked in server.asked} == {"birch"}
        assert judged(folder, server, "atlas").others > 0  # what the plan wants of the other
        judged(folder, server)
        with open_study(folder) as opened:
            settled(opened)


def test_pictures(tmp_path):
    def looks(asked):
        schema = asked.body["response_format"]["json_schema"]["schema"]["properties"]["answer"]
        kind = schema.get("anyOf", [schema])[0]
        return {"boolean": True, "integer": kind.get("enum", [7])[0]}[kind["type"]]

    folder = new_study(tmp_path / "jars")
    table = (folder / "objects.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "objects.csv").write_text("".join(table[:4]), encoding="utf-8")
    with chat_server(looks) as server:
        text = (folder / "study.toml").read_text(encoding="utf-8")
        more = f'\n[llm]\naddress = "{server.address}"\n[[models]]\nname = "seer"\n'
        (folder / "study.toml").write_text(text + more, encoding="utf-8")
        with open_study(folder, update=True) as opened:
            found = judge_study(opened, timing=QUICK)
    assert found.tallies["seer"].answered >= 3 * 5 * PILOT
    assert server.complaints == []
    assert all(len(asked.images) == 1 for asked in server.asked)
    assert len({asked.images for asked in server.asked}) == 3


def test_the_error_of_one_model_ends_the_others_in_good_order(tmp_path):
    with chat_server(Panel()) as server:
        other = MODELS.replace('name = "birch"', 'name = "birch"\naddress = "http://127.0.0.1:9/v1"')
        folder = letters(tmp_path, server.address, llm="max_retries = 0", models=other)
        with open_study(folder, update=True) as opened:
            with refused(CallError, varying=r"asked for '\w+' of object 'letter \d+'"):
                judge_study(opened)
            assert opened.store.discrepancies() == []
            assert opened.store.progress()["out"].sum() == 0


def test_no_model_of_a_study_that_is_not_there(tmp_path):
    folder = letters(tmp_path, "http://127.0.0.1:9/v1")
    with (
        open_study(folder, update=True) as opened,
        refused(StudyError, value="x", column="models", file=str(folder / "study.toml")),
    ):
        judge_study(opened, ["x"])


def test_what_is_in_the_way_is_said_meanwhile(tmp_path):
    seen = []
    at_once = replace(QUICK, report=0.005, silence=0.0)
    with chat_server(Panel(), script=["500"] * 60) as server:
        folder = letters(tmp_path, server.address, llm="max_retries = 99", n=4)
        with open_study(folder, update=True) as opened:
            judge_study(opened, progress=seen.append, timing=at_once)
    assert any("status 500: The server had an error" in each.trouble for each in seen)


@contextmanager
def started(folder):
    """What the command does, in a process that is quick to begin and whose tries follow each other at once."""
    process = processes.Process(target=judge_in_process, args=[folder])
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def judge_in_process(folder):
    with open_study(folder, update=True) as opened:
        judge_study(opened, timing=QUICK)


@pytest.mark.slow
def test_killed_and_started_again(tmp_path):
    concurrency, panel = 4, Panel()
    with chat_server(panel, chance=0.2, faults=("500", "nonsense", "refusal"), seed=2) as server:
        llm = "max_calls_per_judgment = 20\nmax_retries = 19"
        folder = letters(tmp_path, server.address, concurrency=concurrency, llm=llm)
        for many in (30, 90):
            server.hold_after = many
            with started(folder) as process:
                held(server, process.is_alive)
                process.kill()
                process.join()
            server.hold.set()
            with sqlite3.connect(folder / "judgments.db") as database:  # as if the time to wait had passed
                database.execute("UPDATE calls SET expires_at = 0 WHERE state = 'out'")
            database.close()
        judged(folder, server)
        with open_study(folder) as opened:
            settled(opened)
            states = opened.store.call_log.to_frame()["state"]
            # Paid twice, at most, are the calls that were in flight when it was killed.
            assert 0 < (states == "lost").sum() <= 2 * 2 * concurrency
            answered = server.happened[""]
            assert 0 <= answered - sum(bought(opened).values()) <= 2 * 2 * concurrency


@pytest.mark.slow
def test_two_processes_share_the_work(tmp_path):
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address)
        with started(folder) as one, started(folder) as other:
            for process in (one, other):
                process.join()
                assert process.exitcode == 0
        with open_study(folder) as opened:
            settled(opened)
            assert sum(bought(opened).values()) == server.requests


@pytest.mark.parametrize(
    ("columns", "repeats", "words"),
    [
        (["a @ x", "b @ x"], {}, "ask nobody about a and b"),
        (["a @ x", "a @ y", "b @ x"], {"a @ x": 1, "b @ x": 3}, "ask x once about a; x 3 times about b"),
        (["a", "a @ x"], {"a": 1, "a @ x": 2}, "ask one person and x twice about a"),
        (["a", "b", "c"], {"b": 2}, "ask 2 people about b, and nobody about a and c"),
    ],
)
def test_plans_in_words(columns, repeats, words):
    assert asked_in_words(repeats, columns) == words
