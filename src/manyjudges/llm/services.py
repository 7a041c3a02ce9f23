"""Services: where a model is reached, by which key, and what a request to it looks like."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import StudyError
from manyjudges.study.addresses import without_password

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from manyjudges.llm.prompts import Prompt
    from manyjudges.study.config import Study
    from manyjudges.study.models import Model

NO_KEY = "none"
"""What is sent where a server needs no key; the client insists on one."""


@dataclass(frozen=True)
class Service:
    """How one model of a study is reached.

    Attributes
    ----------
    model : Model
    address : str, optional
        None for OpenAI's own.
    variable : str
        The environment variable that the key is, or would be, in.
    key : str
        Never shown.
    structured : str
        As the study has it.
    """

    model: Model
    address: str | None
    variable: str
    key: str = field(repr=False)
    structured: str

    @property
    def name(self) -> str:
        """The model and where it is, for messages."""
        place = without_password(self.address) if self.address else "OpenAI"
        return f"model {self.model.name!r} at {place}"

    def without_key(self, text: str) -> str:
        """A text that the service sent, without the key, should it be in it."""
        return text if self.key == NO_KEY else text.replace(self.key, "…")


def service_of(study: Study, model: Model) -> Service:
    """How a model is reached; StudyError where a key is needed and none is set."""
    address = model.address or study.llm.address or os.environ.get("OPENAI_BASE_URL") or None
    variable = model.key or study.llm.key
    # The key that everybody has for OpenAI goes nowhere else unless the study says so by naming it.
    elsewhere = bool(model.address or study.llm.address)
    named = model.key is not None or "key" in study.llm.model_fields_set
    key = os.environ.get(variable, "").strip() if named or not elsewhere else ""
    if not key and address is None:
        raise StudyError(
            f"the environment variable {variable}, which holds the key for model {model.name!r}, is not set or empty; "
            "set it, then start again. For a server of your own, give its address under [llm] in study.toml."
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise StudyError(
            f"what the environment variable {variable} holds is no key: there is a space, a line break or a letter "
            "beyond ASCII in it; set it anew."
        )
    return Service(model, address, variable, key or NO_KEY, study.llm.structured)


def client_of(service: Service, timeout: float) -> AsyncOpenAI:
    """The client for a service; it is to be closed. StudyError where the library is not installed."""
    try:
        from openai import AsyncOpenAI
    except ImportError:
        raise StudyError("to ask language models, install the client: pip install 'manyjudges[llm]'") from None
    # It is tried again here, not by the client: all calls of a model wait when the service asks for it.
    return AsyncOpenAI(api_key=service.key, base_url=service.address, timeout=timeout, max_retries=0)


def request_of(service: Service, prompt: Prompt) -> dict[str, Any]:
    """What the client is given to send."""
    model = service.model
    request: dict[str, Any] = {"model": model.called, "messages": prompt.messages}
    if prompt.response_format is not None:
        request["response_format"] = prompt.response_format
    if model.temperature is not None:
        request["temperature"] = model.temperature
    if model.max_tokens is not None:
        # OpenAI's newer models refuse the old name, and many other servers do not know the new one.
        request["max_tokens" if service.address else "max_completion_tokens"] = model.max_tokens
    if model.options:
        request["extra_body"] = dict(model.options)  # which takes what the client does not know, too
    return request
