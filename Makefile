PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST_WORKERS ?= auto
REPRODUCE ?=
INSTALL := sh scripts/install-debian
export PIP_NO_INPUT := 1

.PHONY: help demo test lint docs browser postgresql messages reproduce bench figures clean

help:
	@echo "make demo     run the main job on a simulated crowd"
	@echo "make test     lint, type-check, test, and build the docs"
	@echo "make lint     ruff, mypy --strict and import-linter"
	@echo "make docs     build the documentation into docs/_build/html"
	@echo "make messages record what errors say in tests/messages, after messages were reworded"
	@echo "make reproduce repeat the paper's experiments (an hour or more; goes on where it was stopped)"
	@echo "make bench    measure speed against peers, as ratios"
	@echo "make figures  take the pictures of the README and the docs anew"
	@echo "make clean    remove what the others made"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ManyJudges needs Python 3.11 or newer; $(PYTHON) is older. Set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/base.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/base.stamp
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/bench.stamp: $(VENV)/base.stamp
	$(PIP) --editable '.[bench]'
	@touch $@

$(VENV)/report.stamp: $(VENV)/base.stamp
	$(PIP) --editable '.[report]'
	@touch $@

$(VENV)/serve.stamp: $(VENV)/base.stamp
	$(PIP) --editable '.[serve]'
	@touch $@

demo: $(VENV)/serve.stamp
	$(BIN)/manyjudges demo

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/dev.stamp
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Debian's browser, for the tests that look at pages; where it cannot be installed, they are skipped (in CI they fail).
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || $(INSTALL) chromium \
		|| echo "no chromium here and no way to install it: the browser tests will be skipped"

# Debian's PostgreSQL, of which the tests start a server of their own; where it cannot be installed, they are skipped.
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || $(INSTALL) postgresql \
		|| echo "no PostgreSQL here and no way to install it: its tests will be skipped"

# Checks and docs are made side by side, and then tests run side by side, so each takes one processor: more threads would
# only be in each other's way.
test: $(VENV)/dev.stamp browser postgresql
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint docs
	PYTEST="$(BIN)/python -m pytest" sh scripts/run-tests -n $(PYTEST_WORKERS)

messages: $(VENV)/dev.stamp browser postgresql
	PYTEST="$(BIN)/python -m pytest" sh scripts/run-tests -n $(PYTEST_WORKERS) --rewrite-messages tests

reproduce: $(VENV)/report.stamp
	$(BIN)/python -m experiments $(REPRODUCE)

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/run.py

figures: $(VENV)/dev.stamp browser
	$(BIN)/python docs/figures.py

clean:
	rm -rf $(VENV) docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
