"""Repeats: what becomes of judgments where a worker judged the same attribute of an object more than once.

The same as ``tables.reading.repeats`` does in memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.scan.duckdb.queries import VALID, JudgmentQueries
from manyjudges.scan.duckdb.sources import rows_of
from manyjudges.tables.reading.repeats import settle_repeats
from manyjudges.tables.values import Place

_SETTLED = "settled"
"""The table of what is kept."""

_JUDGED = "PARTITION BY object, attribute, worker"


def settle(connection: Any, queries: JudgmentQueries) -> tuple[JudgmentQueries, int]:
    """Keep the first or the last judgment of each worker of a pair, or their mean; and how many were left out.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    queries : JudgmentQueries
        Whose answers are known, and whose rows have numbers.
    """
    how, source = queries.options.repeated, queries.source
    if how == "error" or not queries.workers:
        return queries, 0
    rows = queries.rows(source.relation, extra=f"{queries.who}, row{', time' * source.timed}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE every_row AS {rows}")
    valid = f"FROM every_row WHERE state = {VALID}"
    if how != "mean" and source.timed:
        kept = f"SELECT * {valid} AND row NOT IN (SELECT row FROM left_out)"
        _leave_out(connection, queries, valid)
    else:
        taken = f"* REPLACE (avg(v) OVER ({_JUDGED}) AS v)" if how == "mean" else "*"
        order = f"row {'DESC' if how == 'last' else 'ASC'}"
        kept = f"SELECT {taken} {valid} QUALIFY row_number() OVER ({_JUDGED} ORDER BY {order}) = 1"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_SETTLED} AS {kept}")
    ((before,),) = connection.execute(f"SELECT count(*) {valid}").fetchall()
    ((after,),) = connection.execute(f"SELECT count(*) FROM {_SETTLED}").fetchall()
    connection.execute(f"INSERT INTO {_SETTLED} SELECT * FROM every_row WHERE state <> {VALID}")
    connection.execute("DROP TABLE every_row")
    return replace(queries, settled=_SETTLED), before - after


def _leave_out(connection: Any, queries: JudgmentQueries, valid: str) -> None:
    """Make a table of the rows that are not kept, by their times: only judgments that are repeated are looked at."""
    several = f"SELECT * {valid} QUALIFY count(*) OVER ({_JUDGED}) > 1 ORDER BY row"
    found = connection.sql(several).to_arrow_table()
    names = (found.column(role).to_numpy(zero_copy_only=False) for role in ("object", "attribute", "worker"))
    keys = [pd.factorize(column)[0] for column in names]
    numbers = found.column("row").to_numpy()
    kept, _ = settle_repeats(
        (keys[0], keys[1], keys[2]),
        found.column("v").to_numpy(),
        queries.options.repeated,
        found.column("time").to_numpy(zero_copy_only=False),
        lambda row: _place(connection, queries, int(numbers[row])),
    )
    left_out = np.delete(numbers, kept)
    connection.register("given", pa.table({"row": pa.array(left_out, pa.int64())}))
    connection.execute("CREATE OR REPLACE TEMP TABLE left_out AS FROM given")
    connection.unregister("given")


def _place(connection: Any, queries: JudgmentQueries, number: int) -> Place:
    """Where the row with a number stands."""
    for rows in rows_of(connection, queries.source):
        if number < len(rows):
            return rows.locate(number)
        number -= len(rows)
    raise RuntimeError("a row that was read has a place")
