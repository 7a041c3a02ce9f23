"""Worker: the process in which tables are read and plans are made, so that the page answers while it works.

A process rather than a thread, because reading and planning keep a processor busy, and because a process can be
stopped at any moment. Orders and answers go through its standard input and output, one JSON document per line. It ends
when the app does, however that happens: its input ends then.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

JobState = Literal["running", "done", "failed", "cancelled"]

_LOG = "worker.log"
_PATIENCE = 2.0
"""Seconds after which a process that does not stop by itself is killed. Progress comes several times a second."""


@dataclass
class Job:
    """A piece of work.

    Attributes
    ----------
    number : int
    task : str
        The name of a function in ``tasks``.
    title : str
        What is done, for people.
    state : str
        ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
    progress : float, optional
        The share that is done; None where that is not known.
    result : mapping
        What the task gave, once it is done.
    error : mapping
        The message and the fields of the error, where it failed.
    """

    number: int
    task: str
    title: str
    state: JobState = "running"
    progress: float | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether it is still under way."""
        return self.state == "running"


class TableWorker:
    """Does one job after the other in a process that is started when the first one comes.

    Parameters
    ----------
    folder : Path
        Where the process may write.
    """

    def __init__(self, folder: Path, *, patience: float = _PATIENCE) -> None:
        self._folder, self._patience = folder, patience
        self._process: subprocess.Popen[str] | None = None
        self._job: Job | None = None
        self._order: Mapping[str, Any] = {}
        self._ended: dict[int, threading.Event] = {}
        self._count = 0
        self._lock = threading.RLock()

    def start(self, task: str, title: str, **options: Any) -> Job:
        """Begin a job; one that is under way is cancelled."""
        self.cancel()
        with self._lock:
            self._count += 1
            job = self._job = Job(self._count, task, title)
            self._ended[job.number] = threading.Event()
            self._order = {"job": job.number, "task": task, "options": options}
            self._send(self._order)
        return job

    def cancel(self) -> None:
        """Stop the job that is under way, if there is one."""
        with self._lock:
            job, process, self._job = self._job, self._process, None
            if job is None or not job.running or process is None:
                return
            job.state = "cancelled"
            self._send({"cancel": job.number})
        threading.Thread(target=self._end, args=(process, self._ended[job.number]), daemon=True).start()

    def close(self) -> None:
        """End the process, whatever it does."""
        with self._lock:
            process, self._process, job = self._process, None, self._job
            if job is not None and job.running:
                job.state = "cancelled"
        if process is not None:
            process.kill()
            process.wait()

    def _end(self, process: subprocess.Popen[str], ended: threading.Event) -> None:
        """Kill a process that does not stop a job by itself; what was ordered since is ordered from a new one."""
        if ended.wait(self._patience):
            return
        with self._lock:
            if self._process is not process:
                return
            self._process = None
            if self._job is not None and self._job.running:
                self._send(self._order)
        process.kill()

    def _send(self, order: Mapping[str, Any]) -> None:
        if self._process is None or self._process.poll() is not None:
            self._process = self._started()
        assert self._process.stdin is not None  # noqa: S101  # it is a pipe
        with contextlib.suppress(BrokenPipeError):  # it just died, which the thread that listens will notice
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()

    def _started(self) -> subprocess.Popen[str]:
        with (self._folder / _LOG).open("w", encoding="utf-8") as log:
            process = subprocess.Popen(  # noqa: S603  # our own
                [sys.executable, "-m", "manyjudges.app.work.process", os.fspath(self._folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C in the terminal is for the app, which then ends this process
            )
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        """Take what a process says until it ends."""
        assert process.stdin is not None  # noqa: S101  # they are pipes
        assert process.stdout is not None  # noqa: S101
        for line in process.stdout:
            with self._lock:
                self._take(json.loads(line))
        with self._lock:
            job = self._job
            if self._process is process and job is not None and job.running:
                job.error = {"message": f"The work ended unexpectedly. {self._last_words()}".strip()}
                job.state = "failed"
        process.wait()
        process.stdout.close()
        with contextlib.suppress(OSError):  # an order that it did not read
            process.stdin.close()

    def _take(self, message: Mapping[str, Any]) -> None:
        """Take one message of the process."""
        job = self._job
        if "progress" not in message:
            self._ended.pop(message["job"], threading.Event()).set()
        if job is None or message["job"] != job.number or not job.running:
            return
        if "progress" in message:
            job.progress = message["progress"]
        elif "error" in message:
            job.error, job.state = message["error"], "failed"
        elif "result" in message:
            job.result, job.state = message["result"], "done"

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = (self._folder / _LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""
