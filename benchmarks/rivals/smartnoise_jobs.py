"""SmartNoise's SQL over pandas, which it copies into a SQLite in memory; counts of empty cells are handed to it."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.rivals.job import Order, answer

ALL = "SELECT cell, COUNT(*) AS n FROM rows GROUP BY cell"


def noise(order: Order) -> tuple[int, float, str]:
    def work(size: int) -> None:
        counts = [("cell", "count_star"), *((cell, 0) for cell in range(size))]
        for _ in _reader("cell", order.epsilon).execute(ALL, pre_aggregated=counts, postprocess=False):
            pass

    size, taken = order.grown(work, clock=time.process_time)
    return size, taken, "execute over given counts, without its postprocessing"


def table(order: Order) -> tuple[int, float, str]:
    import numpy as np

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        counts = np.bincount(cells[cells < size], minlength=size).tolist()
        _reader("cell", order.epsilon).execute(ALL, pre_aggregated=[("cell", "count_star"), *enumerate(counts)])

    size, taken = order.grown(work, clock=time.process_time)
    return size, taken, "execute over given counts of all cells, since its GROUP BY has no empty ones"


def occupied(order: Order) -> tuple[int, float, str]:
    import numpy as np

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        _reader("cell", order.epsilon, {"cell": cells[cells < size]}, censor_dims=True).execute(ALL)

    size, taken = order.grown(work, clock=time.process_time)
    return size, taken, f"GROUP BY with censor_dims; needs delta, here {DELTA:.0e}"


def items(order: Order) -> tuple[int, float, str]:
    import numpy as np

    def work(size: int) -> None:
        columns = {name: np.load(order.file(f"{name}.npy"))[:size] for name in ("user", "film")}
        reader = _reader("film", order.epsilon, columns, row_privacy=False, max_ids=10)
        reader.execute("SELECT film, COUNT(*) AS n FROM rows GROUP BY film")

    size, taken = order.grown(work, clock=time.process_time)
    return size, taken, "GROUP BY, max_ids=10; without censor_dims, so which items occur is not protected"


#: of the cells that are found: those that are given need none
DELTA = 1e-9


def _reader(key: str, epsilon: float, columns: dict[str, Any] | None = None, **options: Any) -> Any:
    import pandas as pd
    from snsql import Privacy, from_df

    settings = {"row_privacy": True, "censor_dims": False} | options
    users = {} if settings["row_privacy"] else {"user": {"type": "int", "private_id": True}}
    metadata = {"": {"": {"rows": settings | users | {key: {"type": "int"}}}}}
    privacy = Privacy(epsilon=epsilon, delta=DELTA if settings["censor_dims"] else 0.0)
    return from_df(pd.DataFrame(columns or {key: []}), privacy=privacy, metadata=metadata)


if __name__ == "__main__":
    from importlib.metadata import version

    _reader("cell", 1.0).execute(ALL)  # imports what it needs, so that no job pays for it
    answer({"noise": noise, "table": table, "occupied": occupied, "items": items}, version("smartnoise-sql"))
