from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from manyjudges.exceptions import StudyError
from manyjudges.study.config import read_study
from manyjudges.study.objects import LONGEST_NAME, ObjectRecord, SkippedRow, read_objects
from manyjudges.study.pictures import find_picture, media_type
from tests.support.messages import refused

STUDY = 'title = "Jars"\n[[attributes]]\nname = "a"\nquestion = "What?"\nkind = "binary"\n'


@pytest.fixture
def folder(tmp_path):
    """A study's folder, beside something that is none of its business."""
    (tmp_path / "secret.png").write_bytes(picture("PNG"))
    study = tmp_path / "study"
    (study / "images").mkdir(parents=True)
    (study / "images" / "a.png").write_bytes(picture("PNG"))
    (study / "study.toml").write_text(STUDY)
    return study


def picture(kind):
    file = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(file, kind)
    return file.getvalue()


def read(folder, table, more=""):
    data = table if isinstance(table, bytes) else table.encode()
    (folder / "objects.csv").write_bytes(data)
    (folder / "study.toml").write_text(STUDY + more)
    return read_objects(read_study(folder))


def only_problem(folder, row, heading="id,label,image,text"):
    """What is wrong with a row in line 3, while those around it go on."""
    objects = read(folder, f"{heading}\nbefore,1,,text\n{row}\nafter,2,,text\n")
    assert [record.name for record in objects.records] == ["before", "after"]
    [problem] = objects.problems
    assert problem.line == 3
    return problem.message


# ---- what is read ----


def test_objects(folder):
    table = (
        "id,label,image,text\n"
        "one,1.5,images/a.png,\n"
        'two,,https://example.org/b.png?c=d,"with, comma"\n'
        '" three ", -2e3 ,,"two\nlines, ""quoted"""\n'
        "\n"
        ",,,\n"
        "four,,,مرحبا 👍\n"
    )
    objects = read(folder, table)
    assert objects.problems == ()
    assert objects.records == (
        ObjectRecord("one", 1.5, folder / "images" / "a.png", None, None, 2),
        ObjectRecord("two", None, None, "https://example.org/b.png?c=d", "with, comma", 3),
        ObjectRecord("three", -2000.0, None, None, 'two\nlines, "quoted"', 4),
        ObjectRecord("four", None, None, None, "مرحبا 👍", 8),
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_other_ways_to_write_a_table(folder, ends, separator, mark):
    rows = ["id,label,text", 'a,1,"x\ny"', "b,2", 'c,3,"z"'.replace(",", ","), ""]
    table = "\n".join(rows).replace(",", separator).replace("\n", ends)
    objects = read(folder, mark + table.encode())
    assert [(record.name, record.label, record.text, record.line) for record in objects.records] == [
        ("a", 1.0, "x\ny", 2),
        ("c", 3.0, "z", 5),
    ]
    assert [problem.line for problem in objects.problems] == [4]


def test_decimal_commas_where_semicolons_separate(folder):
    objects = read(folder, "id;label;text\na;3,5;x, y\nb;-0,25;x\nc;4.5;x\nd;1.000,5;x\n")
    assert [record.label for record in objects.records] == [3.5, -0.25, 4.5]
    assert objects.records[0].text == "x, y"
    assert objects.problems == (
        SkippedRow(5, "the label '1.000,5' is no number; leave it blank where it is not known.", "label", "1.000,5"),
    )


def test_columns_in_any_order_and_of_any_name(folder):
    more = '[objects]\nfile = "o b.csv"\nid = "who"\nlabel = "height, cm"\ntext = "words"\n'
    (folder / "o b.csv").write_text('extra,words,"height, cm",who\n,x,180,ann\n')
    (folder / "study.toml").write_text(STUDY + more)
    [record] = read_objects(read_study(folder)).records
    assert record == ObjectRecord("ann", 180.0, None, None, "x", 2)


def test_lines_above_and_cells_beyond_the_heading(folder):
    objects = read(folder, "\n  \nid,label,text\na,1,x,, \n")
    assert [(record.name, record.line) for record in objects.records] == [("a", 4)]


def test_long_texts(folder):
    text = "word " * 20_000
    assert read(folder, f'id,label,text\na,1,"{text}"\n').records[0].text == text


LINES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
CELLS = st.lists(LINES, min_size=1, max_size=3).map("\n".join)
TEXTS = CELLS.filter(lambda text: text.strip() and text.splitlines() == text.split("\n"))


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=6), separator=st.sampled_from(",;\t"), quoting=st.sampled_from([0, 1])
)
def test_any_table_comes_back_with_its_lines(tmp_path_factory, texts, separator, quoting):
    folder = tmp_path_factory.mktemp("study")
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerow(["id", "label", "text"])
    lines = []
    for number, text in enumerate(texts):
        lines.append(file.getvalue().count("\n") + 1)
        writer.writerow([f"o{number}", number, text])
    objects = read(folder, file.getvalue())
    assert objects.problems == ()
    assert [record.text for record in objects.records] == texts
    assert [record.line for record in objects.records] == lines


