"""Claims of sparse-summaries, sections 3 and 4: subset queries, time and size."""

from __future__ import annotations

import numpy as np

from experiments.claims.rules import Claim, Trial, largest_ratio, ratio
from experiments.claims.trials.sparse_summaries import (
    CELLS,
    DEFAULTS,
    FILTERS,
    FIXED,
    HELD,
    LARGE,
    MEDIUM,
    SIZES,
    SMALL,
    THIN,
    TIMED,
    TIMES,
    WIDE,
)
from experiments.sparse_summaries.trials.figures import THETAS

PAPER = "sparse-summaries"
SUMMARIES = ("filter", "priority", "filter-priority")
ACCURATE = tuple(theta for theta in THETAS if theta <= 50)


def _share_two_sided(trial: Trial) -> float:
    return sum(trial[f"two {theta} {FIXED}"] < trial[f"one {theta} {FIXED}"] for theta in THETAS) / len(THETAS)


def _least_theta(trial: Trial) -> float:
    best = min(THETAS, key=lambda theta: trial[f"two {theta} {FIXED}"])
    return trial[f"two {best} kept"] / (CELLS / 10)


def _worse_share(trial: Trial) -> float:
    pairs = [trial[f"{name} {size}"] > trial[f"geometric {size}"] for name in SUMMARIES for size in SIZES]
    return sum(pairs) / len(pairs)


CLAIMS = (
    Claim("sparse-same-law", PAPER, "3.1", "a filter's summary made in short time errs as much as the same filter on "
          "a table with noise in every cell", FILTERS, "error of single cells, summary / dense and filtered",
          ratio("two 50 1", "dense 1"), 0.97, 1.03),
    Claim("sparse-two-sided", PAPER, "3(a)", "two-sided filtering is mostly more accurate than one-sided", FILTERS,
          "share of the thetas at which it is, subsets of 5,000", _share_two_sided, above=0.5),
    Claim("sparse-one-percent", PAPER, "3(a)", "with most true cells in the summary, the error is about 1 %", FILTERS,
          "mean relative error of two-sided filters up to theta 50, subsets of 5,000",
          lambda trial: float(np.mean([trial[f"two {theta} {FIXED}"] for theta in ACCURATE])), 0.005, 0.015),
    Claim("sparse-least-error", PAPER, "3(a)", "the least error comes with most true cells and few empty ones", FILTERS,
          "cells kept at the best theta / occupied cells", _least_theta, 0.9, 1.25),
    Claim("sparse-samples-alike", PAPER, "3(b)", "threshold and priority sampling behave alike", DEFAULTS,
          "threshold / priority, subsets of 1,000", ratio(f"threshold {MEDIUM}", f"priority {MEDIUM}"), 0.9, 1.1),
    Claim("sparse-filter-best", PAPER, "5(a)", "filter is best for small and medium subsets", DEFAULTS,
          "filter / best other, the larger of subsets of 100 and 1,000",
          lambda trial: max(
              trial[f"filter {size}"]
              / min(trial[f"{name} {size}"] for name in ("geometric", "priority", "filter-priority"))
              for size in (SMALL, MEDIUM)
          ), below=1),
    Claim("sparse-priority-large", PAPER, "5(a)", "priority is more accurate than filter beyond 10,000 cells", DEFAULTS,
          "priority / filter, subsets of 20,000", ratio(f"priority {LARGE}", f"filter {LARGE}"), below=1,
          reason="At sigma 20 a filter at 50 drops well under 1 % of the data; the error of a sample falls below that "
          "only for far larger subsets. At sigma 40 it drops more: see 5(b)."),
    Claim("sparse-filter-priority", PAPER, "5(a)", "filter-priority is slightly more accurate than geometric", DEFAULTS,
          "filter-priority / geometric, subsets of 1,000",
          ratio(f"filter-priority {MEDIUM}", f"geometric {MEDIUM}"), below=1),
    Claim("sparse-wide-priority", PAPER, "5(b)", "priority is more accurate than filter beyond 10,000 cells", WIDE,
          "priority / filter, subsets of 20,000", ratio(f"priority {LARGE}", f"filter {LARGE}"), below=1),
    Claim("sparse-wide-worse", PAPER, "5(b)", "on values that vary more the summaries are mostly less accurate than "
          "geometric", WIDE, "share of 3 methods x 4 sizes of subsets in which they are", _worse_share, above=0.5),
    Claim("sparse-wide-twice", PAPER, "5(b)", "with twice the size, filter-priority is comparable to geometric", WIDE,
          "filter-priority / geometric, subsets of 20,000", ratio(f"twice {LARGE}", f"geometric {LARGE}"), 0.8, 1.25,
          reason="Fewer cells than that pass the filter, so a larger size changes nothing. What the filter drops does "
          "not average out over large subsets."),
    Claim("sparse-thin-gain", PAPER, "5(c)", "filter-priority beats geometric at every size", THIN,
          "filter-priority / geometric, the largest of 4 sizes",
          largest_ratio([(f"filter-priority {size}", f"geometric {size}") for size in SIZES]), below=1),
    Claim("sparse-time-flat", PAPER, "3, 4", "the time depends on the data and the summary, not on the domain", TIMES,
          "time for 10^9 cells / for 10^6, the largest of 5 methods",
          largest_ratio([(f"{name} far", f"{name} near") for name in TIMED]), below=2),
    Claim("sparse-orders-faster", PAPER, "4", "in sparse domains all methods are orders of magnitude faster than "
          "geometric", TIMES, "time of geometric / of the slowest method, density 1e-5",
          lambda trial: trial["geometric far"] / max(trial[f"{name} far"] for name in TIMED), above=100),
    Claim("sparse-compact", PAPER, "6(b)", "the dense table is hundreds of times larger than the summaries", HELD,
          "cells of the table / cells of the largest summary", lambda trial: min(trial.values()), above=100),
)  # fmt: skip
