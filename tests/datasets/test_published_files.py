"""Parsers of the published files."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import datasets
from manyjudges.datasets import published_files
from manyjudges.exceptions import DatasetError
from tests.support.dataset_files import FACES, odour_file, pack_faces, skating_files, zipped
from tests.support.messages import refused


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


@pytest.mark.parametrize(
    ("old", "new", "value", "row", "column"),
    [
        ("rating_type", "kind", None, None, "rating_type"),
        ("b,1,smart,30", "b,1,smart,much", "much", 5, "rating"),
        (FACES, "", None, None, None),
    ],
)
def test_wrong_faces_are_named(home, old, new, value, row, column):
    pack_faces(home / "attribute_ratings.zip", FACES.replace(old, new))
    with refused(DatasetError, file="attribute_ratings.zip", value=value, row=row, column=column):
        datasets.fetch_faces(download=False, verify=False)


def test_a_zip_that_was_cut_off_is_named(home):
    path = pack_faces(home / "attribute_ratings.zip")
    path.write_bytes(path.read_bytes()[:-30])
    with refused(DatasetError, file="attribute_ratings.zip"):
        datasets.fetch_faces(download=False, verify=False)


def test_a_zip_of_something_else_is_named(home):
    zipped(home / "attribute_ratings.zip", other__csv="a\n1\n")
    with refused(DatasetError, file="attribute_ratings.zip"):
        datasets.fetch_faces(download=False, verify=False)


def test_skating_is_five_components_and_the_base_value_within_the_program(home):
    skating_files(home / "figure_skating_base")
    dataset = datasets.fetch_skating(download=False, verify=False)
    judgments, labels = dataset
    assert judgments.attributes == published_files.PROGRAM_COMPONENTS
    assert list(judgments.objects) == ["p1", "p2", "p3", "p4"]
    assert len(judgments) == 4 * 5 * 2
    assert judgments.workers.tolist() == ["Cup|DANCE|J1", "Cup|DANCE|J2", "Cup|MEN|J1", "Cup|MEN|J2"]
    assert judgments.means().loc["p3", "interpretation of the music"] == 2 + 1 + 0.375
    np.testing.assert_allclose(labels.to_numpy(), np.array([-1, 1, -1, 1]) / np.sqrt(2))


def test_a_component_that_nobody_knows_is_named(home):
    skating_files(home / "figure_skating_base", component="Artistry")
    with refused(DatasetError, value="artistry", column="component", file="judged-aspects.csv"):
        datasets.fetch_skating(download=False, verify=False)


def test_a_score_that_is_no_number_is_named(home):
    skating_files(home / "figure_skating_base", wrong_score="high")
    with refused(DatasetError, value="high", row=49, column="score", file="judge-scores.csv"):
        datasets.fetch_skating(download=False, verify=False)


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
    with refused(DatasetError, value="lots", row=4, column="BAKERY", file="TrainSet.txt"):
        datasets.fetch_odours(download=False, verify=False)
    odour_file(home / "TrainSet.txt", heading=["a", "b"] + ["c"] * 26)
    with refused(DatasetError, column="Compound Identifier", file="TrainSet.txt"):
        datasets.fetch_odours(download=False, verify=False)