@given(st.binary(max_size=60))
def test_any_bytes_are_objects_or_errors(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("study")
    table = b"id,label,image,text\nfirst,1,,x\n" + data
    try:
        data.decode()
    except UnicodeDecodeError:
        with refused(StudyError, row=3, file=str(folder / "objects.csv")):
            read(folder, table)
    else:
        assert read(folder, table).records[0].name == "first"


# ---- rows that are left out ----


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (",1,,text", "no id; give the object a name of its own."),
        ('"  ",1,,text', "no id"),
        ("before,1,,text", "the id 'before' is there already, in line 2; each object needs its own."),
        (f"{'x' * (LONGEST_NAME + 1)},1,,text", "is longer than 500 characters"),
        ("a\x00b,1,,text", "holds a control character"),
        ("a,tall,,text", "the label 'tall' is no number; leave it blank where it is not known."),
        (
            'a,"3,5",,text',
            "the label '3,5' is no number; leave it blank where it is not known. Write decimals with a point.",
        ),
        ("a,nan,,text", "the label 'nan' is no number"),
        ("a,inf,,text", "the label 'inf' is no number"),
        ("a,1e999,,text", "the label '1e999' is no number"),
        ("a,1_000,,text", "the label '1_000' is no number"),
        ("a,٣,,text", "the label '٣' is no number"),
        ("a,1,,", "'a' has nothing to show: give it an image or a text."),
        ('a,1,," "', "'a' has nothing to show"),
        ("a,1,,bell\x07", "the text holds a control character"),
        (
            "a,1,,x,y",
            "5 cells where the heading has 4, in the row of 'a'; a text with ',' in it must stand in quotation marks",
        ),
        ("a,1", "2 cells where the heading has 4"),
        (
            'a,1,,"x" y',
            'a quotation mark is not closed, or closed too early; inside of a text in quotation marks, write ""',
        ),
        ('a,1,,"never closed', "a quotation mark is not closed"),
        (f'a,1,,"{"x" * 140_000}"', "a cell is longer than 131,072 characters"),
        ("a,1,images/b.png,", "the image 'images/b.png' is not in the study's folder."),
        ("a,1,images/a.png/b.png,", "is not in the study's folder."),
        ("a,1,images,", "the image 'images' is not a file."),
        ("a,1,../secret.png,", "the image '../secret.png' leads out of its folder by '..'"),
        ("a,1,images/../images/a.png,", "leads out of its folder by '..'"),
        ("a,1,..\\secret.png,", "leads out of its folder by '..'"),
        ("a,1,/etc/passwd,", "the image '/etc/passwd' lies outside of the study's folder; copy it into the folder."),
        ("a,1,ftp://example.org/a.png,", "is neither a file nor an http or https address."),
        ("a,1,file:///etc/passwd,", "is neither a file nor an http or https address."),
        ("a,1,javascript:alert(1),", "is neither a file nor an http or https address."),
        ('a,1,"data:image/png;base64,AA",', "is neither a file nor an http or https address."),
        ("a,1,https://,", "is neither a file nor an http or https address."),
        ("a,1,https://a b/c.png,", "is neither a file nor an http or https address."),
        ("a,1,a\x00.png,", "the image 'a\\x00.png'"),
        (f"a,1,{'x' * 300}.png,", "cannot be read: File name too long."),
        (
            "a,1,study.toml,",
            "is not PNG, JPEG, GIF, WebP, AVIF or BMP by its first bytes; save it anew as one of these.",
        ),
    ],
)
def test_rows_that_are_left_out(folder, row, words):
    assert words in only_problem(folder, row)


