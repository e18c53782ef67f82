"""The same noise in every table.

Source: the method of Dwork, McSherry, Nissim and Smith, as in ireduct (there "Dwork"). Guarantee and numerics: see
`marginal_method`. Bias: none.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.marginals.marginal_method import TABLES, MarginalMethod
from discreet.noise import Noise
from discreet.summaries.marginal_tables import Part


class Equal(MarginalMethod):
    method = "equal"
    parameters = TABLES

    def drawn_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        scale = Fraction(len(self.cells)) / self.budget
        return [Part.single(noise.add(table, scale), scale) for table in tables]
