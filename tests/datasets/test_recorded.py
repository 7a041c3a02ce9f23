"""Recorded crowds: prepared or original files as judgments and labels, and whether they are what they were."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from manyjudges import Judgments, datasets
from manyjudges.datasets import recorded
from manyjudges.exceptions import DatasetError
from tests.support.dataset_files import FACES, pack_faces
from tests.support.messages import refused


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
    with refused(DatasetError, column="judgments"):
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


def test_ready_tables_are_taken_as_they_are(home):
    folder = home / "figure_skating_base"
    folder.mkdir()
    frame = pd.DataFrame({"object": ["7", "7"], "attribute": ["x", "x"], "worker": ["1", "2"], "value": [1.0, 2.0]})
    frame.to_parquet(folder / "judgments.parquet")
    pd.DataFrame({"object": ["7"], "label": [3.0], "more": [0.0]}).to_parquet(folder / "labels.parquet")
    judgments, labels = datasets.fetch_skating(download=False, verify=False)
    assert len(judgments) == 2
    assert labels.to_dict() == {"7": 3.0}
    with refused(DatasetError, column="judgments"):
        datasets.fetch_skating(download=False)


def test_ready_tables_that_are_damaged_are_named(home):
    folder = home / "figure_skating_base"
    folder.mkdir()
    for name in ("judgments", "labels"):
        (folder / f"{name}.parquet").write_bytes(b"PAR1 not really")
    with refused(DatasetError, file=str(folder)):
        datasets.fetch_skating(download=False)
