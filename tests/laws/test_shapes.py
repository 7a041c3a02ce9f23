"""A table says the same in whatever shape it is written, and no table ends in an error of another library."""

from __future__ import annotations

import datetime
import json
import random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.shapes.registry import SHAPES, recognise, to_long

OBJECTS = ("Hamlet", "Faust", "Emma", "Dune", "Ulysses", "Medea")
ATTRIBUTES = ("clarity", "style", "depth", "wit")
WORKERS = ("ann", "bob", "cleo", "dora")
FEWEST = 2
NUMBERS = {worker: at for at, worker in enumerate(WORKERS, start=1)}


@st.composite
def crowds(draw):
    """A random crowd: its objects, attributes and workers, and a value or nothing for each of all three."""
    objects = OBJECTS[: draw(st.integers(3, len(OBJECTS)))]
    attributes = ATTRIBUTES[: draw(st.integers(FEWEST, len(ATTRIBUTES)))]
    workers = WORKERS[: draw(st.integers(FEWEST, len(WORKERS)))]
    gaps, source = draw(st.sampled_from([0.0, 0.2])), random.Random(draw(st.integers(0, 10**6)))
    return {
        (name, attribute, worker): str(source.randint(1, 7))
        for name in objects
        for attribute in attributes
        for worker in workers
        if source.random() >= gaps
    }


def names(crowd, role):
    return list(dict.fromkeys(key[role] for key in crowd))


def long(crowd):
    rows = [(*key, value) for key, value in crowd.items()]
    return pd.DataFrame(rows, columns=["item", "question", "rater", "score"], dtype=object)


def by_rater(crowd, headings=("Essay", "Rater"), cell=lambda crowd, key: crowd.get(key, "")):
    attributes = names(crowd, 1)
    rows = [
        [name, worker, *(cell(crowd, (name, attribute, worker)) for attribute in attributes)]
        for name in names(crowd, 0)
        for worker in names(crowd, 2)
    ]
    return pd.DataFrame(rows, columns=[*headings, *attributes], dtype=object)


def by_judgment(crowd, heading):
    pairs = [(attribute, worker) for attribute in names(crowd, 1) for worker in names(crowd, 2)]
    rows = [[name, *(crowd.get((name, *pair), "") for pair in pairs)] for name in names(crowd, 0)]
    headings = [heading(attribute, worker) for attribute, worker in pairs]
    return pd.DataFrame(rows, columns=["book", *headings], dtype=object)


def by_respondent(crowd, heading, own):
    """A row for each worker, and a column for each object and attribute."""
    pairs = [(name, attribute) for attribute in names(crowd, 1) for name in names(crowd, 0)]
    rows = [
        [*own(worker, at).values(), *(crowd.get((name, attribute, worker), "") for name, attribute in pairs)]
        for at, worker in enumerate(names(crowd, 2))
    ]
    headings = [*own("", 0), *(heading(name, attribute) for name, attribute in pairs)]
    return pd.DataFrame(rows, columns=headings, dtype=object)


def with_own(frame, own):
    """A table with the columns that a survey tool adds."""
    columns = pd.DataFrame([own(str(at), at) for at in range(len(frame))], dtype=object)
    return pd.concat([columns, frame], axis=1)


def moment(at):
    return f"2024-03-01 10:{at:02d}:00"


def of_google(worker, at):
    return {"Timestamp": moment(at), "Email Address": f"{worker}@example.org"}


def of_qualtrics(worker, at):
    return {"StartDate": moment(at), "RecordedDate": moment(at), "ResponseId": worker, "UserLanguage": "EN"}


def of_limesurvey(worker, at):
    return {"id": str(at + 1), "submitdate": moment(at), "lastpage": "3", "seed": str(at * 31), "token": worker}


def of_sosci(worker, at):
    return {"CASE": str(101 + at), "SERIAL": worker, "QUESTNNR": "base", "MODE": "interview", "STARTED": moment(at)}


def of_redcap(worker, at):
    return {"record_id": str(at), "redcap_repeat_instance": str(at), "rating_complete": "2"}


