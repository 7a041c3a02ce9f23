"""The command line: parse, call, print.

``main`` is the application with its errors, ``analysis``, ``study``, ``models`` and ``transfer`` have the commands of
one panel of the help each, ``demo`` shows them at work, ``inputs`` reads what they are given, ``output`` and
``progress`` print. Nothing imports this room but ``__main__``. To add a command, write a function beside its like, with
a summary of at most 48 letters, call a service or a result's function from it, and run ``python docs/help_text.py``.
Import what takes time inside the function: ``manyjudges --help`` loads no library of data.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.cli.main import app as app

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "main": ["app"],
    },
)
