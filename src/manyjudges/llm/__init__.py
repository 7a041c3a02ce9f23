"""Language models as judges: prompts, replies, and calls in flight.

:class:`~manyjudges.llm.asker.Asker` asks about one judgment, :func:`~manyjudges.llm.runner.run` goes on until a
:class:`~manyjudges.llm.call_queue.CallQueue` has no more to ask. ``prompts`` and ``replies`` say what is asked and how
an answer is read; a ``services.ModelService`` is where it is asked, and ``registry`` names all of them: to add
another, copy ``openai_service`` and enter it there. May be imported by ``service`` and ``cli``; knows the study and its
store, no plan and no pages.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.exceptions import CallError as CallError
    from manyjudges.llm.asker import Asker as Asker
    from manyjudges.llm.asker import Waits as Waits
    from manyjudges.llm.call_queue import CallQueue as CallQueue
    from manyjudges.llm.errors import CallFailure as CallFailure
    from manyjudges.llm.runner import Tally as Tally
    from manyjudges.llm.runner import run as run
    from manyjudges.llm.services import Completion as Completion
    from manyjudges.llm.services import ModelService as ModelService
    from manyjudges.llm.store_queue import StoreCallQueue as StoreCallQueue
    from manyjudges.store.records import Call as Call

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "asker": ["Asker", "Waits"],
        "call_queue": ["Call", "CallQueue"],
        "errors": ["CallFailure"],
        "manyjudges.exceptions": ["CallError"],
        "runner": ["Tally", "run"],
        "services": ["Completion", "ModelService"],
        "store_queue": ["StoreCallQueue"],
    },
)
