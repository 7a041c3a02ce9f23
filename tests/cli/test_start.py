"""How the command line starts: without the libraries behind planning, and stopped at any moment without a mess."""

from __future__ import annotations

import subprocess
import sys

import pytest

from manyjudges import __version__

HEAVY = {
    *("alembic", "dask", "duckdb", "fastapi", "matplotlib", "narwhals", "numpy", "openai", "pandas", "PIL"),
    *("pyarrow", "rich", "scipy", "sklearn", "sqlalchemy", "uvicorn"),
}
"""Not among them is pydantic, by which typer itself reads options."""


def loaded_by(*arguments):
    """What a call of the command line says, and the libraries that it loads."""
    script = f"""
import sys
sys.argv = ["manyjudges", *{arguments}]
from manyjudges.__main__ import main
try:
    main()
except SystemExit:
    pass
print("loaded:", *sorted({{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return done.stdout, set(done.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("arguments", [["--help"], ["plan", "--help"], ["import", "--help"], ["error"]])
def test_what_needs_no_data_loads_no_library_of_data(arguments):
    _, loaded = loaded_by(*arguments)
    assert "typer" in loaded
    assert loaded & HEAVY == set()
    assert "pydantic" not in loaded or arguments != ["--help"]


def test_the_version_is_told_before_options_can_be_read():
    said, loaded = loaded_by("--version")
    assert said == f"manyjudges {__version__}\n"
    assert loaded & (HEAVY | {"typer", "pydantic", "json"}) == set()


def test_the_version_is_the_same_as_an_option_among_others(run):
    assert run("--version")[:2] == (0, f"manyjudges {__version__}\n")


INTERRUPTED_WHILE_LOADING = """
import os, signal, sys

class Interrupt:
    '''Presses Ctrl-C when a module is looked for.'''

    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["manyjudges", "describe", "judgments.csv", "labels.csv"]
from manyjudges.__main__ import main
main()
"""


@pytest.mark.parametrize("name", ["typer", "manyjudges.cli.analysis", "pandas", "numpy"])
def test_ctrl_c_while_modules_are_loaded_leaves_no_traceback(name, tmp_path):
    script = INTERRUPTED_WHILE_LOADING.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")
