"""Claims of sampled-analytics, section 6, on made-up check-ins of the sizes of Foursquare and Gowalla."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from experiments.claims.rules import Claim, Setting, Trial
from experiments.sampled_analytics.data.user_records import METHODS, SAMPLING, Case, Outcome
from experiments.sampled_analytics.trials import measures as metrics
from experiments.sampled_analytics.trials.figures import measured
from experiments.shared.item_histories import synthetic

PAPER = "sampled-analytics"
OLD = tuple(method for method in METHODS if method not in SAMPLING)
KINDS = ("items", "edges")
DATA_SEED = 1
#: l: the paper's best for items and for edges, the least, and one far above
BOUNDS = (1, 5, 30, 300)
MANY = (1, 100)
#: a quarter of the top ten at most is a failure to find it
LOST = 0.25
COMPARABLE = 1.5
CLEAR_TOP = (
    "Both find nearly all of them: the ten largest of these made-up counts stand well above the noise of l = 10, so "
    "picking the records of popular items has nothing to add."
)
NOISY_EDGES = (
    "Of most edges so few records are kept that their noise hides them, in both methods. What stands above the noise "
    "are popular items, and of those HPA keeps more."
)
LUCKY_GROUPS = (
    "In some trials gs finds groups that fit, and then has the least error: most true counts are small and alike, and "
    "a sample of ten records of a user is far from users who have thousands."
)


@cache
def _case(name: str) -> Case:
    return Case.of(synthetic(name, DATA_SEED))


def _compared(name: str) -> Callable[[int], Trial]:
    """Every method once: the measures of section 6.3, and what else the figures show."""

    def measure(seed: int) -> Trial:
        case, found = _case(name), {}
        for method in METHODS:
            made = case.trial(method, f"claim {seed}", 0)
            for (kind, what), value in measured(case, made.items, made.edges).items():
                found[f"{method} {kind} {what}"] = value
            for many in MANY:
                found[f"{method} top {many}"] = metrics.precision(made.items, case.items, many)
            if method in SAMPLING:
                found |= _of_sample(case, method, made)
        return found

    return measure


def _of_sample(case: Case, method: str, made: Outcome) -> dict[str, float]:
    """What was kept, how well the popularity step finds the top, and what consistency does."""
    assert made.looks.last is not None
    assert made.agreed is not None
    found = {f"{method} kept": made.looks.last.table(case.bound).sum() / case.words.size}
    for kind, agreed, true in zip(KINDS, made.agreed, (case.items, case.edges), strict=True):
        found[f"{method} {kind} agreed"] = metrics.squared_error(agreed, true)
    if made.looks.scores is not None:
        for many in (20, 100):
            found[f"popular {many}"] = metrics.precision(made.looks.scores, case.items, many)
    return {name: float(value) for name, value in found.items()}


def _bounds(seed: int) -> Trial:
    case, found = _case("foursquare"), {}
    for method in SAMPLING:
        for bound in BOUNDS:
            made = case.trial(method, f"claim {seed} bound {bound}", 0, bound=bound)
            assert made.edges is not None
            found[f"{method} items {bound}"] = metrics.squared_error(made.items, case.items)
            found[f"{method} edges {bound}"] = metrics.squared_error(made.edges, case.edges)
    return found


FOURSQUARE = Setting(
    "sampled foursquare",
    "made-up histories of Foursquare's size (45,289 users, 17,967 items, 1.28 million records), epsilon 1, l = 10",
    _compared("foursquare"),
    20,
)
GOWALLA = Setting(
    "sampled gowalla",
    "made-up histories of Gowalla's size (12,579 users, 15,200 items, 0.74 million records), epsilon 1, l = 10",
    _compared("gowalla"),
    24,
)
BY_BOUND = Setting(
    "sampled bounds",
    f"made-up histories of Foursquare's size, epsilon 1, l = {', '.join(map(str, BOUNDS))}",
    _bounds,
    10,
)


def _bowl(kind: str, best: int) -> Callable[[Trial], float]:
    """The error at the best l over the smaller one of those at the ends, for the method that is worse by it."""
    return lambda trial: max(
        trial[f"{method} {kind} {best}"] / min(trial[f"{method} {kind} {end}"] for end in (BOUNDS[0], BOUNDS[-1]))
        for method in SAMPLING
    )


def _edges_want_fewer(trial: Trial) -> float:
    """The best l for edges over the best for items, the larger one of the two methods."""
    best = {
        (method, kind): min(BOUNDS, key=lambda bound: trial[f"{method} {kind} {bound}"])
        for method in SAMPLING
        for kind in KINDS
    }
    return max(best[method, "edges"] / best[method, "items"] for method in SAMPLING)


def _over(one: Sequence[str], other: Sequence[str], what: str) -> Callable[[Trial], float]:
    """The largest number of some methods over the smallest of others."""
    return lambda trial: max(trial[f"{m} {what}"] for m in one) / min(trial[f"{m} {what}"] for m in other)


def _ahead(one: Sequence[str], other: Sequence[str], what: str) -> Callable[[Trial], float]:
    """How much of a top more the worse of some methods finds than the best of others."""
    return lambda trial: min(trial[f"{m} {what}"] for m in one) - max(trial[f"{m} {what}"] for m in other)


def _both(name: str, setting: Setting) -> tuple[Claim, ...]:
    """What the paper says of figures 7 and 8 for both data sets."""
    rest, data = METHODS[1:], name.removeprefix("sampled-")
    return (
        Claim(f"{name}-lpa-worst", PAPER, f"7(a), {data}", "LPA has the largest error of items", setting,
              "largest mean squared error of the others / lpa", _over(rest, ("lpa",), "items mse"), below=1),
        Claim(f"{name}-least-error", PAPER, f"7(a), {data}", "SRA and HPA have the least errors of items", setting,
              "the worse of sra and hpa / the best of the others, mean squared error",
              _over(SAMPLING, OLD, "items mse"), below=1),
        Claim(f"{name}-least-edges", PAPER, f"8(a), {data}", "SRA and HPA have the least errors of edges", setting,
              "the worse of sra and hpa / the best of the others, mean squared error",
              _over(SAMPLING, OLD, "edges mse"), below=1, reason=LUCKY_GROUPS),
        Claim(f"{name}-lpa-divergence", PAPER, f"7(b), {data}", "LPA has the largest divergence of items", setting,
              "largest divergence of the others / lpa", _over(rest, ("lpa",), "items kl"), below=1),
        Claim(f"{name}-comparable", PAPER, f"7(b), {data}", "the divergences of items of SRA and HPA are comparable "
              "to the best of the others", setting, "the worse of sra and hpa / the best of the others",
              _over(SAMPLING, OLD, "items kl"), below=COMPARABLE, reason=LUCKY_GROUPS),
        Claim(f"{name}-sra-items", PAPER, f"7(b), {data}", "SRA has a smaller divergence of items than HPA", setting,
              "sra / hpa", _over(("sra",), ("hpa",), "items kl"), below=1),
        Claim(f"{name}-sra-edges", PAPER, f"8(b), {data}", "SRA has a smaller divergence of edges than HPA", setting,
              "sra / hpa", _over(("sra",), ("hpa",), "edges kl"), below=1, reason=NOISY_EDGES),
        Claim(f"{name}-old-fail", PAPER, f"7(c), {data}", "LPA, DFT and GS fail to find the top 10 items", setting,
              "share that the best of them finds",
              lambda trial: max(trial[f"{method} items top"] for method in OLD), below=LOST),
        Claim(f"{name}-top", PAPER, f"7(c), {data}", "SRA and HPA find more of the top 10 items than the others",
              setting, "share found, the worse of the two - the best of the others",
              _ahead(SAMPLING, OLD, "items top"), above=0),
        Claim(f"{name}-hpa-top", PAPER, f"7(c), {data}", "HPA finds more of the top 10 items than SRA", setting,
              "share found, hpa - sra", _ahead(("hpa",), ("sra",), "items top"), above=0, reason=CLEAR_TOP),
        Claim(f"{name}-hpa-edges", PAPER, f"8(c), {data}", "HPA finds more of the top 10 of each day than SRA", setting,
              "share found, hpa - sra", _ahead(("hpa",), ("sra",), "edges top"), above=0),
    )  # fmt: skip


CLAIMS = (
    Claim("sampled-bowl-items", PAPER, "6(a)", "the error of items falls with l to a least value and then rises",
          BY_BOUND, "error at l = 30 / the smaller one of those at 1 and 300, the worse of sra and hpa",
          _bowl("items", 30), below=1),
    Claim("sampled-bowl-edges", PAPER, "6(b)", "the error of edges falls with l to a least value and then rises",
          BY_BOUND, "error at l = 5 / the smaller one of those at 1 and 300, the worse of sra and hpa",
          _bowl("edges", 5), below=1),
    Claim("sampled-edges-fewer", PAPER, "6", "edges want a smaller l than items", BY_BOUND,
          "best l for edges / for items, the larger of sra and hpa", _edges_want_fewer, below=1),
    *_both("sampled-foursquare", FOURSQUARE),
    *_both("sampled-gowalla", GOWALLA),
    Claim("sampled-popular-20", PAPER, "5", "the popularity step finds over 60 % of the top 20", FOURSQUARE,
          "share found", lambda trial: trial["popular 20"], above=0.6),
    Claim("sampled-popular-100", PAPER, "5", "it finds 40 % of the top 100", FOURSQUARE, "share found",
          lambda trial: trial["popular 100"], above=0.4),
    Claim("sampled-first", PAPER, "9", "HPA finds the most popular item always", FOURSQUARE, "share found",
          lambda trial: trial["hpa top 1"], above=0.99),
    Claim("sampled-hundred", PAPER, "9", "SRA and HPA are ahead at K = 100", FOURSQUARE,
          "share found, the worse of the two - the best of the others", _ahead(SAMPLING, OLD, "top 100"), above=0),
    Claim("sampled-kept", PAPER, "10", "far fewer records are kept than there are", FOURSQUARE,
          "share kept, the larger of sra and hpa",
          lambda trial: max(trial[f"{method} kept"] for method in SAMPLING), below=0.5),
    Claim("sampled-consistency", PAPER, "errata", "consistency of items and edges lowers the errors",
          FOURSQUARE, "error with / without, the largest of sra and hpa x items and edges",
          lambda trial: float(np.max([
              trial[f"{method} {kind} agreed"] / trial[f"{method} {kind} mse"] for method in SAMPLING for kind in KINDS
          ])), below=1),
)  # fmt: skip
