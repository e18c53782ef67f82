"""Claims of sampled-analytics, section 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from experiments.claims.rules import Claim, Setting, Trial
from experiments.claims.trials.sampled_analytics import BOUNDS, BY_BOUND, FOURSQUARE, GOWALLA, KINDS
from experiments.sampled_analytics.checks.verdicts import COMPARABLE, LOST, OLD
from experiments.sampled_analytics.trials.releases import METHODS, SAMPLING

PAPER = "sampled-analytics"
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