def test_a_stray_quotation_mark_costs_its_own_row_only(folder):
    rows = "".join(f"o{i},{i},text {i}\n" for i in range(1000))
    objects = read(folder, f'id,label,text\na,1,"open\n{rows}')
    assert len(objects.records) == 1000
    assert objects.records[0] == ObjectRecord("o0", 0.0, None, None, "text 0", 3)
    assert [problem.line for problem in objects.problems] == [2]


def test_lines_are_right_after_texts_of_several_lines(folder):
    objects = read(folder, 'id,label,text\na,1,"x\n\ny"\nb,x,y\n\nc,1,"z\nz"\nc,1,z\n')
    assert [(record.name, record.line) for record in objects.records] == [("a", 2), ("c", 7)]
    assert [problem.line for problem in objects.problems] == [5, 9]


def test_no_row_that_can_be_used(folder):
    path = folder / "objects.csv"
    with refused(StudyError, value="x", row=2, column="label", file=str(path)):
        read(folder, "id,label,text\na,x,t\nb,y,t\n,1,t\nc,,\n")
    with refused(StudyError, file=str(path)):
        read(folder, "id,label,text\n")


# ---- files that cannot be used ----


@pytest.mark.parametrize(
    ("heading", "value", "row", "column"),
    [
        ("", None, 1, None),
        ("\n\n", None, 1, None),
        ("name,label,text", "id", None, "id"),
        ("ID,label,text", "id", None, "id"),
        ("name;label;text", "id", None, "id"),
        ("id,labels,text", "label", None, "label"),
        ("id,label", None, None, "image"),
        ("id,label,text,label", "label", None, "label"),
        ('id,label,"te"xt', None, 1, None),
    ],
)
def test_headings_that_cannot_be_used(folder, heading, value, row, column):
    with refused(StudyError, file=str(folder / "objects.csv"), value=value, row=row, column=column) as caught:
        read(folder, f"{heading}\n")
    assert str(caught.value).startswith(str(folder / "objects.csv"))


def test_a_column_that_was_named_must_be_there(folder):
    assert read(folder, "id,label,text\na,1,x\n").records
    with refused(StudyError, value="photo", column="image", file=str(folder / "objects.csv")):
        read(folder, "id,label,text\na,1,x\n", '[objects]\nimage = "photo"\n')


def test_a_missing_file_names_the_line_of_the_study(folder):
    (folder / "study.toml").write_text(STUDY + '[objects]\nfile = "people.csv"\n')
    with refused(StudyError, value="people.csv", row=7, column="objects.file", file=str(folder / "study.toml")):
        read_objects(read_study(folder))
    (folder / "study.toml").write_text(STUDY + '[objects]\nfile = "images"\n')
    with refused(StudyError, file=str(folder / "images")):
        read_objects(read_study(folder))


def test_other_encodings(folder):
    with refused(StudyError, row=3, file=str(folder / "objects.csv")):
        read(folder, "id,label,text\na,1,x\nb,1,ä\n".encode("latin-1"))
    with refused(StudyError, row=1, file=str(folder / "objects.csv")):
        read(folder, "id,label,text\na,1,x\n".encode("utf-16"))


