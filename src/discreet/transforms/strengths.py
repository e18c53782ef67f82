"""How much pairs of attributes depend on each other, behind noise.

The strength of a pair is the sum over its cells of |count - what it would be if they were independent|.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.middles import middle_of
from discreet.transforms.axis import Floats


def likely_strengths(noisy: NDArray[np.int64], variance: float, most: float) -> Floats:
    """Noisy strengths pulled to their median, the more of their spread is noise; from 0 to `most`."""
    seen = noisy.astype(np.float64)
    middle = max(middle_of(seen), 0.0)
    spread = float(seen.var())
    kept = max(spread - variance, 0.0) / spread if spread > 0 else 1.0
    return np.clip(middle + kept * (seen - middle), 0.0, max(most, 0.0))
