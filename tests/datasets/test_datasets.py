"""Datasets: parsers of the published files, the cache, the slices and what is simulated; all without a network."""

import functools
import hashlib
import http.server
import io
import socket
import threading
import zipfile
from dataclasses import replace
from importlib import resources

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, datasets, select
from manyjudges.campaign import Campaign, drive
from manyjudges.datasets import cache, ct_slices, ct_slices_file, published_files, recorded
from manyjudges.exceptions import DatasetError, ManyJudgesError


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    """Nothing is looked for at home, and nothing leaves this machine."""
    monkeypatch.setenv("MANYJUDGES_DATA", str(tmp_path / "home"))
    real = socket.socket.connect

    def connect(self, address):
        assert address[0] in ("127.0.0.1", "localhost"), address
        return real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A folder and the address that it is served at."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setattr(cache, "_SCHEMES", ("http://127.0.0.1:", "https://"))
    yield folder, f"http://127.0.0.1:{httpd.server_address[1]}"
    httpd.shutdown()
    httpd.server_close()


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


# -- faces --

FACES = """worker,stimulus,attribute,rating,rating_type
a,1,trustworthy,40,normal
b,1,trustworthy,50,normal
c,1,trustworthy,90,repeat
a,1,smart,10,normal
b,1,smart,30,normal
c,1,smart,99,fill-in
a,2,trustworthy,70,normal
a,2,smart,60,normal
d,2,smart,61,normal
d,1005,smart,61,normal
d,CFD-1,smart,61,normal
"""


def zipped(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return path


def pack_faces(path, text=FACES):
    return zipped(path, attribute_ratings__csv=text)


def test_faces_keep_normal_ratings_of_faces_that_are_no_validation(home):
    pack_faces(home / "attribute_ratings.zip")
    judgments, labels = datasets.fetch_faces(download=False, verify=False)
    assert labels.to_dict() == {"1": 45.0, "2": 70.0}
    assert judgments.attributes == ("smart",)
    assert judgments.to_frame().to_numpy().tolist() == [
        ["1", "smart", "0", 10.0],
        ["1", "smart", "1", 30.0],
        ["2", "smart", "0", 60.0],
        ["2", "smart", "1", 61.0],
    ]
    assert list(judgments.objects) == list(labels.index)


def test_faces_may_lie_unpacked_in_their_folder(home):
    (home / "omi_faces").mkdir()
    (home / "omi_faces" / "attribute_ratings.csv").write_text(FACES)
    assert datasets.fetch_faces(download=False, verify=False).labels["1"] == 45


def test_a_dataset_shows_whose_it_is(home):
    pack_faces(home / "attribute_ratings.zip")
    shown = repr(datasets.fetch_faces(download=False, verify=False))
    assert "licence: CC BY-NC-SA 4.0" in shown
    assert "Peterson" in shown
    assert "4 judgments of 1 attribute on 2 objects" in shown
    assert "labels: 2, from 45 to 70" in shown


def test_other_content_is_refused_and_the_message_says_what_to_do(home):
    pack_faces(home / "attribute_ratings.zip")
    expected = r"judgments of faces are not those .* expected 9214ab16.*verify=False"
    with pytest.raises(DatasetError, match=expected):
        datasets.fetch_faces(download=False)


def test_digests_ignore_the_order_of_rows_and_see_every_value():
    frame = pd.DataFrame({"object": list("aabb"), "attribute": list("xyxy"), "worker": list("1212"), "value": range(4)})
    table = Judgments.from_frame(frame)
    digest = recorded.judgments_digest(table)
    assert digest == recorded.judgments_digest(Judgments.from_frame(frame.sample(frac=1, random_state=0)))
    for column, row, value in [("value", 0, 9), ("worker", 1, "3"), ("object", 3, "c"), ("attribute", 0, "z")]:
        changed = frame.copy()
        changed.loc[row, column] = value
        assert recorded.judgments_digest(Judgments.from_frame(changed)) != digest
    twin = hashlib.sha256(b"a\nb\n\n" + b"x\ny\n\n" + b"1\n2\n\n")
    for codes in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]):
        twin.update(np.array(codes, dtype="<i8").tobytes())
    twin.update(np.arange(4, dtype="<f8").tobytes())
    assert digest == twin.hexdigest()


