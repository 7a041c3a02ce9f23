"""Published files: the published files of the three crowds, as their authors wrote them, into judgments and labels."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import DatasetError

FACES_CSV = "attribute_ratings.csv"
_FACES_LABEL = "trustworthy"
_N_FACES = 1004
"""Faces with higher numbers were only made for a validation."""

SKATING_FILES = ("performances.csv", "judged-aspects.csv", "judge-scores.csv")
PROGRAM_COMPONENTS = ("composition", "interpretation of the music", "performance", "skating skills", "transitions")

_ODOUR_KEYS = ("Compound Identifier", "Replicate", "Intensity", "subject #")
_PLEASANTNESS = "VALENCE/PLEASANTNESS"
ODOUR_ATTRIBUTES = (
    *("INTENSITY/STRENGTH", "BAKERY", "SWEET", "FRUIT", "FISH", "GARLIC", "SPICES", "COLD", "SOUR", "BURNT", "ACID"),
    *("WARM", "MUSKY", "SWEATY", "AMMONIA/URINOUS", "DECAYED", "WOOD", "GRASS", "FLOWER", "CHEMICAL"),
)

_STARTS = {
    "performances.csv": b"performance_id,",
    "judged-aspects.csv": b"aspect_id,performance_id,",
    "judge-scores.csv": b"aspect_id,judge,",
    "TrainSet.txt": b"Compound Identifier\t",
}
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)

Parsed = tuple[pd.DataFrame, "pd.Series[Any]"]


def check_start(name: str, path: Path) -> None:
    """Refuse a download that cannot be the file of this name, such as the page of a hotel's network."""
    if name.endswith(".zip"):
        if not zipfile.is_zipfile(path):
            raise DatasetError(f"what was downloaded as {name} is no zip archive, or one that was cut off.", file=name)
        return
    with path.open("rb") as file:
        start = file.read(64)
    if not start.removeprefix(b"\xef\xbb\xbf").startswith(_STARTS[name]):
        raise DatasetError(
            f"what was downloaded as {name} is another file: it begins with {quote_value(start[:40])}.",
            value=start[:40],
            file=name,
        )


def unzip(file: Path | io.BytesIO, called: str, choose: Callable[[str], bool]) -> bytes:
    """The first member of an archive that is wanted; reading checks it against the archive's own checksum."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = [n for n in archive.namelist() if choose(n) and not n.startswith("__MACOSX/")]
            if not names:
                raise DatasetError(
                    f"{called} holds {list_names(archive.namelist()) or 'nothing'}, not what is looked for.",
                    file=called,
                )
            return archive.read(names[0])
    except _ZIP_ERRORS as error:
        raise DatasetError(
            f"{called} is damaged or cut off ({error}); delete it and download it anew.", file=called
        ) from None


def parse_faces(paths: Sequence[Path]) -> Parsed:
    """Ratings of one kind ('normal': no repeats, no replacements) of the faces that were not for validation."""
    (path,) = paths
    zipped = path.suffix == ".zip"
    content = unzip(path, path.name, lambda name: Path(name).name == FACES_CSV) if zipped else path.read_bytes()
    frame = _read(content, path, ("stimulus", "attribute", "rating", "rating_type"))
    face = pd.to_numeric(frame["stimulus"], errors="coerce")  # those for validation have names
    kept = frame[(frame["rating_type"] == "normal") & (face >= 1) & (face <= _N_FACES)]
    values = _numbers(kept, "rating", path)
    table = pd.DataFrame({"object": face[kept.index].astype(int).astype(str), "attribute": kept["attribute"]})
    table["value"] = values
    is_label = table["attribute"] == _FACES_LABEL
    labels = table[is_label].groupby("object")["value"].mean()
    judged = table[~is_label]
    slot = judged.groupby(["object", "attribute"]).cumcount()
    return judged.assign(worker=slot.astype(str)), labels.rename("label")


def parse_skating(paths: Sequence[Path]) -> Parsed:
    """Scores of the five components, and the elements' base value, standardized within the program."""
    performances = _read(paths[0].read_bytes(), paths[0], ("performance_id", "competition", "program"))
    needed = ("aspect_id", "performance_id", "section", "aspect_desc", "base_value")
    aspects = _read(paths[1].read_bytes(), paths[1], needed)
    scores = _read(paths[2].read_bytes(), paths[2], ("aspect_id", "judge", "score"))
    performances = performances.drop_duplicates("performance_id").set_index("performance_id")
    components = aspects[aspects["section"] == "components"]
    # 'Interpretation of the Music / Timing' is that component's name in ice dance.
    component = components["aspect_desc"].str.partition("/")[0].str.strip().str.lower()
    _check_known(component, PROGRAM_COMPONENTS, "component", paths[1])
    scores = scores[scores["aspect_id"].isin(components["aspect_id"])]
    scores = scores.assign(value=_numbers(scores, "score", paths[2]))  # before rows move, so that errors name theirs
    judged = scores.merge(components.assign(attribute=component), on="aspect_id")
    judged = judged.join(performances, on="performance_id", how="inner")
    judged["worker"] = judged["competition"] + "|" + judged["program"] + "|" + judged["judge"]
    judged = judged.rename(columns={"performance_id": "object"})
    labels = _base_values(aspects, performances, paths[1])
    both = labels.index.intersection(pd.Index(judged["object"].unique()))
    labels = _standardized(labels[both], performances["program"])
    return judged.loc[judged["object"].isin(both), ["object", "attribute", "worker", "value"]], labels


