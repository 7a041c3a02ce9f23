"""Plots: what a summary says, drawn with matplotlib. They draw; every number comes from :mod:`manyjudges.summary`.

Each function takes an object of a summary and, if you like, the axes to draw on, and returns the axes. Without axes, it
makes a figure with pyplot, so that a notebook shows it and ``plt.show`` and ``plt.savefig`` work as ever; with axes,
pyplot is not touched, and the figure remains yours to close.

Colours are of middle lightness and told apart by colour-blind people, and text has the colour of matplotlib's settings,
so that the plots can be read on white as well as with ``plt.style.use("dark_background")``.
"""

from __future__ import annotations

from manyjudges.exceptions import ManyJudgesError

try:
    import matplotlib as _matplotlib  # noqa: F401  # only to see whether it is here
except ImportError:
    raise ManyJudgesError(
        "plots need matplotlib, which is not here: pip install 'manyjudges[report]'.", value="matplotlib"
    ) from None

from manyjudges.plots.attributes import attribute_map, next_judgments, plan
from manyjudges.plots.curves import budget_curve, reliability
from manyjudges.plots.held_out import calibration, residuals

__all__ = ["attribute_map", "budget_curve", "calibration", "next_judgments", "plan", "reliability", "residuals"]
