"""Simulated crowds with known true values, for tests, examples and the demo.

``crowd`` says what a crowd does, ``ratings`` what a crowd with a rating scale does otherwise, ``populations`` which
crowds there are, and ``panel`` what a panel of judges does. To add a crowd, write a function in ``populations``. May be
imported by every room above it; knows tables and sums, and makes no plan.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.simulate.crowd import Crowd as Crowd
    from manyjudges.simulate.crowd import Population as Population
    from manyjudges.simulate.crowd import SimulatedCrowd as SimulatedCrowd
    from manyjudges.simulate.panel import SimulatedPanel as SimulatedPanel
    from manyjudges.simulate.panel import simulate_panel as simulate_panel
    from manyjudges.simulate.populations import essays as essays
    from manyjudges.simulate.populations import gaussian as gaussian
    from manyjudges.simulate.populations import height_weight as height_weight
    from manyjudges.simulate.populations import jelly_beans as jelly_beans

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "crowd": ["Crowd", "Population", "SimulatedCrowd"],
        "panel": ["SimulatedPanel", "simulate_panel"],
        "populations": ["essays", "gaussian", "height_weight", "jelly_beans"],
    },
)
