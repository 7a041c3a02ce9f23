"""Signatures: what the first bytes of a file tell of it, for files that are none of the formats that are read."""

from __future__ import annotations

__all__: list[str] = []

import re

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath, file_name

_SAVE = "Open it in Excel or LibreOffice, and save it as .xlsx or CSV."

_PAGE = re.compile(
    rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body|table|meta)\b", re.IGNORECASE | re.DOTALL
)
_XML = re.compile(rb"\s*<\?xml\s")

_BEGINNINGS = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls), or one with a password", _SAVE),
    (b"\x1f\x8b", "compressed with gzip", "Let its name end in .gz, such as ratings.csv.gz."),
    (b"BZh", "compressed with bzip2", "Let its name end in .bz2, such as ratings.csv.bz2."),
    (b"PK\x03\x04", "a .zip archive", "Unpack it, and give the file that is in it."),
    (b"7z\xbc\xaf\x27\x1c", "a .7z archive", "Unpack it, and give the file that is in it."),
    (b"Rar!", "a .rar archive", "Unpack it, and give the file that is in it."),
    (b"%PDF", "a PDF document", "Give the table that it was made from."),
    (b"SQLite format 3\0", "a SQLite database", "Export the table with the judgments as a CSV file."),
    ((b"RDX", b"X\n\0\0"), "an R data file", "In R, write the table with write.csv()."),
    (b"version https://git-lfs", "a placeholder of Git LFS", "Fetch the file itself with: git lfs pull"),
)
"""What files of other kinds begin with, what they are, and what to do."""


def check_signature(start: bytes, path: StrPath) -> None:
    """Refuse a file that begins as no table does."""
    begun = start.removeprefix(b"\xef\xbb\xbf")
    for mark, what, advice in _BEGINNINGS:
        if begun.startswith(mark):
            raise _foreign(path, what, advice)
    if _PAGE.match(begun) or (_XML.match(begun) and b"<html" in begun[:4096].lower()):
        raise _foreign(path, "an HTML page", _SAVE)
    if _XML.match(begun):
        spreadsheet = b"urn:schemas-microsoft-com:office:spreadsheet" in begun
        what, advice = "an XML document", "Export the table as a CSV file."
        raise _foreign(path, "an XML spreadsheet" if spreadsheet else what, _SAVE if spreadsheet else advice)


def _foreign(path: StrPath, what: str, advice: str) -> DocumentError:
    name = file_name(path)
    return DocumentError(f"{name} is {what}, which is not read as it is. {advice}", file=name)
