"""
Where predictions miss
======================

Every object predicted by a predictor that has not seen it, from the judgments at hand; and how often the truth lies
within intervals of a given level. On the diagonal, an interval of 80 % holds the truth 80 % of the time.
"""

from matplotlib import pyplot as plt

from manyjudges import plots, simulate, summarize

crowd = simulate.jelly_beans(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=12, random_state=0)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
plots.residuals(summary.residuals, ax=left)
plots.calibration(summary.calibration, ax=right)
