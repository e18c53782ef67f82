"""`python -m experiments.grouping --data FOLDER`: figures 7 to 10 of grouping-smoothing, and their page.

Data and noise come from recorded seeds, so the same runs give the same numbers; only the seconds differ. A data set
that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from experiments.grouping_smoothing.data.user_items import SANITY, SEED, Case
from experiments.grouping_smoothing.page.whole import STEM, render
from experiments.grouping_smoothing.trials.figures import experiments, mean_of
from experiments.shared import item_histories as data
from experiments.shared.item_histories import SPECS, Histories
from experiments.shared.program import Json, arguments, run_parts

DATA_SEED = 1
#: so many times fewer runs where one takes long; it then averages over more items
FEWER = {"checkin": 10, "checkin-full": 50, "document": 4, "netflix": 2}
#: so many times fewer users, and items, where all of them would take too long for that many runs
SMALLER = {"checkin": 8}

SETS: dict[str, Callable[[Path], Histories | None]] = {
    "checkin": lambda _: data.synthetic("checkin", DATA_SEED, SMALLER["checkin"]),
    "checkin-full": lambda _: data.synthetic("checkin", DATA_SEED),
    "document": lambda _: data.synthetic("document", DATA_SEED),
    "netflix": lambda _: data.synthetic("netflix", DATA_SEED),
    "trajectory": lambda _: data.synthetic("trajectory", DATA_SEED),
    "documents": data.documents,
    "retail": data.retail,
}


def facts(name: str, case: Case) -> Json:
    spec = SPECS.get(case.name) if case.synthetic else None
    return {
        "users": case.users,
        "items": case.counts.size,
        "ones": int(case.counts.sum()),
        "bound": case.bound,
        "mean count": float(f"{case.counts.mean():.6g}"),
        "mean of a user": mean_of(case),
        "largest count": int(case.counts.max()),
        "sanity": float(f"{float(case.users * SANITY):.6g}"),
        "synthetic": case.synthetic,
        "factor": SMALLER.get(name, spec.factor) if spec else 1,
        "items too": bool(spec and spec.items_too),
        "skew": spec.skew if spec else None,
        "seeds": {"noise": SEED, **({"data": DATA_SEED} if case.synthetic else {})},
    }


def _part(name: str) -> Callable[[Path, int], Json | None]:
    def run(folder: Path, runs: int) -> Json | None:
        found = SETS[name](folder)
        if found is None:
            return None
        case, start = Case.of(found), time.process_time()
        del found
        often = max(runs // FEWER.get(name, 1), 1)
        figures = experiments(case, often)
        rest = {key: figures.pop(key) for key in ("tuning", "rho")}
        seconds = round(time.process_time() - start)
        return {"facts": facts(name, case), "figures": figures, **rest, "runs": often, "seconds": seconds}

    return run


def main() -> None:
    parser = arguments(
        "Figures 7 to 10 of grouping-smoothing, and their page.", 200, "runs per point (default 200, the paper's)"
    )
    run_parts(parser, STEM, render, {name: _part(name) for name in SETS})


if __name__ == "__main__":
    main()
