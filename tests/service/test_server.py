"""The server, the one who plans in the background, and passwords: real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from manyjudges import StudyError
from manyjudges.service import server
from manyjudges.service.server import Overseer, due, first_password, fit_document, set_password
from manyjudges.service.study import open_study, order_first_round
from tests.support.collecting import beans_folder, work
from tests.support.components import free_port


def started(code, say=""):
    script = f"import sys; print({say!r}, file=sys.stderr); sys.exit({code})"
    return subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)


def test_the_overseer_plans_when_a_round_is_complete(study):
    opened, crowd = study
    forced = []
    overseer = Overseer(opened, lambda force: forced.append(force) or started(0))
    order_first_round(opened)
    overseer.look()
    assert forced == []
    assert not due(opened)
    work(opened, crowd)
    assert due(opened)
    overseer.look()
    assert forced == [False]
    overseer.request()
    overseer.look()
    assert forced == [False, True]


def test_planning_that_fails_is_noted_and_rests(study):
    opened, crowd = study
    tries = []
    overseer = Overseer(opened, lambda force: tries.append(force) or started(2, "error: all labels are the same"))
    order_first_round(opened)
    work(opened, crowd)
    overseer.look()
    overseer.look()
    assert tries == [False]
    overseer._rest_until = 0.0
    overseer.look()
    assert tries == [False, False]
    assert len(opened.store.events()) == 1  # said once
    noted = opened.store.events()[0]
    assert noted["what"] == "problem"
    assert noted["detail"] == "planning failed: all labels are the same"


def test_while_somebody_plans_a_request_waits(study):
    opened, crowd = study
    tries = []
    overseer = Overseer(opened, lambda force: tries.append(force) or started(0))
    order_first_round(opened)
    work(opened, crowd)
    opened.store.may_plan("another server", 60.0)
    overseer.request()
    overseer.look()
    assert tries == []
    opened.store.planned("another server")
    overseer.look()
    assert tries == [True]


def test_the_overseer_outlives_whatever_happens(study, monkeypatch):
    opened, crowd = study
    monkeypatch.setattr(server, "LOOK", 0.01)
    monkeypatch.setattr(server, "REST", 0.01)
    tries = []

    def plan(force):
        tries.append(force)
        raise OSError(12, "Cannot allocate memory")

    order_first_round(opened)
    work(opened, crowd)
    overseer = Overseer(opened, plan)
    overseer.start()
    deadline = time.monotonic() + 20
    while len(tries) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    alive = overseer.is_alive()
    overseer.stop()
    assert alive
    assert len(tries) >= 3


def test_the_overseer_s_own_way_is_the_command(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    Overseer(opened).look()
    assert len(opened.store.rounds()) == 1
    assert opened.store.rounds()[0]["outlook"]["curve"]


def test_stopping_does_not_wait_for_planning(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    slow = [sys.executable, "-c", "import time; time.sleep(60)"]
    overseer = Overseer(opened, lambda force: subprocess.Popen(slow, stderr=subprocess.PIPE, text=True))
    overseer.start()
    deadline = time.monotonic() + 20
    while overseer._running is None and time.monotonic() < deadline:
        time.sleep(0.05)
    overseer.stop()
    assert not overseer.is_alive()
    assert opened.store.events() == []


def test_a_password_is_set_once_and_only_its_hash_is_kept(study, monkeypatch):
    opened, _ = study
    monkeypatch.delenv(server.PASSWORD_VARIABLE, raising=False)
    made = first_password(opened, lambda: None)
    assert made is not None
    assert len(made) >= 16
    kept = opened.store.setting("password")
    assert made not in kept
    assert first_password(opened, lambda: pytest.fail("asked again")) is None
    from manyjudges.web.security import check_password

    assert check_password(made, kept)
    assert not check_password(made + "x", kept)
    with pytest.raises(StudyError, match="has 3 letters"):
        set_password(opened, "abc")


def test_a_password_from_the_environment_is_never_said(study, monkeypatch):
    opened, _ = study
    monkeypatch.setenv(server.PASSWORD_VARIABLE, "open sesame")
    assert first_password(opened, lambda: pytest.fail("asked")) is None


def test_fitting_for_the_page_gives_numbers_and_the_model(study):
    from tests.support.collecting import run

    opened, crowd = study
    run(opened, crowd)
    document = fit_document(opened)
    assert document["loss"] > 0
    assert '"manyjudges' in document["model"]


def serve(folder, port):
    environment = os.environ | {server.PASSWORD_VARIABLE: "open sesame"}
    command = [sys.executable, "-m", "manyjudges", "serve", str(folder), "--port", str(port)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def waited_for(port, process):
    for _ in range(300):
        try:
            return httpx.get(f"http://127.0.0.1:{port}/")
        except httpx.TransportError:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_the_command_serves_until_ctrl_c_and_leaves_everything_in_order(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars")
    port = free_port()
    process = serve(folder, port)
    try:
        page = waited_for(port, process)
        assert page.status_code == 200
        assert "Jars" in page.text
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=30)
    finally:
        process.kill()
    assert f"http://127.0.0.1:{port}/" in said
    assert "open sesame" not in said
    assert "Traceback" not in complained
    with open_study(folder) as opened:
        assert opened.store.progress()["open"].sum() == 60 * 4 * 2
        assert opened.store.discrepancies() == []


def test_a_port_that_is_taken_is_said_in_a_line(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = serve(folder, taken.getsockname()[1])
        _, complained = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot listen at 127.0.0.1, port" in complained
    assert "--port" in complained
    assert "Traceback" not in complained


def test_a_port_that_there_is_not_is_said_in_a_line(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars")
    process = serve(folder, 99999)
    _, complained = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "port 99999" in complained
    assert "Traceback" not in complained


def test_another_password_in_the_environment_is_noticed(study, monkeypatch):
    opened, _ = study
    set_password(opened, "open sesame")
    monkeypatch.setenv(server.PASSWORD_VARIABLE, "open sesame")
    assert not server.other_password(opened)
    monkeypatch.setenv(server.PASSWORD_VARIABLE, "something else")
    assert server.other_password(opened)


def test_the_command_line_needs_none_of_the_libraries_of_serving():
    heavy = ("sqlalchemy", "alembic", "fastapi", "pydantic", "uvicorn", "PIL", "jinja2", "matplotlib")
    script = f"import sys, manyjudges.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_missing_is_said_before_anything_else(tmp_path, monkeypatch):
    from manyjudges import ManyJudgesError
    from manyjudges.service import study as studies

    monkeypatch.setattr(studies, "find_spec", lambda name: None if name == "sqlalchemy" else name)
    with pytest.raises(ManyJudgesError, match=r"needs sqlalchemy, .* pip install 'manyjudges\[serve\]'"):
        open_study(tmp_path)
