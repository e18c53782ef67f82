"""Noise is taken down step by step, always in the table where it helps most, and no draw is paid twice.

Source: ireduct (Xiao, Bender, Hay, Gehrke), with NoiseDown on the integers, where its theorem holds, and the corrected
PickQueries (errata). Guarantee: the final scales alone are charged; each answer's earlier values tell nothing beyond
its last. Which table comes next is decided from noisy counts. Numerics: exact. Bias: a little, see the card.
How: a cell's values on the way down do not depend on other tables, so all redraws are drawn first (`noise.descend`);
then `steps_down` replays the choices of the step-by-step algorithm and says how far each table got.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.marginals.marginal_relative import MOST_STEPS, RELATIVE, START, Starting
from discreet.mechanisms.marginals.marginal_steps import steps_down
from discreet.noise import Descent, Noise
from discreet.parameters import Form, Parameter
from discreet.privacy import exact
from discreet.summaries.marginal_tables import Part, ScaleChoice

STEPS = 100_000
_LIMIT = "start / 2**30, or about start**2 / 2**46 if that is more"

STEP = Parameter(
    "step",
    Form("a number of at least 0"),
    "How far a scale goes down at a time (lambda_Delta); 0 stands for the limit of small steps, computed as "
    "start / 2**30, or start**2 / 2**46 if that is more",
    otherwise=f"start / {STEPS:,}",
)


class IReduct(Starting):
    method = "ireduct"
    parameters = (*RELATIVE, START, STEP)
    most_rehearsed = 2**19

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        step = request.parameters.get("step")
        self.limit = str(step) in ("0", "0.0")
        self.given_step = None if step is None or self.limit else exact(step, "step")
        if self.given_step is not None:
            self.note_choice("step", self.given_step, "given")
            self._check_step(self.given_step)
        elif self.limit:
            self.note_choice("step", _LIMIT, "given: the limit")
        else:
            self.note_choice("step", f"start / {STEPS}", "default")

    def _check_step(self, step: Fraction) -> None:
        """Refuses steps that no descent can be made of, before anything is charged."""
        known = self.known[START] is not None or self.records is not None
        start = self.start(self.records or Fraction(1)) if known else self.least_start
        if max(start, self.least_start, (self.records or 0) / self.needs_size[START]) > step * MOST_STEPS:
            raise BadParameter(
                "step: start is over 2**40 steps from zero; raise step, or give 0 for the limit of small steps"
            )
        if (known and step >= start) or start > step * self.most_grains:
            raise BadParameter("step must be smaller than start; lower step, or raise start")
        if known:
            _ = Descent(start, step, 1).whole

    def choice_of(self, parts: list[Part]) -> ScaleChoice:
        """Scales go down by small steps, and noise with them: all looks together miss about as often as two."""
        return ScaleChoice(2.0)

    def drawn_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        size = self.size(tables, noise)
        start, sanity = self.start(size), self.sanity(size)
        step = self.given_step or (limit_step(start) if self.limit else start / STEPS)
        exact_counts = np.concatenate(tables)
        noisy = noise.add_blocks([exact_counts], [start])[0]
        # with all other tables at the start, no scale can be paid below this one
        lowest = 1 / (self.left - (len(tables) - 1) / start)
        steps = int((start - lowest) / step)
        if steps >= 1:
            descent = Descent(start, step, steps)
            paths = noise.taken_down(self.cells, noisy, exact_counts, descent)
            del exact_counts  # from here on, noisy values only
            taken = steps_down(paths, self.weights, sanity, self.objective, descent, self.left)
            noisy = paths.values_after(taken)
        else:
            taken = np.zeros(len(tables), np.int64)
        scales = [start - int(k) * step for k in taken]
        values = np.split(noisy, np.cumsum(self.cells)[:-1])
        return [Part.single(mine, scale) for mine, scale in zip(values, scales, strict=True)]


def limit_step(start: Fraction) -> Fraction:
    """So small that it stands for the limit, and not so small that alphas of 64 bits run together."""
    return start / (1 << min(30, max(17, 46 - int(start).bit_length())))
