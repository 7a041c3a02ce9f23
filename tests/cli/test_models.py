"""The command that lets language models judge a study, as somebody types it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import manyjudges
from manyjudges.service.study import open_study
from tests.support.chat_server import chat_server
from tests.support.commands import invoke
from tests.support.letters import MODELS, Panel, bought, change, held, judged, letters, settled


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.slow
def test_a_limit_without_prices_is_remarked_upon(tmp_path):
    with chat_server(Panel()) as server:
        free = MODELS.replace("price_in = 10.0\nprice_out = 20.0\n", "", 1)
        folder = letters(tmp_path, server.address, llm="spending_limit = 5.0", models=free, n=6)
        said = invoke("ask-models", folder).stderr
        assert "note: 'atlas' without price_in and price_out" in said


def test_a_study_that_names_no_models_takes_any(tmp_path):
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address, models="", n=8)
        said = invoke("ask-models", folder, "--model", "whatever").output
        assert "study.toml names no models" in said
        assert "no model is named" in invoke("ask-models", folder, code=2).stderr
        with open_study(folder) as opened:
            assert {worker.split(" #")[0] for worker in opened.store.judgments()["worker"]} == {"whatever"}
            settled(opened)


def test_opinions_and_plan_in_words_and_as_json(tmp_path):
    personas = MODELS + '[[models]]\nname = "strict birch"\nmodel = "birch"\npersona = "You are strict."\n'
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address, models=personas, n=12)
        judged(folder, server)
        said = invoke("ask-models", folder).output
        assert "The plan, for one object: ask " in said
        assert "Of the variance of one call, " in said
        assert "a prompt's" in said
        assert "independent opinions" in said

        def refuse(constant):
            raise AssertionError(constant)

        found = json.loads(invoke("ask-models", folder, "--json").stdout, parse_constant=refuse)
        assert found["models"]["atlas"]["answered"] == 0
        assert found["asking"] in said.replace("\n", " ")
        assert found["stage"] == "done"
        rows = {row["attribute"]: row for row in found["opinions"]["attributes"]}
        for name, row in rows.items():
            columns = [column for column in found["plan"] if column.startswith(f"{name} @")]
            assert row["judges"] == len(columns)
            assert row["calls"] == sum(found["plan"][column] for column in columns)
            assert row["opinions"] is None or row["opinions"] <= row["calls"] + 1e-9
        json.loads(invoke("status", folder, "--json").stdout, parse_constant=refuse)
        assert invoke("status", folder).output.count("independent opinions") == 1
        assert any("You are strict." in asked.system for asked in server.asked)


# Errors


def test_what_is_wrong_is_said_in_a_line(tmp_path):
    assert invoke("ask-models", tmp_path / "nowhere", code=2).stderr.startswith("error: there is no folder")
    folder = letters(tmp_path, "http://127.0.0.1:9/v1", llm="max_retries = 0", n=4)
    said = invoke("ask-models", folder, "--model", "atlsa", code=2).stderr
    assert "has no model 'atlsa'" in said
    assert "Did you mean 'atlas'?" in said
    lost = invoke("ask-models", folder, code=2).stderr.strip().splitlines()[-1]
    assert lost.startswith("error: 10 calls in a row came to nothing")
    assert "at http://127.0.0.1:9/v1" in lost
    assert "no connection" in lost
    change(folder, 'address = "http://127.0.0.1:9/v1"', "")
    (said,) = invoke("ask-models", folder, code=2).stderr.strip().splitlines()
    assert said.startswith("error: the environment variable OPENAI_API_KEY")
    with open_study(folder) as opened:
        assert opened.store.discrepancies() == []
        assert opened.store.progress()["out"].sum() == 0


def test_a_key_that_is_refused_ends_the_run_and_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    wrong = (401, {"error": {"message": "Incorrect API key: sk-secret"}}, {})
    with chat_server(Panel(), script=["", "", *[wrong] * 50]) as server:
        folder = letters(tmp_path, server.address, llm='api_key_env = "MY_KEY"', n=4)
        said = invoke("ask-models", folder, code=2).stderr
    assert "Check the key in MY_KEY" in said
    assert "sk-secret" not in said
    with open_study(folder) as opened:
        assert sum(bought(opened).values()) == 2  # what was answered is kept
        assert not opened.store.call_log.to_frame()["said"].str.contains("secret").any()
        assert opened.store.discrepancies() == []


def test_a_paused_study_is_left_alone(tmp_path):
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address, llm="spending_limit = 1.0", n=4)
        invoke("status", folder)
        with open_study(folder, update=True) as opened:
            opened.store.pause()
        assert "the study is paused; 'manyjudges resume' goes on" in invoke("ask-models", folder).output
        assert server.requests == 0


# Processes


@contextmanager
def command(folder):
    """The command in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "manyjudges", "ask-models", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(manyjudges.__file__).parents[1])},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_interrupted_it_leaves_a_clean_state(tmp_path):
    with chat_server(Panel(), hold_after=20) as server:
        folder = letters(tmp_path, server.address)
        with command(folder) as process:
            held(server, lambda: process.poll() is None)
            process.send_signal(signal.SIGINT)
            server.hold.set()
            out, said = process.communicate()
        assert process.returncode == 130
        assert out == ""
        assert "Every answer that came is kept; the same command goes on from there." in said
        assert said.splitlines()[-1] == "stopped"
        assert "Traceback" not in said
        with open_study(folder) as opened:
            assert opened.store.discrepancies() == []
            assert opened.store.call_log.count_in_flight(["atlas", "birch"]) == 0
            had = sum(bought(opened).values())
            assert had == server.happened[""]  # all that was in flight came in
        judged(folder, server)
        with open_study(folder) as opened:
            settled(opened)
            assert sum(bought(opened).values()) == server.requests
