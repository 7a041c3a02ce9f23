"""Answers: what people chose or wrote on a page of Potato, whichever of its formats keeps it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.place import located, within
from manyjudges.connectors.rows import Questions
from manyjudges.connectors.selection import AttributeSelection, RawAnswer
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.kinds import find_label, says_cant_tell

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

_BAD_TEXT = "bad_text"
"""What Potato calls the extra choice of a Likert scale; ours says that one cannot tell."""

FIELDS = {"", "number", "text_box", "slider", "select-one", "_data"}
"""What Potato calls the only field of a scheme; its value is the answer. All other names are choices."""

_BESIDE = "free_response"
"""A text beside the choices of a scheme, which is no choice."""

_MARKS = {"on", "true", "yes", "1", "checked", "selected"}
"""Values by which Potato says that a choice was made."""

_STEP = re.compile(r"([-+]?\d+) = .*", re.DOTALL)
"""A choice that says its number, as those do that we write: ``"3 = very"``."""

Options = Mapping[str, Any]
"""The choices and fields of a scheme by their names, with their values."""


@dataclass(frozen=True)
class Labelled:
    """What somebody said about one object.

    Attributes
    ----------
    object, worker : str
    place : str
        Where it stands, in words that go before a colon.
    labels : mapping of str to mapping
        Of each scheme, what was chosen or written.
    changes : sequence
        What Potato has noted about answers that were changed; may be empty.
    """

    object: str
    worker: str
    place: str
    labels: Mapping[str, Options]
    changes: Sequence[Any] = ()


def labels_of(tree: object, place: str) -> dict[str, dict[str, Any]]:
    """Schemes with their options, from any of the forms in which Potato writes them.

    >>> labels_of([[{"schema": "tall", "name": "yes"}, "yes"]], "here")
    {'tall': {'yes': 'yes'}}
    >>> labels_of({"tall": {"yes": True}}, "") == labels_of({"tall": ["yes"]}, "")
    True
    """
    if isinstance(tree, Mapping):
        return {str(scheme): _options(value) for scheme, value in tree.items()}
    if not isinstance(tree, list):
        raise DocumentError(
            f"{place}: its labels are {quote_value(tree)}; they must be a list of pairs, or an object.",
            value=tree,
            **located(place),
        )
    labels: dict[str, dict[str, Any]] = {}
    for entry in tree:
        scheme, name, value = _pair(entry, place)
        labels.setdefault(scheme, {})[name] = value
    return labels


def raw_answers(
    record: Labelled, selection: AttributeSelection, schemes: Set[str], questions: Questions | None = None
) -> Iterator[RawAnswer]:
    """The answers in a record that are taken.

    Parameters
    ----------
    record : Labelled
    selection : AttributeSelection
    schemes : set of str
        All that are known: a name with a point may be one of them, or an option of one.
    questions : mapping, optional
    """
    for scheme, options in record.labels.items():
        own = _own(scheme, selection, schemes)
        for option in own:
            name = f"{scheme}.{option}"
            value = _box(option, options, _question(name, selection, questions), within(record.place, name, scheme))
            if value is not None:
                yield RawAnswer(record.object, name, record.worker, value, record.place)
        if not own and selection.includes(scheme):
            question = _question(scheme, selection, questions)
            value = _as_step(_answer(scheme, options, record, question), question)
            if value is not None:
                yield RawAnswer(record.object, scheme, record.worker, value, record.place)


def _options(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        inner = value.get("labels")
        return dict(inner if set(value) == {"labels"} and isinstance(inner, Mapping) else value)
    if isinstance(value, list):
        return {str(option): True for option in value}
    return {"": value}


def _pair(entry: object, place: str) -> tuple[str, str, Any]:
    """A pair of a label and its value, the label an object of scheme and name, or the scheme's name alone."""
    if isinstance(entry, list) and len(entry) == 2:
        label, value = entry
        if isinstance(label, str):
            return label, "", value
        if isinstance(label, Mapping) and isinstance(label.get("schema"), str):
            return label["schema"], str(label.get("name") or ""), value
    raise DocumentError(
        f'{place}: {quote_value(entry)} is no label with its value, like [{{"schema": "tall", "name": "yes"}}, "yes"].',
        value=entry,
        **located(place),
    )


