"""Campaigns: who is asked what next, and what has been answered. Ask, tell, pending: no database, clock or network.

``campaign`` (ask and tell), ``state`` and ``counts`` (what was bought, is pending or cannot be had), ``planner`` (who
plans, and whether a plan can be followed), ``rounds`` (what a planner proposes and what became of it), ``judge`` (who
answers), ``names``, ``outlook`` (what it will have cost, and when).

Knows no mathematics: a plan comes to it as data, from its planner or from the caller of ``decide``.
Imported by ``learn``, ``store`` and the rooms above; what decides who judges what next belongs here.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.campaign.campaign import Campaign as Campaign
    from manyjudges.campaign.counts import PairCounts as PairCounts
    from manyjudges.campaign.judge import Judge as Judge
    from manyjudges.campaign.judge import RecordedJudge as RecordedJudge
    from manyjudges.campaign.judge import drive as drive
    from manyjudges.campaign.outlook import Forecast as Forecast
    from manyjudges.campaign.outlook import forecast as forecast
    from manyjudges.campaign.outlook import later_cost as later_cost
    from manyjudges.campaign.planner import PlanFunction as PlanFunction
    from manyjudges.campaign.rounds import Outlook as Outlook
    from manyjudges.campaign.rounds import Proposal as Proposal
    from manyjudges.campaign.rounds import Round as Round
    from manyjudges.campaign.rounds import Status as Status

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "campaign": ["Campaign"],
        "counts": ["PairCounts"],
        "judge": ["Judge", "RecordedJudge", "drive"],
        "outlook": ["Forecast", "forecast", "later_cost"],
        "planner": ["PlanFunction"],
        "rounds": ["Outlook", "Proposal", "Round", "Status"],
    },
)
