"""OpenDP: the vector and map mechanisms, and its Polars context for users with many records."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.rivals.job import Order, answer

ITEMS = 17_770


def noise(order: Order) -> tuple[int, float, str]:
    import opendp.prelude as dp

    space: Any = (dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"))
    measure = dp.m.make_laplace(space[0], space[1], scale=1 / order.epsilon)
    size, taken = order.grown(lambda size: measure([0] * size))
    return size, taken, "make_laplace over a vector of integers"


def table(order: Order) -> tuple[int, float, str]:
    import numpy as np
    import opendp.prelude as dp

    space: Any = (dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"))
    measure = dp.m.make_laplace(space[0], space[1], scale=1 / order.epsilon)

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        measure(np.bincount(cells[cells < size], minlength=size).tolist())

    size, taken = order.grown(work)
    return size, taken, "make_laplace over a vector of all cells"


def occupied(order: Order) -> tuple[int, float, str]:
    import numpy as np
    import opendp.prelude as dp

    number, scale = dp.atom_domain(T="i64"), 1 / order.epsilon
    threshold = 1 + math.ceil(scale * math.log(1e9))
    space: Any = (dp.map_domain(number, number), dp.l01inf_distance(dp.absolute_distance(T="i64")))
    measure: Any = dp.m.make_laplace_threshold(space[0], space[1], scale=scale, threshold=threshold)

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        keys, counts = np.unique(cells[cells < size], return_counts=True)
        measure(dict(zip(keys.tolist(), counts.tolist(), strict=True)))

    size, taken = order.grown(work)
    delta = measure.map((1, 1, 1))[1]
    return size, taken, f"make_laplace_threshold over the occupied cells; needs delta, here {delta:.0e}"


def items(order: Order) -> tuple[int, float, str]:
    import opendp.prelude as dp
    import polars as pl

    keys = pl.LazyFrame({"film": list(range(1, ITEMS + 1))}, schema={"film": pl.Int32})

    prelude: Any = dp
    count = prelude.len(signed=True)

    def work(size: int) -> None:
        context: Any = dp.Context.compositor(
            data=pl.scan_parquet(order.file("ratings.parquet")).select("user", "film").head(size),
            privacy_unit=dp.unit_of(contributions=1, identifier="user"),
            privacy_loss=dp.loss_of(epsilon=order.epsilon),
            split_evenly_over=1,
        )
        query = context.query().truncate_per_group(10).group_by("film").agg(count).with_keys(keys)
        query.release().collect()

    size, taken = order.grown(work, order.full)
    return size, taken, "Polars context, truncate_per_group(10), all items as public keys"


if __name__ == "__main__":
    from importlib.metadata import version

    import opendp.prelude as dp

    dp.enable_features("contrib")
    answer({"noise": noise, "table": table, "occupied": occupied, "items": items}, version("opendp"))
