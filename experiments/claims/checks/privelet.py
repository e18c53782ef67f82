"""Claims of privelet: bounds on the variance of noise (sections 4 to 6), and section 8.1 on a small census."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from experiments.claims.rules import Claim, Trial, most_over_least, over_best, ratio
from experiments.claims.trials.privelet import BOTH_NOISE, CENSUS_TRIALS, JOBS_NOISE, LINE_NOISE, PARTS, SHORT_NOISE

PAPER = "privelet"


def _slope(name: str) -> Callable[[Trial], float]:
    def figure(trial: Trial) -> float:
        last = PARTS - 1
        wider = np.log(trial[f"coverage {last}"] / trial["coverage 0"])
        return float(np.log(trial[f"{name} {last}"] / trial[f"{name} 0"]) / wider)

    return figure


CLAIMS = (
    Claim("privelet-lemma-3", PAPER, "lemma 3", "the variance of a range's noise is at most (2 + log2 m) / 2 sigma^2",
          LINE_NOISE, "measured variance of the noisiest ranges / bound", ratio("worst", "bound"), below=1),
    Claim("privelet-lemma-5", PAPER, "lemma 5", "over a hierarchy it is less than 4 sigma^2", JOBS_NOISE,
          "measured variance of the noisiest nodes / bound", ratio("worst", "bound"), below=1),
    Claim("privelet-theorem-3", PAPER, "theorem 3", "over several attributes the bounds multiply", BOTH_NOISE,
          "measured variance of the noisiest predicates / bound", ratio("worst", "bound"), below=1),
    Claim("privelet-nominal", PAPER, "5.4", "on 512 values in three levels the bound on the variance is a 15th of "
          "Haar's by the nominal transform", JOBS_NOISE, "Haar / nominal, bound", ratio("line bound", "bound"),
          above=15),
    Claim("privelet-nominal-nodes", PAPER, "5.4", "ours: what nodes really have is less, too, but no 15th: Haar's "
          "bound is far above what any of them has", JOBS_NOISE,
          "Haar / nominal, measured variance of the noisiest nodes", ratio("as line", "worst"), 1, 15),
    Claim("privelet-small-domain", PAPER, "6.4", "on 16 values Basic has less variance than Privelet", SHORT_NOISE,
          "Basic / Privelet, the larger of the mean over all ranges and of the noisiest ranges",
          lambda trial: max(trial[f"geometric {what}"] / trial[f"privelet {what}"] for what in ("mean", "worst")),
          below=1),
    Claim("privelet-example", PAPER, "6.4", "on 16 values the variances are at most 600 and 128 over epsilon^2",
          SHORT_NOISE, "measured variance of the noisiest ranges / bound, the larger of Privelet and Basic",
          lambda trial: max(trial["privelet worst"] / 600, trial["geometric worst"] / 128), below=1),
    Claim("privelet-basic-linear", PAPER, "9 to 12", "the error of Basic grows linearly with coverage", CENSUS_TRIALS,
          "power of coverage with which it grows, from the first fifth of the questions to the last", _slope("basic"),
          above=0.9,
          reason="Independent noises add up by their squares, so the error grows with the root of the number of cells: "
          "a straight line only if both axes are logarithmic."),
    Claim("privelet-basic-grows", PAPER, "9 to 12", "the error of Basic grows with coverage", CENSUS_TRIALS,
          "power of coverage with which it grows, from the first fifth of the questions to the last", _slope("basic"),
          above=0.25),
    Claim("privelet-insensitive", PAPER, "9 to 12", "the error of Privelet+ is insensitive to coverage", CENSUS_TRIALS,
          "largest / smallest error of fifths by coverage",
          most_over_least([f"plus {place}" for place in range(PARTS)]), below=3),
    Claim("privelet-wide", PAPER, "8.1", "Privelet+ beats Basic where coverage is above 1 %", CENSUS_TRIALS,
          "Privelet+ / Basic, coverage above 1 %", ratio("plus wide", "basic wide"), below=1),
    Claim("privelet-crossing", PAPER, "8.1", "the two cross over: Basic is better where coverage is least",
          CENSUS_TRIALS, "Privelet+ / Basic, the fifth of least coverage", ratio("plus 0", "basic 0"), above=1),
    Claim("privelet-plus", PAPER, "6.4", "Privelet+ has the best of both: less error than Basic and than Privelet",
          CENSUS_TRIALS, "Privelet+ / the better of the two, all questions", over_best("plus", ("basic", "privelet")),
          below=1),
    Claim("privelet-star", PAPER, "8.1", "Privelet* outperforms Privelet+", CENSUS_TRIALS,
          "Privelet* / Privelet+, all questions", ratio("star", "plus"), below=1),
    Claim("privelet-star-narrow", PAPER, "9, 10", "Privelet* is considerably better where coverage is below 0.01",
          CENSUS_TRIALS, "Privelet* / Privelet+, coverage below 1 %", ratio("star narrow", "plus narrow"), below=0.8),
)  # fmt: skip
