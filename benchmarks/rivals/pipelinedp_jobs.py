"""PipelineDP on its local backend, one process and no Beam or Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.rivals.job import Cannot, Order, answer

ITEMS = 17_770


def noise(order: Order) -> tuple[int, float, str]:
    raise Cannot("its public interface adds noise within an aggregation only")


def table(order: Order) -> tuple[int, float, str]:
    import numpy as np

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        _count(_rows(cells[cells < size]), order.epsilon, 0, 1, range(size))

    size, taken = order.grown(work)
    return size, taken, "COUNT with all cells as public partitions"


def occupied(order: Order) -> tuple[int, float, str]:
    import numpy as np

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        _count(_rows(cells[cells < size]), order.epsilon, 1e-9, 1, None)

    size, taken = order.grown(work)
    return size, taken, "COUNT with partitions selected privately; needs delta, here 1e-09"


def items(order: Order) -> tuple[int, float, str]:
    import numpy as np

    def work(size: int) -> None:
        users, films = (np.load(order.file(f"{name}.npy"))[:size].tolist() for name in ("user", "film"))
        _count(zip(users, films, strict=True), order.epsilon, 0, 10, range(1, ITEMS + 1))

    size, taken = order.grown(work)
    return size, taken, "COUNT, max_partitions_contributed=10, max_contributions_per_partition=1, public partitions"


def _rows(cells: Any) -> Any:
    return enumerate(cells.tolist())


def _count(rows: Any, epsilon: float, delta: float, most: int, public: Sequence[int] | None) -> None:
    import pipeline_dp

    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=delta)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    limits = {"max_partitions_contributed": most, "max_contributions_per_partition": 1}
    wanted = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT], noise_kind=pipeline_dp.NoiseKind.LAPLACE, **limits
    )
    columns = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: 0,
    )
    result = engine.aggregate(list(rows), wanted, columns, public_partitions=public)
    accountant.compute_budgets()
    for _ in result:
        pass


if __name__ == "__main__":
    from importlib.metadata import version

    _count([(0, 0)], 1, 0, 1, range(1))  # imports what it needs, so that no job pays for it
    answer({"noise": noise, "table": table, "occupied": occupied, "items": items}, version("pipeline-dp"))
