"""The encodings of files of text."""

from __future__ import annotations

import pytest

from manyjudges.tables.formats.text import encoding_notes, encoding_of, text_of

WESTERN = "essay,Größe,Schönheit\nE01,3,4\nE02,größer,Äpfel und Öl\nÉtude,déjà vu,naïf\n"
CHINESE = "作文,评分人,清晰\nE01,李明,非常同意\nE02,王芳,“不同意”\nE03,Ann,一般\n"


@pytest.mark.parametrize(
    ("text", "encoding", "said"),
    [
        (WESTERN, "utf-8", ""),
        (WESTERN, "utf-8-sig", ""),
        (WESTERN, "utf-16", ""),
        (WESTERN, "cp1252", "1252"),
        ("object,Größe\na,3\n", "cp1252", "1252"),  # two letters beside each other that could be one of Chinese
        ("object,value\na,Ä\nb,Ü\n", "cp1252", "1252"),
        (CHINESE, "utf-8", ""),
        (CHINESE, "gb18030", "18030"),
        (CHINESE, "gbk", "18030"),
        ("object,清晰\na,3\nb,4\n", "gb18030", "18030"),
    ],
)
def test_texts_are_read_as_they_were_written(tmp_path, text, encoding, said):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode(encoding))
    read, notes = text_of(path)
    assert read == text
    assert notes == encoding_notes(path, encoding_of(path))
    assert said in " ".join(notes)
    assert bool(notes) == bool(said)
