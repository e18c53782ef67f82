"""Users' histories to experiment on, and those that are read from the folder of real data.

Records lie user by user, a user's own in no particular order (not a random one). Items are numbers from 0.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from experiments.shared.chance import Ints

DAYS = 7


@dataclass(frozen=True, eq=False)
class ItemHistories:
    """What users did: record i is about items[i], by users[i], in the context contexts[name][i]."""

    name: str
    users: Ints
    items: Ints
    item_count: int
    contexts: dict[str, Ints]
    context_sizes: dict[str, int]
    synthetic: bool

    @cached_property
    def starts(self) -> Ints:
        """The records of user u are starts[u] to starts[u + 1]."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.users))])


def retail(folder: Path) -> ItemHistories | None:
    """The lines of an online shop that name a customer; None where the file is absent."""
    path = folder / "online_retail" / "online_retail.parquet"
    if not path.exists():
        return None
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["StockCode", "CustomerID", "InvoiceDate"])
    codes, items = np.unique(table["StockCode"].to_numpy().astype(str), return_inverse=True)
    customers = table["CustomerID"].to_numpy()
    named = ~np.isnan(customers)
    day = pc.day_of_week(pc.strptime(table["InvoiceDate"], "%m/%d/%Y %H:%M", "s")).to_numpy()
    _, users = np.unique(customers[named], return_inverse=True)
    order = np.argsort(users, kind="stable")
    days = day[named][order].astype(np.int64)
    return ItemHistories("retail", users[order], items[named][order], codes.size, {"day": days}, {"day": DAYS}, False)


def documents(folder: Path) -> ItemHistories | None:
    """Documents and the words in each, once; None where the file is absent."""
    path = folder / "docword_kos" / "docword.kos.txt.gz"
    if not path.exists():
        return None
    from pyarrow import csv

    table = csv.read_csv(
        path,
        read_options=csv.ReadOptions(column_names=["document", "word", "times"], skip_rows=3),
        parse_options=csv.ParseOptions(delimiter=" "),
    )
    with gzip.open(path, "rt", encoding="ascii") as opened:
        _, words = int(next(opened)), int(next(opened))
    users = table["document"].to_numpy() - 1
    order = np.argsort(users, kind="stable")
    return ItemHistories("documents", users[order], table["word"].to_numpy()[order] - 1, words, {}, {}, False)
