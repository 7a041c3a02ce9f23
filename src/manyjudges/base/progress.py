"""How far a long computation is."""

from __future__ import annotations

__all__ = ["Progress"]

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how many steps are done, and how many there are."""
