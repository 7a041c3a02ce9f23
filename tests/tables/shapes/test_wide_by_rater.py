"""Tables with a row for each rater and object."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.shapes.registry import recognise, to_long
from manyjudges.tables.shapes.sample import Sample
from tests.support.messages import refused

PEOPLE = ("ann", "bob", "cem")
ESSAYS = ("Hamlet", "Faust", "Emma", "Dune")
TABLE = pd.DataFrame(
    [
        {"Bewerter": rater, "Titel": essay, "Klarheit": str((at + len(rater)) % 5), "Stil": "gut" if at else "schlecht"}
        for rater in PEOPLE
        for at, essay in enumerate(ESSAYS)
    ]
)


def test_the_only_column_that_can_name_the_object_does_so():
    layout = recognise(TABLE)
    assert (layout.object, layout.worker, layout.attributes) == ("Titel", "Bewerter", ("Klarheit", "Stil"))
    assert layout.assumed == ("'Titel' names the objects, as no rater has the same twice",)


def test_what_is_the_same_for_each_rater_is_about_the_rater():
    ages = dict(zip(PEOPLE, ("31", "45", "62"), strict=True))
    layout = recognise(TABLE.assign(age=TABLE["Bewerter"].map(ages), constant="3"))
    assert dict(layout.left_out) == {"age": "the same in all rows of each rater"}
    assert layout.attributes == ("Klarheit", "Stil", "constant")


def test_words_that_name_each_object_once_more_are_no_answers():
    essays = [f"e{at}" for at in range(9)]
    rows = [
        (rater, essay, f"On {essay}", f"mood {len(essay) * at % 3}")
        for rater in PEOPLE
        for at, essay in enumerate(essays)
    ]
    layout = recognise(pd.DataFrame(rows, columns=["Rater", "Essay", "Title", "Mood"]))
    assert layout.attributes == ("Mood",)
    assert dict(layout.left_out) == {"Title": "another name for each 'Essay'"}
    few = recognise(
        pd.DataFrame(rows[:3] + rows[9:12], columns=["Rater", "Essay", "Title", "Mood"]), columns={"object": "Essay"}
    )
    assert "Title" in few.attributes


def test_a_table_without_raters_has_rows_of_nobody():
    frame = TABLE.drop(columns="Bewerter").rename(columns={"Titel": "essay"})
    layout = recognise(frame)
    assert (layout.shape, layout.object, layout.worker) == ("wide-by-rater", "essay", None)
    assert "worker" not in to_long(frame, layout).columns


def test_a_row_for_each_title_is_a_row_for_each_object():
    frame = TABLE[:4].drop(columns="Bewerter")
    layout = recognise(frame)
    assert layout.object == "Titel"
    assert layout.assumed


def test_headings_may_name_the_objects_of_a_rater_s_row():
    frame = pd.DataFrame({"participant": ["p1", "p2"], "tall [photo 1]": ["1", "2"], "tall [photo 2]": ["3", "4"]})
    layout = recognise(frame)
    assert [(each.attribute, each.object) for each in layout.measured] == [("tall", "photo 1"), ("tall", "photo 2")]
    assert to_long(frame, layout).columns["worker"].tolist() == ["p1", "p1", "p2", "p2"]


def test_a_table_of_labels_holds_no_judgments():
    labels = pd.DataFrame({"essay": ["e1", "e2", "e3"], "label": [4, 5, 4]})
    with refused(JudgmentsError, column="object", file="labels.csv"):
        recognise(labels, name="labels.csv")
    assert recognise(labels, shape="wide-by-rater").attributes == ("label",)
    assert recognise(pd.concat([labels, labels])).attributes == ("label",)


def test_raters_who_are_ignored_are_no_question():
    layout = recognise(TABLE, columns={"object": "Titel", "worker": None})
    assert (layout.worker, layout.attributes) == (None, ("Klarheit", "Stil"))
    assert dict(layout.left_out) == {"Bewerter": "raters are ignored"}


def test_cells_that_are_lists_are_no_answers():
    layout = recognise(TABLE.assign(tags=[["a", "b"]] * len(TABLE)))
    assert dict(layout.left_out) == {"tags": "lists, and not single values"}


CELLS = ([1, 2, None], ["a", "b", ""], [1.0, np.nan, 2.5], [True, False], [1, "1", None, 2.0])


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_are_the_same_in_all_rows_of_a_rater_are_told_as_pandas_tells_them(seed):
    rng = np.random.default_rng(seed)
    raters = rng.permutation(np.repeat([f"r{at}" for at in range(3 + seed)], 4)).astype(object)
    table = pd.DataFrame({"Essay": [f"e{at}" for at in range(len(raters))], "Rater": raters})
    table.loc[table.sample(seed % 3, random_state=seed).index, "Rater"] = None
    for at in range(60):
        cells = CELLS[at % len(CELLS)]
        of_rater = {rater: cells[rng.integers(len(cells))] for rater in pd.unique(raters)}
        column = [of_rater[rater] for rater in raters]
        if at % 3 == 0:
            column[rng.integers(len(raters))] = cells[0]
        table[f"c{at}"] = pd.Series(column, dtype=object if at % 2 else None)
    sample = Sample(table)
    rows = table.groupby(table["Rater"].astype(str), sort=False)
    least = rows.size().min() >= 3
    plain = [
        name
        for name in table.columns.drop("Rater")
        if least and len(sample.look(name).distinct) > 1 and rows[name].nunique(dropna=False).max() == 1
    ]
    assert list(sample.about_workers("Rater")) == plain
    assert 0 < len(plain) < 50
