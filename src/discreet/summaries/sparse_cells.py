"""Few of very many cells: a filter, a sample, or both. Every cell not here was below the filter or not drawn.

How a question is answered:
- over one cell, or cells that are all here: the noisy counts as they were drawn, or zero if the cell is not here;
- over several: the sum of weights sign(v) * max(|v|, tau), which is unbiased for the sum of the (filtered) noisy table.

Intervals put three things together. Noise: the quantile of the exact law of the noise of all cells asked for (with a
filter: of the estimated number that passed it). Sampling: of the cells lighter than tau (each was drawn with chance
p = |v| / tau) some were drawn on each side; the variance of that number is estimated without bias by the sum of 1 - p;
its limits are those of a Poisson number of that variance (Wilson-Hilferty), so that few or none drawn still leave room
above. The parts are squared and added (the MOVER rule). What a filter hides is not in the interval but in `bias`: each
absent cell had a noisy count below theta.
"""

from __future__ import annotations

import math
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.laws import DiscreteLaplace, half_widths
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, per_question
from discreet.summaries.labels import codes_of, labels_of

_EXACT_COUNTS = 1 << 40
_RULE = ("alpha", "two_sided", "theta", "tau", "cut_to")


class SparseCells(Summary):
    """Codes of the kept cells (sorted), their noisy counts, and the public rule by which they were kept."""

    shape = "sparse-cells"

    def __init__(
        self, schema: Schema, codes: NDArray[np.int64], values: NDArray[np.int64], rule: dict[str, Any]
    ) -> None:
        self.schema = schema
        self.codes, self.values, self.rule = codes, values, dict(rule)
        self.alpha = Alpha(int(rule["alpha"]))
        self.theta, self.two_sided = int(rule["theta"]), bool(rule["two_sided"])
        self.tau: float | None = rule.get("tau")
        self.cut_to: int | None = rule.get("cut_to")

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Adjusted weights, by which sums are unbiased."""
        return np.sign(self.values) * np.maximum(np.abs(self.values), self.tau or 0.0)

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """What is added up over boxes: value, weight, 1 - p above and below zero, 1 / p, and one."""
        sizes, tau = np.abs(self.values), self.tau or 0.0
        missed = 1 - np.minimum(sizes / tau, 1.0) if tau else np.zeros(sizes.size)
        inverse = np.maximum(tau / np.maximum(sizes, 1), 1.0)
        up, down = missed * (self.values > 0), missed * (self.values < 0)
        return np.stack([self.values, self.weights, up, down, inverse, np.ones(sizes.size)], axis=1)

    def answer(self, questions: Questions, level: float) -> Answers:
        from discreet.kernels.boxes import sparse_box_sums

        sums = np.zeros((len(questions.first), 6))
        sparse_box_sums(self.codes, self._columns, questions.first, questions.last, sums)
        value, weight, up, down, passed, held = (per_question(questions, column) for column in sums.T)
        cells = per_question(questions, np.prod(questions.last - questions.first + 1.0, axis=1))
        absent = np.maximum(cells - held, 0.0)
        raw = (cells == 1) | (absent == 0)  # one cell, or nothing sampled away: the values themselves
        noisy_cells = np.where(raw, cells, passed if self._filters else cells)
        noise = self._half(noisy_cells, level)
        below, above = self._sampling(up, down, level)
        middle = np.where(raw, value, weight)
        # whatever was sampled away is lighter than tau, so what is here bounds the whole from both sides
        most = absent * (self.tau or 0.0)
        below = np.clip(middle - value + (most if self.two_sided else 0.0), 0.0, below)
        above = np.clip(value + most - middle, 0.0, above)
        low, high = middle - np.hypot(noise, below), middle + np.hypot(noise, above)
        sampling = np.where(raw, 0.0, (self.tau or 0.0) ** 2 * (up + down))
        stderr = np.sqrt(noisy_cells * DiscreteLaplace(self.alpha).variance + sampling)
        return Answers(middle, stderr, low, high, self._bias(cells, held, level))

    @property
    def _filters(self) -> bool:
        return self.theta > 1

    def _half(self, cells: NDArray[np.float64], level: float) -> NDArray[np.float64]:
        """Half-widths of the noise of this many cells; beyond 2**40 of them the normal law is as good as exact."""
        exact = half_widths(self.alpha, np.ceil(np.minimum(cells, _EXACT_COUNTS)).astype(np.int64), level)
        spread = NormalDist().inv_cdf(0.5 + level / 2) * 1.000001
        normal = spread * np.sqrt(cells * DiscreteLaplace(self.alpha).variance)
        return np.where(cells <= _EXACT_COUNTS, exact, normal)

    def _sampling(
        self, up: NDArray[np.float64], down: NDArray[np.float64], level: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far the sampled part may be off, below and above: tau times the limits of two Poisson numbers."""
        if not self.tau:
            return np.zeros_like(up), np.zeros_like(up)
        (low_up, high_up), (low_down, high_down) = poisson_limits(up, level), poisson_limits(down, level)
        if not self.two_sided:
            low_down = high_down = down
        return self.tau * np.hypot(up - low_up, high_down - down), self.tau * np.hypot(high_up - up, down - low_down)

    def _bias(self, cells: NDArray[np.float64], held: NDArray[np.float64], level: float) -> NDArray[np.float64]:
        """The most that is outside the interval: what absent cells hide below theta, and what one side leaves out."""
        bias = np.zeros_like(cells)
        if self._filters or self.cut_to is not None:
            absent = np.maximum(cells - held, 0.0)
            largest = self.theta - 1
            if self.cut_to is not None and self.values.size >= self.cut_to:
                largest = int(np.abs(self.values).min())
            bias += absent * largest + np.where(absent > 0, self._half(absent, level), 0.0)
        if not self.two_sided:
            a = self.alpha.fraction
            bias += cells * float(a / (1 - a * a))
        return bias

    def to_arrow(self) -> Any:
        import pyarrow as pa

        columns = {name: labels_of(self.schema[name], self.codes[:, i]) for i, name in enumerate(self.schema)}
        columns["count"] = pa.array(self.values)
        if self.tau is not None:
            columns["weighted_count"] = pa.array(self.weights)
        return pa.table(columns)

    def facts(self) -> dict[str, Any]:
        used = "cells one by one: `count`; sums: `weighted_count`" if self.tau is not None else "`count`"
        return {**self.rule, "use": used}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SparseCells:
        import pyarrow.parquet as pq

        table = pq.read_table(parquet)
        codes = np.stack([codes_of(schema[name], table[name]) for name in schema], axis=1)
        rule: dict[str, Any] = {name: facts[name] for name in _RULE if name in facts}
        return cls(schema, codes, table["count"].to_numpy().astype(np.int64), rule)


def poisson_limits(count: NDArray[np.float64], level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two-sided limits for the mean of a Poisson number (Wilson-Hilferty; none seen: exactly)."""
    z, miss = NormalDist().inv_cdf(0.5 + level / 2), (1 - level) / 2
    n, m = np.maximum(count, 1e-9), count + 1.0
    low = n * np.maximum(1 - 1 / (9 * n) - z / (3 * np.sqrt(n)), 0.0) ** 3
    high = np.where(count > 0, m * (1 - 1 / (9 * m) + z / (3 * np.sqrt(m))) ** 3, -math.log(miss))
    return low, high
