"""The app: a page in the browser of this machine, from a file to a plan, for people without a shell.

``server`` opens the page, ``security`` lets in only whom the address was shown to, ``site`` answers requests,
``session`` keeps what the user chose, and ``forms`` and ``decisions`` read it from the page. What takes time is done in
a process of its own: ``worker`` starts it, ``work`` is what it does. ``commands`` writes the same as a command line and
as lines of Python. The page itself lies in ``templates``. Knows nothing of cells and plans: it calls ``tables``,
``learn`` and ``reports``. May be imported by ``cli`` alone. To add a step, write a card in ``templates``, a method of
``Session`` for what its form says, and a route in ``site``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.app.server import run_app as run_app

__getattr__, __dir__, __all__ = lazy_names(__name__, {"server": ["run_app"]})
