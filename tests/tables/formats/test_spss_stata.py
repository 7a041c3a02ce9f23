"""Files of SPSS and Stata, as these programs and survey tools write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from manyjudges.tables.formats.registry import read_content

ENDS = {1: "not at all", 7: "very much"}
CELLS = pd.DataFrame({"clear": [1.0, 4.0, 7.0, 99.0, -9.0]})


def written(folder, labels, *, ending=".sav", **more):
    path = folder / f"survey{ending}"
    write = pyreadstat.write_sav if ending == ".sav" else pyreadstat.write_dta
    write(CELLS, path, variable_value_labels={"clear": labels}, **more)
    return read_content(path)


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_where_only_the_ends_have_labels_answers_are_numbers(tmp_path, ending):
    content = written(tmp_path, ENDS, ending=ending)
    assert content.frame["clear"].tolist() == [1, 4, 7, 99, -9]
    assert content.scales == {}


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_codes_whose_label_says_so_are_no_answers(tmp_path, ending):
    content = written(tmp_path, {**ENDS, 99: "Refused", -9: "not answered"}, ending=ending)
    np.testing.assert_array_equal(content.frame["clear"].to_numpy(dtype=float), [1, 4, 7, np.nan, np.nan])


def test_codes_that_are_declared_missing_are_no_answers(tmp_path):
    content = written(tmp_path, ENDS, missing_ranges={"clear": [99, {"lo": -9, "hi": -1}]})
    np.testing.assert_array_equal(content.frame["clear"].to_numpy(dtype=float), [1, 4, 7, np.nan, np.nan])


def test_where_all_codes_have_labels_they_are_the_steps(tmp_path):
    labels = {1: "low", 4: "medium", 7: "high", 99: "refused", -9: "other"}
    content = written(tmp_path, labels)
    assert content.frame["clear"].tolist() == ["low", "medium", "high", "refused", "other"]
    assert content.scales["clear"]["medium"] == 4


def test_names_of_things_have_no_order(tmp_path):
    labels = {1: "red", 4: "green", 7: "blue", 99: "pink", -9: "grey"}
    assert written(tmp_path, labels, variable_measure={"clear": "nominal"}).scales == {}
