"""Pages for judges and researchers, and the interface for programs. What they know of the mathematics is handed in."""

from manyjudges.web.app import Hooks, create_app

__all__ = ["Hooks", "create_app"]
