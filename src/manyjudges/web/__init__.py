"""The web application: pages for judges and researchers, and a JSON interface.

What pages need of the mathematics is handed in as :class:`Hooks`. May be imported by ``service`` alone. Pages for
judges go to ``judge``, those of the researcher to ``researcher``, what programs ask to ``api``; a new router is
entered in ``app``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.web.app import Hooks as Hooks
    from manyjudges.web.app import create_app as create_app
    from manyjudges.web.security import check_password as check_password
    from manyjudges.web.security import hash_password as hash_password

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "app": ["Hooks", "create_app"],
        "security": ["check_password", "hash_password"],
    },
)
