"""Recorded crowds: three sets of recorded judgments that others have published."""

from __future__ import annotations

__all__ = ["Dataset", "fetch_faces", "fetch_odours", "fetch_skating"]

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.datasets import published_files
from manyjudges.datasets.cache import DatasetSource, find, get_data_home, obtain
from manyjudges.exceptions import DatasetError, JudgmentsError, ManyJudgesError
from manyjudges.tables.files import read_labels
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.values import Place

_Pair = tuple[Judgments, "pd.Series[Any]"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Recorded judgments, labels, and whose they are. ``judgments, labels = dataset`` takes the two apart.

    Attributes
    ----------
    name : str
    judgments : Judgments
    labels : pandas.Series
        By object.
    about : str
        What was judged, by whom, and what the label is.
    source, licence, citation : str
    """

    name: str
    judgments: Judgments
    labels: pd.Series[Any]
    about: str
    source: str
    licence: str
    citation: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.judgments, self.labels))

    def __repr__(self) -> str:
        return "\n".join(
            [
                f"Dataset {self.name}: {self.about}",
                *(f"  {line.strip()}" for line in repr(self.judgments).splitlines()),
                f"  labels: {len(self.labels):,}, from {self.labels.min():.4g} to {self.labels.max():.4g}",
                f"  licence: {self.licence}",
                f"  cite: {self.citation}",
            ]
        )


@dataclass(frozen=True)
class _Crowd:
    """What is known of a set: where it comes from, how it is read, and what its content must be."""

    name: str
    about: str
    address: str
    licence: str
    citation: str
    source: DatasetSource
    parse: Callable[[Sequence[Path]], tuple[pd.DataFrame, pd.Series[Any]]]
    slots: bool
    """Whether workers are only numbered within a pair, so that their order means nothing."""
    digests: tuple[str, str]
    """SHA-256 of judgments and of labels."""
    unpacked: str = ""
    """What the archive holds, which will do as well."""


def _github(repository: str, commit: str, path: str) -> str:
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"


def _note(name: str, address: str, licence: str, citation: str) -> str:
    return f"{name}\nSource: {address}\nLicence: {licence}\nPlease cite: {citation}\n"


def _crowd(folder: str, files: dict[str, str], **details: Any) -> _Crowd:
    note = _note(details["name"], details["address"], details["licence"], details["citation"])
    addresses = {name: (address,) for name, address in files.items()}
    also = [details["unpacked"]] if details.get("unpacked") else []
    return _Crowd(source=DatasetSource(folder, addresses, note, published_files.check_start, also), **details)


_OMI = ("jcpeterson/omi", "9bf559b7048317d450bf17d9d6141cb6fe7a1b03")
_SKATING = ("BuzzFeedNews/figure-skating-scores", "aad3b235546802f973fa48a16b9640a664e37f6d")
_DREAM = ("dream-olfaction/olfaction-prediction", "1cd1343122408bf6fdb36f7628d9d1b1b8c202d9")

FACES = _crowd(
    "omi_faces",
    {"attribute_ratings.zip": _github(*_OMI, "attribute_ratings.zip")},
    name="faces",
    about="first impressions of 1,004 artificial faces; the label is the mean rating of 'trustworthy'. "
    "Who judged is not told: workers are numbered anew for each pair.",
    address="https://github.com/jcpeterson/omi",
    licence="CC BY-NC-SA 4.0 (not for commercial use)",
    citation="Peterson, Uddenberg, Griffiths, Todorov and Suchow (2022), Deep models of superficial face judgments, "
    "PNAS 119(17), e2115228119",
    parse=published_files.parse_faces,
    slots=True,
    unpacked=published_files.FACES_CSV,
    digests=(
        "9214ab16b7bc75abf8325c38e80e7af877f1adbd9bf3547d6d41bbd02f2ae30d",
        "8ebc5dd16ef5ceb84f07d890d3e07e5807717c7f8323af2988459c88cfe9e518",
    ),
)

SKATING = _crowd(
    "figure_skating_base",
    {name: _github(*_SKATING, f"data/tidy/{name}") for name in published_files.SKATING_FILES},
    name="skating",
    about="component scores of figure skating performances of 2016 and 2017; the label is the base value of the "
    "elements, standardized within the program. A judge scores all five components, so their noise moves together.",
    address="https://github.com/BuzzFeedNews/figure-skating-scores",
    licence="CC BY 4.0",
    citation="BuzzFeed News, ISU figure skating score sheets as structured data",
    parse=published_files.parse_skating,
    slots=False,
    digests=(
        "849fde68e92199c21eb14d9ec6f6fcf115f990c3e2d7d77e4a1ee9c1d871573a",
        "4e9acc30c060e52d02fff4b830365d2aafeade363ff50ddfd881d37f49a9a3ac",
    ),
)

ODOURS = _crowd(
    "olfaction_pleasantness_disjoint",
    {"TrainSet.txt": _github(*_DREAM, "data/TrainSet.txt")},
    name="odours",
    about="smells of 338 compounds at high intensity, as described by the subjects with even numbers; the label is the "
    "mean pleasantness that those with odd numbers found. A worker such as '10r' is subject 10 smelling it again.",
    address="https://github.com/dream-olfaction/olfaction-prediction",
    licence="MIT",
    citation="Keller and Vosshall (2016), Olfactory perception of chemically diverse molecules, BMC Neuroscience 17:55",
    parse=published_files.parse_odours,
    slots=False,
    digests=(
        "43a16df227d5ccbb552402af54c23dc69cfeab11453f41c91f99afe80de6429a",
        "2287d485bb4b48dfb52679330a3df9dce9021484c23649992a0a2932c199ac18",
    ),
)


def fetch_faces(data_home: StrPath | None = None, *, download: bool = True, verify: bool = True) -> Dataset:
    """One Million Impressions: 33 first impressions of 1,004 faces, to predict how trustworthy a face looks.

    About a million ratings from 0 to 100, some 30 for each pair (Peterson et al., 2022). Not for commercial use.

    Parameters
    ----------
    data_home : path, optional
        Where files are looked for and kept; see :func:`get_data_home`.
    download : bool
        Whether to download what is not there.
    verify : bool
        Whether the content must be exactly what it was when this loader was written.

    Returns
    -------
    Dataset
    """
    return fetch_crowd(FACES, data_home, download=download, verify=verify)


def fetch_skating(data_home: StrPath | None = None, *, download: bool = True, verify: bool = True) -> Dataset:
    """Figure skating: 5 components of 1,726 performances, scored by 8 or 9 judges, to predict how hard they were.

    The label is the sum of the elements' base values, standardized within the program (such as MEN FREE SKATING).

    Parameters
    ----------
    data_home, download, verify
        As for :func:`fetch_faces`.

    Returns
    -------
    Dataset
    """
    return fetch_crowd(SKATING, data_home, download=download, verify=verify)


def fetch_odours(data_home: StrPath | None = None, *, download: bool = True, verify: bool = True) -> Dataset:
    """Odours: 20 descriptions of the smell of 338 compounds, to predict how pleasant others find it.

    From the DREAM olfaction challenge (Keller and Vosshall, 2016), the rows at high intensity. Who smelled nothing
    described nothing, so that pairs have between 6 and 48 judgments.

    Parameters
    ----------
    data_home, download, verify
        As for :func:`fetch_faces`.

    Returns
    -------
    Dataset
    """
    return fetch_crowd(ODOURS, data_home, download=download, verify=verify)


def judgments_digest(judgments: Judgments, *, slots: bool = False) -> str:
    """SHA-256 of a table: its names in sorted order, then its rows by object, attribute and worker.

    With ``slots``, workers are left out and the values of a pair are sorted.
    """
    rows = judgments.rows()
    values = np.asarray(rows.values, dtype=np.float64)
    workers = None if slots else rows.workers
    last = values if workers is None else workers
    order = np.lexsort((last, rows.attributes, rows.objects))
    digest = hashlib.sha256()
    for names in (judgments.objects, judgments.attributes, [] if workers is None else judgments.workers):
        digest.update("\n".join([*map(str, names), "\n"]).encode())
    for codes in (rows.objects, rows.attributes, *([] if workers is None else [workers])):
        digest.update(np.ascontiguousarray(codes[order], dtype="<i8").tobytes())
    digest.update(np.ascontiguousarray(values[order] + 0.0, dtype="<f8").tobytes())  # + 0.0: no negative zeros
    return digest.hexdigest()


def labels_digest(labels: pd.Series[Any]) -> str:
    """SHA-256 of labels by object, to nine decimals: another order of adding them up must not matter."""
    names = [str(name) for name in labels.index]
    order = np.argsort(np.array(names, dtype=np.object_), kind="stable")
    digest = hashlib.sha256("\n".join(names[i] for i in order).encode())
    digest.update(np.ascontiguousarray(np.round(labels.to_numpy(dtype=float), 9)[order] + 0.0, dtype="<f8").tobytes())
    return digest.hexdigest()


def fetch_crowd(
    crowd: _Crowd, data_home: StrPath | None = None, *, download: bool = True, verify: bool = True
) -> Dataset:
    """A set of which these things are known; the parameters are those of :func:`fetch_faces`."""
    home = get_data_home(data_home)
    judgments, labels = _ready(crowd, home) or _original(crowd, home, download=download)
    if verify:
        _check_content(crowd, judgments, labels)
    return Dataset(
        crowd.name, judgments, labels, crowd.about, source=crowd.address, licence=crowd.licence, citation=crowd.citation
    )


def _ready(crowd: _Crowd, home: Path) -> _Pair | None:
    """Tables that somebody has prepared already."""
    folder = home / crowd.source.folder
    if not all((folder / f"{what}.parquet").is_file() for what in ("judgments", "labels")):
        return None
    try:
        frame = pd.read_parquet(folder / "judgments.parquet", columns=["object", "attribute", "worker", "value"])
        labels = read_labels(folder / "labels.parquet", object="object", label="label")
        return _as_judgments(frame, folder / "judgments.parquet"), _as_labels(labels)
    except (ManyJudgesError, pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        words = " ".join(str(error).split())
        raise DatasetError(
            f"the tables in {str(folder)!r} cannot be read: {words} Delete or correct them.", file=str(folder)
        ) from None


def _original(crowd: _Crowd, home: Path, *, download: bool) -> _Pair:
    unpacked = find(home, crowd.source.folder, crowd.unpacked) if crowd.unpacked else None
    paths = [unpacked] if unpacked else obtain(home, crowd.source, list(crowd.source.addresses), download=download)
    try:
        frame, labels = crowd.parse(paths)
        return _as_judgments(frame, paths[0]), _as_labels(labels)
    except OSError as error:
        raise DatasetError(
            f"cannot read {str(paths[0].parent)!r}: {error.strerror or error}.", file=str(paths[0].parent)
        ) from None
    except JudgmentsError as error:
        raise DatasetError(
            f"{paths[0].name} is not what it should be: {error}",
            value=error.value,
            row=error.row,
            column=error.column,
            file=paths[0].name,
        ) from None


def _as_judgments(frame: pd.DataFrame, path: Path) -> Judgments:
    columns = {name: _as_text(frame[name]) for name in ("object", "attribute", "worker")}
    columns["value"] = frame["value"].to_numpy(dtype=float)

    def locate(row: int) -> Place:
        return Place(f"row {row + 1} of what was read from {path.name}", row + 1, path.name)

    return Judgments.from_columns(columns, locate, source=f"read from {path}")


def _as_labels(labels: pd.Series[Any]) -> pd.Series[Any]:
    return pd.Series(labels.to_numpy(dtype=float), index=pd.Index(_as_text(labels.index), name="object"), name="label")


def _as_text(names: Any) -> Any:
    return names.astype(str).to_numpy(dtype=np.object_)


def _check_content(crowd: _Crowd, judgments: Judgments, labels: pd.Series[Any]) -> None:
    digests = judgments_digest(judgments, slots=crowd.slots), labels_digest(labels)
    for what, expected, actual in zip(("judgments", "labels"), crowd.digests, digests, strict=True):
        if expected != actual:
            raise DatasetError(
                f"the {what} of {crowd.name} are not those this loader knows: their SHA-256 is {actual}, expected "
                f"{expected}. They were {judgments.source}; it may be another version or damaged. Delete it to have "
                f"it downloaded anew, or take it as it is with verify=False. (It has {judgments.shape[0]:,} objects, "
                f"{judgments.shape[1]} attributes and {len(judgments):,} judgments.)",
                value=actual,
                column=what,
            )
