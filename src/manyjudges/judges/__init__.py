"""Judges: how people and models judge, and how well they agree.

``dependence`` with ``residuals`` (halo and bias: are judgments independent given the object?), ``icc`` and
``agreement`` (reliability), ``panel`` with ``variance_components`` (models as judges), ``workforce`` (each worker).

Knows tables and sums; imports no learning, and is imported by ``learn`` and every room above it. What names a worker
or a model belongs here.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.judges.dependence import Independence as Independence
    from manyjudges.judges.dependence import check_independence as check_independence
    from manyjudges.judges.icc import Reliability as Reliability
    from manyjudges.judges.icc import reliability as reliability
    from manyjudges.judges.panel import PanelVariance as PanelVariance
    from manyjudges.judges.panel import by_judge as by_judge
    from manyjudges.judges.panel import panel_variance as panel_variance
    from manyjudges.judges.workforce import Workforce as Workforce
    from manyjudges.judges.workforce import suggested_bonuses as suggested_bonuses
    from manyjudges.judges.workforce import summarize_workers as summarize_workers

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "dependence": ["Independence", "check_independence"],
        "icc": ["Reliability", "reliability"],
        "panel": ["PanelVariance", "by_judge", "panel_variance"],
        "workforce": ["Workforce", "suggested_bonuses", "summarize_workers"],
    },
)
