"""Noise scales are halved where it helps most, by drawing afresh and averaging all draws.

Source: iResamp, appendix A of ireduct: the rival that shows what noise reduction saves. A table that was halved k times
costs 2 / scale - 1 / start (errata), because all its draws are paid. Guarantee and numerics: see `marginal_method`.
Bias: a little, see the card.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.marginals.marginal_relative import RELATIVE, START, Starting
from discreet.noise import Noise
from discreet.summaries.marginal_tables import Part, ScaleChoice


class IResamp(Starting):
    method = "iresamp"
    parameters = (*RELATIVE, START)
    most_rehearsed = 2**22

    def choice_of(self, parts: list[Part]) -> ScaleChoice:
        """A table is drawn again or not by what its draws so far look like: the first one alone decides as well."""
        return ScaleChoice(float(max(2, *(len(part.scales) for part in parts))))

    def drawn_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        size = self.size(tables, noise)
        start, sanity = self.start(size), self.sanity(size)
        draws = [[noisy] for noisy in noise.add_blocks(tables, [start] * len(tables))]
        parts = [Part.combined(drawn, [start]) for drawn in draws]
        needs = [self.need_of_table(part.values, sanity, i) for i, part in enumerate(parts)]
        spent = len(tables) / start
        working = set(range(len(tables)))
        while working:
            # the error falls by need * scale / 2, the cost rises by 2 / scale
            table = max(working, key=lambda i: self.gain(needs[i], float(parts[i].scales[-1])))
            halved = parts[table].scales[-1] / 2
            if spent + 1 / halved > self.left:
                working.remove(table)
                continue
            spent += 1 / halved
            draws[table] += noise.add_blocks([tables[table]], [halved])
            parts[table] = Part.combined(draws[table], [*parts[table].scales, halved])
            needs[table] = self.need_of_table(parts[table].values, sanity, table)
        return parts

    def gain(self, need: float, scale: float) -> float:
        return need * scale if self.objective == "maximum" else need * scale**2
