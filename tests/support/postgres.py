"""A real PostgreSQL for tests: a cluster of their own, made in a temporary folder and removed with it."""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.components import free_port, missing

USER = "postgres"
QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
TEMPLATE = "with_tables"
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Cluster:
    """A server and its databases.

    ``quick`` writes nothing through to the disk: right for everything but tests of what survives.
    """

    def __init__(self, folder: Path, binaries: Path, *, quick: bool = True) -> None:
        self.folder, self.binaries = folder, binaries
        self.port = free_port()
        self.settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(folder),
            "max_connections": "200",
            "shared_buffers": "64MB",
        } | (QUICK if quick else {})
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)

    def address(self, database: str = "postgres") -> str:
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{database}"

    def make(self) -> None:
        _owned(self.folder)
        command = [self.binaries / "initdb", "-D", self.folder / "data", "-U", USER, "-A", "trust", "-E", "UTF8"]
        done = subprocess.run([*command, "--no-sync", "--locale=C"], capture_output=True, check=False, **_as_owner())
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stderr.decode()}")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.folder / "data", *options],
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests; they stop the server when they end
                preexec_fn=_die_with_parent,
                **_as_owner(),
            )
        for _ in range(600):
            if self._process.poll() is not None:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            if self._answers():
                return
            time.sleep(0.05)
        raise RuntimeError("PostgreSQL did not start within 30 seconds")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it in order, whoever is connected."""
        if self._process is not None:
            self._process.send_signal(how)
            self._gone()

    def kill(self) -> None:
        """End all of it at once, as a crash of the machine would."""
        if self._process is not None:
            own = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
            self._process.kill()
            for child in own:
                _kill(int(child))
            self._gone()

    def database(self, template: str = "template0") -> str:
        """The address of a fresh database."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.address(name)

    def execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(host="127.0.0.1", port=self.port, user=USER, dbname="postgres", autocommit=True) as it:
            it.execute(statement)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _gone(self) -> None:
        assert self._process is not None
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


@contextmanager
def cluster(*, quick: bool = True) -> Iterator[Cluster]:
    """A running cluster; where there is no PostgreSQL, a skip that says so."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        missing("psycopg")
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: float(each.parent.name))
    found = shutil.which("initdb")
    if not binaries and found is None:
        missing("PostgreSQL")
    folder = Path(tempfile.mkdtemp(prefix="manyjudges-pg-"))
    made = Cluster(folder, binaries[-1] if binaries else Path(str(found)).parent, quick=quick)
    try:
        made.make()
        made.start()
        yield made
    finally:
        made.stop(signal.SIGQUIT)  # at once: nobody needs what is in it
        shutil.rmtree(folder)


def _owned(folder: Path) -> None:
    if os.geteuid() == 0:  # which PostgreSQL refuses to run as
        shutil.chown(folder, USER)


def _as_owner() -> dict[str, object]:
    return {"user": USER, "group": USER, "extra_groups": [], "cwd": "/"} if os.geteuid() == 0 else {}


def _die_with_parent() -> None:
    """Tests that are killed leave no server behind (Linux only; elsewhere this does nothing)."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(DIE_WITH_PARENT, signal.SIGQUIT)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
