"""A real server of a study in a process of its own, and a program that asks it; both may be killed at any time."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.components import free_port
from tests.support.stores import processes


class Server:
    """A server that can be killed and started again, always at the same port.

    Parameters
    ----------
    folder : Path
        Of the study; :func:`write_study` makes one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.start()

    def start(self) -> None:
        self._process = processes.Process(target=_serve, args=(str(self.folder), self.port), daemon=True)
        self._process.start()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()

    def wait(self) -> None:
        """Until it answers."""
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            if not self._process.is_alive():
                break
            time.sleep(0.05)
        raise RuntimeError("the server did not start")


class Client:
    """A program at the JSON interface, over one connection that is made anew where it was lost."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def insist(self, path: str, what: Any) -> Any:
        """What the server says, asked again where a connection that was quiet for long had been closed."""
        try:
            return self.post(path, what)
        except ConnectionError:
            return self.post(path, what)

    def post(self, path: str, what: Any) -> Any:
        """What the server says; None where it has nothing. ConnectionError where no answer came."""
        try:
            self._connection.request("POST", path, json.dumps(what), self._headers)
            answer = self._connection.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise ConnectionError("no answer came") from error
        if answer.status == 503:
            raise ConnectionError(said.decode())
        if answer.status not in (200, 204):
            raise RuntimeError(f"{answer.status}: {said.decode()}")
        return json.loads(said) if said else None

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def server(address: str, attributes: Sequence[str], objects: int) -> Iterator[int]:
    """The port of a running server of a study of so many objects, which are called "object 0" and so on."""
    with tempfile.TemporaryDirectory() as folder:
        write_study(Path(folder), address, attributes, [f"object {n}" for n in range(objects)])
        running = Server(Path(folder))
        try:
            running.wait()
            yield running.port
        finally:
            running.kill()


def write_study(folder: Path, address: str, attributes: Sequence[str], objects: Sequence[str]) -> None:
    lines = ['title = "A study"', f"database = {json.dumps(address)}", "[plan]", "budget = 10.0"]
    for each in attributes:
        lines += ["[[attributes]]", f"name = {json.dumps(each)}", 'question = "Is it so?"', 'kind = "number"']
    (folder / "study.toml").write_text("\n".join(lines) + "\n")
    rows = "".join(f"{name},{n},{name} in words\n" for n, name in enumerate(objects))
    (folder / "objects.csv").write_text("id,label,text\n" + rows)


def _serve(folder: str, port: int) -> None:
    import uvicorn

    from manyjudges.store.store import Store
    from manyjudges.study.config import read_study
    from manyjudges.study.objects import read_objects
    from manyjudges.web.app import Hooks, create_app
    from manyjudges.web.security import Limiter, Limits

    study = read_study(Path(folder))
    nothing: Any = lambda *_: None  # noqa: E731
    store = Store.open(study.database_address)
    app = create_app(study, read_objects(study), store, Hooks(nothing, nothing, nothing, nothing, nothing))
    app.state.limits = Limits(api=Limiter(1_000_000, 1.0))  # one program is all judges here
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False, server_header=False)