def qualtrics_loop(crowd):
    objects = names(crowd, 0)
    frame = by_respondent(crowd, lambda name, attribute: f"{objects.index(name) + 1}_{attribute}", of_qualtrics)
    texts = [*frame.columns[:4], *(f"{attribute} of {name}?" for attribute in names(crowd, 1) for name in objects)]
    ids = [json.dumps({"ImportId": heading}) for heading in frame.columns]
    return pd.concat([pd.DataFrame([texts, ids], columns=frame.columns), frame], ignore_index=True)


def sosci_items(crowd):
    frame = by_respondent(crowd, lambda name, attribute: "", of_sosci)
    pairs = [(attribute, name) for attribute in names(crowd, 1) for name in names(crowd, 0)]
    variables = [f"AB0{names(crowd, 1).index(a)}_0{names(crowd, 0).index(name)}" for a, name in pairs]
    frame.columns = [*frame.columns[:5], *variables]
    labels = [*["label"] * 5, *(f"{attribute}: {name}" for attribute, name in pairs)]
    return pd.concat([pd.DataFrame([labels], columns=frame.columns), frame], ignore_index=True)


def as_is(crowd):
    return set(crowd.items())


def of_mail(crowd):
    return {((name, attribute, f"{worker}@example.org"), value) for (name, attribute, worker), value in crowd.items()}


def of_questions(crowd):
    codes = {attribute: f"AB0{at}" for at, attribute in enumerate(names(crowd, 1))}
    return {((name, codes[attribute], worker), value) for (name, attribute, worker), value in crowd.items()}


def numbered(crowd):
    return {((name, attribute, str(NUMBERS[worker])), value) for (name, attribute, worker), value in crowd.items()}


WRITTEN = {
    "long": ("long", long, as_is, {}),
    "wide by rater": ("wide-by-rater", by_rater, as_is, {}),
    "named raters": ("wide-by-judgment", lambda c: by_judgment(c, "{} ({})".format), as_is, {}),
    "square brackets": ("wide-by-judgment", lambda c: by_judgment(c, "{} [{}]".format), as_is, {}),
    "numbers": ("wide-by-judgment", lambda c: by_judgment(c, lambda a, w: f"{a}_{NUMBERS[w]}"), numbered, {}),
    "qualtrics": (
        "qualtrics",
        lambda c: with_own(by_rater(c), of_qualtrics),
        as_is,
        {"worker": "Rater"},
    ),
    "qualtrics loop": ("qualtrics", qualtrics_loop, as_is, {}),
    "sosci": (
        "sosci",
        lambda c: with_own(by_rater(c, ("IV01", "Rater")), of_sosci),
        as_is,
        {"object": "IV01"},
    ),
    "sosci items": ("sosci", sosci_items, of_questions, {"worker": "SERIAL"}),
    "google grid": ("google-forms", lambda c: by_respondent(c, lambda o, a: f"{a} [{o}]", of_google), of_mail, {}),
    "google": (
        "google-forms",
        lambda c: with_own(by_rater(c, ("Which book is it?", "Your name")), of_google),
        as_is,
        {"object": "Which book is it?", "worker": "Your name"},
    ),
    "limesurvey": ("limesurvey", lambda c: by_respondent(c, lambda o, a: f"{a} [{o}]", of_limesurvey), as_is, {}),
    "redcap": ("redcap", lambda c: with_own(by_rater(c), of_redcap), as_is, {}),
}
"""Ways to write a crowd down: the shape, the table, the judgments that it says, and what the user has to name."""


def judgments(frame, layout, **options):
    """What long rows say, without empty cells."""
    columns = to_long(frame, layout, **options).columns
    keys = zip(columns["object"], columns["attribute"], columns["worker"], strict=True)
    return {(key, value) for key, value in zip(keys, columns["value"], strict=True) if value}


@pytest.mark.parametrize("way", WRITTEN)
@given(crowd=crowds())
def test_a_crowd_is_read_as_it_was_written(way, crowd):
    shape, write, says, columns = WRITTEN[way]
    frame = write(crowd)
    layout = recognise(frame, columns=columns)
    assert layout.shape == shape
    assert judgments(frame, layout) == says(crowd)
    assert recognise(frame.copy(), columns=columns) == layout
    assert recognise(frame, columns=columns, shape=shape) == layout


