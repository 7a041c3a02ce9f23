"""OpenAI's service and all that speak its chat-completions protocol: keys, requests, replies, and their errors.

Nothing outside this module knows a name of the ``openai`` library.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import StudyError
from manyjudges.llm.errors import NO_ANSWER_IN_TIME, CallFailure, wait_of
from manyjudges.llm.services import Completion, Service
from manyjudges.study.addresses import without_password

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from manyjudges.llm.prompts import Prompt
    from manyjudges.study.config import Study
    from manyjudges.study.models import Model

_NO_KEY = "none"
"""What is sent where a server needs no key; the client insists on one."""

_MOST_TOKENS = 1_000_000_000
"""More than this is no count of tokens; databases keep whole numbers of this size."""

_PASSING = (408, 409, 429)
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance")
_FILTERED = ("content_filter", "content_policy_violation")


class _NoCompletionError(Exception):
    """Something came that is no chat completion; some servers put an error of theirs into it.

    Parameters
    ----------
    message : str
    status : int
        What the error says about itself, or 200.
    body : mapping, optional
        The error.
    """

    def __init__(self, message: str, status: int = 200, body: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = body


@dataclass(frozen=True)
class Endpoint:
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
        place = without_password(self.address) if self.address else SERVICE.title
        return f"model {self.model.name!r} at {place}"

    def without_key(self, text: str) -> str:
        """A text that the service sent, without the key, should it be in it."""
        return text if self.key == _NO_KEY else text.replace(self.key, "…")


def endpoint_of(study: Study, model: Model) -> Endpoint:
    """How a model is reached; StudyError where a key is needed and none is set."""
    address = model.address or study.llm.address or os.environ.get(SERVICE.address_env) or None
    variable = model.api_key_env or study.llm.api_key_env or SERVICE.api_key_env
    # The key that everybody has for OpenAI goes nowhere else unless the study says so by naming it.
    elsewhere = bool(model.address or study.llm.address)
    named = bool(model.api_key_env or study.llm.api_key_env)
    key = os.environ.get(variable, "").strip() if named or not elsewhere else ""
    if not key and address is None:
        raise StudyError(
            f"the environment variable {variable}, which holds the key for model {model.name!r}, is not set or empty; "
            "set it, then start again. For a server of your own, give its address under [llm] in study.toml.",
            value=variable,
            column="api_key_env",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise StudyError(
            f"what the environment variable {variable} holds is no key: there is a space, a line break or a letter "
            "beyond ASCII in it; set it anew.",
            value=variable,
            column="api_key_env",
        )
    return Endpoint(model, address, variable, key or _NO_KEY, study.llm.structured)


class OpenAIService:
    """A model behind the chat-completions protocol.

    Parameters
    ----------
    endpoint : Endpoint
    timeout : float
        Seconds that each step of a call may take.

    Raises
    ------
    StudyError
        Where the client library is not installed.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self._endpoint, self._client = endpoint, _client(endpoint, timeout)

    @property
    def name(self) -> str:
        """The model and where it is, for messages."""
        return self._endpoint.name

    async def complete(self, prompt: Prompt) -> Completion:
        """Send a prompt once, and wait for what comes."""
        completion: Any = await self._client.chat.completions.create(**_request_of(self._endpoint, prompt))
        _check_completion(completion)
        return read_completion(completion)

    def failure(self, error: Exception, now: float) -> CallFailure:
        """What an error of ``complete`` means; one that is a bug is raised again."""
        from openai import OpenAIError

        # ValueError: JSON that is none. Anything else is a fault of ours, and is not to be tried again.
        if not isinstance(error, OpenAIError | _NoCompletionError | TimeoutError | ValueError | RecursionError):
            raise error
        return _failure_of(error, self._endpoint, now)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()


def connect(study: Study, model: Model) -> OpenAIService:
    """The service of a model of a study; StudyError where it has no key, or the client is not installed."""
    return OpenAIService(endpoint_of(study, model), study.llm.timeout)


