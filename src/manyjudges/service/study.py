"""A study's folder, opened: its file, its objects and its store."""

from __future__ import annotations

__all__ = ["OpenStudy", "check_extra", "is_study_folder", "judgment_tables", "labels_of", "open_study"]

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyjudges.base.database_addresses import file_of
from manyjudges.exceptions import DocumentError, ManyJudgesError, StudyError
from manyjudges.learn.checks.registry import CHECKS

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from manyjudges.store.store import Store
    from manyjudges.study.config import Study
    from manyjudges.study.objects import Objects

_NEEDED = (
    "pydantic",
    "sqlalchemy",
    "alembic",
    "fastapi",
    "uvicorn",
    "itsdangerous",
    "python_multipart",
    "jinja2",
    "PIL",
)
"""Libraries of the extra ``serve``, as they are imported."""

_JUDGMENT_CACHE = ".judgments-read.parquet"
"""The file of a study's folder that holds what was read of its judgments for the last plan."""


def check_extra() -> None:
    """Say what to install where something is missing that a study needs."""
    for name in _NEEDED:
        if find_spec(name) is None:
            raise ManyJudgesError(
                f"collecting judgments needs {name}, which is not here: pip install 'manyjudges[serve]'.",
                value=name,
            )


@contextmanager
def judgment_tables(address: str) -> Iterator[Iterator[pa.Table]]:
    """The judgments of a store that count, table by table, until the block ends and the store is closed.

    Parameters
    ----------
    address : str
        Of the store's database, such as ``"sqlite:///study/judgments.db"``.
    """
    try:
        from manyjudges.store.store import Store
    except ImportError:
        raise ManyJudgesError(
            "reading a campaign's store needs more: pip install 'manyjudges[serve]'.", value="sqlalchemy"
        ) from None
    import pyarrow as pa

    if (path := file_of(address)) is not None and not os.path.exists(path):
        raise DocumentError(
            f"there is no database {path!r}; name that of a campaign that has begun.", value=address, file=path
        )
    store = Store.open(address)
    try:
        yield (pa.Table.from_pandas(rows, preserve_index=False) for rows in store.judgment_batches())
    finally:
        store.close()


@dataclass(frozen=True, eq=False)
class OpenStudy:
    """A study with its objects and its store.

    Attributes
    ----------
    study : Study
    objects : Objects
    store : Store
    """

    study: Study
    objects: Objects
    store: Store

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    def __enter__(self) -> OpenStudy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_study(folder: str | os.PathLike[str], *, update: bool = False) -> OpenStudy:
    """Open the study in a folder: read its files, and open its store, or make it.

    Parameters
    ----------
    folder : path
        With a ``study.toml``; ``manyjudges new`` makes one.
    update : bool
        Take over what changed in ``objects.csv`` since it was last taken over, as ``manyjudges serve`` does when it
        starts. Otherwise the store stays about the objects that it knows: a server may be showing them.
    """
    check_extra()
    from manyjudges.store.store import Store
    from manyjudges.study.config import check_spending, read_study
    from manyjudges.study.objects import read_objects

    study = read_study(folder, check_codes=[check.code for check in CHECKS])
    objects = read_objects(study)
    check_spending(study, sum(record.label is not None for record in objects.records))
    _check_planned(study)
    if study.models:
        from manyjudges.llm.registry import check_options

        check_options(study)
    store = Store.open(study.database_address, kept=study.folder / _JUDGMENT_CACHE)
    try:
        if update or not store.costs():
            records = ((record.name, record.label) for record in objects.records)
            _check_answers(study, store)
            judges = {column.name: column.judge for column in study.columns if column.judge is not None}
            store.prepare(study.costs, records, study.plan.seed, judges=judges)
            store.set(_ANSWERS, json.dumps(_answers(study)))
        elif not _same_costs(study, store):
            raise StudyError(
                f"{study.place('attributes')}: the attributes or their costs are not those in the database any more. "
                "Start 'manyjudges serve' anew, which takes them over if nothing was bought yet; or change them back.",
                **study.located("attributes"),
            )
    except BaseException:
        store.close()
        raise
    return OpenStudy(study, objects, store)


def _check_planned(study: Study) -> None:
    """A plan counts one column for each question; of several, it would take the number of a class for an amount."""
    for i, attribute in enumerate(study.attributes):
        columns = attribute.answer_kind.columns(attribute.name)
        if len(columns) != 1:
            raise StudyError(
                f'{study.place("attributes", i, "kind")}: answers of kind = "{attribute.kind}" make '
                f"{len(columns)} columns, which cannot be planned yet; ask {attribute.name!r} as questions of other "
                "kinds, such as one yes or no for each class.",
                value=attribute.kind,
                column="kind",
            )


def _same_costs(study: Study, store: Store) -> bool:
    """Whether the store is about the study's columns, at its costs; what models cost is seen when they are paid."""
    stored = store.costs()
    fixed = {column.name: column.cost for column in study.columns if column.judge is None}
    return list(stored) == list(study.costs) and all(stored[name] == cost for name, cost in fixed.items())


_ANSWERS = "answers"
"""The setting that holds what could be answered to each question when it was taken over."""


def _answers(study: Study) -> dict[str, Any]:
    return {attribute.name: attribute.answer_kind.identity() for attribute in study.attributes}


def _check_answers(study: Study, store: Store) -> None:
    """Answers on two scales are not to be mixed up under one name."""
    kept = json.loads(store.setting(_ANSWERS) or "{}")
    if store.began() is None:
        return
    for i, (name, now) in enumerate(json.loads(json.dumps(_answers(study))).items()):
        if name in kept and kept[name] != now:
            kind, limits = kept[name][:2]
            raise StudyError(
                f"{study.place('attributes', i)}: {name!r} was judged as {kind}{f' of {limits}' if limits else ''} "
                "before; change its kind and range back, or ask the new question in a new study.",
                value=kind,
                **study.located("attributes", i),
            )


def labels_of(store: Store) -> pd.Series[Any]:
    """The labels that are known, by object."""
    objects = store.objects()
    return objects.dropna(subset="label").set_index("object")["label"]


def is_study_folder(path: Path) -> bool:
    """Whether a path is a study's folder."""
    return path.is_dir() and (path / "study.toml").is_file()
