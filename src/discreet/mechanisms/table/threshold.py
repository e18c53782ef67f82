"""Keep each cell with probability min(noisy count / tau, 1), and weigh it up in return.

Source: algorithm THRESHOLD of sparse-summaries, for any real tau. Guarantee and numerics: see `table_sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from discreet.mechanisms.base import Request
from discreet.mechanisms.guesses import guessed_rows
from discreet.mechanisms.table.table_slices import SLICES
from discreet.mechanisms.table.table_sparse import GUESS, SAMPLE, SIDED, TAU, Sparse, of
from discreet.noise import Chosen, Field, Noise


class Threshold(Sparse):
    method = "threshold"
    parameters = of("cell", TAU, SAMPLE, GUESS, SIDED, SLICES)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        #: how many records there are, by a public guess; 0 is a table that may be empty
        self.rows = (guessed_rows(self.given(GUESS)) if GUESS in self.parameters else None) or 0
        self.theta, self.tau = self.limits()
        self.check_expected(self.rule(self.theta, self.tau))

    def limits(self) -> tuple[int, Fraction]:
        """Theta and tau."""
        return 1, self.given(TAU) or self.tau_for(self.size_or_default(), rows=self.rows)

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        return self.passing(fields, noise, self.tau), self.slice_rule()

    def slice_rule(self) -> dict[str, Any]:
        return {"theta": self.theta, "tau": float(self.tau)}
