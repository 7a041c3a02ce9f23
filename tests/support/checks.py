"""What fails when data are checked."""

from __future__ import annotations

import pandas as pd

from manyjudges import Judgments, simulate
from manyjudges.exceptions import DataWarning
from manyjudges.learn.checks import check_data
from manyjudges.learn.training_data import TrainingData, match_training_data

JARS = simulate.jelly_beans(n_objects=40, random_state=0)
JUDGED_JARS = JARS.pilot(2).to_frame()


def warnings_of(*data, **more) -> tuple[DataWarning, ...]:
    """The warnings of data, moments with judgments, say."""
    return check_data(*data, **more).warnings


def kinds(warnings) -> list[str]:
    """Their names in programs."""
    return [warning.kind for warning in warnings]


def frame_of_jars(**facts) -> pd.DataFrame:
    """Judgments of jars, and columns that say the same on every row of a jar."""
    judged = JUDGED_JARS[["object", "worker"]].drop_duplicates()
    more = [judged.assign(attribute=name, value=judged["object"].map(fact)) for name, fact in facts.items()]
    return pd.concat([JUDGED_JARS, *more])


def training_with(noiseless=(), **facts) -> TrainingData:
    """The same with the jars' labels."""
    return match_training_data(Judgments.from_frame(frame_of_jars(**facts)), JARS.labels, noiseless=noiseless)
