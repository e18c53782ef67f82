"""The data sets by their names: made up with published sizes, and two real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.sampled_analytics.data.user_records import UserRecords
from experiments.shared.item_histories import ItemHistories, documents, retail
from experiments.shared.made_up_histories import PUBLISHED, synthetic
from experiments.shared.records import Json, short

#: made-up data and all noise come from it
SEED = 1
#: the paper's Netflix with so many times fewer users
FEWER = PUBLISHED["netflix-days"].factor


def _movies(_: Path) -> UserRecords:
    """MovieLens by the user's gender and age; the day is left out, as in the paper."""
    found = synthetic("movielens", SEED)
    contexts = {name: found.contexts[name] for name in ("gender", "age")}
    return UserRecords.of(replace(found, contexts=contexts), bound=30, probe=20)


def _real(read: Callable[[Path], ItemHistories | None]) -> Callable[[Path], UserRecords | None]:
    def case(folder: Path) -> UserRecords | None:
        found = read(folder)
        return None if found is None else UserRecords.of(found)

    return case


SETS: dict[str, Callable[[Path], UserRecords | None]] = {
    "gowalla": lambda _: UserRecords.of(synthetic("gowalla", SEED)),
    "foursquare": lambda _: UserRecords.of(synthetic("foursquare", SEED)),
    "netflix": lambda _: UserRecords.of(synthetic("netflix-days", SEED), epsilon=FEWER),
    "netflix-part": lambda _: UserRecords.of(synthetic("netflix-days", SEED)),
    "movielens": _movies,
    "retail": _real(retail),
    "documents": _real(documents),
}


def facts(name: str, case: UserRecords) -> Json:
    true = {"items": case.items, "edges": case.edges}
    return {
        "synthetic": name not in ("retail", "documents"),
        "users": int(case.per_user.size),
        "items": int(case.items.size),
        "records": int(case.words.size),
        "most": case.most,
        "least": int(case.per_user.min()),
        "median": float(np.median(case.per_user)),
        "within": round(float(np.mean(case.per_user <= case.bound)), 4),
        "contexts": {name: case.schema[name].size for name in case.schema.names[1:]},
        "bound": case.bound,
        "probe": case.probe,
        "epsilon": int(case.epsilon),
        "top": sorted((int(count) for count in case.items), reverse=True)[:10],
        "mean alone": {kind: short(float(np.var(true[kind])), 5) for kind in case.kinds},
    }
