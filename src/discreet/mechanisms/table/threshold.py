"""Keep each cell with probability min(noisy count / tau, 1), and weigh it up in return.

Source: algorithm THRESHOLD of sparse-summaries, for any real tau. Guarantee and numerics: see `sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from discreet.mechanisms.request import Request
from discreet.mechanisms.table.sparse import SAMPLE, SIDED, TAU, Sparse
from discreet.noise import Chosen, Field, Noise
from discreet.parameters import Parameters


class Threshold(Sparse):
    tasks = ("table",)
    method = "threshold"
    parameters: ClassVar[Parameters] = (TAU, SAMPLE, SIDED)
    theta = 1

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        tau = self.given(TAU)
        self.tau = self.tau_for(self.size_or_default()) if tau is None else tau
        self.check_expected(self.rule(self.theta, self.tau))

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], float | None]:
        rule = self.rule(self.theta, self.tau)

        def sampled(field: Field) -> Chosen:
            marks = self.reaching(field.values)
            marks &= noise.coins(field.values, self.tau)
            return Chosen(marks, *self.survivors(rule, field.empty, noise))

        return noise.side_by_side(sampled, fields), None

    def summary_facts(self, tau: float | None) -> dict[str, Any]:
        return {"theta": self.theta, "tau": float(self.tau)}
