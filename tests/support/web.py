"""A study, its application and its judges, for tests."""

from __future__ import annotations

import re
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import uvicorn
from fastapi import FastAPI
from PIL import Image, ImageDraw

from manyjudges.service.transfer import marketplaces
from manyjudges.store.store import Store
from manyjudges.study.config import Study, read_study
from manyjudges.study.objects import read_objects
from manyjudges.web import Hooks, create_app

with warnings.catch_warnings():
    # starlette asks for httpx2, which is httpx under a new name; both do for a test.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient


def client(app: Any, **options: Any) -> TestClient:
    """A client that follows no redirects by itself, and gets an error page as a judge does."""
    return TestClient(app, raise_server_exceptions=False, follow_redirects=False, **options)


def token(text: str) -> str:
    """The token in a page's forms."""
    return re.search(r'name="csrf" value="([^"]+)"', text)[1]


STUDY = """
title = "How tall are <b>they</b>?"
welcome = "Welcome to our study.\\n\\nIt takes a few minutes. You can stop at any time."
consent = "You are 18 or older.\\n\\nYour answers are kept without your name."
contact = "study@example.org"

[work]
batch_size = {size}
most_batches = {most}
pay_per_unit = 0.01

[entry]
open = {open}
prolific = true
mturk = true
{completion}

{server}

[[attributes]]
name = "muscular-name"
question = "Is this person muscular?"
kind = "binary"
help = "Muscular means that muscles can be seen."
example = "A weight-lifter is muscular; a child is not."

[[attributes]]
name = "inches-name"
question = "How tall is this person?"
kind = "number"
range = [40, 90]
unit = "inches"

[[attributes]]
name = "friendly-name"
question = "How friendly does this person look?"
kind = "scale"
range = [1, 7]
labels = ["not at all", "very"]
"""

TEXTS = (
    "<script>alert('x')</script> & <b>bold</b>",
    "שלום עולם, זהו טקסט בעברית שנכתב מימין לשמאל, עם מספר 123 באמצע.",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🤷🏽‍♀️ 🇩🇪",
    "Short",
    "A long text. " + "It goes on, and says the same again in other words. " * 12,
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2,
    "مرحبا بالعالم 👋",
    "Two lines\nof a poem",
)


def make_study(folder: Path, n: int = 12, **options: Any) -> Study:
    """A study with pictures of several shapes, one damaged, and texts that try to break the page."""
    values = {"size": 40, "most": 25, "open": "true", "completion": "", "server": "", "attributes": ""} | options
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY.format(**values), encoding="utf-8")
    rows = ["id,label,image,text"]
    for i in range(n):
        name, label = f"secret-object-{i}", 977.125 + i
        if options.get("texts"):
            text = TEXTS[i % len(TEXTS)].replace('"', '""')
            rows.append(f'{name},{label},,"{text}"')
        else:
            draw_person(folder / f"secret-file-{i}.png", i)
            rows.append(f"{name},{label},secret-file-{i}.png,")
    (folder / "objects.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return read_study(folder)


def draw_person(path: Path, i: int) -> None:
    """A figure in front of a sky, as wide or as tall as it happens to be."""
    width, height = [(300, 400), (480, 270), (320, 320), (200, 520)][i % 4]
    sky = [(214, 226, 238), (232, 222, 206), (214, 232, 218), (230, 216, 226)][i % 4]
    image = Image.new("RGB", (width, height), sky)
    pen = ImageDraw.Draw(image)
    size, middle = height * (0.4 + 0.05 * (i % 9)), width / 2
    top, broad = height - size, size * (0.1 + 0.015 * (i % 5))
    colour = [(60, 84, 120), (140, 82, 60), (70, 110, 90), (110, 76, 120)][(i // 2) % 4]
    pen.rectangle((0, height * 0.9, width, height), fill=(150, 160, 150))
    pen.ellipse((middle - size * 0.09, top, middle + size * 0.09, top + size * 0.18), fill=(202, 160, 130))
    pen.rounded_rectangle((middle - broad, top + size * 0.2, middle + broad, height * 0.96), broad / 2, fill=colour)
    pen.rectangle((0, 0, width - 1, height - 1), outline=(90, 90, 90))
    image.save(path)


BINARY, NUMBER, SCALE = {"muscular-name": 2}, {"inches-name": 2}, {"friendly-name": 2}
"""Two judgments of one attribute for each object of that study."""


@contextmanager
def opened(study: Study, *, order: dict[str, int] | None = None, **clock: Any) -> Iterator[FastAPI]:
    """The application of a study, with judgments of some attributes ordered for each object."""
    objects = read_objects(study)
    store = Store.open(study.database_address, **clock)
    store.prepare(study.costs, [(record.name, record.label) for record in objects.records])
    wanted = {"muscular-name": 2} if order is None else order
    store.order([(record.name, name, count) for record in objects.records for name, count in wanted.items()])
    nothing = Hooks(lambda: None, pd.DataFrame, pd.DataFrame, lambda kind: b"", dict)
    try:
        yield create_app(study, objects, store, nothing, marketplaces())
    finally:
        store.close()


class Session:
    """A judge with a browser that knows no script."""

    def __init__(self, app: FastAPI, **options: Any) -> None:
        self.client = client(app, **options)
        self.store = app.state.store
        self.page: Any = None
        self.seen: list[Any] = []

    def get(self, address: str) -> Any:
        self.page = self.client.get(address)
        self.seen.append(self.page)
        return self._follow()

    def post(self, address: str, **fields: str) -> Any:
        self.page = self.client.post(address, data={"csrf": token(self.page.text), **fields})
        self.seen.append(self.page)
        return self._follow()

    def enter(self) -> Any:
        """Enter by the open link."""
        self.get("/")
        return self.post("/enter", agree="yes")

    def hand_in(self, action: str = "submit", **answers: str) -> Any:
        """Hand in what stands on the page; ``a_3="1"`` ticks the fourth."""
        batch = re.search(r'name="batch" value="([^"]+)"', self.page.text)[1]
        return self.post("/judge", batch=batch, action=action, **{k.replace("_", "-"): v for k, v in answers.items()})

    def _follow(self) -> Any:
        while self.page.is_redirect and self.page.headers["location"].startswith("/"):
            self.page = self.client.get(self.page.headers["location"])
            self.seen.append(self.page)
        return self.page


def batch_of(judge: Session) -> str:
    """The batch on the page that a judge sees."""
    return re.search(r'name="batch" value="([^"]+)"', judge.page.text)[1]


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The application behind a real port of this machine; gives its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", server_header=False, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 90
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < deadline, "the server took too long to start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=60)
