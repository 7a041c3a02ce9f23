"""A plugin of pytest: ``--rewrite-messages`` records what errors say, from all processes that run tests.

Without it, sentences that were recorded and that no test heard any more fail the run.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from tests.support import messages

ByFunction = dict[str, dict[str, set[str]]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-messages", action="store_true", help="record what errors say in tests/messages/")


def pytest_configure(config: pytest.Config) -> None:
    messages.SENTENCES.rewriting = config.getoption("--rewrite-messages")
    config.pluginmanager.register(Recording(config), "recorded-messages")


def _nested() -> ByFunction:
    return defaultdict(lambda: defaultdict(set))


class Recording:
    """Brings together what the tests of all processes heard; writes it, or says what is recorded in vain."""

    def __init__(self, config: pytest.Config) -> None:
        self.heard, self.collected, self.passed = _nested(), _nested(), _nested()
        self.partial = {each.partition("::")[0] for each in config.args if "::" in each}
        self.stale: list[str] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        messages.varies(str(session.config._tmp_path_factory.getbasetemp().resolve()))  # type: ignore[attr-defined]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            module, function, case = messages.split_id(item.nodeid)
            if module.startswith("tests/"):
                self.collected[module][function].add(case)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.partial |= {messages.split_id(item.nodeid)[0] for item in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        module, function, case = messages.split_id(report.nodeid)
        if report.when == "call" and report.passed:
            self.passed[module][function].add(case)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        heard, collected, partial = getattr(node, "workeroutput", {}).get("messages", ({}, {}, ()))
        self._add(heard, collected, partial)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        heard, collected = (
            {
                module: {function: sorted(parts) for function, parts in functions.items()}
                for module, functions in whole.items()
            }
            for whole in (messages.SENTENCES.new, self.collected)
        )
        if hasattr(session.config, "workeroutput"):  # a process of pytest-xdist, whose parent decides
            session.config.workeroutput["messages"] = (heard, collected, sorted(self.partial))
            return
        self._add(heard, collected, ())
        for module in self.collected:
            self._settle(module)
        if self.stale and not messages.SENTENCES.rewriting and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.stale and not messages.SENTENCES.rewriting:
            terminalreporter.section("recorded, and not heard any more; 'make messages' removes it", red=True)
            for line in self.stale:
                terminalreporter.line(line)

    def _settle(self, module: str) -> None:
        """What of a file of tests is recorded in vain; in its place, what was heard, where that is asked for."""
        after: dict[str, set[str]] = {}
        heard = self.heard[module]
        for function, sentences in messages.SENTENCES.recorded(module).items():
            if self._is_whole(module, function):
                self.stale += [f"{module}::{function}: {each}" for each in sentences if each not in heard[function]]
            else:
                after[function] = set(sentences)
        for function, said in heard.items():
            after[function] = after.get(function, set()) | said
        if messages.SENTENCES.rewriting:
            messages.SENTENCES.write(module, after)

    def _is_whole(self, module: str, function: str) -> bool:
        """Whether all cases of a function ran and passed; also when there is no such function any more."""
        return module not in self.partial and self.collected[module][function] == self.passed[module][function]

    def _add(self, heard: Any, collected: Any, partial: Any) -> None:
        self.partial |= set(partial)
        for whole, part in ((self.heard, heard), (self.collected, collected)):
            for module, functions in part.items():
                for function, values in functions.items():
                    whole[module][function] |= set(values)
