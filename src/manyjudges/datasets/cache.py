"""Cache: where data files are looked for, and how they get there.

A file that was downloaded is written whole or not at all. Next to it stands its SHA-256 in a file that ``sha256sum -c``
understands, which every later reading is checked against, and a note on whose data it is.
"""

from __future__ import annotations

__all__ = ["get_data_home"]

import contextlib
import hashlib
import http.client
import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyjudges.base import documents
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import DatasetError, DocumentError, ManyJudgesError
from manyjudges.tables.formats.paths import StrPath

_VARIABLE = "MANYJUDGES_DATA"
_TIMEOUT = 60.0
"""Seconds without a byte after which a download is given up."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class DatasetSource:
    """Where a set of files comes from: ``addresses`` by file name, each tried in turn, and what to say beside them."""

    folder: str
    addresses: Mapping[str, Sequence[str]]
    note: str
    check: Callable[[str, Path], None]
    """Raises if what was downloaded under a name cannot be that file."""
    also: Sequence[str] = ()
    """Other files that will do instead."""
    schemes: tuple[str, ...] = ("https://",)
    """What an address may begin with."""


def get_data_home(data_home: StrPath | None = None) -> Path:
    """The folder that data is looked for and kept in.

    It is ``data_home`` if given, else the environment variable ``MANYJUDGES_DATA``, else ``manyjudges`` in
    ``$XDG_CACHE_HOME`` or ``~/.cache``. It need not be there; it is made when something is downloaded.

    Examples
    --------
    >>> get_data_home("somewhere").name
    'somewhere'
    """
    if data_home is None:
        data_home = os.environ.get(_VARIABLE) or None
    if data_home is None:
        caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        data_home = os.path.join(caches, "manyjudges")
    if not isinstance(data_home, str | os.PathLike):
        raise DatasetError(
            f"data_home must be a folder, not {quote_value(data_home)}.", value=data_home, column="data_home"
        )
    try:
        return Path(data_home).expanduser()
    except RuntimeError:  # ~nobody
        raise DatasetError(
            f"there is no home folder for {quote_value(os.fspath(data_home))}; name a folder.",
            value=os.fspath(data_home),
            column="data_home",
        ) from None


def _places(home: Path, folder: str) -> tuple[Path, Path]:
    """The folders in which the files of a set may lie: one of its own, or the data folder itself."""
    return home / folder, home


def find(home: Path, folder: str, name: str) -> Path | None:
    """The file of this name, unchanged since it was downloaded, or None if it is in neither place."""
    for place in _places(home, folder):
        path = place / name
        if path.is_file():
            _check_unchanged(path)
            return path
    return None


def obtain(home: Path, source: DatasetSource, names: Sequence[str], *, download: bool) -> list[Path]:
    """Find all these files, and download those that are not there."""
    paths = {name: find(home, source.folder, name) for name in names}
    missing = [name for name, path in paths.items() if path is None]
    if missing and not download:
        raise DatasetError(
            f"there is no {_listed(missing)}, and download=False. {_how_to_help(home, source, missing)}",
            file=missing[0],
        )
    for name in missing:
        paths[name] = _download_from_any(home, source, name)
    return [path for path in paths.values() if path is not None]


def _how_to_help(home: Path, source: DatasetSource, names: Sequence[str]) -> str:
    """Which files to put where, for those without a network."""
    own, shared = _places(home, source.folder)
    where = "; ".join(f"{name} from {source.addresses[name][0]}" for name in names)
    instead = f" (or {_listed(source.also)})" if source.also else ""
    return (
        f"Put {_listed(names, 'and')}{instead} into {os.fspath(own)!r} or {os.fspath(shared)!r}, which were searched "
        f"(another folder: data_home= or {_VARIABLE}). To be had: {where}."
    )


def _download_from_any(home: Path, source: DatasetSource, name: str) -> Path:
    target = home / source.folder / name
    reasons = []
    for address in source.addresses[name]:
        try:
            _download(address, target, lambda path: source.check(name, path), source.schemes)
        except DatasetError as error:
            reasons.append(str(error))
        else:
            documents.write(target.parent / "LICENCE.txt", source.note)
            return target
    raise DatasetError(f"{' '.join(reasons)} {_how_to_help(home, source, [name])}", file=name)


def _download(address: str, target: Path, check: Callable[[Path], None], schemes: tuple[str, ...]) -> None:
    """Download into a temporary file, and give it its name when it is whole and what it should be."""
    with _writing(target) as temporary:
        digest = _receive(address, temporary, schemes)
        check(temporary)
        # The record first: a record without a file is harmless, but an old record would refuse the new file.
        documents.write(_record(target), f"{digest}  {target.name}\n")
        os.replace(temporary, target)


@contextlib.contextmanager
def _writing(target: Path) -> Iterator[Path]:
    """A path beside the target that is gone afterwards: nothing is left half-written, not even by Ctrl-C."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)
    except DocumentError as error:
        raise DatasetError(error.message, **error.fields) from None
    except OSError as error:
        raise DatasetError(
            f"cannot write {os.fspath(target)!r}: {error.strerror or error}.", file=os.fspath(target)
        ) from None


