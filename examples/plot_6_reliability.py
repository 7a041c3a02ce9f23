"""
How many judges make a reliable mean
====================================

For those who come from psychometrics: the projected reliability of the mean of several judgments (a D-study), from the
intraclass correlation of each attribute. No labels are needed.
"""

from manyjudges import plots, simulate
from manyjudges.judges import reliability

crowd = simulate.jelly_beans(n_objects=300, random_state=0)
found = reliability(crowd.pilot(3))
plots.reliability(found)

# %%
# The table: ICC(1) with its limits, ICC(1,k), and the least number of judgments for a reliability of 0.7, 0.8 and 0.9.

found.to_frame()[["icc1", "icc1_low", "icc1_high", "icck", "needed_0.7", "needed_0.8", "needed_0.9"]].round(2)
