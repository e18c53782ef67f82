"""Jobs on real data of the kinds that the papers had; where the folder of data is absent they are left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import discreet
from discreet.private.counts import Counts
from discreet.private.publish import Data
from experiments.guide.data.jobs import SIZED_RANGES, SIZED_TABLES, Job
from experiments.privelet.data.census import census
from experiments.privelet.data.vectors import vectors
from experiments.shared.item_histories import ItemHistories, documents, retail
from experiments.shared.tables import Truth, data_folder
from experiments.sparse_summaries.data.real import adult, commuting

#: the most records of one user, declared and not looked up
MOST_OF_A_USER = 500


def counted_table(read: Callable[[], Truth | None]) -> Callable[[], Data | None]:
    def made() -> Data | None:
        truth = read()
        return None if truth is None else discreet.from_counts(truth.schema, truth.counts.codes, truth.counts.counts)

    return made


def _workers() -> Truth | None:
    """The census extract without incomes."""
    whole = census(data_folder())
    if whole is None:
        return None
    schema, counts = whole.schema.select(["age", "sex", "occupation"]), whole.counts
    return Truth(schema, Counts.from_arrays(schema.sizes, counts.codes[:, :3], counts.counts))


def _vector(name: str) -> Callable[[], Truth | None]:
    return lambda: vectors(data_folder(), 1).get(name)


def users_items(read: Callable[[], ItemHistories | None]) -> Callable[[], Data | None]:
    def made() -> Data | None:
        import pyarrow as pa

        found = read()
        if found is None:
            return None
        schema = discreet.Schema(item=discreet.Ordinal(0, found.item_count - 1))
        rows = pa.table({"user": found.users, "item": np.asarray(found.items)})
        return discreet.open(rows, schema, unit=discreet.Unit("user", max_rows=MOST_OF_A_USER))

    return made


ADULT = tuple(f"a{place}" for place in range(7))
TABLES = (("subsets of 100", "absolute"), ("subsets of 1000", "absolute"))
LINE = (("ranges", "absolute"), ("prefixes of a0", "absolute"))
ITEMS = (("cells", "absolute"), ("cells", "divergence"), ("cells", "top"))
REAL_JOBS: dict[str, Job] = {
    "adult": Job(
        "Adult by seven attributes (sparse-summaries, figure 7)",
        "48,842 people in 907,200 cells, 8,619 occupied; a summary of at most 10,000 cells but for geometric",
        counted_table(adult),
        discreet.Table(ADULT),
        TABLES,
        {name: {"size": 10_000} for name in SIZED_TABLES},
    ),
    "commuting": Job(
        "Jobs by home and work block group (sparse-summaries, figure 6)",
        "406,052 jobs of Rhode Island in 667,489 cells, 154,879 occupied; a summary of at most 133,000 cells but for "
        "geometric",
        counted_table(lambda: commuting("block group")),
        discreet.Table(("a0", "a1")),
        TABLES,
        {name: {"size": 133_000} for name in SIZED_TABLES},
    ),
    "census": Job(
        "Workers by age, sex and occupation (privelet)",
        "295,243 people of the American Community Survey by 79 ages, sex and 531 occupations in groups: 83,898 cells",
        counted_table(_workers),
        discreet.Ranges(["age", "sex", "occupation"]),
        (("ranges", "absolute"), ("ranges", "relative")),
        {name: {"size": 10_000} for name in SIZED_RANGES},
    ),
    "many-records": Job(
        "Ranges of one attribute: PATENT of DPBench, which has most records",
        "27,948,226 records in 4,096 bins",
        counted_table(_vector("PATENT")),
        discreet.Ranges(["a0"]),
        LINE,
        {name: {"size": 2000} for name in SIZED_RANGES},
    ),
    "few-records": Job(
        "Ranges of one attribute: MEDCOST of DPBench, which has fewest records",
        "9,415 records in 4,096 bins",
        counted_table(_vector("MEDCOST")),
        discreet.Ranges(["a0"]),
        LINE,
        {name: {"size": 2000} for name in SIZED_RANGES},
    ),
    "adult-pairs": Job(
        "All pairs of four attributes of Adult (ireduct)",
        "48,842 people by occupation (a3, 15), relationship (a4, 6), race (a5, 5) and sex (a6, 2); counts below 50 are "
        "judged as 50",
        counted_table(adult),
        discreet.Marginals(ADULT[3:], ways=2, sanity=50, records=50_000),
        (
            ("marginal a3 x a4", "relative"),
            ("marginal a3 x a6", "relative"),
            ("marginal a4 x a5", "relative"),
        ),
    ),
    "shop": Job(
        "What customers bought (sampled-analytics, grouping-smoothing)",
        "406,829 lines of 4,372 customers, 4,070 articles; at most 500 lines of a customer",
        users_items(lambda: retail(data_folder())),
        discreet.Items("item"),
        ITEMS,
    ),
    "texts": Job(
        "Words of texts (grouping-smoothing)",
        "353,160 words of 3,430 blog entries, 6,906 different ones; at most 500 of an entry",
        users_items(lambda: documents(data_folder())),
        discreet.Items("item"),
        ITEMS,
    ),
}
