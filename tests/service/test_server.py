"""The server of a study: real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from manyjudges.service.password import PASSWORD_VARIABLE
from manyjudges.service.server import fit_document
from manyjudges.service.study import open_study
from tests.support.collecting import beans_folder
from tests.support.components import free_port


def test_fitting_for_the_page_gives_numbers_and_the_model(study):
    from tests.support.collecting import run

    opened, crowd = study
    run(opened, crowd)
    document = fit_document(opened)
    assert document["expectation"].startswith("Expect to be off by about")
    assert 0 < document["explained"] < 1
    assert '"manyjudges' in document["model"]


def serve(folder, port):
    environment = os.environ | {PASSWORD_VARIABLE: "open sesame"}
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
        said, complained = process.communicate(timeout=90)
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


@pytest.mark.slow
def test_a_port_that_there_is_not_is_said_in_a_line(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars")
    process = serve(folder, 99999)
    _, complained = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "99999' is not a port" in complained
    assert "Traceback" not in complained


def test_the_command_line_needs_none_of_the_libraries_of_serving():
    heavy = ("sqlalchemy", "alembic", "fastapi", "pydantic", "uvicorn", "PIL", "jinja2", "matplotlib")
    script = f"import sys, manyjudges.cli.main; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
