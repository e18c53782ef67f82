"""Tumult Analytics on a local Spark."""

from __future__ import annotations

import os
import sys
from typing import Any

from benchmarks.rivals.job import Cannot, Order, answer

ITEMS = 17_770


def noise(order: Order) -> tuple[int, float, str]:
    import numpy as np
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

    add, zero = AddGeometricNoise(round(1 / order.epsilon)), np.int64(0)
    size, taken = order.grown(lambda size: [add(zero) for _ in range(size)])
    return size, taken, "AddGeometricNoise of its core package, value by value"


def table(order: Order) -> tuple[int, float, str]:
    from tmlt.analytics import AddOneRow, KeySet

    spark = _spark()

    def work(size: int) -> None:
        cells = spark.read.parquet(order.file("cells.parquet"))
        keys = KeySet.from_dataframe(spark.range(size).withColumnRenamed("id", "cell"))
        _count(cells.where(cells.cell < size), AddOneRow(), keys, order.epsilon)

    size, taken = order.grown(work)
    return size, taken, "count over a key set of all cells; Spark's start not counted"


def occupied(order: Order) -> tuple[int, float, str]:
    raise Cannot("all keys must be given; finding them by a query needs delta, and was not tried")


def items(order: Order) -> tuple[int, float, str]:
    from tmlt.analytics import AddRowsWithID, KeySet

    spark = _spark()
    keys = KeySet.from_dataframe(spark.range(1, ITEMS + 1).selectExpr("cast(id as int) as film"))

    def work(size: int) -> None:
        ratings = spark.read.parquet(order.file("ratings.parquet")).select("user", "film")
        part = ratings if size >= order.full else ratings.limit(size)
        _count(part, AddRowsWithID("user"), keys, order.epsilon, 10)

    size, taken = order.grown(work, order.full // 10)
    return size, taken, "count over given keys, MaxRowsPerID(10); Spark's start not counted"


def _spark() -> Any:
    """Started and warmed up; its workers must be of this environment, not of the first Python on the path."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    # two hundred shuffles, the default, are for a cluster
    settings = {"spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "4"}
    spark = SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.range(10).count()
    return spark


def _count(frame: Any, unit: Any, keys: Any, epsilon: float, most: int | None = None) -> None:
    from tmlt.analytics import MaxRowsPerID, PureDPBudget, QueryBuilder, Session

    budget = PureDPBudget(epsilon)
    session = Session.from_dataframe(budget, "rows", frame, protected_change=unit)
    query = QueryBuilder("rows")
    if most is not None:
        query = query.enforce(MaxRowsPerID(most))
    session.evaluate(query.groupby(keys).count(), budget).write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    from importlib.metadata import version

    answer({"noise": noise, "table": table, "occupied": occupied, "items": items}, version("tmlt.analytics"))
