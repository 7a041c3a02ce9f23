"""What each database does in its own way; what both must do alike is in the laws."""

from __future__ import annotations

import re
import sys
import threading
import tomllib

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError

from manyjudges.base.database_addresses import FORMS
from manyjudges.exceptions import StoreError
from manyjudges.store.database import Database
from manyjudges.store.dialects import (
    DIALECTS,
    PLANNING,
    POSTGRESQL,
    PREPARATION,
    SQLITE,
    dialect_for,
    dialect_of,
    index_where,
    insert_missing,
)
from manyjudges.store.orders import setting
from manyjudges.store.schema import metadata, settings
from manyjudges.store.store import Store
from tests.support.folders import ROOT
from tests.support.messages import refused
from tests.support.stores import PLACES, PRICES, objects, order, places_for


@pytest.fixture
def database(places):
    """A database with tables and nothing in them."""
    found = Database(places.made())
    yield found
    found.close()


def put(key, value):
    return lambda connection: connection.execute(settings.insert().values(key=key, value=value))


def test_each_form_of_address_has_a_dialect_and_the_other_way_round():
    assert {form.dialect for form in FORMS} == set(DIALECTS)
    assert all(dialect.name == name for name, dialect in DIALECTS.items())


@pytest.mark.parametrize(
    ("address", "dialect"),
    [
        ("sqlite:///judgments.db", SQLITE),
        ("sqlite:////srv/a b.db", SQLITE),
        ("postgresql+psycopg://ann:secret@host:5432/x", POSTGRESQL),
        ("postgresql+psycopg:///x?host=/run", POSTGRESQL),
    ],
)
def test_an_address_says_which_database(address, dialect):
    assert dialect_for(address) is dialect


@pytest.mark.parametrize(
    "address",
    [
        "",
        "judgments.db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///folder/",
        "sqlite:///a.db?mode=ro",
        "sqlite:///file:a.db",
        "postgresql://host/x",
        "postgresql+psycopg://host",
        "postgresql+psycopg://host:port/x",
        "mysql://host/x",
    ],
)
def test_an_address_that_no_store_can_use_is_refused_before_anything_is_opened(address):
    with pytest.raises(StoreError) as caught:
        Database(address)
    assert caught.value.value is not None
    assert "write" in str(caught.value) or "name" in str(caught.value)


@pytest.mark.parametrize(("kind", "driver", "address"), [("postgresql", "psycopg", "postgresql+psycopg://host/x")])
def test_a_missing_driver_is_said_with_what_to_install(monkeypatch, kind, driver, address):
    monkeypatch.setitem(sys.modules, driver, None)
    with refused(StoreError, value=repr(address), column="database") as caught:
        Database(address)
    assert DIALECTS[kind].missing_driver in str(caught.value)
    (extra,) = re.findall(r"manyjudges\[(\w+)\]", DIALECTS[kind].missing_driver)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert any(library.startswith(driver) for library in project["optional-dependencies"][extra])


def test_every_dialect_has_a_place_in_tests(tmp_path, request):
    assert set(PLACES) == set(DIALECTS)
    for kind in DIALECTS:
        assert places_for(kind, tmp_path, request.getfixturevalue).kind == kind
    with pytest.raises(LookupError):
        places_for("oracle", tmp_path, request.getfixturevalue)


def test_a_connection_knows_its_dialect(database, kind):
    assert database.dialect is DIALECTS[kind]
    assert database.read(dialect_of) is DIALECTS[kind]


def test_a_reading_transaction_sees_one_state(database):
    def reads_twice(connection):
        before = setting(connection, "a")
        writing = threading.Thread(target=database.write, args=[put("a", "new")])
        writing.start()
        writing.join()  # a reader does not hold a writer up
        return before, setting(connection, "a")

    assert database.read(reads_twice) == (None, None)
    assert database.read(lambda connection: setting(connection, "a")) == "new"


@pytest.mark.parametrize("kind", ["postgresql"])  # SQLite has no transactions that only read
def test_a_reading_transaction_writes_nothing(database):
    with refused(StoreError, column="database"):
        database.read(put("a", "1"))
    assert database.read(lambda connection: setting(connection, "a")) is None


def test_what_failed_half_way_is_undone(database):
    def work(connection):
        put("a", "1")(connection)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write(work)
    assert database.read(lambda connection: setting(connection, "a")) is None


