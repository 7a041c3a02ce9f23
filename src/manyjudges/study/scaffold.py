"""Scaffold: a new study's folder, which works at once and is there to be changed."""

from __future__ import annotations

__all__ = ["new_study"]

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StudyError
from manyjudges.study.example_pictures import Jar, draw_jars

JARS = 24
"""How many example pictures there are."""

N_UNLABELLED = 4
"""How many of them have no label, to be predicted."""


def new_study(
    folder: str | os.PathLike[str], *, title: str | None = None, draw: Callable[[int], Sequence[Jar]] = draw_jars
) -> Path:
    """Make a folder with a study that works at once: a file with notes, and drawings of jars to judge.

    Parameters
    ----------
    folder : path
        Where nothing is yet, or an empty folder.
    title : str, optional
        What judges read at the top.
    draw : callable, optional
        Makes so many example pictures.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    StudyError
        Where something is there already, or it cannot be written. Then nothing is left behind.
    """
    path = Path(folder)
    study = _study_file(title)
    _check_free(path)
    scratch = path.absolute().parent / f".{path.absolute().name}.{secrets.token_hex(4)}"
    try:
        _fill(scratch, study, draw(JARS))
        _put(scratch, path)
    except ImportError:
        raise StudyError(
            "drawing the example needs pillow, which is not here: pip install 'manyjudges[serve]'.",
            value="pillow",
        ) from None
    except OSError as error:
        raise StudyError(f"cannot make the folder {str(path)!r}: {error.strerror or error}.", file=str(path)) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return path


def _study_file(title: str | None) -> str:
    text = (files("manyjudges.study") / "templates" / "study.toml").read_text(encoding="utf-8")
    if title is None:
        return text
    if not title.strip() or not title.isprintable() or len(title.strip()) > 200:
        raise StudyError(
            f"the title must be a text on one line, of at most 200 characters, not {quote_value(title)}.",
            value=title,
            column="title",
        )
    line = f"title = {json.dumps(title.strip(), ensure_ascii=False)}"
    return re.sub(r"^title = .*$", lambda _: line, text, count=1, flags=re.MULTILINE)


def _check_free(path: Path) -> None:
    if (path / "study.toml").exists():
        raise StudyError(
            f"there is a study in {str(path)!r} already; choose another folder.", value=str(path), column="folder"
        )
    if path.is_dir():
        if any(path.iterdir()):
            raise StudyError(
                f"the folder {str(path)!r} is not empty; choose a new one, or an empty one.",
                value=str(path),
                column="folder",
            )
    elif path.exists() or path.is_symlink():
        raise StudyError(
            f"{str(path)!r} is there already and is no folder; choose another name.", value=str(path), column="folder"
        )
    elif not path.absolute().parent.is_dir():
        raise StudyError(
            f"there is no folder {str(path.parent)!r} to put {path.name!r} into; make it first.",
            value=str(path),
            column="folder",
        )


def _fill(scratch: Path, study: str, jars: Sequence[Jar]) -> None:
    (scratch / "images").mkdir(parents=True)
    rows = ["id,label,image"]
    for number, jar in enumerate(jars, start=1):
        name = f"jar-{number:02d}"
        (scratch / "images" / f"{name}.png").write_bytes(jar.picture)
        label = str(jar.beans) if number <= JARS - N_UNLABELLED else ""
        rows.append(f"{name},{label},images/{name}.png")
    (scratch / "objects.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (scratch / "study.toml").write_text(study, encoding="utf-8")


def _put(scratch: Path, path: Path) -> None:
    """Move everything to its place: all of it, or nothing."""
    if not path.is_dir():
        os.rename(scratch, path)
        return
    # An empty folder stays the one that it was: somebody may stand in it.
    moved: list[Path] = []
    try:
        for name in ("images", "objects.csv", "study.toml"):
            os.rename(scratch / name, path / name)
            moved.append(path / name)
    except OSError:
        for done in moved:
            os.rename(done, scratch / done.name)
        raise
