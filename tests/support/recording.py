"""A plugin of pytest: ``--rewrite-messages`` records what errors say, from all processes that run tests.

Without it, sentences that were recorded and that no test heard any more fail the run.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from tests.support import messages

Cases = dict[str, dict[str, set[str]]]
"""Cases by file of tests and function."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-messages", action="store_true", help="record what errors say in tests/messages/")


def pytest_configure(config: pytest.Config) -> None:
    messages.SENTENCES.rewriting = config.getoption("--rewrite-messages")
    config.pluginmanager.register(Recording(config), "recorded-messages")


def _cases() -> Cases:
    return defaultdict(lambda: defaultdict(set))


class Recording:
    """Brings together what the tests of all processes heard; writes it, or says what is recorded in vain."""

    def __init__(self, config: pytest.Config) -> None:
        self.heard, self.collected, self.passed = messages.by_case(), _cases(), _cases()
        self.named = {each.partition("::")[0] for each in config.args if "::" in each}
        """Files of tests of which single tests were asked for."""
        self.only_failed = bool(config.getoption("lf", False))
        self.stale: list[str] = []
        self.complete = True

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        messages.varies(str(session.config._tmp_path_factory.getbasetemp().resolve()))  # type: ignore[attr-defined]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collect(session.items)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._collect(items)

    def _collect(self, items: list[pytest.Item]) -> None:
        for item in items:
            module, function, case = messages.split_id(item.nodeid)
            if module.startswith("tests/"):
                self.collected[module][function].add(case)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        module, function, case = messages.split_id(report.nodeid)
        if report.when == "call" and report.passed:
            self.passed[module][function].add(case)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        output = getattr(node, "workeroutput", {})
        self.complete &= "messages" in output  # a process that died has told nothing of what its tests heard
        self._add(*output.get("messages", ({}, {}, ())))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        heard = {
            module: {function: dict(cases) for function, cases in functions.items()}
            for module, functions in messages.SENTENCES.new.items()
        }
        collected = {
            module: {function: sorted(cases) for function, cases in functions.items()}
            for module, functions in self.collected.items()
        }
        if hasattr(session.config, "workeroutput"):  # a process of pytest-xdist, whose parent decides
            session.config.workeroutput["messages"] = (heard, collected, sorted(self.named))
            return
        self._add(heard, collected, ())
        for module in {*self.collected, *messages.without_tests()} if self.complete else ():
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
        recorded = messages.SENTENCES.recorded(module)
        after = {function: self._after(module, function) for function in {**recorded, **self.heard[module]}}
        if messages.SENTENCES.rewriting:
            messages.SENTENCES.write(module, after)

    def _after(self, module: str, function: str) -> messages.Recorded:
        """What is to be recorded of a function: what its cases said that passed, and of others what was recorded."""
        before = messages.SENTENCES.recorded(module).get(function, [])
        cases = set(self.collected[module][function])
        if isinstance(before, dict):
            cases |= {f"[{case}]" for case in before}
        elif not cases:
            cases = {""}
        after = {}
        for case in cases:
            old, new = messages.of_case(before, case), self.heard[module][function][case]
            if gone := case not in self.collected[module][function] and not self._is_in_part(module):
                new = []
            if gone or case in self.passed[module][function]:
                self.stale += [f"{module}::{function}{case}: {each}" for each in old[len(new) :]]
            else:
                new = old or new
            if not gone:
                after[case] = new
        if self._is_in_part(module) and cases != {""}:  # other cases may say something else
            same = all(new == messages.of_case(before, case) for case, new in after.items())
            return before if same else messages.by_name(after)
        return messages.as_recorded(after)

    def _is_in_part(self, module: str) -> bool:
        """Whether there may be tests of a file that pytest did not even collect."""
        return module in self.named or self.only_failed

    def _add(self, heard: Any, collected: Any, named: Any) -> None:
        self.named |= set(named)
        for module, functions in collected.items():
            for function, cases in functions.items():
                self.collected[module][function] |= set(cases)
        for module, functions in heard.items():
            for function, cases in functions.items():
                self.heard[module][function].update(cases)
