"""Values that are counted piece by piece say the same about codes for "no answer" as all of them at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.scan.value_counts import ValueCounts, value_counts
from manyjudges.tables.answers.codes import MOST_STEPS, code_candidates, suspicious_codes

CODES = [-999, -99, -77, -9, -8, -7, -5, -2, -1, 6, 7, 8, 9, 77, 88, 96, 97, 98, 99, 997, 999, 9999, 99.9, 0.1 * 999]
CODES += [12345678, 1e12, -2147483648, 5000, -3000, 12345.5]
SCALES = [(0, 1), (1, 5), (1, 7), (0, 10), (-3, 3), (-5, 0), (-2, 60), (0, 99), (0, 100), (-3, 400), (1, 2000)]


@st.composite
def answers(draw):
    """Answers for one attribute: of a scale, or of a quantity, with codes among them; their order is by chance."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n = draw(st.sampled_from([5, 60, 800]))
    low, high = draw(st.sampled_from(SCALES))
    kind = draw(
        st.sampled_from(
            ["scale", "every step", "halves", "halves above", "quantity", "positive", "around 0", "only codes"]
        )
    )
    values = {
        "scale": lambda: rng.integers(low, high + 1, size=n),
        "every step": lambda: np.repeat(np.arange(low, high + 1), 1 + n // 60),
        "halves": lambda: rng.integers(2 * low, 2 * high + 1, size=n) / 2,
        "halves above": lambda: np.concatenate([np.arange(60), 60.5 + np.arange(n), [n + 99]]),
        "quantity": lambda: rng.normal(170, 20, size=n),
        "positive": lambda: rng.exponential(30, size=n),
        "around 0": lambda: rng.normal(size=n) * 3,
        "only codes": lambda: np.zeros(0),
    }[kind]()
    codes = draw(st.lists(st.tuples(st.sampled_from(CODES), st.integers(1, 12)), max_size=3))
    every = np.concatenate([values.astype(float), *(np.full(times, float(code)) for code, times in codes)])
    return rng.permutation(every)


@settings(max_examples=300, deadline=None)
@given(st.lists(answers(), min_size=1, max_size=3), st.integers(0, 10_000), st.sampled_from([1, 3, 40, 3000]))
def test_codes_are_found_as_among_all_values(attributes, seed, piece):
    rng = np.random.default_rng(seed)
    at = rng.permutation(np.repeat(np.arange(len(attributes)), [len(values) for values in attributes]))
    values = np.empty(len(at))
    for attribute, own in enumerate(attributes):
        values[at == attribute] = own
    counting = ValueCounts(many=MOST_STEPS)
    step = max(piece, len(at) // 400)
    for start in range(0, len(at), step):
        counting.add(at[start : start + step], values[start : start + step])
    found = {f"a{attribute}": counting.of(attribute) for attribute in range(len(attributes))}
    wanted = {f"a{at}": np.unique(own, return_counts=True) for at, own in enumerate(attributes)}
    assert suspicious_codes(found) == suspicious_codes(wanted)
    for name, (distinct, times) in wanted.items():
        if len(distinct) <= MOST_STEPS:
            np.testing.assert_array_equal(found[name], (distinct, times))


def test_of_many_values_few_are_kept():
    counting, rng = ValueCounts(), np.random.default_rng(0)
    for _ in range(30):
        values = np.append(rng.normal(170, 20, size=5_000), [-99.0, 999.0])
        counting.add(np.zeros(len(values), dtype=int), values)
    distinct, times = counting.of(0)
    assert len(distinct) < 100
    assert dict(zip(distinct, times, strict=True))[-99.0] == dict(zip(distinct, times, strict=True))[999.0] == 30
    (low, high) = (code.value for code in suspicious_codes({"a": (distinct, times)}))
    assert (low, high) == (-99, 999)


@pytest.mark.parametrize("order", [1, -1])
def test_far_values_are_counted_wherever_they_stand(order):
    values = np.concatenate([[-2147483648.0] * 2, np.linspace(0.5, 100.5, 400), [1e12], [12345678.0] * 3])[::order]
    counting = ValueCounts(many=MOST_STEPS)
    for piece in np.array_split(np.concatenate([values, values]), 37):
        counting.add(np.full(len(piece), 4), piece)
    distinct, times = counting.of(4)
    kept = dict(zip(distinct.tolist(), times.tolist(), strict=True))
    assert [kept[value] for value in (-2147483648.0, 12345678.0, 1e12)] == [4, 6, 2]
    assert len(kept) < 60


@pytest.mark.parametrize("order", [1, -1])
def test_the_range_grows_after_there_are_many(order):
    values = np.linspace(0.5, 10_000.5, 20_001)[::order]
    counting = ValueCounts(many=MOST_STEPS)
    for piece in np.array_split(values, 100):
        counting.add(np.zeros(len(piece), dtype=int), piece)
    distinct, _ = counting.of(0)
    assert (distinct[0], distinct[-1]) == (0.5, 10_000.5)


def test_halves_far_above_whole_numbers_tell_a_quantity_from_a_scale():
    values = np.concatenate([np.arange(60), 60.5 + np.arange(200), [400.0], [-2.0] * 5])
    counting = ValueCounts(many=MOST_STEPS)
    counting.add(np.zeros(len(values), dtype=int), values)
    (code,) = suspicious_codes({"a": counting.of(0)})
    assert (code,) == suspicious_codes({"a": np.unique(values, return_counts=True)})
    assert (code.value, code.count) == (-2, 5)


def test_an_attribute_that_was_never_judged_has_no_values():
    assert [part.tolist() for part in ValueCounts().of(3)] == [[], []]
    counting = ValueCounts()
    counting.add(np.zeros(0, dtype=int), np.zeros(0))
    assert counting.of(0)[0].tolist() == []


def test_numbers_with_the_digits_of_a_code_are_kept_whatever_their_rounding():
    counting = ValueCounts(many=MOST_STEPS)
    counting.add(np.zeros(500, dtype=int), np.linspace(0.01, 1.01, 500))
    odd = np.nextafter(code_candidates(), np.inf)
    counting.add(np.zeros(len(odd), dtype=int), odd)
    assert set(odd) <= set(counting.of(0)[0])


def test_the_values_of_a_table_in_memory():
    frame = pd.DataFrame({"object": ["a", "a", "b", "b"], "attribute": ["x", "y", "x", "x"], "value": [3, 1, 3, 2.5]})
    counts = value_counts(Judgments.from_frame(frame))
    assert {name: [part.tolist() for part in both] for name, both in counts.items()} == {
        "x": [[2.5, 3.0], [1, 2]],
        "y": [[1.0], [1]],
    }