def test_slots_may_be_numbered_otherwise():
    frame = pd.DataFrame({"object": ["a"] * 3, "attribute": ["x"] * 3, "worker": list("012"), "value": [3, 1, 2]})
    other = frame.assign(value=[1, 2, 3])
    one, two = Judgments.from_frame(frame), Judgments.from_frame(other)
    assert recorded.judgments_digest(one, slots=True) == recorded.judgments_digest(two, slots=True)
    assert recorded.judgments_digest(one) != recorded.judgments_digest(two)


def test_labels_digest_sees_names_and_nine_decimals():
    labels = pd.Series([1.0, 2.0], index=["a", "b"])
    digest = recorded.labels_digest(labels)
    assert digest == recorded.labels_digest(labels[::-1] + 1e-13)
    assert digest != recorded.labels_digest(labels + 1e-8)
    assert digest != recorded.labels_digest(labels.set_axis(["a", "c"]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rating_type", "kind", "attribute_ratings.zip has no column 'rating_type'; its columns are 'worker'"),
        (
            "b,1,smart,30",
            "b,1,smart,much",
            "row 5 of attribute_ratings.zip .*'much' in the column 'rating' is no number",
        ),
        (FACES, "", "attribute_ratings.zip cannot be read: No columns"),
    ],
)
def test_wrong_faces_are_named(home, old, new, message):
    pack_faces(home / "attribute_ratings.zip", FACES.replace(old, new))
    with pytest.raises(DatasetError, match=message):
        datasets.fetch_faces(download=False, verify=False)


def test_a_zip_that_was_cut_off_is_named(home):
    path = pack_faces(home / "attribute_ratings.zip")
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DatasetError, match=r"attribute_ratings\.zip is damaged or cut off .*delete it"):
        datasets.fetch_faces(download=False, verify=False)


def test_a_zip_of_something_else_is_named(home):
    zipped(home / "attribute_ratings.zip", other__csv="a\n1\n")
    with pytest.raises(DatasetError, match=r"attribute_ratings.zip holds 'other.csv'"):
        datasets.fetch_faces(download=False, verify=False)


# -- skating --

PERFORMANCES = """performance_id,competition,program,name
p1,Cup,MEN,A
p2,Cup,MEN,B
p3,Cup,DANCE,C
p4,Cup,DANCE,D
p5,Cup,DANCE,withdrawn
"""


def skating_files(folder, *, wrong_score=None, component="Interpretation of the Music / Timing"):
    names = ["Composition", "Interpretation of the Music", "Performance", "Skating Skills", "Transitions"]
    aspects = ["aspect_id,performance_id,section,aspect_num,aspect_desc,info_flag,base_value"]
    scores = ["aspect_id,judge,score"]
    for p, performance in enumerate(["p1", "p2", "p3", "p4"]):
        for e in range(2):
            aspects.append(f"{performance}e{e},{performance},elements,{e + 1},3A,,{p + e + 0.5}")
            scores.append(f"{performance}e{e},J1,2.0")
        for c, name in enumerate(names):
            dance = performance in ("p3", "p4") and c == 1
            aspects.append(f"{performance}c{c},{performance},components,,{component if dance else name},,")
            scores += [f"{performance}c{c},J{j},{p + c + j / 4}" for j in (1, 2)]
    if wrong_score:
        scores.append(f"p1c0,J3,{wrong_score}")
    folder.mkdir(exist_ok=True)
    (folder / "performances.csv").write_text(PERFORMANCES)
    (folder / "judged-aspects.csv").write_text("\n".join(aspects) + "\n")
    (folder / "judge-scores.csv").write_text("\n".join(scores) + "\n")
    return folder


def test_skating_is_five_components_and_the_base_value_within_the_program(home):
    skating_files(home / "figure_skating_base")
    dataset = datasets.fetch_skating(download=False, verify=False)
    judgments, labels = dataset
    assert judgments.attributes == published_files.COMPONENTS
    assert list(judgments.objects) == ["p1", "p2", "p3", "p4"]
    assert len(judgments) == 4 * 5 * 2
    assert judgments.workers.tolist() == ["Cup|DANCE|J1", "Cup|DANCE|J2", "Cup|MEN|J1", "Cup|MEN|J2"]
    assert judgments.means().loc["p3", "interpretation of the music"] == 2 + 1 + 0.375
    np.testing.assert_allclose(labels.to_numpy(), np.array([-1, 1, -1, 1]) / np.sqrt(2))


