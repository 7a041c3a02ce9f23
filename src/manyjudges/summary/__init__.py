"""Summaries: results as plain numbers, ready to show. All arithmetic for display ends here.

``overall`` puts the summary of a study together from the answer and the budget curve, which ``learn`` makes,
``attributes`` and ``residuals``; ``plain`` has the tables and dictionaries that the command line prints. Every result
is frozen, and has ``to_frame`` and ``to_json``. Imported by ``plots``, ``reports``, ``service`` and ``cli``;
knows no colour, no page and no terminal. A new number to show: a frozen ``Result`` in a file here, then a field of
``Summary``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.judges.icc import Reliability as Reliability
    from manyjudges.judges.icc import reliability as reliability
    from manyjudges.judges.workforce import Workforce as Workforce
    from manyjudges.judges.workforce import suggested_bonuses as suggested_bonuses
    from manyjudges.judges.workforce import summarize_workers as summarize_workers
    from manyjudges.summary.attributes import AttributeMap as AttributeMap
    from manyjudges.summary.attributes import NextJudgments as NextJudgments
    from manyjudges.summary.attributes import attribute_map as attribute_map
    from manyjudges.summary.attributes import next_judgments as next_judgments
    from manyjudges.summary.overall import Summary as Summary
    from manyjudges.summary.overall import summarize as summarize
    from manyjudges.summary.residuals import IntervalCalibration as IntervalCalibration
    from manyjudges.summary.residuals import Residuals as Residuals
    from manyjudges.summary.residuals import held_out as held_out
    from manyjudges.summary.residuals import interval_calibration as interval_calibration

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "attributes": ["AttributeMap", "NextJudgments", "attribute_map", "next_judgments"],
        "overall": ["Summary", "summarize"],
        "residuals": ["IntervalCalibration", "Residuals", "held_out", "interval_calibration"],
        # Of the room of judges, for whoever looks for them among the numbers to show.
        "manyjudges.judges.icc": ["Reliability", "reliability"],
        "manyjudges.judges.workforce": ["Workforce", "suggested_bonuses", "summarize_workers"],
    },
)
