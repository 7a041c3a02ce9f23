"""Every entry in Python takes a table in the same forms, and makes the same of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges import (
    Judgments,
    MultiSelectRegressor,
    answer,
    baseline,
    choose,
    fit_predictor,
    projected_error,
    read_judgments,
    summarize,
)
from manyjudges.learn.budgets import budget_curve
from manyjudges.reports import explore, report

FAST = {"cv_repeats": 1, "mute": ("MJ501", "MJ502")}
WORDS = ("never", "rarely", "sometimes", "often")


def _survey():
    rng, rows = np.random.default_rng(1), []
    for essay in range(60):
        clear, grade = rng.integers(0, 4), rng.normal(70, 5)
        for rater in rng.choice(9, size=3, replace=False):
            step = int(np.clip(clear + rng.integers(-1, 2), 0, 3))
            tone = int(rng.integers(1, 6))
            rows.append((f"e{essay:02}", f"r{rater}", WORDS[step], tone, round(grade + 5 * clear, 1)))
    return pd.DataFrame(rows, columns=["Essay", "Rater", "clear", "tone", "Grade"])


SURVEY = _survey()
TABLE = SURVEY.drop(columns="Grade")
LABELS = SURVEY.drop_duplicates("Essay").set_index("Essay")["Grade"]
ORDERED = TABLE.assign(clear=pd.Categorical(TABLE["clear"], WORDS, ordered=True))
LONG = TABLE.melt(["Essay", "Rater"], var_name="question", value_name="rating")

ENTRIES = {
    "answer": lambda X, y: answer(X, y, 4, **FAST).error,
    "baseline": lambda X, y: baseline(X, y, 4, kind="averages").explained,
    "budget_curve": lambda X, y: budget_curve(X, y, 4, budgets=[2, 4], **FAST).error.tolist(),
    "choose": lambda X, y: choose(X, y, 4, **FAST).loss,
    "explore": lambda X, y: explore(X, y, [2, 4], **FAST).curve.error.tolist(),
    "MultiSelectRegressor": lambda X, y: MultiSelectRegressor(4, mute=FAST["mute"]).fit(X, y).coef_.tolist(),
    "projected_error": lambda X, y: projected_error(X, y, [2, 4], **FAST).error.tolist(),
    "report": lambda X, y: report(X, y, 4, **FAST).summary.answer.error,
    "summarize": lambda X, y: summarize(X, y, 4, **FAST).answer.error,
}
"""Functions of judgments and labels, and the numbers that they give."""

TABLES = {
    "judgments": lambda _: (Judgments.from_frame(TABLE), LABELS),
    "pandas, a column": lambda _: (SURVEY, "Grade"),
    "pandas, by row": lambda _: (TABLE, SURVEY["Grade"]),
    "polars, a mapping": lambda _: (pl.from_pandas(TABLE), dict(LABELS)),
    "polars, by row": lambda _: (pl.from_pandas(TABLE), pl.Series(SURVEY["Grade"])),
    "arrow": lambda _: (pa.Table.from_pandas(SURVEY, preserve_index=False), "Grade"),
    "ordered categories": lambda _: (ORDERED, LABELS),
    "a dict of arrays": lambda _: (SURVEY.to_dict("list"), "Grade"),
    "long": lambda _: (LONG, LABELS),
    "a file": lambda files: (files / "survey.csv", "Grade"),
    "a file and labels": lambda files: (str(files / "table.parquet"), files / "grades.csv"),
    "files": lambda files: ([files / "1.csv", files / "2.csv"], "Grade"),
    "a pattern": lambda files: (str(files / "[12].csv"), "Grade"),
}
"""The same judgments and labels in every form."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    SURVEY.to_csv(folder / "survey.csv", index=False)
    SURVEY.iloc[:90].to_csv(folder / "1.csv", index=False)
    SURVEY.iloc[90:].to_csv(folder / "2.csv", index=False)
    TABLE.to_parquet(folder / "table.parquet")
    LABELS.reset_index().to_csv(folder / "grades.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def plain():
    """What each entry makes of judgments that have been read."""
    judgments, labels = TABLES["judgments"](None)
    return {name: entry(judgments, labels) for name, entry in ENTRIES.items()}


@pytest.mark.parametrize("form", [name for name in TABLES if name != "judgments"])
@pytest.mark.parametrize("entry", ["answer", "MultiSelectRegressor"])
def test_every_form_comes_to_the_same(entry, form, files, plain):
    np.testing.assert_allclose(ENTRIES[entry](*TABLES[form](files)), plain[entry], rtol=1e-9)


@pytest.mark.parametrize("entry", [name for name in ENTRIES if name not in ("answer", "MultiSelectRegressor")])
@pytest.mark.parametrize("form", ["pandas, a column", "a file and labels"])
def test_every_entry_takes_tables(entry, form, files, plain):
    np.testing.assert_allclose(ENTRIES[entry](*TABLES[form](files)), plain[entry], rtol=1e-9)


def test_readers_take_the_same_forms(files):
    wanted = read_judgments(TABLE).to_frame()
    for form in TABLES:
        if form != "judgments":
            table, labels = TABLES[form](files)
            options = {"label": labels} if isinstance(labels, str) else {}
            pd.testing.assert_frame_equal(read_judgments(table, **options).to_frame(), wanted)


def test_a_predictor_is_fitted_to_tables_and_reads_them_by_its_plan(files):
    plan = answer(SURVEY, "Grade", 4, error=False, **FAST).plan
    wanted = fit_predictor(plan, Judgments.from_frame(TABLE), LABELS)
    for form in ("pandas, a column", "a file and labels", "files"):
        fitted = fit_predictor(plan, *TABLES[form](files))
        np.testing.assert_allclose(fitted.coefficients, wanted.coefficients)
        np.testing.assert_allclose(fitted.predict(TABLES[form](files)[0]), wanted.predict(Judgments.from_frame(TABLE)))
