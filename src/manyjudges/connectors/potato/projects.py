"""Projects: folders that Potato runs as they are, each with a configuration and the objects that it asks about.

A configuration is YAML, of which JSON is a part: what is written here is both.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from manyjudges.base.messages import quote_value
from manyjudges.connectors.choices import steps
from manyjudges.connectors.requests import ObjectContent, Requests
from manyjudges.exceptions import DocumentError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

_CANNOT_TELL = "cannot tell"
_OVERVIEW = ("project", "attributes", "objects", "annotators", "judgments")
"""The columns of ``projects.csv``."""

_NEVER = 10_000_000
"""Seconds after which Potato reminds somebody who is slow."""

_HELD = 2
"""Hours after which an object that somebody took and did not judge goes to others."""

_JOINER = "\N{WORD JOINER}"
"""Seen by nobody; between the signs of a placeholder it keeps Potato from filling it in."""

# Potato puts questions into templates, in which these begin something to be computed.
_PLACEHOLDER = re.compile(r"[{$](?=[{%#])")

# Control characters and line separators, which YAML would refuse or fold; both languages write them so.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

Files = dict[str, str | bytes]


@dataclass(frozen=True)
class _PotatoProject:
    """Objects of which the same attributes are to be judged by the same number of people, and shown in one way.

    Attributes
    ----------
    number : int
    attributes : tuple of str
    count : int
        Of people who judge each object.
    fields : tuple of str
        What there is to see of an object: ``"image"``, ``"text"`` or both.
    objects : tuple of str
    """

    number: int
    attributes: tuple[str, ...]
    count: int
    fields: tuple[str, ...]
    objects: tuple[str, ...]


def folder_of(requests: Requests, *, site: str | None = None) -> Files:
    """All files of the folder, by their names.

    Raises
    ------
    DocumentError
        Where an object cannot be shown, or Potato would not give a name back as it is.
    """
    _check(requests, site)
    every, title = _projects(requests), _words(requests.title.strip() or "Judgments").replace("<", f"<{_JOINER}")
    files: Files = {}
    for project in every:
        folder, called = project.number, title if len(every) == 1 else f"{title} {project.number}"
        files[f"{folder}/config.yaml"] = as_yaml(_config(requests, project, called))
        items = [_item(name, requests.objects[name], at, site) for at, name in enumerate(project.objects, start=1)]
        files[f"{folder}/data/objects.jsonl"] = "".join(json.dumps(item) + "\n" for item in items)
        if site is None:
            files |= _pictures(requests, project)
    return {"projects.csv": _overview(every), **files}


def _projects(requests: Requests) -> list[_PotatoProject]:
    """As few projects as there can be, with all attributes of a number on one page or each on its own."""
    return min((_grouped(requests, together) for together in (True, False)), key=len)


def _scheme(question: Attribute) -> dict[str, Any]:
    """How a question is asked in Potato.

    >>> from manyjudges.study.questions import Attribute
    >>> _scheme(Attribute(name="tall", question="Tall?", kind="binary"))["labels"]
    ['yes', 'no']
    """
    base = {"name": question.name, "description": _description(question)}
    if question.answer_kind.widget == "field":
        return {"annotation_type": "number", **base, **_limits(question), **_required(not question.cant_tell)}
    # Potato numbers the points of a Likert scale from 1 itself, and labels the ends alone.
    points = steps(question)
    if points and points[0].value == 1 and not all(point.label for point in points):
        return {"annotation_type": "likert", **base, **_scale(question), **_required(True)}
    # A number and its label, as ``read`` takes them apart again.
    labels = [
        f"{option.text} = {_words(option.label)}" if option.label else option.text
        for option in question.answer_kind.options()
    ]
    return {
        "annotation_type": "radio",
        **base,
        "labels": labels + [_CANNOT_TELL] * question.cant_tell,
        **_required(True),
    }


def as_yaml(tree: object) -> str:
    r"""JSON that is YAML, too.

    >>> as_yaml({"a": "\u2028é"})
    '{\n  "a": "\\u2028é"\n}\n'
    """
    text = json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _words(text: str) -> str:
    """A text that stands for itself, without anything that Potato takes for a placeholder.

    >>> _words("Is {{it}} 100%?").replace(_JOINER, "|")
    'Is {|{it}} 100%?'
    """
    return _PLACEHOLDER.sub(lambda match: f"{match[0]}{_JOINER}", text)


def _grouped(requests: Requests, together: bool) -> list[_PotatoProject]:
    groups: dict[tuple[tuple[str, ...], int, tuple[str, ...]], list[str]] = {}
    for object_name, view in requests.objects.items():
        requested = [name for name in requests.questions if requests.count(object_name, name)]
        for count in sorted({requests.count(object_name, name) for name in requested}):
            names = tuple(name for name in requested if requests.count(object_name, name) == count)
            for part in _pages(requests, names) if together else [(name,) for name in names]:
                groups.setdefault((part, count, _fields(object_name, view)), []).append(object_name)
    numbered = enumerate(groups.items(), start=1)
    return [_PotatoProject(number, *key, tuple(object_names)) for number, (key, object_names) in numbered]


def _pages(requests: Requests, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Attributes that can stand on one page, each on the first on which it does not clash."""
    pages: list[list[str]] = []
    for name in names:
        free = [page for page in pages if not any(_clash(requests, name, other) for other in page)]
        if free:
            free[0].append(name)
        else:
            pages.append([name])
    return [tuple(page) for page in pages]


