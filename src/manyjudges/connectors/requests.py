"""Requests: what is to be judged, with all that another tool needs to ask it."""

from __future__ import annotations

__all__ = ["Requests", "as_requests"]

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import DocumentError, JudgmentsError

if TYPE_CHECKING:
    from manyjudges.study.config import Study
    from manyjudges.study.objects import Objects
    from manyjudges.study.questions import Attribute

_REQUEST_COLUMNS = ("object", "attribute", "count")


@dataclass(frozen=True)
class RequestedPair:
    """So many judgments more of an attribute of an object."""

    object: str
    attribute: str
    count: int


@dataclass(frozen=True)
class ObjectContent:
    """What judges see of an object: a text, a picture of the study's folder, or the address of one."""

    text: str | None = None
    image: Path | None = None
    address: str | None = None


@dataclass(frozen=True)
class Requests:
    """What is to be judged, and how it is asked.

    Attributes
    ----------
    pairs : tuple of RequestedPair
        Each pair once.
    questions : dict of str to Attribute
        Of each attribute that is wanted, in the order of the study.
    objects : dict of str to ObjectContent
        Of each object that is wanted, in the order of the study.
    title : str
    welcome : str
        What judges are told before they begin.
    """

    pairs: tuple[RequestedPair, ...]
    questions: dict[str, Attribute]
    objects: dict[str, ObjectContent]
    title: str = "Judgments"
    welcome: str = ""

    @cached_property
    def _counts(self) -> dict[tuple[str, str], int]:
        return {(pair.object, pair.attribute): pair.count for pair in self.pairs}

    def count(self, object_name: str, attribute: str) -> int:
        """How many judgments of a pair are wanted."""
        return self._counts.get((object_name, attribute), 0)

    def most(self, object_name: str) -> int:
        """The largest number of judgments that any attribute of an object wants."""
        return max((self.count(object_name, name) for name in self.questions), default=0)

    def check_picture_names(self, remedy: str) -> None:
        """On one site two pictures from different folders need different names; ``remedy`` is the way around it."""
        seen: dict[str, Path] = {}
        for name, view in self.objects.items():
            if view.image is not None and seen.setdefault(view.image.name, view.image) != view.image:
                raise DocumentError(
                    f"two pictures are called {view.image.name!r}, that of {name!r} and one in another folder; on one "
                    f"site each needs a name of its own. Rename one, or {remedy}.",
                    value=view.image.name,
                    row=name,
                    column="image",
                )

    @classmethod
    def of_study(cls, study: Study, objects: Objects, requests: pd.DataFrame) -> Requests:
        """Requests (``object``, ``attribute``, ``count``) about the objects and attributes of a study."""
        pairs = _pairs(requests)
        named, names = {pair.object for pair in pairs}, {pair.attribute for pair in pairs}
        return cls(
            pairs,
            {attribute.name: attribute for attribute in study.attributes if attribute.name in names},
            {
                record.name: ObjectContent(record.text, record.image, record.address)
                for record in objects.records
                if record.name in named
            },
            study.title,
            study.welcome,
        )


def as_requests(requests: Requests | pd.DataFrame) -> Requests:
    """Requests, or a table of ``object``, ``attribute`` and ``count`` as :meth:`Plan.missing` gives it, as requests.

    Of a table nothing else is known: each object is shown by its name, and each attribute asked for as a number.
    """
    if isinstance(requests, Requests):
        return requests
    from manyjudges.study.questions import Attribute

    pairs = _pairs(requests)
    questions = {
        name: Attribute(name=name, question=f"{name}?", kind="number")
        for name in dict.fromkeys(pair.attribute for pair in pairs)
    }
    return Requests(
        pairs, questions, {name: ObjectContent(text=name) for name in dict.fromkeys(pair.object for pair in pairs)}
    )


def _pairs(frame: pd.DataFrame) -> tuple[RequestedPair, ...]:
    """The rows of a table of requests, checked."""
    missing = [name for name in _REQUEST_COLUMNS if name not in frame.columns]
    if missing:
        raise JudgmentsError(
            f"requests are a table of object, attribute and count; there is no column {list_names(missing)}, only "
            f"{list_names(frame.columns, limit=6)}.",
            column=missing[0],
        )
    pairs = [
        RequestedPair(str(object_name), str(name), count)
        for object_name, name, count in frame[list(_REQUEST_COLUMNS)].itertuples(index=False)
    ]
    if not pairs:
        raise JudgmentsError("there is nothing to ask for: the requests have no rows.", column="requests")
    seen: dict[tuple[str, str], int] = {}
    for at, pair in enumerate(pairs):
        if pair.count != int(pair.count) or pair.count < 1:
            raise JudgmentsError(
                f"requests, row {at}: the count {quote_value(pair.count)} must be a whole number of 1 or more.",
                value=pair.count,
                row=at + 1,
                column="count",
            )
        if (pair.object, pair.attribute) in seen:
            raise JudgmentsError(
                f"requests, row {at}: {pair.attribute!r} of {pair.object!r} stands there twice.",
                row=at + 1,
                column="attribute",
            )
        seen[pair.object, pair.attribute] = at
    return tuple(RequestedPair(pair.object, pair.attribute, int(pair.count)) for pair in pairs)
