"""Partitions over a real Spark, in local mode, where pyspark is installed: it is too large to be asked of everybody."""

from __future__ import annotations

import os
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments
from manyjudges.exceptions import JudgmentsError
from manyjudges.scan.partitions import Partition, map_in_arrow, merge_partitions
from tests.support.clustered import assert_same, scatter
from tests.support.messages import refused
from tests.support.plain import unbalanced_frame

sql = pytest.importorskip("pyspark.sql", reason="pyspark is not here: pip install pyspark, and Java 17 or newer")
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture(scope="module")
def spark():
    """Two threads of a Java of its own, whose Python is this one."""
    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "4"}
    session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
        os.environ.pop("PYSPARK_PYTHON")
        if before is not None:
            os.environ["PYSPARK_PYTHON"] = before


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Judgments torn apart over files of Parquet, in memory, and labels."""
    rng = np.random.default_rng(1)
    frame = unbalanced_frame(rng, n_objects=60, attributes=("a", "b", "c", "d"))
    frame["worker"] = [f"w{n}" for n in frame.groupby(["object", "attribute"]).cumcount()]
    names = sorted(frame["object"].unique())
    folder = tmp_path_factory.mktemp("spark")
    scatter(frame, folder, 3, ".parquet")
    return str(folder), frame, pd.Series(rng.normal(size=len(names)), index=names)


def partitions(judgments, labels, **options):
    parts = judgments.mapInArrow(partial(map_in_arrow, labels=labels, **options), "partition binary")
    return [Partition.from_bytes(row["partition"]) for row in parts.collect()]


def test_partitions_of_spark_merge_to_what_one_pass_gives(spark, table):
    folder, frame, labels = table
    found = partitions(spark.read.parquet(folder).repartition(5, "object"), labels)
    assert len(found) > 1
    assert_same(merge_partitions(found).moments(labels), Moments.estimate(Judgments.from_frame(frame), labels))


def test_objects_that_are_not_brought_together_are_refused(spark, table):
    folder, _, labels = table
    judgments = spark.read.parquet(folder).repartition(3)
    with refused(JudgmentsError):
        merge_partitions(partitions(judgments, labels)).moments(labels)


def test_spark_says_what_is_wrong_with_a_row(spark, table):
    folder, _, labels = table
    judgments = (
        spark.read.parquet(folder).repartition(2, "object").selectExpr("object", "attribute", "'maybe' AS value")
    )
    with pytest.raises(Exception, match="JudgmentsError") as caught:  # Spark's own, with the text of ours in it
        partitions(judgments, labels)
    assert "'maybe'" in str(caught.value)


def test_attributes_that_are_numbers_where_one_is_missing(spark, table):
    folder, frame, labels = table
    judgments = spark.read.parquet(folder)
    judgments = judgments.selectExpr("object", "worker", "value", "CAST(ascii(attribute) - 96 AS BIGINT) AS attribute")
    missing = judgments.limit(1).selectExpr("object", "worker", "value", "CAST(NULL AS BIGINT) AS attribute")
    found = merge_partitions(
        partitions(judgments.union(missing).repartition(3, "object"), labels, on_invalid="skip")
    ).moments(labels)
    assert found.skipped == 1
    frame = frame.assign(attribute=frame["attribute"].map(ord) - 96)
    assert_same(found, Moments.estimate(Judgments.from_frame(frame), labels))
