"""
Plot the plan
=============

The plan for a budget of 8 ratings an essay, on a simulated crowd of graders: which criteria to ask about, how many
judgments of each, and each one's share of what they explain together.
"""

from manyjudges import plots, simulate, summarize

crowd = simulate.essays(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=8, random_state=0)
plots.plan(summary.answer)

# %%
# In words:

print(summary.answer.sentence)
