"""Tables of a store: made once, by whoever comes first, and as the schema says."""

from __future__ import annotations

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from manyjudges.exceptions import StoreError
from manyjudges.store import schema
from manyjudges.store.store import Store
from tests.support.messages import refused
from tests.support.stores import PRICES, objects, order, processes


def test_migrated_tables_are_those_of_the_schema(places):
    store = Store.open(places.empty())
    with store._database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, schema.metadata) == []
        inspector = sa.inspect(connection)
        for table in schema.metadata.sorted_tables:
            wanted = {c.name: str(c.sqltext) for c in table.constraints if isinstance(c, sa.CheckConstraint)}
            found = {check["name"]: check["sqltext"] for check in inspector.get_check_constraints(table.name)}
            assert found.keys() == wanted.keys()
            if places.kind == "sqlite":  # PostgreSQL writes them in its own way
                assert found == wanted
            wanted_indexes = {index.name: partial(index, places.kind) for index in table.indexes}
            found_indexes = {
                index["name"]: plain(index.get("dialect_options", {}).get(f"{places.kind}_where", ""))
                for index in inspector.get_indexes(table.name)
                if "duplicates_constraint" not in index
            }
            assert found_indexes == wanted_indexes
    store.close()


def partial(index, kind):
    where = index.dialect_options[kind]["where"]
    return "" if where is None else plain(where.compile(compile_kwargs={"literal_binds": True}))


def plain(condition):
    """A condition, however a database writes it."""
    text = str(condition).replace("::text", "").replace("(", "").replace(")", "").replace('"', "")
    return text.replace("judgments.", "").replace("varchar", "").replace("::character varying", "")


def test_a_database_of_a_newer_version_is_refused_and_left_alone(places):
    address = places.made()
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with refused(StoreError, value="9999", column="version"):
        Store.open(address)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one() == "9999"
    engine.dispose()


def opened(address, barrier, results):
    barrier.wait()
    try:
        store = Store.open(address)
        store.prepare(PRICES, objects(50))
        store.enter("open", "ann")
        results.put(store.secret)
        store.close()
    except BaseException as error:  # the parent shows it
        results.put(repr(error))


def test_several_servers_may_start_at_once(places):
    address = places.empty()
    barrier, results = processes.Barrier(4), processes.Queue()
    servers = [processes.Process(target=opened, args=(address, barrier, results)) for _ in range(4)]
    for server in servers:
        server.start()
    secrets = {results.get(timeout=60) for _ in servers}
    for server in servers:
        server.join()
    assert len(secrets) == 1, secrets
    store = Store.open(address)
    assert {store.secret} == secrets
    assert len(store.objects()) == 50
    assert len(store.workers()) == 1
    order(store, 1)
    assert store.progress()["open"].tolist() == [50, 50]
    store.close()
