"""What is read of a ledger bit by bit is what all of it says."""

from __future__ import annotations

import shutil

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.store.schema import judgments
from manyjudges.store.store import Store

THINGS, NAMES, PEOPLE = ("o1", "o2", "o3"), ("tall", "old"), ("ann", "bob", "cleo")
steps = st.lists(
    st.tuples(
        st.sampled_from(THINGS), st.sampled_from(NAMES), st.sampled_from(PEOPLE), st.sampled_from([1.0, 2.0, 3.0])
    ),
    max_size=6,
)


def opened(folder, name="a.db"):
    store = Store.open(f"sqlite:///{folder}/{name}", kept=folder / "kept.parquet")
    store.prepare(dict.fromkeys(NAMES, 1.0), [(thing, 1.0) for thing in THINGS])
    return store


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A database with tables: to copy it is faster than to make them each time."""
    path = tmp_path_factory.mktemp("original") / "a.db"
    Store.open(f"sqlite:///{path}").close()
    return path


def check(store):
    pd.testing.assert_frame_equal(store.books()["judgments"], store.judgments())


@pytest.mark.slow
@settings(max_examples=20)
@given(rounds=st.lists(st.tuples(steps, st.booleans()), max_size=4))
def test_judgments_corrections_and_withdrawals(tmp_path_factory, original, rounds):
    folder = tmp_path_factory.mktemp("store")
    shutil.copy(original, folder / "a.db")
    store = opened(folder)
    check(store)
    for rows, leaves in rounds:
        store.take_in("x", list({row[:3]: row for row in rows}.values()))
        if leaves and store.workers():
            store.withdraw(store.workers()[0].id)
        check(store)
    store.close()
    again = opened(folder)
    check(again)
    again.close()


def test_only_what_is_new_is_read(tmp_path):
    store = opened(tmp_path)
    store.take_in("x", [("o1", "tall", "ann", 1.0)])
    check(store)
    # Nobody changes a row that is there; should somebody do, it is not read again.
    changed = judgments.update().values(value=9.0)
    store._database.write(lambda connection: connection.execute(changed))
    store.take_in("x", [("o1", "tall", "bob", 2.0)])
    assert store.books()["judgments"]["value"].tolist() == [1.0, 2.0]
    store._database.write(lambda connection: connection.execute(changed))
    assert store.books()["judgments"]["value"].tolist() == [1.0, 2.0]
    assert (tmp_path / "kept.parquet").stat().st_mode & 0o777 == 0o600
    store.close()


def test_nothing_that_was_withdrawn_is_kept(tmp_path):
    store = opened(tmp_path)
    store.take_in("x", [("o1", "tall", "ann", 1.0), ("o1", "tall", "bob", 2.0)])
    check(store)
    store.withdraw(store.workers()[0].id)
    assert not (tmp_path / "kept.parquet").exists()
    check(store)
    assert pd.read_parquet(tmp_path / "kept.parquet")["value"].tolist() == [2.0]
    store.close()


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_a_file_that_is_of_no_use_is_made_anew(tmp_path, content):
    store = opened(tmp_path)
    store.take_in("x", [("o1", "tall", "ann", 1.0)])
    check(store)
    if content is None:  # of another store
        other = opened(tmp_path, "b.db")
        other.take_in("x", [("o2", "old", "bob", 3.0)])
        check(other)
        other.close()
    else:
        (tmp_path / "kept.parquet").write_bytes(content)
    check(store)
    store.close()


def test_rows_that_were_written_late_are_not_missed(tmp_path):
    import sqlalchemy as sa

    store = opened(tmp_path)
    store.take_in("x", [("o1", "tall", "ann", 1.0), ("o2", "tall", "ann", 1.0)])
    engine = sa.create_engine(f"sqlite:///{tmp_path}/a.db")
    with engine.begin() as connection:  # as if a row of a lower number were written later than the others
        connection.execute(sa.text("UPDATE judgments SET id = 10 WHERE id = 1"))
    check(store)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE judgments SET id = 1 WHERE id = 2"))
        connection.execute(
            sa.text(
                "INSERT INTO judgments (id, at, worker_id, object_id, attribute_id, kind, value, cost, turn) "
                "SELECT 5, at, worker_id, 3, attribute_id, kind, 3.0, cost, turn FROM judgments WHERE id = 1"
            )
        )
    engine.dispose()
    check(store)
    store.close()
