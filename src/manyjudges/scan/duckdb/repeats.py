"""Repeats: what becomes of judgments where a worker judged the same attribute of an object more than once.

The same as ``tables.reading.repeats`` does in memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manyjudges.scan.duckdb.queries import VALID, JudgmentQueries

_SETTLED = "settled"
"""The table of what is kept."""


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
    times = ", moment, seconds" * source.timed
    rows = queries.rows(source.relation, extra=f"{queries.who}, row{times}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE every_row AS {rows}")
    valid = f"FROM every_row WHERE state = {VALID}"
    judged = "PARTITION BY object, attribute, worker"
    taken = f"* REPLACE (avg(v) OVER ({judged}) AS v)" if how == "mean" else "*"
    by = ["row"] if how == "mean" else _order(connection, valid, timed=source.timed)
    ranked = ", ".join(f"{name} {'DESC' if how == 'last' else 'ASC'}" for name in by)
    kept = f"SELECT {taken} {valid} QUALIFY row_number() OVER ({judged} ORDER BY {ranked}) = 1"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_SETTLED} AS {kept}")
    ((before,),) = connection.execute(f"SELECT count(*) {valid}").fetchall()
    ((after,),) = connection.execute(f"SELECT count(*) FROM {_SETTLED}").fetchall()
    connection.execute(f"INSERT INTO {_SETTLED} SELECT * FROM every_row WHERE state <> {VALID}")
    connection.execute("DROP TABLE every_row")
    return replace(queries, settled=_SETTLED), before - after


def _order(connection: Any, valid: str, *, timed: bool) -> list[str]:
    """By what judgments came one after the other: by their times, where all of them can be read, and else by rows."""
    if timed:
        query = f"SELECT bool_and(moment IS NOT NULL), bool_and(seconds IS NOT NULL) {valid}"
        ((moments, seconds),) = connection.execute(query).fetchall()
        if moments:
            return ["moment", "row"]
        if seconds:
            return ["seconds", "row"]
    return ["row"]