def test_a_component_that_nobody_knows_is_named(home):
    skating_files(home / "figure_skating_base", component="Artistry")
    with pytest.raises(DatasetError, match=r"judged-aspects.csv has the component 'artistry'; known are 'composition'"):
        datasets.fetch_skating(download=False, verify=False)


def test_a_score_that_is_no_number_is_named(home):
    skating_files(home / "figure_skating_base", wrong_score="high")
    with pytest.raises(DatasetError, match=r"row 49 of judge-scores.csv .*'high' in the column 'score' is no number"):
        datasets.fetch_skating(download=False, verify=False)


def test_each_missing_file_is_named(home):
    skating_files(home / "figure_skating_base")
    (home / "figure_skating_base" / "judge-scores.csv").unlink()
    with pytest.raises(DatasetError, match=r"there is no judge-scores.csv, and download=False") as caught:
        datasets.fetch_skating(download=False)
    assert "performances.csv from" not in str(caught.value)
    assert str(home / "figure_skating_base") in str(caught.value)


# -- odours --


def odour_file(path, *, text="17", heading=None):
    columns = ["Compound Identifier", "Odor", "Replicate", "Intensity", "Dilution", "subject #", "INTENSITY/STRENGTH"]
    columns += ["VALENCE/PLEASANTNESS", *published_files.ODOUR_ATTRIBUTES[1:]]
    rest = len(published_files.ODOUR_ATTRIBUTES) - 1
    rows = [columns if heading is None else heading]

    def row(compound, again, intensity, subject, pleasant, first):
        values = [first] + ["0" if first != "NaN" else "NaN"] * (rest - 1)
        return [compound, '"2,3-thing "', again, intensity, '"1/1,000 "', subject, "7", pleasant, *values]

    rows += [
        row("126", "", "low ", "1", "1", "1"),
        row("126", "", "high ", "1", "60", "5"),
        row("126", "", "high ", "3", "NaN", "NaN"),
        row("126", "", "high ", "2", "9", text),
        row("126", "", "high ", "4", "NaN", "NaN"),
        row("126", "replicate ", "high ", "2", "9", "19"),
        row("126", "replicate ", "high ", "1", "50", "5"),
        row("176", "", "high ", "2", "9", "3"),
        row("176", "", "high ", "49", "33", "3"),
    ]
    path.write_bytes("\r".join("\t".join(line) for line in rows).encode())


def test_odours_are_described_by_one_half_and_liked_by_the_other(home):
    odour_file(home / "TrainSet.txt")
    judgments, labels = datasets.fetch_odours(download=False, verify=False)
    assert labels.to_dict() == {"126": 55.0, "176": 33.0}
    assert judgments.attributes == tuple(sorted(published_files.ODOUR_ATTRIBUTES))
    frame = judgments.to_frame()
    bakery = frame[(frame["object"] == "126") & (frame["attribute"] == "BAKERY")]
    assert dict(zip(bakery["worker"], bakery["value"], strict=True)) == {"2": 17.0, "2r": 19.0}
    strength = frame[(frame["object"] == "126") & (frame["attribute"] == "INTENSITY/STRENGTH")]
    assert strength["worker"].tolist() == ["2", "2r", "4"]  # who smelled nothing still said how strong it was


def test_wrong_odours_are_named(home):
    odour_file(home / "TrainSet.txt", text="lots")
    with pytest.raises(DatasetError, match=r"row 4 of TrainSet.txt .*'lots' in the column 'BAKERY' is no number"):
        datasets.fetch_odours(download=False, verify=False)
    odour_file(home / "TrainSet.txt", heading=["a", "b"] + ["c"] * 26)
    with pytest.raises(DatasetError, match=r"TrainSet.txt has no column 'Compound Identifier'"):
        datasets.fetch_odours(download=False, verify=False)


# -- ready tables --


def test_ready_tables_are_taken_as_they_are(home):
    folder = home / "figure_skating_base"
    folder.mkdir()
    frame = pd.DataFrame({"object": ["7", "7"], "attribute": ["x", "x"], "worker": ["1", "2"], "value": [1.0, 2.0]})
    frame.to_parquet(folder / "judgments.parquet")
    pd.DataFrame({"object": ["7"], "label": [3.0], "more": [0.0]}).to_parquet(folder / "labels.parquet")
    judgments, labels = datasets.fetch_skating(download=False, verify=False)
    assert len(judgments) == 2
    assert labels.to_dict() == {"7": 3.0}
    with pytest.raises(DatasetError, match="expected 849fde68"):
        datasets.fetch_skating(download=False)