def parse_odours(paths: Sequence[Path]) -> Parsed:
    """Subjects with even numbers describe, those with odd numbers say how pleasant it is; high intensity only."""
    (path,) = paths
    # The file ends its lines as Macs once did.
    content = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    frame = _read(content, path, (*_ODOUR_KEYS, _PLEASANTNESS, *ODOUR_ATTRIBUTES), separator="\t")
    frame = frame[frame["Intensity"].str.strip() == "high"]
    subject = _numbers(frame, "subject #", path)
    again = np.where(frame["Replicate"].str.strip() != "", "r", "")
    frame = frame.assign(
        object=frame["Compound Identifier"].str.strip(), worker=subject.astype(int).astype(str) + again
    )
    odd = subject % 2 == 1
    pleasant = frame[odd].assign(value=_numbers(frame[odd], _PLEASANTNESS, path, missing=True))
    labels = pleasant.dropna(subset=["value"]).groupby("object")["value"].mean().rename("label")
    even = frame[~odd]
    even = even.assign(**{name: _numbers(even, name, path, missing=True) for name in ODOUR_ATTRIBUTES})
    described = even.melt(["object", "worker"], list(ODOUR_ATTRIBUTES), var_name="attribute").dropna(subset=["value"])
    both = labels.index.intersection(pd.Index(described["object"].unique()))
    return described[described["object"].isin(both)], labels[both]


def _base_values(aspects: pd.DataFrame, performances: pd.DataFrame, path: Path) -> pd.Series[Any]:
    elements = aspects[(aspects["section"] == "elements") & aspects["performance_id"].isin(performances.index)]
    values = elements.assign(value=_numbers(elements, "base_value", path, missing=True))
    return values.groupby("performance_id")["value"].sum(min_count=1).dropna()


def _standardized(values: pd.Series[Any], group: pd.Series[Any]) -> pd.Series[Any]:
    groups = values.groupby(group.reindex(values.index))
    result: pd.Series[Any] = (values - groups.transform("mean")) / groups.transform("std")
    return result.rename("label").rename_axis("object")


def _read(content: bytes, path: Path, needed: Iterable[str], *, separator: str = ",") -> pd.DataFrame:
    """A table of text, in which nothing is missing and nothing a number yet."""
    try:
        frame = pd.read_csv(io.BytesIO(content), sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        words = " ".join(str(error).split())
        raise DatasetError(
            f"{path.name} cannot be read: {words}. Delete it and download it anew.", file=path.name
        ) from None
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise DatasetError(
            f"{path.name} has no column {list_names(missing)}; its columns are {list_names(frame.columns, limit=10)}. "
            "It is another file, or another version of it.",
            column=missing[0],
            file=path.name,
        )
    return frame


def _numbers(frame: pd.DataFrame, column: str, path: Path, *, missing: bool = False) -> pd.Series[Any]:
    """A column of text as numbers; 'NaN' and nothing are fine if values may be missing."""
    text = frame[column].str.strip()
    numbers: pd.Series[Any] = pd.to_numeric(text, errors="coerce").astype(float)
    wrong = ~np.isfinite(numbers)
    if missing:
        wrong &= ~text.isin(["", "NaN", "nan", "NA"])
    if wrong.any():
        row = wrong.idxmax()
        raise DatasetError(
            f"row {int(str(row)) + 1} of {path.name} (not counting the heading): "
            f"{quote_value(frame.at[row, column])} in the "
            f"column {column!r} is no number; correct the file, or delete it and download it anew.",
            value=frame.at[row, column],
            row=int(str(row)) + 1,
            column=column,
            file=path.name,
        )
    return numbers


def _check_known(names: pd.Series[Any], allowed: Sequence[str], what: str, path: Path) -> None:
    unknown = names[~names.isin(allowed)]
    if len(unknown):
        raise DatasetError(
            f"{path.name} has the {what} {quote_value(unknown.iloc[0])}; known are {list_names(allowed, limit=9)}.",
            value=unknown.iloc[0],
            column=what,
            file=path.name,
        )
