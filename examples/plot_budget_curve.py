"""
How much money is enough
========================

Honest error against budget: what the two methods lose on objects that had no part in the plan (lines with bands), and
what a plan says of itself (dotted), which is too good to be true. The marked point is the plan for a budget of 12.
"""

from manyjudges import plots, simulate, summarize

crowd = simulate.jelly_beans(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=12, random_state=0)
plots.budget_curve(summary.curve)

# %%
# The same as numbers, with the plan at each budget:

summary.curve.to_frame().head()
