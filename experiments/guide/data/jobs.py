"""The jobs, and the data that are made up for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import discreet
from discreet.noise import Noise, SeededSource
from discreet.private.publish import Data
from discreet.tasks import Task
from experiments.shared.tables import bell, domain

SEED = 6


@dataclass(frozen=True)
class Job:
    """What somebody wants to publish; `measures` say by which error the methods are compared, on which workload."""

    title: str
    setting: str
    data: Callable[[], Data | None]
    task: Task
    measures: tuple[tuple[str, str], ...]
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)


def counted(*sizes: int, occupied: int, mean: float, deviation: float) -> Callable[[], Data]:
    def made() -> Data:
        truth = bell(domain(*sizes), occupied, mean, deviation, SEED)
        return discreet.from_counts(truth.schema, truth.counts.codes, truth.counts.counts)

    return made


def towns() -> Data:
    """Ages, a hierarchy of 4 regions with 16 towns each, and yes or no: 50,000 people, skewed."""
    dice = Noise(SeededSource(SEED))
    people = 50_000
    age = np.minimum(dice.integers(100, people), dice.integers(100, people))
    town = (dice.integers(64, people) * dice.integers(64, people)) // 64
    tree = {f"region {r}": [f"town {16 * r + t}" for t in range(16)] for r in range(4)}
    schema = discreet.Schema(
        age=discreet.Ordinal(0, 99), town=discreet.Nominal(hierarchy=tree), owns=discreet.Nominal(["no", "yes"])
    )
    codes = np.stack([age, town, dice.integers(2, people)], axis=1)
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    return discreet.from_counts(schema, cells, counts)


def visits() -> Data:
    """3,000 users with 1 to some 400 visits of 2,000 places each, mostly of popular ones, on seven days."""
    import pyarrow as pa

    dice = Noise(SeededSource(SEED))
    users = 3000
    share = (1 + dice.integers(1 << 30, users)) / 2.0**30
    each = np.minimum((4 / share**0.7).astype(np.int64), 400)
    user = np.repeat(np.arange(users), each)
    chance = dice.integers(1 << 30, user.size) / 2.0**30
    place = np.minimum((2000**chance - 1).astype(np.int64), 1999)  # as many between 1 and 10 as between 100 and 1000
    rows = pa.table({"user": user, "place": place, "day": dice.integers(7, user.size)})
    schema = discreet.Schema(place=discreet.Ordinal(0, 1999), day=discreet.Ordinal(0, 6))
    return discreet.open(rows, schema, unit=discreet.Unit("user", max_rows=400))


BOTH = ("a0", "a1")
SIZED_TABLES = ("filter", "threshold", "priority", "filter-threshold", "filter-priority")
SIZED_RANGES = tuple(
    f"{tree}-{kind}"
    for tree in ("dyadic", "wavelet")
    for kind in ("filter", "threshold", "priority", "filter-priority")
    if (tree, kind) != ("wavelet", "threshold")
)
JOBS: dict[str, Job] = {
    "small-table": Job(
        "A small table, cell by cell",
        "1,024 cells, all occupied, counts about 100",
        counted(32, 32, occupied=1024, mean=100, deviation=40),
        discreet.Table(BOTH),
        (("cells", "absolute"),),
        {"filter": {"theta": 1}, "priority": {"size": 512}, "threshold": {"size": 512}},
    ),
    "sparse-table": Job(
        "A large, nearly empty table: sums over sets of cells",
        "1,000,000 cells, 1 % occupied, counts about 100; a summary of at most 10,000 cells but for geometric",
        counted(1000, 1000, occupied=10_000, mean=100, deviation=40),
        discreet.Table(BOTH),
        (("subsets of 100", "absolute"), ("subsets of 1000", "absolute")),
        {name: {"size": 10_000} for name in SIZED_TABLES},
    ),
    "ranges": Job(
        "Ranges of one attribute",
        "4,096 values, a fifth of them occupied, counts about 100",
        counted(4096, occupied=820, mean=100, deviation=40),
        discreet.Ranges(["a0"]),
        (("ranges", "absolute"), ("prefixes of a0", "absolute")),
        {name: {"size": 2000} for name in SIZED_RANGES},
    ),
    "roll-ups": Job(
        "Ranges and roll-ups of several attributes",
        "100 ages x 64 towns in 4 regions x 2, 50,000 people",
        towns,
        discreet.Ranges(["age", "town", "owns"]),
        (("ranges", "absolute"), ("ranges", "relative")),
        {name: {"size": 2000} for name in SIZED_RANGES},
    ),
    "marginals": Job(
        "All tables of two attributes, by relative error",
        "100 ages x 64 towns x 2, 50,000 people; counts below 50 are judged as 50",
        towns,
        discreet.Marginals(["age", "town", "owns"], ways=2, sanity=50, records=50_000),
        (
            ("marginal age x town", "relative"),
            ("marginal age x owns", "relative"),
            ("marginal town x owns", "relative"),
        ),
    ),
    "items": Job(
        "Items, when one user has many records",
        "3,000 users with up to 400 visits each, 2,000 places",
        visits,
        discreet.Items("place"),
        (("cells", "absolute"), ("cells", "divergence"), ("cells", "top")),
    ),
    "items-in-context": Job(
        "Items per context",
        "3,000 users with up to 400 visits each, 2,000 places, 7 days",
        visits,
        discreet.Items("place", context=["day"]),
        (("cells", "absolute"), ("marginal place", "top"), ("marginal day", "relative")),
    ),
}
