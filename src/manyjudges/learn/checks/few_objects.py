"""MJ101: too few objects for so many attributes."""

from __future__ import annotations

from manyjudges.base.formatting import plural
from manyjudges.learn.checks.check import Check, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.training_data import TrainingData

# The thresholds come from ``benchmarks/checks.py objects``: crowds of simulate.gaussian, two judgments a pair, plans of
# two judgments an attribute, and the loss that the plan projected against its true one.

OBJECTS_PER_ATTRIBUTE = 5
"""Below this, the true loss was more than twice the projected one.

10 attributes (medians, as shares of the label's variance): projected 0.06, true 0.91 with 20 objects; 0.16 and 0.84
with 30; 0.24 and 0.63 with 50; 0.28 and 0.50 with 100; 0.32 and 0.42 with 200. 30 attributes: 0.05 and 0.74 with 60,
0.14 and 0.58 with 100, 0.20 and 0.49 with 150, 0.22 and 0.45 with 200, 0.27 and 0.36 with 500.
"""

_MIN_OBJECTS = 30
"""Of fewer objects, not even three attributes can be learned: projected 0.31, true 0.55 with 20; 0.36 and 0.50 with 30;
0.35 and 0.45 with 60 (``benchmarks/checks.py objects``).
"""


def _check_objects(data: TrainingData) -> CheckOutcome:
    """Compare the number of objects with that of the attributes."""
    n, d = data.moments.n_objects, len(data.moments.attributes)
    if n == 0:
        return NotApplicable("These moments are a known truth, not estimated from objects.")
    enough = max(_MIN_OBJECTS, OBJECTS_PER_ATTRIBUTE * d)
    if n >= enough:
        return Passed(f"{plural(n, 'object')} for {plural(d, 'attribute')}; {enough:,} or more are enough.")
    return Failed(
        f"There are only {plural(n, 'object')} for {plural(d, 'attribute')}.",
        "With so few, chance looks like knowledge, and the true error can be twice the projected one or more.",
        f"Judge and label {enough:,} objects or more, or leave attributes out.",
        {"n_objects": n, "n_attributes": d, "enough": enough},
    )


CHECK = Check("MJ101", "warning", "Too few objects", _check_objects, kind="few_objects")
