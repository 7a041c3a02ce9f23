"""All model services, by name: the one place in which they are named.

To add one, write a module beside this one with a ``connect`` that makes a ``services.ModelService``
(``openai_service`` is a good one to copy), and enter it in ``SERVICES``. A model of a study names its service.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from manyjudges.base.messages import quote_value, suggest
from manyjudges.exceptions import StudyError
from manyjudges.llm import openai_service
from manyjudges.llm.services import Connect, ModelService

if TYPE_CHECKING:
    from manyjudges.study.config import Study
    from manyjudges.study.models import Model

SERVICES: Mapping[str, Connect] = {"openai": openai_service.connect}
"""All services, by the name that ``service`` of a model has in ``study.toml``."""


def connect(study: Study, model: Model) -> ModelService:
    """The service that a model names, connected; StudyError where there is no such service."""
    if model.service not in SERVICES:
        place = study.place("models", study.models.index(model), "service")
        raise StudyError(
            f"{place}: there is no service {quote_value(model.service)}; there is {', '.join(SERVICES)}."
            f"{suggest(model.service, list(SERVICES))}",
            value=model.service,
            column="service",
        )
    return SERVICES[model.service](study, model)
