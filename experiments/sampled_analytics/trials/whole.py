"""All figures for one data set, and the data sets as parts of the program."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from experiments.sampled_analytics.data.sets import SEED, SETS, facts
from experiments.sampled_analytics.trials.beyond import causes, frequencies, guessed, rescaled
from experiments.sampled_analytics.trials.figures import by_bound, comparison
from experiments.shared.records import Json


def _part(name: str, folder: Path, runs: int) -> Json | None:
    case = SETS[name](folder)
    if case is None:
        return None
    start = time.process_time()
    found = comparison(case, runs)
    found["figures"] |= by_bound(case, runs)
    return {
        "facts": facts(name, case),
        **found,
        "causes": causes(case, runs),
        "rescaled": rescaled(case, runs),
        "guessed": guessed(case, runs),
        "frequencies": frequencies(case, runs),
        "runs": runs,
        "seed": SEED,
        "seconds": round(time.process_time() - start),
    }


PARTS: dict[str, Callable[[Path, int], Json | None]] = {name: partial(_part, name) for name in SETS}
