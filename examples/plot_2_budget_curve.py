"""
How much money is enough
========================

Honest error against budget: what the two methods lose on objects that had no part in the plan (lines with bands), and
what a plan says of itself (dashed), which is too good to be true. The upright line marks a budget of 12.
"""

from manyjudges import plots, simulate, summarize

crowd = simulate.jelly_beans(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=12, random_state=0)
plots.budget_curve(summary.curve)

# %%
# The same as numbers, with the plan at each budget:

summary.curve.to_frame()[["method", "budget", "error", "explained", "plan"]].round(3).tail()
