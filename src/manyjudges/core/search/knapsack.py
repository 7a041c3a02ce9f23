"""The knapsack problem: which things to take, each once, for the most value within a budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers

_FINEST = 2.0**-40
"""Share of the budget in whole multiples of which costs are counted, so that 0.1 + 0.2 is 0.3.

Far finer than any price, and coarse enough that sums of costs stay whole numbers of 64 bits.
"""

_MOST_STATES = 5_000_000
"""Partial choices to keep in mind before the best so far is taken: a limit on time and memory.

At whole costs, no item adds more of them than the budget has units.
"""


def best_items(values: Floats, costs: Floats, budget: float, *, leeway: float = 0.0, to_beat: float = 0.0) -> Any:
    """Choose items of the largest total value whose costs keep within the budget (plus ``leeway`` for rounding).

    Dynamic programming over undominated partial choices (Nemhauser and Ullmann 1969): at any cost only the most
    valuable choice is kept, and only if the best that could still be added would beat ``to_beat``, a value that is to
    be had anyway. For whole costs these are at most as many as the budget has units.

    Returns
    -------
    mask of the items to take, or None where no choice beats ``to_beat``

    >>> best_items(np.array([6.0, 5.0, 5.0]), np.array([3.0, 2.0, 2.0]), 4.0)
    array([False,  True,  True])
    """
    unit = _FINEST * (budget + leeway) if budget + leeway > 0 else 1.0
    weight, room = np.rint(costs / unit).astype(np.int64), int((budget + leeway) / unit)
    order = np.argsort(-values / costs, kind="stable")
    rate = np.append((values / np.maximum(weight, 1))[order], 0.0)
    steps = _Steps()
    # Partial choices in three arrays: what each has spent, what it is worth, and where its last item is noted. Nothing
    # taken, to begin with.
    spent, value, node = np.zeros(1, dtype=np.int64), np.zeros(1), np.full(1, -1)
    for place, item in enumerate(order):
        fits = np.flatnonzero(spent + weight[item] <= room)
        new_spent, new_value = spent[fits] + weight[item], value[fits] + values[item]
        # Items come by falling value per unit: the next one's rate on all that is left bounds what can be added.
        hopeful = new_value + rate[place + 1] * (room - new_spent) > to_beat
        fits, new_spent, new_value = fits[hopeful], new_spent[hopeful], new_value[hopeful]
        if not len(fits):
            continue
        spent = np.concatenate([spent, new_spent])
        value = np.concatenate([value, new_value])
        node = np.concatenate([node, steps.add(int(item), node[fits])])
        # What costs no less and is worth no more than another choice can be left out: whatever can be added to it can
        # be added to the other.
        kept = _undominated(spent, value)
        kept = kept[value[kept] + rate[place + 1] * (room - spent[kept]) >= to_beat]
        spent, value, node = spent[kept], value[kept], node[kept]
        if len(kept) == 0 or steps.size > _MOST_STATES:
            break
    # Undominated choices rise in cost and in value together, so that the last is the best.
    if len(value) == 0 or value[-1] <= to_beat:
        return None
    chosen = np.zeros(len(values), dtype=bool)
    chosen[steps.back_from(int(node[-1]))] = True
    return chosen


def _undominated(spent: Integers, value: Floats) -> Integers:
    """Choices, cheapest first, each of which is worth more than all that are cheaper."""
    order = np.lexsort((-value, spent))
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(value[order])[:-1]])
    return np.asarray(order[value[order] > best_before])


class _Steps:
    """Which item was taken last in each partial choice, and which choice it was added to."""

    def __init__(self) -> None:
        self._items: list[int] = []
        self._starts: list[int] = []
        self._parents: list[Integers] = []
        self.size = 0

    def add(self, item: int, parents: Integers) -> Integers:
        self._items.append(item)
        self._starts.append(self.size)
        self._parents.append(parents)
        self.size += len(parents)
        return np.arange(self.size - len(parents), self.size)

    def back_from(self, node: int) -> list[int]:
        # A choice is its last item and the choice it was added to. A mask of items for each choice would take their
        # number times the memory.
        items = []
        while node >= 0:
            at = int(np.searchsorted(self._starts, node, side="right")) - 1
            items.append(self._items[at])
            node = int(self._parents[at][node - self._starts[at]])
        return items
