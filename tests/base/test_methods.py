"""The names of searches and predictors; that they are those of the registries is tested with these."""

from __future__ import annotations

import subprocess
import sys

from manyjudges.base import methods


def test_defaults_and_choices_are_among_the_names():
    assert methods.DEFAULT_SEARCH in methods.STUDY_SEARCHES
    assert set(methods.CURVE_SEARCHES) <= set(methods.STUDY_SEARCHES) <= set(methods.SEARCH_SUMMARIES)
    assert methods.DEFAULT_PREDICTOR == "auto"
    assert "auto" not in methods.SEARCH_SUMMARIES, "which chooses among them"
    assert "auto" not in methods.PREDICTOR_SUMMARIES, "which chooses among them"


def test_each_summary_goes_on_after_its_name_in_a_list_of_them():
    for summaries in (methods.SEARCH_SUMMARIES, methods.PREDICTOR_SUMMARIES):
        assert all(text[0].islower() and text[-1] not in ".;" and ";" not in text for text in summaries.values())
        parts = methods.described(summaries).split("; ")
        assert [part.split(" ")[0] for part in parts] == list(summaries)


def test_names_are_read_without_any_library():
    script = (
        "import sys; import manyjudges.base.methods; print(sorted({'numpy', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