def _clash(requests: Requests, one: str, other: str) -> bool:
    """Whether a choice for one would untick that for the other.

    Potato finds the other choices of a scheme by the words of its name, so for "old" also those of "very old".
    """
    kinds = {_scheme(requests.questions[name])["annotation_type"] for name in (one, other)}
    few, many = sorted((set(one.split()), set(other.split())), key=len)
    return len(kinds) == 1 and kinds != {"number"} and few <= many


def _fields(name: str, view: ObjectContent) -> tuple[str, ...]:
    there = {"image": bool(view.image or view.address), "text": bool((view.text or "").strip())}
    fields = tuple(field for field, is_there in there.items() if is_there)
    if not fields:
        raise DocumentError(
            f"the object {name!r} has neither a text nor a picture; there is nothing to judge.", row=name
        )
    return fields


def _config(requests: Requests, project: _PotatoProject, title: str) -> dict[str, Any]:
    instructions = "\n".join(
        f"<p>{escape(part.strip())}</p>" for part in requests.welcome.split("\n\n") if part.strip()
    )
    return {
        "annotation_task_name": title,
        **({"annotation_instructions": instructions} if instructions else {}),
        "task_dir": ".",
        "data_files": ["data/objects.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text" if "text" in project.fields else "image"},
        "output_annotation_dir": "annotation_output",
        "user_config": {"allow_all_users": True, "users": []},
        "require_password": False,
        "alert_time_each_instance": _NEVER,
        "assignment_strategy": "least_annotated",
        # The second is what older versions call the first; with both, they must agree.
        "num_annotators_per_item": project.count,
        "max_annotations_per_item": project.count,
        # Otherwise what somebody took and left is lost to others.
        "instance_reclaim": {"enabled": True, "timeout_hours": _HELD},
        "instance_display": {"fields": [{"key": field, "type": field} for field in project.fields]},
        "annotation_schemes": [_scheme(requests.questions[name]) for name in project.attributes],
    }


def _description(question: Attribute) -> str:
    example = f"For example: {question.example}" if question.example else None
    parts = [question.question, question.help, example]
    if question.answer_kind.widget == "field":
        empty = f"; leave it empty if you {_CANNOT_TELL}" if question.cant_tell else ""
        parts.append(f"({question.answer_kind.describe()}{empty})")
    return _words(" ".join(" ".join(part.split()) for part in parts if part and part.strip()))


def _limits(question: Attribute) -> dict[str, Any]:
    limits = question.answer_kind.limits()
    ends = {name: _plain(end) for name, end in limits.ends("min_value", "max_value").items()}
    return {**ends, "step": 1 if limits.whole else "any"}


def _scale(question: Attribute) -> dict[str, Any]:
    points = steps(question)
    first, last = (point.label or point.text for point in (points[0], points[-1]))
    unsure = {"bad_text_label": {"label_content": _CANNOT_TELL}} if question.cant_tell else {}
    ends = {"min_label": _words(first), "max_label": _words(last)}
    return {"size": len(points), **ends, "displaying_score": True, **unsure}


def _required(is_required: bool) -> dict[str, Any]:
    return {"label_requirement": {"required": True}} if is_required else {}


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() else number


def _item(name: str, view: ObjectContent, at: int, site: str | None) -> dict[str, str]:
    item = {"id": name}
    if view.image is not None:
        here, there = f"/media/{at}{view.image.suffix}", f"{(site or '').rstrip('/')}/{quote(view.image.name)}"
        item["image"] = here if site is None else there
    elif view.address:
        item["image"] = view.address
    if (view.text or "").strip():
        item["text"] = view.text or ""
    return item


def _pictures(requests: Requests, project: _PotatoProject) -> Files:
    """The pictures of a project, by numbers: file names may say what judges are not to know."""
    pictures: Files = {}
    for at, name in enumerate(project.objects, start=1):
        image = requests.objects[name].image
        if image is None:
            continue
        try:
            pictures[f"{project.number}/media/{at}{image.suffix}"] = image.read_bytes()
        except OSError as error:
            raise DocumentError(
                f"cannot read the picture of {name!r}, {str(image)!r}: {error.strerror or error}.",
                row=name,
                column="image",
                file=str(image),
            ) from None
    return pictures


def _overview(every: Sequence[_PotatoProject]) -> str:
    out = io.StringIO(newline="")
    rows = (
        (project.number, ", ".join(project.attributes), len(project.objects), project.count, _judgments(project))
        for project in every
    )
    csv.writer(out).writerows([_OVERVIEW, *rows])
    return out.getvalue()


def _judgments(project: _PotatoProject) -> int:
    return len(project.attributes) * len(project.objects) * project.count


def _check(requests: Requests, site: str | None) -> None:
    _check_names(requests.objects, ())
    _check_names(requests.questions, (":", "{{", "{%", "{#", "${"))
    for question in requests.questions.values():
        _check_names([option.label or option.text for option in question.answer_kind.options()], (":::",))
    if site is None:
        return
    if not is_web_address(site):
        raise DocumentError(
            f"site must be a web address, such as https://example.org/pictures, not {quote_value(site)}.",
            value=site,
            column="site",
        )
    requests.check_picture_names("leave site= away: then they are copied")


def _check_names(names: Iterable[str], refused: Sequence[str]) -> None:
    for name in names:
        unusable = next((sign for sign in refused if sign in name), None)
        if not name.isprintable() or name != name.strip() or unusable:
            rest = (
                f"; nor does it take {unusable!r} in a name of this kind, which means something to it"
                if unusable
                else ""
            )
            raise DocumentError(
                f"Potato would not give the name {quote_value(name)} back as it is: line breaks and "
                f"spaces around a name get "
                f"lost{rest}. Rename it.",
                value=name,
                column="name",
            )
