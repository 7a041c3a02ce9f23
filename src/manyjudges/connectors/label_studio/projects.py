"""Projects of Label Studio: what is asked in which one, and the files that set them up.

A project has one configuration and one number of annotations for each of its tasks. So there is a project for each
number of judgments and each set of attributes that objects want so many of.
"""

from __future__ import annotations

import csv
import io
import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from manyjudges.base import documents
from manyjudges.base.formatting import clean
from manyjudges.base.messages import quote_value
from manyjudges.connectors.label_studio.config import (
    IMAGE_FIELD,
    OBJECT_FIELD,
    OWN_FIELD,
    TEXT_FIELD,
    configuration,
    control_names,
)
from manyjudges.connectors.requests import ObjectContent, Requests
from manyjudges.exceptions import DocumentError
from manyjudges.study.addresses import is_web_address
from manyjudges.study.pictures import MEDIA_KINDS, START, media_type

_LOCAL = "/data/local-files/?d="
"""How Label Studio addresses files of the machine that it runs on."""

_MAX_BYTES = 50_000_000
"""The most that a file of tasks may hold with pictures in it; Label Studio takes no larger ones."""

_LONGEST_TITLE = 50
_OVERVIEW = ("config", "tasks", "attributes", "shown", "objects", "annotations", "judgments", "cost")
"""The columns of ``projects.csv``."""

_GUIDE = """\
# {title}: projects for Label Studio

`projects.csv` lists {many}. For each of its rows:

1. Create a project. Under *Labeling Setup*, choose *Custom template* and paste the file named in *config*.
2. Import the file named in *tasks*.
3. Let each task be annotated as often as *annotations* says. In Label Studio Enterprise: *Settings*, *Quality*,
   *Annotations per task*. In the Community Edition this is set through the API, after the import:

       curl -X PATCH https://LABEL-STUDIO/api/projects/ID/ -H "Authorization: Token TOKEN" \\
         -H "Content-Type: application/json" -d '{{"maximum_annotations": N}}'

{instructions}Instead of step 1, a program can send `N-project.json` to `POST /api/projects/`.

When people are done, export each project as *JSON* and read all of the exports at once:

    manyjudges import label-studio EXPORT.json ...

The tasks name the objects and attributes. Do not change the names of controls, nor the fields `{object}` and `{own}`.
"""


@dataclass(frozen=True)
class _LabelStudioProject:
    """Objects that want the same number of judgments of the same attributes, and are shown alike.

    Attributes
    ----------
    number : int
    count : int
        How many annotations each task wants.
    fields : tuple of str
        The fields that show an object.
    attributes, objects : tuple of str
    """

    number: int
    count: int
    fields: tuple[str, ...]
    attributes: tuple[str, ...]
    objects: tuple[str, ...]

    def file(self, name: str) -> str:
        """The name of one of its files."""
        return f"{self.number}-{name}"


def folder(requests: Requests, *, site: str | None = None, max_bytes: int = _MAX_BYTES) -> dict[str, str]:
    """All files of the folder, by their names; ``max_bytes`` is the most that a file of tasks may hold of pictures.

    Raises
    ------
    DocumentError
        Where an object cannot be shown.
    """
    _check_site(requests, site)
    controls = control_names(requests.questions)
    every = _projects(requests)
    files: dict[str, str] = {}
    for project in every:
        config = configuration(
            project.fields, {controls[name]: requests.questions[name] for name in project.attributes}
        )
        files[project.file("config.xml")] = config
        files[project.file("tasks.json")] = _tasks(requests, project, controls, site, max_bytes)
        files[project.file("project.json")] = documents.dumps(_settings(requests, project, config))
    if requests.welcome.strip():
        files["instructions.html"] = _instructions(requests) + "\n"
    files["projects.csv"] = _csv([_OVERVIEW, *(_summary(requests, project) for project in every)])
    return files | {"README.md": _guide(requests, len(every))}


def _projects(requests: Requests) -> list[_LabelStudioProject]:
    """Which objects are asked about what, and how often."""
    groups = [
        (count, look, names, object_names)
        for count in sorted({pair.count for pair in requests.pairs})
        for look, alike in _alike(requests).items()
        for names, object_names in _together(requests, count, alike).items()
    ]
    return [
        _LabelStudioProject(number, count, look, names, tuple(object_names))
        for number, (count, look, names, object_names) in enumerate(groups, start=1)
    ]


def _alike(requests: Requests) -> dict[tuple[str, ...], list[str]]:
    """Objects by what is shown of them; Label Studio refuses a task without a field that its configuration shows."""
    by_look: dict[tuple[str, ...], list[str]] = {}
    for name, view in requests.objects.items():
        look = (IMAGE_FIELD,) * (view.image is not None or bool(view.address)) + (TEXT_FIELD,) * bool(
            (view.text or "").strip()
        )
        if not look:
            raise DocumentError(
                f"the object {name!r} has neither a text nor a picture; there is nothing to judge.", row=name
            )
        by_look.setdefault(look, []).append(name)
    return by_look


