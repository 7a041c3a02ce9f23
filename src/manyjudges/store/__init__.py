"""The store: everything that a study collects, in SQLite or PostgreSQL. SQL lives here and nowhere else.

A method of ``Store`` is one transaction. What happens inside it is done by functions of a connection: ``leases`` (who
gets which work), ``orders`` (what is to be judged), ``calls`` (of models), ``imports``, ``workers`` and ``queries``
(what only reads). ``schema`` has the tables, and ``migrations`` makes them: a change of the former needs a new version
of the latter. What the two databases do differently is in ``dialects``, which is where a further one would be added.

May be imported by ``web``, ``llm``, ``connectors``, ``service`` and ``cli``; knows no study's file and no mathematics.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.exceptions import StoreUnavailableError as StoreUnavailableError
    from manyjudges.exceptions import UnknownBatchError as UnknownBatchError
    from manyjudges.store.call_log import CallLog as CallLog
    from manyjudges.store.imports import Intake as Intake
    from manyjudges.store.orders import RUNNING as RUNNING
    from manyjudges.store.records import Batch as Batch
    from manyjudges.store.records import Call as Call
    from manyjudges.store.records import Item as Item
    from manyjudges.store.records import Receipt as Receipt
    from manyjudges.store.records import Reply as Reply
    from manyjudges.store.records import Worker as Worker
    from manyjudges.store.store import CLOSED as CLOSED
    from manyjudges.store.store import PAUSED as PAUSED
    from manyjudges.store.store import Store as Store

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "call_log": ["CallLog"],
        "imports": ["Intake"],
        "manyjudges.exceptions": ["StoreUnavailableError", "UnknownBatchError"],
        "records": ["Batch", "Call", "Item", "Receipt", "Reply", "Worker"],
        "store": ["CLOSED", "PAUSED", "RUNNING", "Store"],
    },
)
