"""Whole numbers for the rows of a table, which add up to the total and to known totals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.presentable import adding_up, adding_up_in_groups
from discreet.queries import Questions
from discreet.summaries import Answers, Summary
from discreet.summaries.informed import Informed


def whole_numbers(summary: Summary, questions: Questions, parts: Answers, total: int) -> NDArray[np.int64]:
    """For questions that exclude each other and hold `total` together: whole numbers near their answers."""
    plain = parts.value if parts.besides is not None or summary.adds_up else parts.measured
    # what was not measured is scaled, so that it keeps its proportions
    unknown = np.isnan(parts.stderr) | summary.adds_up
    variance = np.where(unknown, parts.value, parts.stderr**2)
    if parts.known is not None and not isinstance(summary, Informed):  # several releases, one of which knows
        plain, variance = np.where(parts.known, parts.value, plain), np.where(parts.known, 0.0, variance)
    if not isinstance(summary, Informed):
        return adding_up(np.asarray(plain, np.float64), variance, total)
    group, sums, holds = summary.sums_of(questions)
    plain = np.asarray(np.where(holds, parts.value, plain), np.float64)
    return adding_up_in_groups(plain, variance, total, group, sums)