def _together(requests: Requests, count: int, object_names: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Objects by the attributes that they want so many judgments of.

    Where that makes more sets than there are attributes, each attribute is asked by itself: fewer projects to set up.
    """
    sets: dict[tuple[str, ...], list[str]] = {}
    for object_name in object_names:
        names = tuple(name for name in requests.questions if requests.count(object_name, name) == count)
        if names:
            sets.setdefault(names, []).append(object_name)
    every = [name for name in requests.questions if any(name in names for names in sets)]
    if len(sets) <= len(every):
        return sets
    return {
        (name,): [object_name for object_name in object_names if requests.count(object_name, name) == count]
        for name in every
    }


def _tasks(
    requests: Requests, project: _LabelStudioProject, controls: dict[str, str], site: str | None, max_bytes: int
) -> str:
    attributes = {controls[name]: name for name in project.attributes}
    tasks, size = [], 0
    for name in project.objects:
        data = {OBJECT_FIELD: name, **dict(_seen(name, requests.objects[name], site)), OWN_FIELD: attributes}
        tasks.append({"data": data})
        size += len(data.get(IMAGE_FIELD, ""))
        if size > max_bytes:
            raise DocumentError(
                f"the pictures of {len(project.objects):,} objects, {name!r} among them, are too large to stand in a "
                f"file of tasks, which may have {max_bytes // 1_000_000} MB. Put them where Label Studio finds them, "
                f"and say where: site='https://example.org/pictures', or site='{_LOCAL}pictures'.",
                row=name,
                column="site",
            )
    return json.dumps(tasks, indent=2, ensure_ascii=False) + "\n"


def _seen(name: str, view: ObjectContent, site: str | None) -> Iterator[tuple[str, str]]:
    """The fields that show an object."""
    if view.image is not None:
        yield (
            IMAGE_FIELD,
            _embedded(name, view.image) if site is None else f"{site.rstrip('/')}/{quote(view.image.name)}",
        )
    elif view.address:
        yield IMAGE_FIELD, view.address
    if view.text and view.text.strip():
        yield TEXT_FIELD, view.text


def _embedded(name: str, picture: Path) -> str:
    """A picture as an address that holds all of it."""
    try:
        data = picture.read_bytes()
    except OSError as error:
        raise DocumentError(
            f"the picture of {name!r}, {picture.name}, cannot be read: {error.strerror or error}.",
            row=name,
            column="image",
            file=picture.name,
        ) from None
    kind = media_type(data[:START])
    if kind is None:
        raise DocumentError(
            f"the picture of {name!r}, {picture.name}, is none that browsers show; take {MEDIA_KINDS}.",
            row=name,
            column="image",
            file=picture.name,
        )
    return f"data:{kind};base64,{b64encode(data).decode()}"


def _check_site(requests: Requests, site: str | None) -> None:
    """An address must be one, and pictures in one place need different names."""
    if site is None:
        return
    if not site.startswith(_LOCAL) and not is_web_address(site):
        raise DocumentError(
            f"site must be a web address, such as https://example.org/pictures, or a folder of Label Studio's local "
            f"files, such as {_LOCAL}pictures, not {quote_value(site)}.",
            value=site,
            column="site",
        )
    requests.check_picture_names("give addresses in the table of objects")


def _settings(requests: Requests, project: _LabelStudioProject, config: str) -> dict[str, object]:
    """What Label Studio's API takes to create the project.

    The number of annotations is not among it: some versions keep 1 for tasks that are imported later, and see no change
    when they are told the same number again.
    """
    end = f" – {project.number}"
    instructions = _instructions(requests)
    return {
        "title": f"{clean(requests.title)[: _LONGEST_TITLE - len(end)]}{end}",
        "label_config": config,
        "expert_instruction": instructions,
        "show_instruction": bool(instructions),
    }


def _instructions(requests: Requests) -> str:
    return "\n".join(f"<p>{escape(part.strip())}</p>" for part in requests.welcome.split("\n\n") if part.strip())


def _summary(requests: Requests, project: _LabelStudioProject) -> Sequence[object]:
    names, many = project.attributes, len(project.objects)
    cost = f"{sum(requests.questions[name].cost for name in names):g}"
    look = " and ".join(project.fields)
    files = (project.file("config.xml"), project.file("tasks.json"))
    return *files, ", ".join(names), look, many, project.count, project.count * len(names) * many, cost


def _guide(requests: Requests, many: int) -> str:
    instructions = "Paste `instructions.html` under *Settings*, *Instructions*.\n\n" if requests.welcome.strip() else ""
    title, all_of_them = clean(requests.title), "one project" if many == 1 else f"{many} projects"
    return _GUIDE.format(title=title, many=all_of_them, instructions=instructions, object=OBJECT_FIELD, own=OWN_FIELD)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()
