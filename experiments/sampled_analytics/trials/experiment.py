"""`python -m experiments.sampled --data FOLDER`: the experiments of sampled-analytics, section 6, and their page.

Data that are made up and all chance come from recorded seeds, so the same program gives the same numbers. A data set
that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.sampled_analytics.data.user_records import SEED, Case, Ints
from experiments.sampled_analytics.page.whole import STEM, render
from experiments.sampled_analytics.trials import measures as metrics
from experiments.sampled_analytics.trials.beyond import causes, frequencies, guessed, rescaled
from experiments.sampled_analytics.trials.figures import by_bound, comparison
from experiments.shared import item_histories as data
from experiments.shared.program import Json, arguments, run_parts

#: the paper's Netflix with so many times fewer users
FEWER = data.SPECS["netflix-days"].factor

Sets = dict[str, Callable[[Path], Case | None]]


def _movies(_: Path) -> Case:
    """MovieLens by the user's gender and age; the day is left out, as in the paper."""
    found = data.synthetic("movielens", SEED)
    contexts = {name: found.contexts[name] for name in ("gender", "age")}
    return Case.of(replace(found, contexts=contexts), bound=30, probe=20)


def _real(read: Callable[[Path], data.Histories | None]) -> Callable[[Path], Case | None]:
    def case(folder: Path) -> Case | None:
        found = read(folder)
        return None if found is None else Case.of(found)

    return case


SETS: Sets = {
    "gowalla": lambda _: Case.of(data.synthetic("gowalla", SEED)),
    "foursquare": lambda _: Case.of(data.synthetic("foursquare", SEED)),
    "netflix": lambda _: Case.of(data.synthetic("netflix-days", SEED), epsilon=FEWER),
    "netflix-part": lambda _: Case.of(data.synthetic("netflix-days", SEED)),
    "movielens": _movies,
    "retail": _real(data.retail),
    "documents": _real(data.documents),
}


def experiments(case: Case, synthetic: bool, runs: int) -> Json:
    """All figures for one data set."""
    start = time.process_time()
    found = comparison(case, runs)
    found["figures"] |= by_bound(case, runs)
    return {
        "facts": _facts(case, synthetic),
        **found,
        "causes": causes(case, runs),
        "rescaled": rescaled(case, runs),
        "guessed": guessed(case, runs),
        "frequencies": frequencies(case, runs),
        "runs": runs,
        "seed": SEED,
        "seconds": round(time.process_time() - start),
    }


def _facts(case: Case, synthetic: bool) -> Json:
    return {
        "synthetic": synthetic,
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
        "mean alone": {kind: metrics.short(float(np.var(table))) for kind, table in _tables(case).items()},
    }


def _tables(case: Case) -> dict[str, Ints]:
    return {"items": case.items, **({"edges": case.edges} if case.has_edges else {})}


def _part(name: str) -> Callable[[Path, int], Json | None]:
    def run(folder: Path, runs: int) -> Json | None:
        case = SETS[name](folder)
        return None if case is None else experiments(case, name not in ("retail", "documents"), runs)

    return run


def main() -> None:
    parser = arguments("The experiments of sampled-analytics, section 6, and their page.", 20, "trials (default 20)")
    run_parts(parser, STEM, render, {name: _part(name) for name in SETS})


if __name__ == "__main__":
    main()
