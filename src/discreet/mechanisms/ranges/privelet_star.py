"""`privelet+` whose answers use only the coefficients that stand out of the noise.

Source: privelet, section 7, with the corrected CompThresh (errata). Guarantee and numerics: see `transformed`; the
thresholds are computed from the noisy coefficients alone. Bias: thresholding pulls small coefficients to
zero; intervals are those of the coefficients before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.ranges.privelet_plus import PriveletPlus
from discreet.transforms import Axis

if TYPE_CHECKING:
    from discreet.summaries.shrunk import Shrunk


class PriveletStar(PriveletPlus):
    method = "privelet*"
    rehearsal = "empty"
    parameters = {  # noqa: RUF012
        **PriveletPlus.parameters,
        "threshold": "'soft' (default) also takes the threshold off what is kept, 'hard' keeps it as it is",
    }

    def choose_axes(self) -> list[Axis]:
        self.threshold = self.request.parameters.get("threshold", "soft")
        if self.threshold not in ("soft", "hard"):
            raise BadParameter(f"threshold must be 'soft' or 'hard', not {self.threshold!r}")
        self.note_choice("threshold", self.threshold, "given" if "threshold" in self.request.parameters else "default")
        return super().choose_axes()

    def summary(self, values: NDArray[np.int64]) -> Shrunk:
        from discreet.summaries.shrunk import Shrunk

        return Shrunk(self.request.schema, self.axes, values, self.scale, soft=self.threshold == "soft")

    def bias(self) -> list[str]:
        return [
            "coefficients that do not stand out of the noise count as zero, which biases answers; the intervals are "
            "those of all coefficients, which are not biased"
        ]
