"""What fails when data are checked."""

from __future__ import annotations

from manyjudges.exceptions import DataWarning
from manyjudges.learn.checks import check_data


def warnings_of(*data, **more) -> tuple[DataWarning, ...]:
    """The warnings of data, moments with judgments, say."""
    return check_data(*data, **more).warnings


def kinds(warnings) -> list[str]:
    """Their names in programs."""
    return [warning.kind for warning in warnings]