def test_rows_that_are_there_are_left_alone_or_set_anew(database):
    def work(connection):
        put("a", "1")(connection)
        connection.execute(insert_missing(connection, settings).values(key="a", value="2"))
        kept = setting(connection, "a")
        change = dialect_of(connection).insert(settings).values(key="a", value="3")
        connection.execute(change.on_conflict_do_update(index_elements=["key"], set_={"value": "3"}))
        return kept, setting(connection, "a")

    assert database.write(work) == ("1", "3")


def test_rows_of_json_are_taken_apart(database):
    def work(connection):
        source, field = dialect_of(connection).json_rows()
        query = sa.text(f"SELECT {field.format(0)}, {field.format(1)} FROM {source}")
        return sorted(tuple(row) for row in connection.execute(query, {"rows": "[[3, 4], [1, 2], [-5, 2000000000]]"}))

    assert database.write(work) == [(-5, 2_000_000_000), (1, 2), (3, 4)]


@pytest.mark.parametrize("task", [PLANNING, PREPARATION])
def test_only_one_is_at_a_task_and_the_next_sees_what_was_done(database, task):
    """Each adds one to a number that it read before: without turns, additions would be lost."""
    database.write(put("n", "0"))

    def add(connection):
        dialect_of(connection).take_turn(connection, task)
        n = int(setting(connection, "n"))
        connection.execute(settings.update().where(settings.c.key == "n").values(value=str(n + 1)))

    threads = [threading.Thread(target=lambda: [database.write(add) for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert database.read(lambda connection: setting(connection, "n")) == "40"


def test_while_orders_are_locked_nobody_leases(places):
    store = Store.open(places.made())
    store.prepare(PRICES, objects(3))
    order(store, 1)
    ann = store.enter("open", "ann")
    batches = []
    leasing = threading.Thread(target=lambda: batches.append(store.lease(ann.id)))

    def hold(connection):
        dialect_of(connection).lock_orders(connection)
        leasing.start()
        leasing.join(timeout=0.3)
        return leasing.is_alive()

    assert store._database.write(hold)
    leasing.join(timeout=60)
    assert len(batches[0].items) == 3
    store.close()


def test_taking_open_work_goes_along_the_index(places, kind):
    store = Store.open(places.made())
    store.prepare({"round": 1.0}, objects(200))
    order(store, 1, attributes=["round"])
    open_work = """SELECT object_id FROM pairs WHERE attribute_id = 1 AND pairs."open" > 0 ORDER BY place LIMIT 5"""
    explain = "EXPLAIN QUERY PLAN " if kind == "sqlite" else "EXPLAIN "

    def work(connection):
        dialect_of(connection).follow_indexes(connection)
        return " ".join(str(row) for row in connection.execute(sa.text(explain + open_work)))

    plan = store._database.write(work)
    assert "ix_pairs_open" in plan
    assert "sort" not in plan.lower()
    assert "temp b-tree" not in plan.lower()
    store.close()


class Coded(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.sqlstate = code


@pytest.mark.parametrize(("code", "again"), [("40001", True), ("40P01", True), ("55P03", True), ("23505", False)])
@pytest.mark.parametrize("attempt", [0, 5])
def test_postgresql_tries_again_what_others_got_in_the_way_of(code, again, attempt):
    assert POSTGRESQL.retries(DBAPIError("", {}, Coded(code)), attempt) is again


def test_sqlite_tries_again_once_where_a_file_is_locked():
    locked = OperationalError("", {}, Exception("database is locked"))
    assert [SQLITE.retries(locked, attempt) for attempt in (0, 1)] == [True, False]
    assert not SQLITE.retries(OperationalError("", {}, Exception("no such table")), 0)


def test_a_transaction_is_begun_again_when_others_got_in_its_way(database, kind):
    wrong = Coded("40001") if kind == "postgresql" else Exception("database is locked")
    attempts = []

    def work(connection):
        attempts.append(1)
        put("a", "1")(connection)
        if len(attempts) == 1:
            raise OperationalError("", {}, wrong)

    database.write(work)
    assert len(attempts) == 2
    assert database.read(lambda connection: setting(connection, "a")) == "1"


def test_a_partial_index_is_partial_on_every_database():
    assert set(index_where(sa.text("x"))) == {f"{name}_where" for name in DIALECTS}
    partial = [index for table in metadata.tables.values() for index in table.indexes if index.dialect_kwargs]
    assert {index.name for index in partial} >= {"ix_pairs_open", "ix_batches_held", "ix_judgments_once"}
    for index in partial:
        assert {f"{name}_where" for name in DIALECTS} <= {
            key for key, value in index.dialect_kwargs.items() if value is not None
        }
