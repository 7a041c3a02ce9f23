"""Files of datasets: where they are looked for, how they are downloaded, and what is kept of them."""

from __future__ import annotations

import hashlib
import http.server
import socket
from dataclasses import replace

import pytest

from manyjudges import datasets
from manyjudges.datasets import ct_slices_file, recorded
from manyjudges.exceptions import DatasetError, ManyJudgesError
from tests.support.dataset_files import FACES, odour_file, pack_faces, skating_files
from tests.support.messages import refused


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_each_missing_file_is_named(home):
    skating_files(home / "figure_skating_base")
    (home / "figure_skating_base" / "judge-scores.csv").unlink()
    with refused(DatasetError, file="judge-scores.csv") as caught:
        datasets.fetch_skating(download=False)
    assert "performances.csv from" not in str(caught.value)
    assert str(home / "figure_skating_base") in str(caught.value)


# -- the folder --


def test_the_data_folder(monkeypatch, tmp_path):
    assert datasets.get_data_home("x").name == "x"
    assert datasets.get_data_home() == tmp_path / "home"
    monkeypatch.delenv("MANYJUDGES_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert datasets.get_data_home() == tmp_path / "manyjudges"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert datasets.get_data_home() == tmp_path / ".cache" / "manyjudges"
    with refused(DatasetError, value=3, column="data_home"):
        datasets.get_data_home(3)


# -- downloading --


HERE = ("http://127.0.0.1:",)
"""What addresses of servers of these tests begin with."""


def faces_from(*addresses, digests=("", ""), schemes=HERE, **source):
    """Faces that are served elsewhere."""
    known = {"addresses": {"attribute_ratings.zip": addresses}, "schemes": schemes} | source
    return replace(recorded.FACES, source=replace(recorded.FACES.source, **known), digests=digests)


def test_a_download_is_kept_with_its_checksum_and_licence(server, tmp_path):
    folder, address = server
    archive = pack_faces(folder / "attribute_ratings.zip")
    faces = faces_from(f"{address}/attribute_ratings.zip")
    first = recorded.fetch_crowd(faces, verify=False)
    kept = tmp_path / "home" / "omi_faces"
    assert sorted(p.name for p in kept.iterdir()) == [
        "LICENCE.txt",
        "attribute_ratings.zip",
        "attribute_ratings.zip.sha256",
    ]
    assert "CC BY-NC-SA 4.0" in (kept / "LICENCE.txt").read_text()
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert (kept / "attribute_ratings.zip.sha256").read_text() == f"{digest}  attribute_ratings.zip\n"
    archive.unlink()  # the second time nothing is downloaded
    again = recorded.fetch_crowd(faces, verify=False)
    assert recorded.judgments_digest(first.judgments) == recorded.judgments_digest(again.judgments)
    right = (recorded.judgments_digest(first.judgments, slots=True), recorded.labels_digest(first.labels))
    assert len(recorded.fetch_crowd(faces_from(digests=right)).labels) == 2  # verified


def test_a_changed_cache_is_refused(server, tmp_path):
    folder, address = server
    pack_faces(folder / "attribute_ratings.zip")
    faces = faces_from(f"{address}/attribute_ratings.zip")
    recorded.fetch_crowd(faces, verify=False)
    kept = tmp_path / "home" / "omi_faces" / "attribute_ratings.zip"
    pack_faces(kept, FACES.replace("40", "41"))
    with refused(DatasetError):
        recorded.fetch_crowd(faces, verify=False)


def test_an_error_of_the_server_is_passed_on_with_what_to_do(server, tmp_path):
    _, address = server
    faces = faces_from(f"{address}/nothing.zip")
    with refused(DatasetError, file="attribute_ratings.zip") as caught:
        recorded.fetch_crowd(faces)
    assert f"Put attribute_ratings.zip (or attribute_ratings.csv) into '{tmp_path}/home/omi_faces'" in str(caught.value)
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_without_a_network_the_message_says_where_to_put_what(tmp_path):
    faces = faces_from(f"http://127.0.0.1:{closed_port()}/a.zip")
    with refused(DatasetError, file="attribute_ratings.zip") as caught:
        recorded.fetch_crowd(faces)
    assert "MANYJUDGES_DATA" in str(caught.value)
    assert isinstance(caught.value, ManyJudgesError)
    assert not (tmp_path / "home").exists()


def test_an_address_that_leads_elsewhere_is_refused(server, monkeypatch):
    folder, address = server
    (folder / "a").mkdir()
    pack_faces(folder / "a.zip")

    def redirect(self):
        self.send_response(302 if self.path == "/a.zip" else 200)
        self.send_header("Location", "/elsewhere.zip")
        self.send_header("Content-Length", "0")
        self.end_headers()

    monkeypatch.setattr(http.server.SimpleHTTPRequestHandler, "do_GET", redirect)
    faces = faces_from(f"{address}/a.zip", schemes=(f"{address}/a",))
    with refused(DatasetError, file="attribute_ratings.zip"):
        recorded.fetch_crowd(faces)


def test_a_second_address_is_tried(server):
    folder, address = server
    pack_faces(folder / "b.zip")
    faces = faces_from(f"{address}/a.zip", f"{address}/b.zip")
    assert len(recorded.fetch_crowd(faces, verify=False).labels) == 2


def test_only_https_is_downloaded():
    faces = faces_from("http://127.0.0.1/a.zip", "file:///etc/passwd", schemes=recorded.FACES.source.schemes)
    with refused(DatasetError, file="attribute_ratings.zip"):
        recorded.fetch_crowd(faces)
    for crowd in (recorded.SKATING, recorded.ODOURS):
        assert all(a.startswith("https://") for each in crowd.source.addresses.values() for a in each)
    assert all(a.startswith("https://") for a in ct_slices_file.SOURCE.addresses[ct_slices_file.ZIP])


@pytest.mark.parametrize("content", [b"<html>please log in</html>", b"PK\x03\x04 cut off"])
def test_a_download_that_is_something_else_is_not_kept(server, tmp_path, content):
    folder, address = server
    (folder / "attribute_ratings.zip").write_bytes(content)
    faces = faces_from(f"{address}/attribute_ratings.zip")
    with refused(DatasetError, file="attribute_ratings.zip"):
        recorded.fetch_crowd(faces)
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_text_that_is_something_else_is_not_kept(server, tmp_path):
    folder, address = server
    (folder / "TrainSet.txt").write_bytes(b"<html>please log in</html>")
    addresses = {"TrainSet.txt": (f"{address}/TrainSet.txt",)}
    odours = replace(recorded.ODOURS, source=replace(recorded.ODOURS.source, addresses=addresses, schemes=HERE))
    with refused(DatasetError, file="TrainSet.txt"):
        recorded.fetch_crowd(odours)
    odour_file(folder / "TrainSet.txt")
    assert len(recorded.fetch_crowd(odours, verify=False).labels) == 2


def test_a_download_that_breaks_off_is_not_kept(server, monkeypatch, tmp_path):
    folder, address = server
    archive = pack_faces(folder / "attribute_ratings.zip")

    def short(self, source, outputfile):
        outputfile.write(source.read()[:-7])

    monkeypatch.setattr(http.server.SimpleHTTPRequestHandler, "copyfile", short)
    faces = faces_from(f"{address}/attribute_ratings.zip")
    with refused(DatasetError, file="attribute_ratings.zip"):
        recorded.fetch_crowd(faces)
    assert archive.exists()
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_an_interrupted_download_leaves_nothing(server, tmp_path):
    folder, address = server
    pack_faces(folder / "attribute_ratings.zip")

    def interrupt(name, path):
        assert path.exists()
        raise KeyboardInterrupt

    faces = faces_from(f"{address}/attribute_ratings.zip", check=interrupt)
    with pytest.raises(KeyboardInterrupt):
        recorded.fetch_crowd(faces)
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_a_folder_that_cannot_be_written_is_named(server, tmp_path):
    folder, address = server
    pack_faces(folder / "attribute_ratings.zip")
    faces = faces_from(f"{address}/attribute_ratings.zip")
    (tmp_path / "home").write_text("a file")
    with refused(DatasetError, file="attribute_ratings.zip"):
        recorded.fetch_crowd(faces)


def test_a_home_folder_that_there_is_not_is_said(monkeypatch):
    monkeypatch.setenv("MANYJUDGES_DATA", "~nobody-of-that-name/x")
    with refused(DatasetError, value="~nobody-of-that-name/x", column="data_home"):
        datasets.get_data_home()