@given(crowd=crowds())
def test_sheets_are_read_as_they_were_written(crowd):
    read = set()
    for worker in names(crowd, 2):
        frame = by_rater({key: value for key, value in crowd.items() if key[2] == worker}).drop(columns="Rater")
        layout = recognise(frame, sheets=names(crowd, 2))
        assert layout.shape == "sheets"
        read |= judgments(frame, layout, sheet=worker)
    assert read == set(crowd.items())


def test_every_shape_is_written_in_some_way():
    assert {shape for shape, *_ in WRITTEN.values()} | {"sheets"} == set(SHAPES)


@given(crowd=crowds(), order=st.permutations(range(4)))
def test_the_order_of_columns_of_a_long_table_does_not_matter(crowd, order):
    frame = long(crowd)
    turned = frame.iloc[:, list(order)]
    assert recognise(turned) == recognise(frame)
    assert judgments(turned, recognise(turned)) == set(crowd.items())


@pytest.mark.parametrize("way", ["long", "wide by rater", "google"])
@given(crowd=crowds(), more=st.integers(2, 4))
def test_more_rows_do_not_change_a_layout(way, crowd, more):
    _, write, _, columns = WRITTEN[way]
    frame = write(crowd)
    again = pd.concat([frame.assign(**{frame.columns[-1]: frame.iloc[::-1, -1].tolist()})] * more, ignore_index=True)
    layout = recognise(frame, columns=columns)
    assert recognise(pd.concat([frame, again], ignore_index=True), columns=columns).roles == layout.roles


@given(crowd=crowds(), cut=st.integers(0, 12), way=st.sampled_from(sorted(set(WRITTEN) - {"numbers"})))
def test_parts_of_a_table_say_what_the_whole_says(crowd, cut, way):
    _, write, _, columns = WRITTEN[way]
    frame = write(crowd)
    layout = recognise(frame, columns=columns)
    parts = [(frame[:cut], 0), (frame[cut:], min(cut, len(frame)))]
    read = [judgments(part, layout, first=first) for part, first in parts]
    assert read[0] | read[1] == judgments(frame, layout)


ODD = ["", " ", "object", "value", "question", "1_Q3", "tall [a]", "CASE", "Timestamp", "record_id", "id", "a\x00b",
       "é_1", "(question)", "Unnamed: 0", "[x]", "()", "_", "1", "tall (", "ResponseId"]  # fmt: skip
CELLS = [
    None,
    float("nan"),
    "",
    "x",
    3,
    2.5,
    True,
    datetime.date(2024, 3, 1),
    ["a"],
    b"b",
    "2024-03-01",
    {"k": 1},
    pd.NA,
]


@settings(max_examples=300)
@given(st.data())
def test_odd_headings_and_cells_are_read_or_refused(data):
    crowd = data.draw(crowds())
    _, write, _, columns = WRITTEN[data.draw(st.sampled_from(sorted(WRITTEN)))]
    frame = write(crowd)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, frame.shape[1] - 1))
        frame.columns = [data.draw(edits(name)) if at == i else name for i, name in enumerate(frame.columns)]
    for _ in range(data.draw(st.integers(0, 4))):
        row, column = data.draw(st.integers(0, len(frame) - 1)), data.draw(st.integers(0, frame.shape[1] - 1))
        frame.iloc[row, column : column + 1] = pd.Series([data.draw(st.sampled_from(CELLS))], dtype=object).to_numpy()
    if data.draw(st.booleans()):
        columns = {}
    shape = data.draw(st.sampled_from(["auto", *SHAPES]))
    try:
        layout = recognise(frame, columns=columns, shape=shape, sheets=data.draw(st.sampled_from([(), ("a", "b")])))
    except JudgmentsError:
        return
    rows = to_long(frame, layout, sheet="a")
    assert {len(column) for column in rows.columns.values()} == {rows.rows.size}
    assert "\n" not in layout.describe()


def edits(name):
    """A heading with something else in it, or another one."""
    at = st.integers(0, len(name))
    return st.one_of(
        st.sampled_from(ODD),
        at.map(lambda place: name[:place] + name[place + 1 :]),
        st.tuples(at, st.text(max_size=3)).map(lambda edit: name[: edit[0]] + edit[1] + name[edit[0] :]),
        st.just(name.upper()),
    )
