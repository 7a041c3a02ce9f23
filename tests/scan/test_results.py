"""What a table of judgments comes to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyjudges.scan.results import Scan


class Part:
    """Stands for sums; only how many objects there are matters here."""

    def __init__(self, n_objects: int) -> None:
        self.n_objects = n_objects


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(0, 6))
def test_what_is_lacking_is_counted_object_by_object(judgments, wanted):
    """``judgments`` has the number of each object."""
    counts = {n: judgments.count(n) for n in set(judgments) if n}
    half = len(judgments) // 2
    scan = Scan(("a",), (Part(half), Part(len(judgments) - half)), {"a": counts}, sum(judgments), 0, "")
    assert scan.n_objects == len(judgments)
    lacking = scan.lacking({"a": wanted, "new": wanted})
    assert lacking == {"a": sum(max(wanted - n, 0) for n in judgments), "new": wanted * len(judgments)}


def test_no_judgments_are_lacking_of_a_plan_that_wants_none():
    assert Scan((), (), {}, 0, 0, "").lacking({"a": 0}) == {"a": 0}
