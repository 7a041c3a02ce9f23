"""Samples: simulated tables to try the page with, made when somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_SEED = 0


@dataclass(frozen=True)
class ExampleTable:
    """A simulated table.

    Attributes
    ----------
    title, text : str
        For the button, and what is in it.
    file : str
        Its name.
    make : callable
        The tables: judgments, and labels where they are in a file of their own.
    columns : mapping of str to str
        Which column has which role, where the reader cannot know.
    """

    title: str
    text: str
    file: str
    make: Callable[[], tuple[pd.DataFrame, pd.DataFrame | None]]
    columns: Mapping[str, str] = field(default_factory=dict)


def _survey() -> tuple[pd.DataFrame, None]:
    """Essays as a survey tool exports them: a row for each rater and essay, answers in words, the grade beside them."""
    from manyjudges import simulate

    words = ("strongly disagree", "disagree", "slightly disagree", "slightly agree", "agree", "strongly agree")
    crowd = simulate.essays(n_objects=150, random_state=_SEED)
    table = crowd.pilot(2).to_frame().pivot(index=["object", "worker"], columns="attribute", values="value")
    table = table[list(crowd.attributes)].round().astype(int).replace(dict(enumerate(words, start=1)))
    table = table.reset_index().rename(columns={"object": "Essay", "worker": "Rater"})
    return table.rename_axis(columns=None).assign(Grade=table["Essay"].map(crowd.labels).astype(int)), None


def _long() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Jars as a crowdsourcing site exports them: a row for each judgment, and the labels in a second file."""
    from manyjudges import simulate

    crowd = simulate.jelly_beans(n_objects=200, random_state=_SEED)
    judgments = crowd.pilot(3).to_frame().round({"value": 0}).astype({"value": int})
    labels = crowd.labels.round().astype(int).rename_axis("object").rename("beans in the jar").reset_index()
    for table in (judgments, labels):
        table["object"] = table["object"].str.replace("object", "jar")
    return judgments, labels


SAMPLES: dict[str, ExampleTable] = {
    "essays": ExampleTable(
        "Essays rated on a rubric",
        "150 essays, 8 criteria, a row for each rater and essay, as a survey tool exports it. The grade is a column.",
        "essays.csv",
        _survey,
        {"label": "Grade"},
    ),
    "jars": ExampleTable(
        "Beans in a jar",
        "200 jars, 3 questions, a row for each judgment, as a crowdsourcing site exports it. The labels are a second "
        "file.",
        "jars.csv",
        _long,
    ),
}


def write_sample(name: str, folder: Path) -> tuple[Path, Path | None]:
    """Write the table of a sample to a folder; gives its path and that of the labels, if they are a second file."""
    sample = SAMPLES[name]
    folder.mkdir(parents=True, exist_ok=True)
    judgments, labels = sample.make()
    path = folder / sample.file
    judgments.to_csv(path, index=False)
    if labels is None:
        return path, None
    beside = path.with_stem(f"{path.stem}-labels")
    labels.to_csv(beside, index=False)
    return path, beside
