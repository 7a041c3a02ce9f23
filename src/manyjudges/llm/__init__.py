"""Language models as judges: what they are asked, how their answers are read, and how many are asked at a time.

:class:`~manyjudges.llm.asker.Asker` asks about one judgment, :func:`~manyjudges.llm.runner.run`
goes on until a :class:`~manyjudges.llm.call_queue.Desk` has no more to ask.
"""

from __future__ import annotations

from manyjudges.llm.asker import Asker
from manyjudges.llm.call_queue import Call, CallError, CallQueue
from manyjudges.llm.runner import Tally, run
from manyjudges.store.records import Reply

__all__ = ["Asker", "Call", "CallError", "CallQueue", "Reply", "Tally", "run"]