def _request_of(endpoint: Endpoint, prompt: Prompt) -> dict[str, Any]:
    """What the client is given to send."""
    model = endpoint.model
    request: dict[str, Any] = {"model": model.called, "messages": messages(prompt)}
    if (form := response_format(prompt)) is not None:
        request["response_format"] = form
    if model.temperature is not None:
        request["temperature"] = model.temperature
    if model.max_tokens is not None:
        # OpenAI's newer models refuse the old name, and many other servers do not know the new one.
        request["max_tokens" if endpoint.address else "max_completion_tokens"] = model.max_tokens
    if model.options:
        request["extra_body"] = dict(model.options)  # which takes what the client does not know, too
    return request


def messages(prompt: Prompt) -> list[dict[str, Any]]:
    """The messages of a call; no system message where there is nothing to say in it."""
    content: str | list[dict[str, Any]] = prompt.text  # plain text where there is no picture: every server knows it
    if prompt.pictures:
        words = [{"type": "text", "text": prompt.text}] if prompt.text else []
        content = [*words, *({"type": "image_url", "image_url": {"url": url}} for url in prompt.pictures)]
    before = [{"role": "system", "content": prompt.instructions}] if prompt.instructions else []
    return [*before, {"role": "user", "content": content}]


def response_format(prompt: Prompt) -> dict[str, Any] | None:
    """What the request says about the form of the answer."""
    if prompt.structured == "text":
        return None
    if prompt.structured == "json":
        return {"type": "json_object"}
    schema = _without_ends(prompt.schema)
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _without_ends(schema: Any) -> Any:
    """A schema without minimum and maximum: some servers refuse a strict one that has them.

    The description says them, and replies are checked here.
    """
    if isinstance(schema, list):
        return [_without_ends(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _without_ends(part) for key, part in schema.items() if key not in ("minimum", "maximum")}


def read_completion(completion: object) -> Completion:
    """What a chat completion holds, as the client gives it or as plain JSON.

    Servers leave things out of it, so anything may be missing or of another type.
    """
    usage = _part(completion, "usage")
    tokens_in, tokens_out = _count(_part(usage, "prompt_tokens")), _count(_part(usage, "completion_tokens"))
    choices = _part(completion, "choices")
    choice = choices[0] if isinstance(choices, list | tuple) and choices else None
    reason = _part(choice, "finish_reason")
    text, refusal = _written(_part(choice, "message"))
    if refusal or reason == "content_filter":
        return Completion(text, tokens_in, tokens_out, refusal=refusal or text or "(content filter)")
    return Completion(None if choice is None else text, tokens_in, tokens_out, cut_off=reason == "length")


def _failure_of(error: Exception, endpoint: Endpoint, now: float) -> CallFailure:
    """What an error of the client means.

    Parameters
    ----------
    error : Exception
    endpoint : Endpoint
    now : float
        Seconds since the epoch.
    """
    body = getattr(error, "body", None)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return CallFailure("passing", _without_answer(error))
    message = endpoint.without_key(_message(error, body))
    wait = wait_of(getattr(getattr(error, "response", None), "headers", None) or {}, now)
    codes = {_text(body, "code"), _text(body, "type")}
    if codes & {*_FILTERED} and status in (400, 403):
        return CallFailure("refused", message)
    if status == 402 or (status == 429 and codes & {*_NO_CREDIT}):
        advice = f"There is no credit left for the key in {endpoint.variable}: add some."
        return CallFailure("final", message, advice=advice)
    if status == 429:
        return CallFailure("crowded", message, wait)
    if status < 300 or status in _PASSING or status >= 500:
        return CallFailure("passing", message, wait)
    return CallFailure("final", message, advice=_advice(status, message, _text(body, "param"), endpoint))


def _client(endpoint: Endpoint, timeout: float) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI
    except ImportError:
        raise StudyError(
            "to ask language models, install the client: pip install 'manyjudges[llm]'", value="openai"
        ) from None
    # Calls are tried again by the asker, not by the client: all calls of a model wait when the service asks for it.
    address = endpoint.address or SERVICE.address
    return AsyncOpenAI(api_key=endpoint.key, base_url=address, timeout=timeout, max_retries=0)


def _check_completion(completion: object) -> None:
    """Raise NoCompletionError where a page came instead, or an error in the clothes of an answer."""
    if isinstance(completion, str) or completion is None:
        raise _NoCompletionError(str(completion or "nothing"))
    error = getattr(completion, "error", None)
    if isinstance(error, Mapping) and not getattr(completion, "choices", None):
        code = error.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 200
        raise _NoCompletionError("an error instead of an answer", status, error)


def _written(message: object) -> tuple[str, str]:
    """What stands in a message, and by what words it refuses; some servers have a list of parts for the former."""
    content, refusal = _part(message, "content"), _part(message, "refusal")
    parts = content if isinstance(content, list | tuple) else []
    text = content if isinstance(content, str) else "".join(_texts(parts, "text"))
    refused = refusal if isinstance(refusal, str) else "".join(_texts(parts, "refusal"))
    return text, refused


def _texts(parts: list[object] | tuple[object, ...], name: str) -> list[str]:
    return [text for part in parts if isinstance(text := _part(part, name), str)]


def _part(holder: object, name: str) -> Any:
    """A part of an object or of a mapping; None where it has none."""
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _count(tokens: object) -> int:
    if isinstance(tokens, bool) or not isinstance(tokens, int | float) or not 0 <= tokens <= _MOST_TOKENS:
        return 0
    return int(tokens)


def _without_answer(error: Exception) -> str:
    """No reply at all came, or nothing that could be read."""
    cause = error.__cause__
    if isinstance(error, TimeoutError) or type(error).__name__ == "APITimeoutError":
        return NO_ANSWER_IN_TIME
    if type(error).__name__ == "APIConnectionError":
        return f"no connection ({type(cause).__name__})" if cause is not None else "no connection"
    return f"what came is no chat completion ({type(error).__name__})"


def _message(error: Exception, body: object) -> str:
    """What the service says about it, on one line."""
    text = _text(body, "message") or (body if isinstance(body, str) else "") or str(error)
    words = "a page of HTML instead of an answer" if text.lstrip().startswith("<") else text
    status = getattr(error, "status_code", 200)
    return f"status {status}: {words}" if status != 200 else words


def _text(body: object, name: str) -> str:
    value = body.get(name) if isinstance(body, Mapping) else None
    return str(value) if isinstance(value, str | int) else ""


def _advice(status: int, message: str, param: str, endpoint: Endpoint) -> str:
    if status in (401, 403):
        unset = endpoint.key == _NO_KEY
        held = f"No key was sent: set {endpoint.variable}" if unset else f"Check the key in {endpoint.variable}"
        named = ', and name it in study.toml, such as api_key_env = "MY_KEY" under [llm]' if unset else ""
        return f"{held}{named}; and whether it may use this model."
    if status == 404:
        return f"Check the name of the model, {endpoint.model.called!r}, and the address, which mostly ends in /v1."
    words = f"{param} {message}".lower()
    if endpoint.structured != "text" and any(
        part in words for part in ("response_format", "json_schema", "json_object")
    ):
        other = "json" if endpoint.structured == "schema" else "text"
        return f'It may not know this form of answers: set structured = "{other}" under [llm] in study.toml.'
    if "max_tokens" in words or "max_completion_tokens" in words:
        return "It wants this limit by another name: remove max_tokens, and set the other under [models.options]."
    return "Check the model's table in study.toml, its options above all, and the object's text and picture."


SERVICE = Service(
    "openai",
    "OpenAI",
    connect,
    address="https://api.openai.com/v1",
    address_env="OPENAI_BASE_URL",
    api_key_env="OPENAI_API_KEY",
    reserved=frozenset({"messages", "response_format", "n", "stream"}),
)
"""What the registry of services holds of this protocol."""
