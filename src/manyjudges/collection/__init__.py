"""Collection: who is asked what next, and what came of it. It knows no mathematics; a plan comes to it as data."""

from manyjudges.collection.campaign import Campaign, Planner
from manyjudges.collection.judges import Judge, RecordedJudge, drive
from manyjudges.collection.rounds import Outlook, Proposal, Round, Status

__all__ = ["Campaign", "Judge", "Outlook", "Planner", "Proposal", "RecordedJudge", "Round", "Status", "drive"]
