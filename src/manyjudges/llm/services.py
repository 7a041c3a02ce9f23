"""Services: what a place that answers prompts must offer, whatever protocol it speaks.

Whoever adds one writes a class with the methods of :class:`ModelService`, copying ``openai_service``, describes it by a
:class:`Service`, and enters that in ``registry.SERVICES`` and in ``tests/laws/test_model_services.py``.
"""

from __future__ import annotations

__all__ = ["Completion", "Connect", "ModelService"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from manyjudges.llm.errors import CallFailure

if TYPE_CHECKING:
    from manyjudges.llm.prompts import Prompt
    from manyjudges.study.config import Study
    from manyjudges.study.models import Model


@dataclass(frozen=True)
class Completion:
    """What a model wrote, before it is read as an answer.

    Attributes
    ----------
    text : str, optional
        None where there is none at all.
    tokens_in, tokens_out : int
        0 where the service does not say.
    refusal : str, optional
        By what words the model or the service's filter refuses; None where neither does.
    cut_off : bool
        The text ended because it became too long.
    """

    text: str | None
    tokens_in: int = 0
    tokens_out: int = 0
    refusal: str | None = None
    cut_off: bool = False


class ModelService(Protocol):
    """One model of a study, where it can be asked. Used within one event loop, for many calls at a time."""

    @property
    def name(self) -> str:
        """The model and where it is, for messages: ``"model 'gpt-small' at OpenAI"``."""

    async def complete(self, prompt: Prompt) -> Completion:
        """Send a prompt once, and wait for what comes; it is the caller that tries again, and that gives up waiting."""

    def failure(self, error: Exception, now: float) -> CallFailure:
        """What an error of ``complete`` means, in words that hold no key.

        An error that is not the service's, but a bug, is raised again. ``now`` is in seconds since the epoch: services
        say until when to wait.
        """

    async def close(self) -> None:
        """Let go of all connections."""


Connect = Callable[["Study", "Model"], ModelService]
"""Makes the service of a model; StudyError where the study does not say enough, or no key is set."""


@dataclass(frozen=True)
class Service:
    """A model service as the registry has it: all that is not the same for every service.

    Attributes
    ----------
    name : str
        As ``service`` of a model in ``study.toml`` has it.
    title : str
        What people call it.
    connect : callable
        From a study and a model to that model, where it can be asked.
    address : str
        Where it is, unless the study or the environment says otherwise.
    address_env : str
        The environment variable that may say so.
    api_key_env : str
        The environment variable that holds the key, unless the study names another.
    reserved : frozenset of str
        What every request says itself, so that ``options`` of a model may not.
    """

    name: str
    title: str
    connect: Connect
    address: str
    address_env: str
    api_key_env: str
    reserved: frozenset[str]
