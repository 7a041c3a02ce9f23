"""Templates, which lie in the ``templates`` folder of the room that shows them, filled in with everything escaped."""

from __future__ import annotations

__all__ = ["check_extra", "missing_extra", "rendered", "resource"]

from functools import cache
from importlib.resources import files
from typing import Any

from manyjudges.base import formatting
from manyjudges.exceptions import ManyJudgesError


def missing_extra() -> str:
    """Which library that a report needs is not here; nothing where all are."""
    from importlib import import_module

    for name in ("matplotlib", "jinja2"):
        try:
            import_module(name)
        except ImportError:
            return name
    return ""


def check_extra() -> None:
    """Say what to install where something is missing, before anything takes time."""
    if name := missing_extra():
        raise ManyJudgesError(
            f"a report needs {name}, which is not here: pip install 'manyjudges[report]'.", value=name
        )


@cache
def resource(name: str) -> str:
    """The text of a file in the templates of a room: ``"reports/report.css"``."""
    room, _, file = name.partition("/")
    return (files("manyjudges") / room / "templates" / file).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    filters = (
        formatting.number,
        formatting.fixed,
        formatting.percent,
        formatting.small_percent,
        formatting.clean,
        formatting.plural,
    )
    environment.filters |= {function.__name__: function for function in filters}
    environment.globals["resource"] = _inlined
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "sort_keys": False, "allow_nan": False}
    return environment


def _inlined(name: str) -> Any:
    """Our own style or script, as it is."""
    from markupsafe import Markup

    return Markup(resource(name))  # noqa: S704  # a file of this package


def rendered(name: str, **values: Any) -> str:
    """A template filled in."""
    return str(_environment().get_template(name).render(**values))