def _own(scheme: str, selection: AttributeSelection, schemes: Set[str]) -> list[str]:
    """Options of a scheme that somebody asked for as attributes: ``"traits.tall"``."""
    if selection.names is None or selection.named(scheme):
        return []
    names = {*selection.names, *(name for name, here in selection.rename.items() if here in selection.names)} - schemes
    return sorted(name.removeprefix(f"{scheme}.") for name in names if name.startswith(f"{scheme}."))


def _question(name: str, selection: AttributeSelection, questions: Questions | None) -> Attribute | None:
    return (questions or {}).get(selection.rename.get(name, name))


def _box(option: str, options: Options, question: Attribute | None, place: str) -> Any:
    """Whether a box was ticked; or, where the question is not asked by a box, the answer that stands there."""
    value = options.get(option)
    if question is not None and question.answer_kind.widget != "tick":
        return None if _is_blank(value) else value
    if not _chosen(option, value):
        return False
    if question is None and not _is_mark(option, value):
        raise JudgmentsError(
            f"{place}: {quote_value(value)} may be a rating, or the key of a box that was ticked. Name the study whose "
            "questions were asked (--study, questions=), which knows.",
            value=value,
            **located(place),
        )
    return True


def _answer(scheme: str, options: Options, record: Labelled, question: Attribute | None) -> Any:
    """What was answered; None where nothing was, or nobody could tell."""
    # The field of a visual analog scale is called as its scheme.
    written = [value for name, value in options.items() if name in FIELDS or (name == scheme and value != name)]
    if written:
        last = written[-1]
        return None if _is_blank(last) or _is_cant_tell(last) else last
    chosen = [name for name, value in options.items() if name != _BESIDE and _chosen(name, value)]
    if len(chosen) > 1:
        chosen = [_settled(scheme, chosen, record, question)]
    return None if not chosen or _is_cant_tell(chosen[0]) else chosen[0]


def _settled(scheme: str, chosen: Sequence[str], record: Labelled, question: Attribute | None) -> str:
    """Which of several choices was the last; older versions kept all of them, and noted the times beside.

    Only where the question is known: where it is not, these may be boxes to tick, all of them meant.
    """
    noted = [
        change
        for change in record.changes
        if isinstance(change, Mapping)
        and change.get("schema_name") == scheme
        and change.get("action") in ("select", "update")
        and change.get("label_name") in chosen
        and isinstance(change.get("timestamp"), int | float)
    ]
    if question is None or not noted:
        raise JudgmentsError(
            f"{record.place}: {list_names(chosen)} are all answers for {scheme!r}, where one is wanted. If each choice "
            f'is an attribute of its own, name them so: attributes=["{scheme}.{chosen[0]}", …]. If Potato has kept '
            "answers that were changed later, 'potato repair-annotations' mends its files.",
            value=chosen,
            **located(record.place, scheme),
        )
    return str(max(noted, key=lambda change: float(change["timestamp"]))["label_name"])


def _as_step(answer: Any, question: Attribute | None) -> Any:
    """The number that a choice says, unless all of it is the label of a step."""
    if not isinstance(answer, str) or (question is not None and find_label(question.answer_kind.options(), answer)):
        return answer
    match = _STEP.fullmatch(answer.strip())
    return match[1] if match else answer


def _is_cant_tell(answer: object) -> bool:
    return says_cant_tell(answer) or str(answer).strip().casefold() == _BAD_TEXT


def _chosen(name: str, value: object) -> bool:
    """Whether a choice was made. The tenth choice of a scale has the key 0, others of that value are none."""
    if isinstance(value, str) and value == name:
        return True
    if _is_blank(value) or str(value).strip().lower() == "false":
        return False
    if str(value).strip() == "0":
        return isinstance(value, str) and name.strip().isdigit()
    return True


def _is_mark(name: str, value: object) -> bool:
    return str(value).strip().lower() in _MARKS or str(value) == name


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
