"""The file of genuine slices: read, checked, and found or downloaded as a whole."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from manyjudges import datasets
from manyjudges.datasets import ct_slices_file
from manyjudges.exceptions import DatasetError
from tests.support.dataset_files import edit, slice_text, zipped
from tests.support.messages import refused


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_slices_are_read_from_text(tmp_path, end):
    path = tmp_path / "part.csv"
    path.write_bytes(slice_text(end=end).encode())
    read, made = datasets.read_slice(path), datasets.make_slice(6, random_state=0)
    np.testing.assert_allclose(read.values, made.values, rtol=1e-5)
    np.testing.assert_allclose(read.labels, made.labels, rtol=1e-5)
    assert read.patients.tolist() == made.patients.tolist()
    assert not read.simulated
    assert read.source == "read from part.csv"
    assert list(read.labels.index[:2]) == ["slice 00001", "slice 00002"]


def test_slices_are_read_from_an_archive_in_an_archive(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("slice_localization_data.csv", slice_text())
    outer = zipped(tmp_path / "outer.zip", slice_localization_data__zip=inner.getvalue())
    assert len(datasets.read_slice(outer)) == 6
    plain = zipped(tmp_path / "plain.zip", slice_localization_data__csv=slice_text(7))
    assert len(datasets.read_slice(plain)) == 7


@pytest.mark.parametrize(
    ("change", "row", "column"),
    [
        (lambda t: t.replace("value17,", "valeu17,"), 1, "value17"),
        (lambda t: t.replace(",reference", ""), 1, "reference"),
        (lambda t: t.replace(",reference", ",reference,x"), 1, None),
        (lambda t: t.replace(",", ";"), 1, "patientId"),
        (lambda t: "", 1, "patientId"),
        (lambda t: t.splitlines()[0] + "\n", None, None),
        (lambda t: edit(t, 3, 5, "x"), 3, "value4"),
        (lambda t: edit(t, 2, 385, ""), 2, "reference"),
        (lambda t: edit(t, 2, 1, "nan"), 2, "value0"),
        (lambda t: edit(t, 4, 0, "1.5"), 4, "patientId"),
        (lambda t: t[:-300], 6, None),
    ],
)
def test_wrong_slices_are_named(tmp_path, change, row, column):
    path = tmp_path / "part.csv"
    path.write_text(change(slice_text()))
    with refused(DatasetError, file="part.csv", row=row, column=column):
        datasets.read_slice(path)


def test_a_slice_file_that_is_not_there_or_cut_off_is_named(tmp_path):
    with refused(DatasetError, file=str(tmp_path / "nowhere.csv")):
        datasets.read_slice(tmp_path / "nowhere.csv")
    path = zipped(tmp_path / "a.zip", slice_localization_data__csv=slice_text())
    path.write_bytes(path.read_bytes()[:-40])
    with refused(DatasetError, file="a.zip"):
        datasets.read_slice(path)


@pytest.fixture(scope="module")
def small_file():
    """The text of a small file, and what is known of it."""
    text = slice_text(40)
    start = "".join(line + "\n" for line in text.splitlines()[1:6])
    patients = len(np.unique(datasets.make_slice(40, random_state=0).patients))
    lines = hashlib.sha256(start.encode()).hexdigest()
    return text, replace(ct_slices_file.WHOLE, n_slices=40, n_patients=patients, n_lines=5, lines=lines)


@pytest.mark.parametrize("name", ["slice/slice_localization_data.csv", "slice_localization_data.csv"])
def test_the_whole_file_is_found(home, small_file, name):
    text, known = small_file
    (home / "slice").mkdir()
    (home / name).write_bytes(text.replace("\n", "\r\n").encode())
    assert len(ct_slices_file.fetch_known(known, download=False)) == 40


def test_the_whole_file_is_downloaded_and_kept(server, small_file, tmp_path):
    folder, address = server
    text, known = small_file
    zipped(folder / "new.zip", slice_localization_data__csv=text)
    addresses = {ct_slices_file.ZIP: (f"{address}/old.zip", f"{address}/new.zip")}
    known = replace(known, source=replace(known.source, addresses=addresses, schemes=("http://127.0.0.1:",)))
    assert len(ct_slices_file.fetch_known(known)) == 40
    kept = tmp_path / "home" / "slice"
    assert "CC BY 4.0" in (kept / "LICENCE.txt").read_text()
    (folder / "new.zip").unlink()
    assert len(ct_slices_file.fetch_known(known)) == 40


@pytest.mark.parametrize(
    "change",
    [
        lambda t: "\n".join(t.splitlines()[:-1]) + "\n",
        lambda t: edit(t, 40, 0, "77"),
        lambda t: edit(t, 5, 7, "0.123"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(home, small_file, change):
    text, known = small_file
    (home / "slice_localization_data.csv").write_text(change(text))
    with refused(DatasetError):
        ct_slices_file.fetch_known(known, download=False)
    assert len(datasets.fetch_slice(download=False, verify=False)) >= 39


def test_without_the_file_the_message_names_folders_and_names(home):
    with refused(DatasetError):
        datasets.fetch_slice(download=False)


def test_what_is_no_path_is_not_read():
    with refused(DatasetError, value=5, column="path"):
        datasets.read_slice(5)
