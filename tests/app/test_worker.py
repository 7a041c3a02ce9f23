"""The process that works for the page: it does what it is told, can be stopped, and ends with the app."""

from __future__ import annotations

import signal
import time

import pytest

from manyjudges.app.choices import Choices
from manyjudges.app.samples import write_sample
from manyjudges.app.worker import TableWorker


@pytest.fixture
def worker(tmp_path):
    made = TableWorker(tmp_path)
    yield made
    made.close()


@pytest.fixture
def table(tmp_path):
    return write_sample("essays", tmp_path / "table")[0]


def wait(job):
    deadline = time.monotonic() + 60
    while job.running:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return job


def look(worker, file):
    return worker.start("look", "Reading", files=[str(file)], label_files=[], choices=Choices().to_document())


def test_it_does_one_job_after_the_other_in_one_process(worker, table):
    first = wait(look(worker, table))
    assert first.state == "done", first.error
    assert first.result["roles"]["object"] == "Essay"
    process = worker._process
    assert wait(look(worker, table)).result == first.result
    assert worker._process is process


def test_an_error_comes_back_with_its_message(worker, tmp_path):
    job = wait(look(worker, tmp_path / "absent.csv"))
    assert job.state == "failed"
    assert "absent.csv" in job.error["message"]


def test_what_should_not_happen_is_said_and_the_next_job_is_done(worker, table):
    job = wait(worker.start("no such task", "Trying"))
    assert "Something went wrong" in job.error["message"]
    assert wait(look(worker, table)).state == "done"


def test_a_new_job_cancels_the_one_under_way(worker, table):
    first = look(worker, table)
    second = look(worker, table)
    assert first.state == "cancelled"
    assert wait(second).state == "done"


def test_a_process_that_does_not_listen_is_killed_and_the_next_job_done(tmp_path, table):
    worker = TableWorker(tmp_path, patience=0.0)
    try:
        wait(look(worker, table))
        process = worker._process
        process.send_signal(signal.SIGSTOP)
        look(worker, table)
        assert wait(look(worker, table)).state == "done"
        assert process.wait(timeout=10) != 0
    finally:
        worker.close()


def test_a_process_that_dies_is_an_error_and_the_next_job_has_another(worker, table):
    wait(look(worker, table))
    worker._process.send_signal(signal.SIGSTOP)
    job = look(worker, table)
    worker._process.kill()
    assert wait(job).state == "failed"
    assert "ended unexpectedly" in job.error["message"]
    assert wait(look(worker, table)).state == "done"


def test_it_ends_when_its_input_ends(worker, table):
    wait(look(worker, table))
    worker._process.stdin.close()
    assert worker._process.wait(timeout=10) == 0
