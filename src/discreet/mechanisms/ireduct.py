"""Noise is taken down step by step, always in the table where it helps most, and no draw is paid twice.

Source: ireduct (Xiao, Bender, Hay, Gehrke), with NoiseDown on the integers, where its theorem holds, and the corrected
PickQueries (errata). Guarantee: the final scales alone are charged; each answer's earlier values tell nothing beyond
its last. Which table comes next is decided from noisy counts. Numerics: exact. Bias: none.
How: a cell's values on the way down do not depend on other tables, so all redraws are drawn first (`noise.descend`);
then `steps_down` replays the choices of the step-by-step algorithm and says how far each table got.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.relative import RELATIVE
from discreet.mechanisms.starting import START, Starting
from discreet.mechanisms.stepping import Paths, steps_down
from discreet.privacy import as_text, exact

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.summaries.marginal_tables import Part

STEPS = 100_000
#: so many steps from start to zero stand for the limit of ever smaller ones
LIMIT_STEPS = 2**30


class IReduct(Starting):
    method = "ireduct"
    parameters = {  # noqa: RUF012
        **RELATIVE,
        "start": START,
        "step": "how far a scale goes down at a time (lambda_Delta); default: start / 100,000. 0: as little as can be",
    }

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        step = request.parameters.get("step")
        self.limit = isinstance(step, int | float | str) and not isinstance(step, bool) and str(step) in ("0", "0.0")
        self.given_step = None if step is None or self.limit else exact(step, "step")
        if self.given_step is None:
            origin = "given: the limit" if self.limit else "default"
            self.note_choice("step", f"start / {LIMIT_STEPS if self.limit else STEPS}", origin)
        else:
            self.note_choice("step", as_text(self.given_step), "given")
        start = request.parameters.get("start")
        if self.given_step is not None and start is not None and self.given_step >= exact(start, "start"):
            raise BadParameter("step must be smaller than start")

    def noisy_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        from discreet.noise import Descent
        from discreet.summaries.marginal_tables import Part

        size = self.size(tables, noise)
        start, sanity = self.start(size), self.sanity(size)
        step = self.given_step or start / (LIMIT_STEPS if self.limit else STEPS)
        exact_counts = np.concatenate(tables)
        noisy = noise.add(exact_counts, start)
        # with all other tables at the start, no scale can be paid below this one
        lowest = 1 / (self.left - (len(tables) - 1) / start)
        steps = int((start - lowest) / step)
        if steps >= 1:
            redraws = noise.descend(noisy, exact_counts, Descent(start, step, steps))
            paths = Paths.of(
                self.cells, noisy, redraws.answer, redraws.step, exact_counts[redraws.answer] + redraws.offset
            )
            del exact_counts  # from here on, noisy values only
            taken = steps_down(paths, self.weights, sanity, self.objective, (start, step, steps), self.left)
            noisy = paths.values_after(taken)
        else:
            taken = np.zeros(len(tables), np.int64)
        scales = [start - int(k) * step for k in taken]
        self.check_spent([*self.size_spent, *(1 / scale for scale in scales)])
        ends = np.cumsum(self.cells)
        return [
            Part.single(noisy[end - n : end], scale) for end, n, scale in zip(ends, self.cells, scales, strict=True)
        ]
