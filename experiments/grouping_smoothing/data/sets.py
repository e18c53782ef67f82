"""The data sets by their names: made up with the sizes of the paper's four, and two real ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.grouping_smoothing.data.user_items import SANITY, UserItems
from experiments.shared.item_histories import ItemHistories, documents, retail
from experiments.shared.made_up_histories import PUBLISHED, synthetic
from experiments.shared.records import Json, short

DATA_SEED = 1
#: so many times fewer users, and items, where all of them would take too long for that many runs
SMALLER = {"checkin": 8}

SETS: dict[str, Callable[[Path], ItemHistories | None]] = {
    "checkin": lambda _: synthetic("checkin", DATA_SEED, SMALLER["checkin"]),
    "checkin-full": lambda _: synthetic("checkin", DATA_SEED),
    "document": lambda _: synthetic("document", DATA_SEED),
    "netflix": lambda _: synthetic("netflix", DATA_SEED),
    "trajectory": lambda _: synthetic("trajectory", DATA_SEED),
    "documents": documents,
    "retail": retail,
}


def facts(name: str, case: UserItems) -> Json:
    spec = PUBLISHED.get(case.name) if case.synthetic else None
    return {
        "users": case.users,
        "items": case.counts.size,
        "ones": int(case.counts.sum()),
        "bound": case.bound,
        "mean count": short(float(case.counts.mean()), 6),
        "mean of a user": case.mean,
        "largest count": int(case.counts.max()),
        "sanity": short(float(case.users * SANITY), 6),
        "synthetic": case.synthetic,
        "factor": SMALLER.get(name, spec.factor) if spec else 1,
        "items too": bool(spec and spec.items_too),
        "skew": spec.skew if spec else None,
        "shift": spec.shift if spec else None,
    }