# ---- pictures ----


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP"])
def test_kinds_of_pictures(folder, kind):
    data = picture(kind)
    assert media_type(data) == f"image/{kind.lower()}"
    (folder / "images" / "no-ending").write_bytes(data)
    [record] = read(folder, "id,label,image\na,1,images/no-ending\n").records
    assert record.image == folder / "images" / "no-ending"
    assert media_type(data[:2]) is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is an empty file."),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is SVG, which can hold scripts; save it as PNG"),
        (b"<?xml version='1.0'?>\n<!-- drawn -->\n<SVG/>", "is SVG, which can hold scripts"),
        (
            b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic",
            "is HEIC, which most browsers do not show; save it as JPEG.",
        ),
        (b"II*\x00\x08\x00\x00\x00", "is TIFF"),
        (b"<html><script>alert(1)</script>", "by its first bytes"),
        (b"BM is how this text begins, and it is no picture", "by its first bytes"),
        (b"\x89PNG\n", "by its first bytes"),
        (b"RIFF\x00\x00\x00\x00WAVE", "by its first bytes"),
        (b"\x00\x00\x00\x14ftypmp42avif\x00\x00\x00\x00", "by its first bytes"),
    ],
)
def test_files_that_are_no_pictures(folder, data, words):
    (folder / "images" / "b.png").write_bytes(data)
    message = only_problem(folder, "a,1,images/b.png,")
    assert message.startswith("the image 'images/b.png' is")
    assert words in message


def test_avif_by_a_later_brand():
    assert media_type(b"\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf" + bytes(20)) == "image/avif"


def test_links_within_the_folder_are_followed_and_others_are_not(folder):
    (folder / "inside.png").symlink_to(folder / "images" / "a.png")
    (folder / "elsewhere.png").symlink_to(folder.parent / "secret.png")
    (folder / "up").symlink_to(folder.parent)
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "lost.png").symlink_to(folder / "nowhere.png")
    assert find_picture(folder, "inside.png") == folder / "images" / "a.png"
    for given_ in ("elsewhere.png", "up/secret.png"):
        with refused(StudyError, value=given_, column="image"):
            find_picture(folder, given_)
    for given_ in ("loop.png", "lost.png"):
        with refused(StudyError, value=given_, column="image"):
            find_picture(folder, given_)


def test_a_folder_that_begins_like_the_study_is_outside(folder):
    beside = folder.parent / "study-2"
    beside.mkdir()
    (beside / "a.png").write_bytes(picture("PNG"))
    with refused(StudyError, value=str(beside / "a.png"), column="image"):
        find_picture(folder, str(beside / "a.png"))


def test_ways_to_write_a_path(folder, monkeypatch):
    found = folder / "images" / "a.png"
    for given_ in ("images/a.png", "./images//a.png", "images\\a.png", str(found)):
        assert find_picture(folder, given_) == found
    (folder.parent / "link").symlink_to(folder)
    assert find_picture(folder.parent / "link", "images/a.png") == found
    assert find_picture(folder.parent / "link", str(folder.parent / "link" / "images" / "a.png")) == found
    monkeypatch.chdir(folder)
    assert find_picture(Path(), "images/a.png") == found


def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.png")
    with refused(StudyError, value="pipe.png", column="image"):
        find_picture(folder, "pipe.png")


def test_a_picture_that_may_not_be_read(folder, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with refused(StudyError, value="images/a.png", column="image"):
        find_picture(folder, "images/a.png")


def test_a_hundred_thousand_rows(folder):
    table = "id,label,text\n" + "".join(f'o{i},{i},"text\n{i}"\n' for i in range(100_000))
    objects = read(folder, table)
    assert objects.records[-1] == ObjectRecord("o99999", 99999.0, None, None, "text\n99999", 200_000)
