"""The command that opens the page."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("port", ["99999", "-1", "x"])
def test_a_port_that_is_none_is_refused(run, port):
    code, out, err = run("app", f"--port={port}")
    assert (code, out) == (2, "")
    assert err.startswith("error: Invalid value for '--port'")
