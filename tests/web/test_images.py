"""Pictures of a study: which are shown, and that nothing else of the machine is."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyjudges.web.images import contents, look_at
from tests.support.web import draw_person


@pytest.mark.parametrize("name", ["../other.png", "/etc/hostname", "sub/../../other.png", "nul\0l.png", "loop.png"])
def test_no_path_leads_out_of_the_folder(tmp_path, name):
    folder = tmp_path / "study"
    folder.mkdir()
    (tmp_path / "other.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "loop.png").symlink_to("loop.png")
    assert look_at(folder.joinpath(name) if name.startswith("/") else folder / name, folder).problem


def test_what_is_no_image_is_not_sent(tmp_path):
    (tmp_path / "a.png").write_text("<svg onload=alert(1)>")
    assert "first bytes" in look_at(tmp_path / "a.png", tmp_path).problem
    assert look_at(tmp_path / "study.toml", tmp_path).problem


def test_a_folder_swapped_for_a_link_shows_nothing_from_outside(tmp_path):
    (tmp_path / "in" / "pictures").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    draw_person(tmp_path / "in" / "pictures" / "a.png", 0)
    draw_person(tmp_path / "out" / "a.png", 1)
    picture = look_at(Path("pictures/a.png"), tmp_path / "in")
    assert contents(picture) == (tmp_path / "in" / "pictures" / "a.png").read_bytes()
    (tmp_path / "in" / "pictures").rename(tmp_path / "in" / "old")
    (tmp_path / "in" / "pictures").symlink_to(tmp_path / "out")
    with pytest.raises(OSError, match="was replaced"):
        contents(picture)
