"""
What the next judgment is worth
===============================

With the plan in place, one more judgment of each attribute would explain so much more of the label's variance.
"""

from manyjudges import plots, simulate, summarize

crowd = simulate.jelly_beans(n_objects=300, random_state=0)
summary = summarize(crowd.pilot(2), crowd.labels, budget=12, random_state=0)
plots.next_judgments(summary.next_judgments)