def test_ready_tables_that_are_damaged_are_named(home):
    folder = home / "figure_skating_base"
    folder.mkdir()
    for name in ("judgments", "labels"):
        (folder / f"{name}.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(DatasetError, match=r"the tables in .*figure_skating_base' cannot be read"):
        datasets.fetch_skating(download=False)


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
    with pytest.raises(DatasetError, match="data_home must be a folder, not 3"):
        datasets.get_data_home(3)


# -- downloading --


def served_faces(monkeypatch, *addresses, digests=("", "")):
    source = replace(recorded.FACES.source, addresses={"attribute_ratings.zip": addresses})
    monkeypatch.setattr(recorded, "FACES", replace(recorded.FACES, source=source, digests=digests))


def test_a_download_is_kept_with_its_checksum_and_licence(server, monkeypatch, tmp_path):
    folder, address = server
    archive = pack_faces(folder / "attribute_ratings.zip")
    served_faces(monkeypatch, f"{address}/attribute_ratings.zip")
    first = datasets.fetch_faces(verify=False)
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
    again = datasets.fetch_faces(verify=False)
    assert recorded.judgments_digest(first.judgments) == recorded.judgments_digest(again.judgments)
    right = (recorded.judgments_digest(first.judgments, slots=True), recorded.labels_digest(first.labels))
    served_faces(monkeypatch, digests=right)
    assert len(datasets.fetch_faces().labels) == 2  # verified


def test_a_changed_cache_is_refused(server, monkeypatch, tmp_path):
    folder, address = server
    pack_faces(folder / "attribute_ratings.zip")
    served_faces(monkeypatch, f"{address}/attribute_ratings.zip")
    datasets.fetch_faces(verify=False)
    kept = tmp_path / "home" / "omi_faces" / "attribute_ratings.zip"
    pack_faces(kept, FACES.replace("40", "41"))
    with pytest.raises(DatasetError, match=r"has changed since it was downloaded: .*Delete both files"):
        datasets.fetch_faces(verify=False)


def test_an_error_of_the_server_is_passed_on_with_what_to_do(server, monkeypatch, tmp_path):
    _, address = server
    served_faces(monkeypatch, f"{address}/nothing.zip")
    with pytest.raises(DatasetError, match=r"nothing\.zip answers with the error 404 \(File not found\)") as caught:
        datasets.fetch_faces()
    assert f"Put attribute_ratings.zip (or attribute_ratings.csv) into '{tmp_path}/home/omi_faces'" in str(caught.value)
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_without_a_network_the_message_says_where_to_put_what(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_SCHEMES", ("http://127.0.0.1:",))
    served_faces(monkeypatch, f"http://127.0.0.1:{closed_port()}/a.zip")
    with pytest.raises(DatasetError, match=r"cannot be downloaded: .*refused") as caught:
        datasets.fetch_faces()
    assert "MANYJUDGES_DATA" in str(caught.value)
    assert isinstance(caught.value, ManyJudgesError)
    assert not (tmp_path / "home").exists()


def test_an_address_that_leads_elsewhere_is_refused(server, monkeypatch):
    folder, address = server
    (folder / "a").mkdir()
    monkeypatch.setattr(cache, "_SCHEMES", (f"{address}/a",))
    pack_faces(folder / "a.zip")

    def redirect(self):
        self.send_response(302 if self.path == "/a.zip" else 200)
        self.send_header("Location", "/elsewhere.zip")
        self.send_header("Content-Length", "0")
        self.end_headers()

    monkeypatch.setattr(http.server.SimpleHTTPRequestHandler, "do_GET", redirect)
    served_faces(monkeypatch, f"{address}/a.zip")
    with pytest.raises(DatasetError, match=r"leads on to .*/elsewhere\.zip, which is no https address"):
        datasets.fetch_faces()


def test_a_second_address_is_tried(server, monkeypatch):
    folder, address = server
    pack_faces(folder / "b.zip")
    served_faces(monkeypatch, f"{address}/a.zip", f"{address}/b.zip")
    assert len(datasets.fetch_faces(verify=False).labels) == 2


def test_only_https_is_downloaded(monkeypatch):
    served_faces(monkeypatch, "http://127.0.0.1/a.zip", "file:///etc/passwd")
    with pytest.raises(
        DatasetError, match=r"http://127.0.0.1/a.zip is no https address. file:///etc/passwd is no https"
    ):
        datasets.fetch_faces()
    for crowd in (recorded.SKATING, recorded.ODOURS):
        assert all(a.startswith("https://") for each in crowd.source.addresses.values() for a in each)
    assert all(a.startswith("https://") for a in ct_slices_file.SOURCE.addresses[ct_slices_file.ZIP])


@pytest.mark.parametrize("content", [b"<html>please log in</html>", b"PK\x03\x04 cut off"])
def test_a_download_that_is_something_else_is_not_kept(server, monkeypatch, tmp_path, content):
    folder, address = server
    (folder / "attribute_ratings.zip").write_bytes(content)
    served_faces(monkeypatch, f"{address}/attribute_ratings.zip")
    with pytest.raises(DatasetError, match="is no zip archive, or one that was cut off"):
        datasets.fetch_faces()
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_text_that_is_something_else_is_not_kept(server, monkeypatch, tmp_path):
    folder, address = server
    (folder / "TrainSet.txt").write_bytes(b"<html>please log in</html>")
    source = replace(recorded.ODOURS.source, addresses={"TrainSet.txt": (f"{address}/TrainSet.txt",)})
    monkeypatch.setattr(recorded, "ODOURS", replace(recorded.ODOURS, source=source))
    with pytest.raises(DatasetError, match=r"TrainSet.txt is another file: it begins with b'<html>please"):
        datasets.fetch_odours()
    odour_file(folder / "TrainSet.txt")
    assert len(datasets.fetch_odours(verify=False).labels) == 2


def test_a_download_that_breaks_off_is_not_kept(server, monkeypatch, tmp_path):
    folder, address = server
    archive = pack_faces(folder / "attribute_ratings.zip")

    def short(self, source, outputfile):
        outputfile.write(source.read()[:-7])

    monkeypatch.setattr(http.server.SimpleHTTPRequestHandler, "copyfile", short)
    served_faces(monkeypatch, f"{address}/attribute_ratings.zip")
    with pytest.raises(DatasetError, match=r"attribute_ratings\.zip broke off: "):
        datasets.fetch_faces()
    assert archive.exists()
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_an_interrupted_download_leaves_nothing(server, monkeypatch, tmp_path):
    folder, address = server
    pack_faces(folder / "attribute_ratings.zip")
    served_faces(monkeypatch, f"{address}/attribute_ratings.zip")

    def interrupt(name, path):
        assert path.exists()
        raise KeyboardInterrupt

    source = replace(recorded.FACES.source, check=interrupt)
    monkeypatch.setattr(recorded, "FACES", replace(recorded.FACES, source=source))
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch_faces()
    assert not any(p.is_file() for p in (tmp_path / "home").rglob("*"))


def test_a_folder_that_cannot_be_written_is_named(server, monkeypatch, tmp_path):
    folder, address = server
    pack_faces(folder / "attribute_ratings.zip")
    served_faces(monkeypatch, f"{address}/attribute_ratings.zip")
    (tmp_path / "home").write_text("a file")
    with pytest.raises(DatasetError, match=r"cannot write .*attribute_ratings.zip"):
        datasets.fetch_faces()


# -- slices --


def slice_text(n=6, *, end="\n"):
    made = datasets.make_slice(n, random_state=0)
    lines = [",".join(ct_slices_file.COLUMNS)]
    for patient, values, label in zip(made.patients, made.values, made.labels, strict=True):
        lines.append(",".join([str(patient), *(f"{v:.6g}" for v in values), f"{label:.6f}"]))
    return end.join(lines) + end


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
    ("change", "message"),
    [
        (lambda t: t.replace("value17,", "valeu17,"), "column 19 is 'valeu17', expected 'value17'"),
        (lambda t: t.replace(",reference", ""), "column 386 is missing, expected 'reference'"),
        (lambda t: t.replace(",reference", ",reference,x"), "column 387 is 'x', expected 'nothing more'|nothing more"),
        (lambda t: t.replace(",", ";"), "column 1 is 'patientId;"),
        (lambda t: "", "column 1 is missing"),
        (lambda t: t.splitlines()[0] + "\n", "has a heading but no rows"),
        (lambda t: edit(t, 3, 5, "x"), "row 3 of part.csv .*column 'value4': 'x' is no number"),
        (lambda t: edit(t, 2, 385, ""), "row 2 of part.csv .*column 'reference': '' is no number"),
        (lambda t: edit(t, 2, 1, "nan"), "row 2 of part.csv .*column 'value0': 'nan' is no number"),
        (lambda t: edit(t, 4, 0, "1.5"), "row 4 of part.csv .*column 'patientId': 1.5 is no whole number"),
        (lambda t: t[:-300], "row 6 of part.csv .* has .* values, expected 386; the file may be cut off"),
    ],
)
def test_wrong_slices_are_named(tmp_path, change, message):
    path = tmp_path / "part.csv"
    path.write_text(change(slice_text()))
    with pytest.raises(DatasetError, match=message):
        datasets.read_slice(path)


def edit(text, row, column, value):
    lines = [line.split(",") for line in text.splitlines()]
    lines[row][column] = value
    return "\n".join(",".join(line) for line in lines) + "\n"


def test_a_slice_file_that_is_not_there_or_cut_off_is_named(tmp_path):
    with pytest.raises(DatasetError, match=r"cannot read '.*nowhere.csv': No such file"):
        datasets.read_slice(tmp_path / "nowhere.csv")
    path = zipped(tmp_path / "a.zip", slice_localization_data__csv=slice_text())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DatasetError, match=r"a\.zip is damaged or cut off"):
        datasets.read_slice(path)


