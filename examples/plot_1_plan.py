"""
What to buy
===========

The plan for a budget of 40 on a simulated crowd that judges photos of people: which attributes, how many judgments of
each, and each one's share of what they explain together.
"""

from manyjudges import datasets, plots, summarize

crowd = datasets.make_height_weight(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=40, costs=crowd.costs, random_state=0)
plots.plan(summary.answer)

# %%
# In words:

print(summary.answer.sentence)
