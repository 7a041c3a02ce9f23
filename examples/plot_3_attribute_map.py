"""
Telling or not, clear or vague
==============================

Every attribute by how it goes with the label and by how much its judges disagree. Telling and clear attributes, on the
left and far from the middle, need few judgments; telling and vague ones, on the right, need many. Marks grow with the
number of judgments in the plan.
"""

from manyjudges import datasets, plots, summarize

crowd = datasets.make_height_weight(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=40, costs=crowd.costs, random_state=0)
plots.attribute_map(summary.attribute_map)
