PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST_WORKERS ?= auto
export PIP_NO_INPUT := 1

.PHONY: help demo test lint docs bench figures clean

help:
	@echo "make demo     run the main job on a simulated crowd"
	@echo "make test     lint, type-check, test, and build the docs"
	@echo "make lint     ruff, mypy --strict and import-linter"
	@echo "make docs     build the documentation into docs/_build/html"
	@echo "make bench    measure speed against peers, as ratios"
	@echo "make figures  draw the pictures of the README and the docs anew"
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

demo: $(VENV)/base.stamp
	$(BIN)/manyjudges demo

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/dev.stamp
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

test: lint docs
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS)

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/run.py

figures: $(VENV)/dev.stamp
	$(BIN)/python docs/figures.py

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
