"""Plots: what a summary says, drawn with matplotlib. They draw; every number comes from :mod:`manyjudges.summary`.

Each function takes an object of a summary and, if you like, the axes to draw on, and returns the axes. Without axes, it
makes a figure with pyplot, so that a notebook shows it and ``plt.show`` and ``plt.savefig`` work as ever; with axes,
pyplot is not touched, and the figure remains yours to close.

Colours are of middle lightness and told apart by colour-blind people, and text has the colour of matplotlib's settings,
so that the plots can be read on white as well as with ``plt.style.use("dark_background")``.

Imported by the sections of reports and by people in notebooks. A new plot is a function in one of these modules; its
numbers come from a function in :mod:`manyjudges.summary`.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.plots.attributes import attribute_map as attribute_map
    from manyjudges.plots.attributes import next_judgments as next_judgments
    from manyjudges.plots.attributes import plan as plan
    from manyjudges.plots.curves import budget_curve as budget_curve
    from manyjudges.plots.curves import reliability as reliability
    from manyjudges.plots.held_out import calibration as calibration
    from manyjudges.plots.held_out import residuals as residuals

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "attributes": ["attribute_map", "next_judgments", "plan"],
        "curves": ["budget_curve", "reliability"],
        "held_out": ["calibration", "residuals"],
    },
)
