"""Grouping-smoothing, section 5: errors of the methods, of kinds of samples, and of tuned groups."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from discreet.noise import Noise
from experiments.claims.data.small_sets import DATA_SEED, SETS, small_set
from experiments.claims.rules import Setting, Trial, noise_of
from experiments.grouping_smoothing.data.user_items import UserItems
from experiments.grouping_smoothing.trials.figures import by_noisy_sample, sizes_of, smoothing_error
from experiments.grouping_smoothing.trials.runs import EPSILONS, run

SMALL, MIDDLE, LARGE = EPSILONS
#: so often is the noise of one grouping drawn, to tell groupings apart rather than their noise
DRAWS = 5
RHOS = (1, 2, 4, 16, 64, 512)
ENDS = (SMALL, LARGE)


@cache
def _rho(name: str, epsilon: Fraction) -> int:
    """Of some numbers of frequencies the one with the least error. It looks at the truth: not private."""
    noise = noise_of(DATA_SEED, name, epsilon, "rho")
    return min(RHOS, key=lambda rho: run(small_set(name), "fpa", epsilon, noise, coefficients=rho).absolute)


def _errors(name: str, epsilon: Fraction, methods: Sequence[str], seed: int) -> dict[str, float]:
    """The mean absolute error of each method; fpa with the best number of frequencies, as in the paper: not private."""
    found = {}
    for method in methods:
        noise = noise_of(seed, name, epsilon, method)
        given: dict[str, Any] = {"coefficients": _rho(name, epsilon)} if method == "fpa" else {}
        if method == "gs":
            given = {"mean": small_set(name).mean}
        found[key(method, name, epsilon)] = run(small_set(name), method, epsilon, noise, **given).absolute
    return found


def key(method: str, name: str, epsilon: Fraction) -> str:
    return f"{method} {name} {epsilon}"


def _compared(seed: int) -> Trial:
    found: dict[str, float] = {}
    for name in SETS:
        for epsilon in ENDS:
            found |= _errors(name, epsilon, ("lpa", "fpa", "gs-r", "gs-s", "gs"), seed)
    return found


def _sampled(seed: int) -> Trial:
    found = {}
    for name in SETS:
        for epsilon in (SMALL, MIDDLE):
            for kind in ("columns", "rows", "none"):
                noise = noise_of(seed, name, epsilon, kind)
                found[key(kind, name, epsilon)] = run(small_set(name), "gs-s", epsilon, noise, sampling=kind).absolute
    return found


def _tuned(seed: int) -> Trial:
    """The real error of groups of the size that gs picks over that of the best size, on the same noisy sample."""
    found = {}
    for name in SETS:
        case = small_set(name)
        size = int(run(case, "gs", MIDDLE, noise_of(seed, name, "gs"), mean=case.mean).facts["group"])
        errors = _real_errors(case, [*sizes_of(case), size], noise_of(seed, name, "sizes"))
        found[name] = errors[size] / min(errors.values())
    return found


def _real_errors(case: UserItems, sizes: Sequence[int], noise: Noise) -> dict[int, float]:
    _, truth, scale = by_noisy_sample(case, MIDDLE, noise)
    return {size: float(np.mean([smoothing_error(truth, size, scale, noise) for _ in range(DRAWS)])) for size in sizes}


_BASE = (
    "made-up sets like the paper's, smaller, with its mean count over the bound: check-ins (9,830 users, 298,888 "
    "items, bound 2,175), documents (8,200,000, 141,043, 44), netflix (96,038, 3,554, 3,400), trajectories (62,956, "
    "14,021, 55)"
)
COMPARED = Setting(
    "grouping compared",
    f"{_BASE}; epsilon 0.1 and ln 3; gs is told the mean number of items of a user, fpa has the best rho for nothing",
    _compared,
    14,
)
SAMPLED = Setting("grouping sampled", f"{_BASE}; gs-s, epsilon 0.1 and ln 2", _sampled, 14)
GROUP_SIZES = Setting("grouping tuned", f"{_BASE}; epsilon ln 2", _tuned, 16)
