"""Language models as judges: what they are asked, how their answers are read, and how many are asked at a time.

:class:`~manyjudges.collection.llm.asking.Asker` asks about one judgment, :func:`~manyjudges.collection.llm.running.run`
goes on until a :class:`~manyjudges.collection.llm.desk.Desk` has no more to ask.
"""

from __future__ import annotations

from manyjudges.collection.llm.asking import Asker
from manyjudges.collection.llm.desk import Call, CallError, Desk
from manyjudges.collection.llm.running import Tally, run
from manyjudges.collection.work import Reply

__all__ = ["Asker", "Call", "CallError", "Desk", "Reply", "Tally", "run"]
