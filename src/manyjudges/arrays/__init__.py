"""Arrays: counts, means and sums of judgments, as arrays of NumPy or another library.

``cells`` (what the judgments of each pair add up to), ``sums`` and ``accumulator`` (sums over objects, merged or
added up in place), ``gram`` (a matrix that is multiplied out only where somebody looks), ``judgment_array`` and
``blocks`` (objects in blocks), ``libraries`` (what the array API standard lacks), ``types``.

Imported by every room above; imports ``base`` and errors alone. A line that knows what an attribute is worth belongs
to ``core``; one that reads a value belongs to ``tables``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.arrays.accumulator import Accumulator as Accumulator
    from manyjudges.arrays.blocks import block_slices as block_slices
    from manyjudges.arrays.blocks import ranks_within as ranks_within
    from manyjudges.arrays.cells import Cells as Cells
    from manyjudges.arrays.cells import CellTally as CellTally
    from manyjudges.arrays.gram import Gram as Gram
    from manyjudges.arrays.judgment_array import JudgedArray as JudgedArray
    from manyjudges.arrays.judgment_array import cells_of as cells_of
    from manyjudges.arrays.libraries import Backend as Backend
    from manyjudges.arrays.libraries import backend_of as backend_of
    from manyjudges.arrays.libraries import is_foreign as is_foreign
    from manyjudges.arrays.libraries import namespace as namespace
    from manyjudges.arrays.libraries import to_numpy as to_numpy
    from manyjudges.arrays.sums import Sums as Sums
    from manyjudges.arrays.types import Floats as Floats
    from manyjudges.arrays.types import Integers as Integers

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "accumulator": ["Accumulator"],
        "blocks": ["block_slices", "ranks_within"],
        "cells": ["Cells", "CellTally"],
        "gram": ["Gram"],
        "judgment_array": ["JudgedArray", "cells_of"],
        "libraries": ["Backend", "backend_of", "is_foreign", "namespace", "to_numpy"],
        "sums": ["Sums"],
        "types": ["Floats", "Integers"],
    },
)
