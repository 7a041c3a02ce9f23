"""Connectors: import from and export to the tools in which judgments are collected, such as Mechanical Turk.

Each tool has a module or package with ``read``, ``write``, ``detects`` and one frozen ``CONNECTOR`` that describes
them; those with a live service also have ``send`` and ``fetch``. ``registry`` says what a connector is and finds one by
its name or by a file; a new tool is entered there. What several tools need lies beside them: ``requests`` (what to
ask), ``rows`` and ``selection`` (answers that become judgments), ``delimited``, ``grid``, ``excel``, ``wide`` and
``json_export`` (file formats). Imported by ``service`` and ``cli``; knows tables and a study's questions, no database,
page or plan.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.connectors import cleanlab as cleanlab
    from manyjudges.connectors import crowd_kit as crowd_kit
    from manyjudges.connectors import google_forms as google_forms
    from manyjudges.connectors import label_studio as label_studio
    from manyjudges.connectors import mturk as mturk
    from manyjudges.connectors import potato as potato
    from manyjudges.connectors import prolific as prolific
    from manyjudges.connectors import spreadsheet as spreadsheet
    from manyjudges.connectors.registry import NAMES as NAMES
    from manyjudges.connectors.registry import Connector as Connector
    from manyjudges.connectors.registry import ConnectorOption as ConnectorOption
    from manyjudges.connectors.registry import connector as connector
    from manyjudges.connectors.registry import detect as detect
    from manyjudges.connectors.requests import Requests as Requests
    from manyjudges.connectors.requests import as_requests as as_requests

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "registry": ["Connector", "ConnectorOption", "NAMES", "connector", "detect"],
        "requests": ["Requests", "as_requests"],
    },
    [
        "cleanlab",
        "crowd_kit",
        "google_forms",
        "label_studio",
        "mturk",
        "potato",
        "prolific",
        "spreadsheet",
    ],
)
