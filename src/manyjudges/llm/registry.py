"""All model services, by name: the one place in which they are named.

To add one, write a module beside this one with a ``connect`` that makes a ``services.ModelService`` and a ``SERVICE``
that describes it (``openai_service`` is a good one to copy), and enter it in ``SERVICES``. A model of a study names its
service.
"""

from __future__ import annotations

__all__ = ["check_options"]

from collections.abc import Mapping
from typing import TYPE_CHECKING

from manyjudges.base.formatting import listed
from manyjudges.base.messages import quote_value, suggest
from manyjudges.exceptions import StudyError
from manyjudges.llm import openai_service
from manyjudges.llm.services import ModelService, Service

if TYPE_CHECKING:
    from manyjudges.study.config import Study
    from manyjudges.study.models import Model

SERVICES: Mapping[str, Service] = {service.name: service for service in (openai_service.SERVICE,)}
"""All services, by the name that ``service`` of a model has in ``study.toml``; the first is that of who names none."""


def connect(study: Study, model: Model) -> ModelService:
    """The service that a model names, connected; StudyError where there is no such service."""
    service = _service_of(model)
    if service is None:
        place = study.place("models", study.models.index(model), "service")
        raise StudyError(
            f"{place}: there is no service {quote_value(model.service)}; there is {', '.join(SERVICES)}."
            f"{suggest(str(model.service), list(SERVICES))}",
            value=model.service,
            column="service",
        )
    return service.connect(study, model)


def check_options(study: Study) -> None:
    """Raise StudyError where the options of a model have in them what its service puts into each request itself."""
    for position, model in enumerate(study.models):
        service = _service_of(model)
        ours = sorted(model.options.keys() & service.reserved) if service is not None else []
        if ours:
            path = ("models", position, "options")
            raise StudyError(
                f"{study.place(*path)}: models.options has {listed(map(repr, ours))} in it, which cannot be set here; "
                "remove it.",
                value=model.options,
                **study.located(*path),
            )


def _service_of(model: Model) -> Service | None:
    return next(iter(SERVICES.values())) if model.service is None else SERVICES.get(model.service)
