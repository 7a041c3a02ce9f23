"""Pictures as language models get them."""

from __future__ import annotations

import os

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.llm.pictures import Pictures
from tests.support.llm_study import llm_study, pictures_study
from tests.support.messages import refused


def test_a_picture_on_the_web_is_its_address_and_a_text_has_none(tmp_path):
    _, records = pictures_study(tmp_path / "study")
    assert Pictures().address_of(records[3]) == "https://example.org/d.png"
    _, letters = llm_study(tmp_path, "http://localhost:1/v1")
    assert Pictures().address_of(letters[0]) is None


def test_the_kind_of_a_picture_is_that_of_its_bytes(tmp_path):
    _, records = pictures_study(tmp_path / "study")
    os.replace(tmp_path / "study" / "b.jpg", tmp_path / "study" / "a.png")
    assert Pictures().address_of(records[0]).startswith("data:image/jpeg;base64,")


def test_a_picture_is_read_once_and_those_asked_for_last_are_kept(tmp_path):
    _, records = pictures_study(tmp_path / "study")
    before = [Pictures().address_of(record) for record in records[:3]]
    kept = Pictures(cache_size=sum(map(len, before)) - 1)
    for i in (0, 1, 0, 2):  # the third pushes out the second
        assert kept.address_of(records[i]) == before[i]
    for record in records[:3]:
        with open(record.image, "ab") as file:
            file.write(b"more")
    after = [Pictures().address_of(record) for record in records[:3]]
    assert [kept.address_of(records[i]) for i in (0, 2)] == [before[0], before[2]]
    assert kept.address_of(records[1]) == after[1]


def test_a_picture_that_is_larger_than_what_is_kept_is_read_each_time(tmp_path):
    _, records = pictures_study(tmp_path / "study")
    few = Pictures(cache_size=10)
    before = few.address_of(records[0])
    with open(records[0].image, "ab") as file:
        file.write(b"more")
    assert few.address_of(records[0]) != before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"<svg/>"),
        lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(2000)),
        lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
    ],
    ids=["gone", "svg", "large", "link"],
)
def test_a_picture_that_was_spoiled_since_is_named(tmp_path, spoil):
    _, records = pictures_study(tmp_path / "study")
    spoil(tmp_path / "study" / "a.png")
    with refused(StudyError):
        Pictures(largest=1000).address_of(records[0])