def _receive(address: str, path: Path, schemes: tuple[str, ...]) -> str:
    """Download into a file; the SHA-256 of what came."""
    digest = hashlib.sha256()
    with _opened(address, schemes) as response:
        path.parent.mkdir(parents=True, exist_ok=True)  # only now, so that no empty folder is left without a network
        with path.open("wb") as file:
            for block in _blocks(address, response):
                digest.update(block)
                file.write(block)
        expected = response.headers.get("Content-Length", "")
    size = path.stat().st_size
    if expected.isdecimal() and size != int(expected):
        raise DatasetError(f"{address} broke off: {size:,} of {int(expected):,} bytes came.", value=address)
    return digest.hexdigest()


def _opened(address: str, schemes: tuple[str, ...]) -> Any:
    if not address.startswith(schemes):
        raise DatasetError(f"{address} is no https address.", value=address)
    request = urllib.request.Request(address, headers={"User-Agent": "manyjudges"})  # noqa: S310  # checked above
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT)  # noqa: S310  # checked above
    except urllib.error.HTTPError as error:
        error.close()
        raise DatasetError(f"{address} answers with the error {error.code} ({error.reason}).", value=address) from None
    except (OSError, http.client.HTTPException) as error:
        raise DatasetError(
            f"{address} cannot be downloaded: {getattr(error, 'reason', error)}.", value=address
        ) from None
    if not response.url.startswith(schemes):
        response.close()
        raise DatasetError(f"{address} leads on to {response.url}, which is no https address.", value=address)
    return response


def _blocks(address: str, response: Any) -> Iterator[bytes]:
    while True:
        try:
            block = response.read(_CHUNK)
        except (OSError, http.client.HTTPException) as error:
            raise DatasetError(f"{address} broke off: {error}.", value=address) from None
        if not block:
            return
        yield block


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _check_unchanged(path: Path) -> None:
    record = _record(path)
    if not record.is_file():
        return  # put there by hand; what it says is checked later
    try:
        expected = documents.read(record).split()
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except ManyJudgesError as error:
        raise DatasetError(error.message, **error.fields) from None
    except OSError as error:
        raise DatasetError(
            f"cannot read {os.fspath(path)!r}: {error.strerror or error}.", file=os.fspath(path)
        ) from None
    if expected[:1] != [digest]:
        raise DatasetError(
            f"{os.fspath(path)!r} has changed since it was downloaded: its SHA-256 is {digest}, and {record.name} says "
            f"{' '.join(expected[:1]) or 'nothing'}. Delete both files; they are then downloaded anew.",
            value=digest,
            file=os.fspath(path),
        )


def _listed(names: Sequence[str], word: str = "or") -> str:
    *rest, last = names
    return f"{', '.join(rest)} {word} {last}" if rest else last