@pytest.fixture
def small_file(monkeypatch):
    """The checks of the whole file, as if it were small."""
    text = slice_text(40)
    monkeypatch.setattr(ct_slices_file, "N_SLICES", 40)
    monkeypatch.setattr(ct_slices_file, "N_PATIENTS", len(np.unique(datasets.make_slice(40, random_state=0).patients)))
    monkeypatch.setattr(ct_slices_file, "N_KNOWN", 5)
    start = "".join(line + "\n" for line in text.splitlines()[1:6])
    monkeypatch.setattr(ct_slices_file, "KNOWN_LINES", hashlib.sha256(start.encode()).hexdigest())
    return text


@pytest.mark.parametrize("name", ["slice/slice_localization_data.csv", "slice_localization_data.csv"])
def test_the_whole_file_is_found(home, small_file, name):
    (home / "slice").mkdir()
    (home / name).write_bytes(small_file.replace("\n", "\r\n").encode())
    assert len(datasets.fetch_slice(download=False)) == 40


def test_the_whole_file_is_downloaded_and_kept(server, small_file, monkeypatch, tmp_path):
    folder, address = server
    zipped(folder / "new.zip", slice_localization_data__csv=small_file)
    addresses = {ct_slices_file.ZIP: (f"{address}/old.zip", f"{address}/new.zip")}
    monkeypatch.setattr(ct_slices_file, "SOURCE", replace(ct_slices_file.SOURCE, addresses=addresses))
    assert len(datasets.fetch_slice()) == 40
    kept = tmp_path / "home" / "slice"
    assert "CC BY 4.0" in (kept / "LICENCE.txt").read_text()
    (folder / "new.zip").unlink()
    assert len(datasets.fetch_slice()) == 40


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: "\n".join(t.splitlines()[:-1]) + "\n", "it has 39 rows, not 40"),
        (lambda t: edit(t, 40, 0, "77"), "it has . patients, not"),
        (lambda t: edit(t, 5, 7, "0.123"), "SHA-256 of its first 5 lines of data is"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(home, small_file, change, message):
    (home / "slice_localization_data.csv").write_text(change(small_file))
    with pytest.raises(DatasetError, match=message):
        datasets.fetch_slice(download=False)
    assert len(datasets.fetch_slice(download=False, verify=False)) >= 39


def test_without_the_file_the_message_names_folders_and_names(home):
    with pytest.raises(DatasetError) as caught:
        datasets.fetch_slice(download=False)
    for part in (str(home), str(home / "slice"), *ct_slices_file.NAMES, "archive.ics.uci.edu", "MANYJUDGES_DATA"):
        assert part in str(caught.value)


def test_made_slices_are_like_the_genuine_ones():
    made = datasets.make_slice(2000, random_state=0)
    values = made.values
    assert made.simulated
    assert values.shape == (2000, 384)
    assert values.min() == -0.25
    assert values.max() <= 1
    assert not ((values < 0) & (values != -0.25)).any()
    assert made.labels.between(0, 110).all()
    assert made.labels.max() > 90
    eight = values.reshape(-1, 48, 8)
    mean = eight.mean(axis=2)
    ratio = eight.var(axis=2).mean(axis=0) / mean.var(axis=0)
    # The genuine 682 + 78 rows: median 4.1, from 1.2 to 8.9; correlations of 0.26 and 0.24 in the median.
    assert 3 < np.median(ratio) < 5
    assert 1 < ratio.min() < ratio.max() < 12
    correlation = np.abs(np.corrcoef(mean.T)[np.triu_indices(48, 1)])
    assert 0.15 < np.median(correlation) < 0.35
    assert 0.6 < (values == 0).mean() < 0.75
    assert 0.08 < (values == -0.25).mean() < 0.2


def test_made_slices_repeat_and_grow():
    one, two = datasets.make_slice(30, random_state=1), datasets.make_slice(30, random_state=1)
    assert np.array_equal(one.values, two.values)
    assert one.labels.equals(two.labels)
    assert not np.array_equal(one.values, datasets.make_slice(30, random_state=2).values)
    assert len(datasets.make_slice(1, random_state=0)) == 1
    with pytest.raises(DatasetError, match="n_objects must be a whole number of 1 or more, not 0"):
        datasets.make_slice(0)


def test_a_subset_keeps_everything_together():
    made = datasets.make_slice(30, random_state=0)
    for positions in (slice(3, 9), [3, 4, 5, 6, 7, 8], np.isin(np.arange(30), range(3, 9))):
        part = made.subset(positions)
        assert len(part) == 6
        assert np.array_equal(part.values, made.values[3:9])
        assert part.labels.equals(made.labels.iloc[3:9])
        assert part.simulated
    with pytest.raises(DatasetError, match="taken twice"):
        made.subset([1, 1])
    assert "6 simulated slices" in repr(made.subset(slice(6)))


def test_attributes_are_eight_adjacent_bins():
    assert len(ct_slices.ATTRIBUTES) == 48
    assert ct_slices.ATTRIBUTES[0] == "bins 000–007"
    assert ct_slices.ATTRIBUTES[-1] == "bins 376–383"
    assert tuple(sorted(ct_slices.ATTRIBUTES)) == ct_slices.ATTRIBUTES


def numbered(n):
    """Slices whose values say where they stand."""
    values = np.arange(n * 384, dtype=float).reshape(n, 384)
    return ct_slices.Slices(
        values, pd.Series(np.arange(n, dtype=float), index=ct_slices.named(n)), np.zeros(n, int), True
    )


def test_draws_come_from_the_right_bins_and_all_of_them():
    drawn = numbered(5).draw(200, np.random.default_rng(0))
    assert drawn.shape == (5, 48, 200)
    assert np.array_equal(drawn // 8, np.broadcast_to(np.arange(5 * 48).reshape(5, 48, 1), drawn.shape))
    assert all(len(np.unique(drawn[i, a])) == 8 for i in range(5) for a in range(48))


def test_draws_of_some_attributes_are_missing_elsewhere():
    some = {ct_slices.ATTRIBUTES[3]: 2, ct_slices.ATTRIBUTES[5]: 1}
    drawn = numbered(4).draw(some, np.random.default_rng(0))
    counts = np.isfinite(drawn).sum(axis=2)
    assert drawn.shape == (4, 48, 2)
    assert (counts[:, 3] == 2).all()
    assert (counts[:, 5] == 1).all()
    assert counts.sum() == 4 * 3
    for wrong, message in [
        ({"bins": 1}, "slices have no attribute 'bins'"),
        (-1, "repeats of 'bins 000–007' must be"),
        (True, "must be a whole number"),
        (0, "no judgment is asked for"),
    ]:
        with pytest.raises(DatasetError, match=message):
            numbered(2).draw(wrong, np.random.default_rng(0))


def test_a_slice_crowd_answers_as_other_crowds_do():
    crowd = numbered(3).crowd(random_state=0)
    asked = pd.DataFrame(
        {"object": ["slice 00002", "slice 00001"], "attribute": ["bins 008–015", "bins 000–007"], "count": [20, 2]}
    )
    answer = pd.concat([crowd.judge(asked), crowd.judge(asked)])
    assert list(answer.columns) == ["object", "attribute", "worker", "value"]
    assert len(answer) == 44
    assert not answer.duplicated(["object", "attribute", "worker"]).any()
    second = answer[answer["object"] == "slice 00002"]["value"]
    assert second.between(384 + 8, 384 + 15).all()
    assert second.nunique() == 8
    assert crowd.costs == {}
    assert len(crowd.follow({"bins 008–015": 3})) == 9
    assert len(crowd.judge(asked.iloc[:0])) == 0
    for column, value in [("object", "slice 9"), ("attribute", "x")]:
        with pytest.raises(DatasetError, match=f"the crowd knows no {column}"):
            crowd.judge(asked.assign(**{column: value}))
    with pytest.raises(DatasetError, match="counts of requests"):
        crowd.judge(asked.assign(count=[-1, 1]))


def test_a_slice_crowd_repeats():
    made = datasets.make_slice(10, random_state=0)
    one, two = made.crowd(random_state=3).pilot(2), made.crowd(random_state=3).pilot(2)
    assert one.to_frame().equals(two.to_frame())


def test_moments_of_drawn_judgments_are_those_of_the_values():
    made = datasets.make_slice(400, random_state=0)
    drawn = Judgments.from_array(
        made.draw(6, np.random.default_rng(0)), attributes=made.attributes, objects=made.objects
    )
    moments = Moments.estimate(drawn, made.labels)
    eight = made.values.reshape(-1, 48, 8)
    np.testing.assert_allclose(moments.noise, eight.var(axis=2).mean(axis=0), rtol=0.15)
    np.testing.assert_allclose(np.diag(moments.covariance), eight.mean(axis=2).var(axis=0), rtol=0.5)


def test_a_campaign_runs_on_slices():
    crowd = datasets.make_slice(60, random_state=0).crowd(random_state=0)

    def planner(judgments, outlook):
        return select(Moments.estimate(judgments, crowd.labels), budget=12)

    campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=12, spending_limit=6500)
    drive(campaign, crowd.judge)
    assert campaign.done
    assert 0 < campaign.bought <= 6500


# -- height and weight --


@pytest.mark.parametrize(("label", "deviation"), [("height", 0.25), ("weight", 0.18)])
def test_height_and_weight_give_back_the_published_table(label, deviation):
    with resources.files("manyjudges.simulate").joinpath("data/height_weight.csv").open() as file:
        published = pd.read_csv(file).set_index("attribute")
    crowd = datasets.make_height_weight(20_000, label=label, random_state=0)
    drawn = [crowd._population.judge(a, t, crowd._rng) for a, t in twice(crowd)]
    x = np.stack(drawn).reshape(2, len(crowd.objects), -1).transpose(1, 2, 0)
    moments = Moments.estimate(Judgments.from_array(x, attributes=crowd.attributes), crowd.labels.to_numpy())
    sigma = np.sqrt(np.diag(moments.covariance))
    rows = published.loc[list(crowd.attributes)]
    assert len(rows) == 39
    np.testing.assert_allclose(moments.noise / sigma**2, rows["noise_ratio"], rtol=0.12, atol=0.05)
    scaled = moments.cross / sigma / np.sqrt(moments.label_variance) * deviation
    np.testing.assert_allclose(scaled, rows[label], atol=0.012)
    numeric = rows.index[rows["kind"] == "number"]
    assert crowd.costs == dict.fromkeys(numeric, 4.0)
    assert len(numeric) == 2


def twice(crowd):
    """Each attribute of each object two times, without the table that names them all."""
    n, d = len(crowd.objects), len(crowd.attributes)
    attributes = np.tile(np.arange(d), n)
    return [(attributes, crowd._values.ravel())] * 2


def test_the_exported_names():
    assert sorted(datasets.__all__) == datasets.__all__
    assert all(hasattr(datasets, name) for name in datasets.__all__)


def test_what_is_no_path_number_or_position(monkeypatch):
    with pytest.raises(DatasetError, match="not from 5"):
        datasets.read_slice(5)
    with pytest.raises(ManyJudgesError, match="whole number"):
        datasets.make_height_weight(0)
    with pytest.raises(DatasetError, match="no such slices"):
        datasets.make_slice(5, random_state=0).subset([99])
    monkeypatch.setenv("MANYJUDGES_DATA", "~nobody-of-that-name/x")
    with pytest.raises(DatasetError, match="no home folder"):
        datasets.get_data_home()
