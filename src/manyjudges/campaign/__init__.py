"""Collection: who is asked what next, and what came of it. It knows no mathematics; a plan comes to it as data."""

from manyjudges.campaign.campaign import Campaign, Planner
from manyjudges.campaign.judge import Judge, RecordedJudge, drive
from manyjudges.campaign.rounds import Outlook, Proposal, Round, Status

__all__ = ["Campaign", "Judge", "Outlook", "Planner", "Proposal", "RecordedJudge", "Round", "Status", "drive"]
