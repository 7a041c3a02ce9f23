from __future__ import annotations

import pandas as pd
import pytest

from manyjudges.app.samples import SAMPLES, write_sample


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_the_same_each_time_and_has_the_columns_that_it_names(name, tmp_path):
    path, labels = write_sample(name, tmp_path / "one")
    again, _ = write_sample(name, tmp_path / "other")
    assert path.read_bytes() == again.read_bytes()
    assert set(SAMPLES[name].columns.values()) <= set(pd.read_csv(path).columns)
    assert (labels is None) == bool(SAMPLES[name].columns)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_says_that_it_is_simulated(name, visitor):
    assert "simulated" in visitor.page().text
    page = visitor.post("/sample", sample=name)
    assert SAMPLES[name].file in page.text
    assert ">simulated</span>" in page.text


def test_there_is_no_other_sample(visitor):
    assert visitor.post("/sample", sample="nothing").status_code == 404
