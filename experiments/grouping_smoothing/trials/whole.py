"""All figures for one data set, and the data sets as parts of the program."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from experiments.grouping_smoothing.data.sets import DATA_SEED, SETS, facts
from experiments.grouping_smoothing.data.user_items import UserItems
from experiments.grouping_smoothing.trials.figures import all_figures
from experiments.grouping_smoothing.trials.runs import SEED
from experiments.shared.records import Json

#: so many times fewer runs where one takes long; it then averages over more items
FEWER = {"checkin": 10, "checkin-full": 50, "document": 4, "netflix": 2}


def _part(name: str, folder: Path, runs: int) -> Json | None:
    found = SETS[name](folder)
    if found is None:
        return None
    case, start = UserItems.of(found), time.process_time()
    del found
    often = max(runs // FEWER.get(name, 1), 1)
    figures = all_figures(case, often)
    rest = {key: figures.pop(key) for key in ("tuning", "rho")}
    seconds = round(time.process_time() - start)
    seeds = {"noise": SEED, **({"data": DATA_SEED} if case.synthetic else {})}
    known = {**facts(name, case), "seeds": seeds}
    return {"facts": known, "figures": figures, **rest, "runs": often, "seconds": seconds}


PARTS: dict[str, Callable[[Path, int], Json | None]] = {name: partial(_part, name) for name in SETS}
