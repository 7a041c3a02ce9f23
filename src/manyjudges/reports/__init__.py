"""Reports: what to buy and what to expect of it, on one page that needs nothing but itself."""

from manyjudges.base.templates import missing_extra
from manyjudges.reports.explorer import Explorer, explore
from manyjudges.reports.page import Report, report

__all__ = ["Explorer", "Report", "explore", "missing_extra", "report"]
