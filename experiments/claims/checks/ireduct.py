"""Claims of ireduct, section 6: overall relative errors of marginals, and a classifier made from them."""

from __future__ import annotations

from experiments.claims.rules import Claim, Setting, over_best, ratio
from experiments.claims.trials.ireduct import (
    CLASSES,
    LARGEST,
    LEAST_SHARE,
    MOST_SHARE,
    PAIRS,
    SHARE,
    SMALLEST,
    VARIED,
)
from experiments.ireduct.checks.verdicts import ALMOST
from experiments.ireduct.trials.errors import METHODS
from experiments.shared.curves import COMPARABLE

PAPER = "ireduct"


TWICE = (
    "iresamp pays for draws of scale s, 2 s, 4 s and so on, about 2 / s in all, and has about twice the error of "
    "oracle. Whether that is near equal depends on how far equal is from oracle, and on these tables it is far."
)
FEW_CELLS = (
    "Tables of few cells, one of them tiny: where that count happens to look large, its table keeps up to twice the "
    "scale that oracle gives it. Over more cells, or at a larger epsilon, such chances even out."
)


def _orders(prefix: str, place: str, setting: Setting) -> tuple[Claim, ...]:
    """What the paper says of figures 6 and 8 alike."""
    return (
        Claim(f"{prefix}-oracle", PAPER, place, "iReduct is almost equal to Oracle", setting, "ireduct / oracle",
              ratio("ireduct", "oracle"), below=ALMOST, reason=FEW_CELLS),
        Claim(f"{prefix}-two-phase", PAPER, place, "TwoPhase is worse than iReduct", setting, "two-phase / ireduct",
              ratio("two-phase", "ireduct"), above=1, reason=FEW_CELLS),
        Claim(f"{prefix}-rest", PAPER, place, "TwoPhase is better than iResamp and Dwork", setting,
              "two-phase / the better of iresamp and equal", over_best("two-phase", ("iresamp", "equal")), below=1),
        Claim(f"{prefix}-iresamp", PAPER, place, "iResamp is comparable to Dwork", setting, "iresamp / equal",
              ratio("iresamp", "equal"), *COMPARABLE, reason=TWICE),
    )  # fmt: skip


CLAIMS = (
    *_orders("ireduct-1-way", "6", LARGEST),
    *_orders("ireduct-small", "6, smallest epsilon", SMALLEST),
    *_orders("ireduct-2-way", "8", PAIRS),
    Claim("ireduct-sanity", PAPER, "7", "errors fall as the sanity bound grows", VARIED,
          "error at four times the bound / at a quarter, the largest of 5 methods",
          lambda trial: max(trial[f"{method} 4"] / trial[f"{method} 1/4"] for method in METHODS), below=1),
    Claim("ireduct-bowl", PAPER, "5", "the error of TwoPhase falls with the first phase's share and then rises",
          VARIED, "error at a share of 0.07 / the smaller one of those at 0.005 and 0.5",
          over_best(f"share {SHARE}", (f"share {LEAST_SHARE}", f"share {MOST_SHARE}")), below=1),
    Claim("ireduct-classifier-error", PAPER, "10", "iReduct and Oracle have the smallest errors", CLASSES,
          "the worse of oracle and ireduct / the best of the others",
          lambda trial: max(trial[f"{method} error"] for method in METHODS[:2])
          / min(trial[f"{method} error"] for method in METHODS[2:]), below=1),
    Claim("ireduct-classifier-iresamp", PAPER, "10", "iResamp is worse than Dwork", CLASSES, "iresamp / equal",
          ratio("iresamp error", "equal error"), above=1, reason=TWICE),
    Claim("ireduct-classifier-right", PAPER, "11", "iReduct makes a more accurate classifier than Dwork", CLASSES,
          "share told rightly, ireduct - equal", lambda trial: trial["ireduct right"] - trial["equal right"], above=0),
    Claim("ireduct-classifier-two-phase", PAPER, "11", "so does TwoPhase", CLASSES,
          "share told rightly, two-phase - equal", lambda trial: trial["two-phase right"] - trial["equal right"],
          above=0),
)  # fmt: skip
