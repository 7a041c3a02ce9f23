"""Tables to scan, what they come to in memory, and the command line."""

from __future__ import annotations

import numpy as np
from typer.testing import CliRunner

from manyjudges import Judgments, Moments, simulate
from manyjudges.cli.main import app
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import reader_of_large_tables


def crowd(n=60, d=5, k=2, seed=0, *, gaps=0.0):
    """A long table in random order, and labels by object."""
    rng = np.random.default_rng(seed)
    made = simulate.gaussian(n, d, random_state=seed)
    frame = made.pilot(k).to_frame()
    frame["worker"] = [f"w{at}" for at in frame.groupby(["object", "attribute"]).cumcount()]
    keep = rng.random(len(frame)) >= gaps
    keep |= ~frame.duplicated("attribute").to_numpy()
    return frame[keep].sample(frac=1, random_state=seed).reset_index(drop=True), made.labels


def same(found, wanted):
    assert found.attributes == wanted.attributes
    assert found.n_objects == wanted.n_objects
    for name in ("cross", "noise", "covariance", "means", "scale", "judgments", "label_variance", "label_mean"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9, atol=1e-11, err_msg=name)


def estimate(frame, labels, **more):
    return Moments.estimate(Judgments.from_frame(frame), labels, **more)


def scanned(source, labels, **options):
    """What a table comes to, and what was understood of it."""
    return reader_of_large_tables().make().scan(source, labels, ScanOptions.of(**options))


def call(*arguments, code=0):
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout if "--json" in arguments and not code else result.output
