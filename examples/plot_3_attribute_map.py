"""
Map of attributes
=================

Every criterion of a rubric by its correlation with the grade and by how much graders disagree about it. Predictive
criteria on which they agree, on the left and far from the middle, need few judgments; predictive and noisy ones, on the
right, need many. Marks grow with the number of judgments in the plan.
"""

from manyjudges import plots, simulate, summarize

crowd = simulate.essays(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=8, random_state=0)
plots.attribute_map(summary.attribute_map)
