"""Simulated crowds whose true values are known: what tests, examples and the demo are held against.

``crowd`` says what a crowd does and ``panel`` what a panel of judges does. May be imported by every room above it;
knows tables and sums, no plan.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.simulate.crowd import Crowd as Crowd
    from manyjudges.simulate.crowd import Population as Population
    from manyjudges.simulate.crowd import SimulatedCrowd as SimulatedCrowd
    from manyjudges.simulate.crowd import gaussian as gaussian
    from manyjudges.simulate.crowd import height_weight as height_weight
    from manyjudges.simulate.crowd import jelly_beans as jelly_beans
    from manyjudges.simulate.panel import SimulatedPanel as SimulatedPanel
    from manyjudges.simulate.panel import simulate_panel as simulate_panel

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "crowd": ["Crowd", "Population", "SimulatedCrowd", "gaussian", "height_weight", "jelly_beans"],
        "panel": ["SimulatedPanel", "simulate_panel"],
    },
)
