"""Reports: one self-contained HTML page that says what to buy and what error to expect.

``page`` makes the page from its ``sections``, ``explorer`` the interactive budget curve, ``figures`` turns plots into
SVG that belongs to the page; the templates lie in ``templates``. A new section is one file in ``sections``, one in
``templates/sections`` and a line in ``sections.registry``. Computes nothing that a :class:`Summary` could say. May be
imported by ``service`` and ``cli``; needs matplotlib and jinja2, which are loaded when a page is made.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.reports.explorer import Explorer as Explorer
    from manyjudges.reports.explorer import explore as explore
    from manyjudges.reports.page import Report as Report
    from manyjudges.reports.page import report as report

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"explorer": ["Explorer", "explore"], "page": ["Report", "report"]}
)
