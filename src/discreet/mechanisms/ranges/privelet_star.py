"""`privelet+` whose answers use only the coefficients that stand out from the noise.

Source: privelet, section 7, with the corrected CompThresh (errata). Guarantee and numerics: see `range_dense`; the
thresholds are computed from the noisy coefficients alone. Bias: thresholding pulls small coefficients to
zero; intervals are those of the coefficients before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.ranges.privelet_plus import PriveletPlus
from discreet.parameters import choice
from discreet.summaries.shrunk import Shrunk
from discreet.transforms import Axis

THRESHOLD = choice(
    "threshold", ("soft", "hard"), "'soft' also subtracts the threshold from what is kept, 'hard' keeps it as it is"
)


class PriveletStar(PriveletPlus):
    method = "privelet*"
    rehearsal = "empty"
    always_leaves_out = ("shrunk",)
    parameters = (*PriveletPlus.parameters, THRESHOLD)

    def choose_axes(self) -> list[Axis]:
        self.threshold = self.value(THRESHOLD)
        return super().choose_axes()

    def summary(self, values: NDArray[np.int64]) -> Shrunk:
        return Shrunk(self.request.schema, self.axes, values, self.scale, soft=self.threshold == "soft")
