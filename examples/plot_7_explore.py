"""
Moving along the budget
=======================

In a notebook, :func:`manyjudges.reports.explore` shows the budget curve to move along: point at it, or use the slider,
to see the plan at each budget and what error to expect of it.
"""

from manyjudges import simulate
from manyjudges.reports import explore

crowd = simulate.jelly_beans(n_objects=300, random_state=0)
explore(crowd.pilot(2), crowd.labels, budgets=[1, 2, 3, 5, 8, 12, 20, 30], label_name="number of beans")
