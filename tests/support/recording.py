"""A plugin of pytest: ``--rewrite-messages`` records what errors say, from all processes that run tests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import messages

Said = dict[str, dict[str, list[str]]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-messages", action="store_true", help="record what errors say in tests/messages/")


def pytest_configure(config: pytest.Config) -> None:
    messages.SENTENCES.rewriting = config.getoption("--rewrite-messages")
    config.pluginmanager.register(Recording(), "recorded-messages")


class Recording:
    """Brings together what the tests of all processes heard, and writes it where that is asked for."""

    def __init__(self) -> None:
        self.said: Said = {}
        self.collected: dict[str, set[str]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        messages.SENTENCES.start(*messages.split_id(item.nodeid))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            module, test = messages.split_id(item.nodeid)
            if module.startswith("tests/"):
                self.collected.setdefault(module, set()).add(test)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        self._add(*getattr(node, "workeroutput", {}).get("messages", ({}, {})))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not messages.SENTENCES.rewriting:
            return
        said = {module: dict(tests) for module, tests in messages.SENTENCES.new.items()}
        collected = {module: sorted(tests) for module, tests in self.collected.items()}
        if hasattr(session.config, "workeroutput"):  # a process of pytest-xdist, whose parent writes
            session.config.workeroutput["messages"] = (said, collected)
            return
        self._add(said, collected)
        selected = session.config.option.keyword or any("::" in each for each in session.config.args)
        messages.SENTENCES.write(self.said, self.collected, complete=not selected)

    def _add(self, said: Said, collected: dict[str, list[str]]) -> None:
        for module, tests in said.items():
            self.said.setdefault(module, {}).update(tests)
        for module, tests in collected.items():
            self.collected.setdefault(module, set()).update(tests)
