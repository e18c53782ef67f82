"""The middle of numbers is the one that numpy finds, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.numbers.middles import middle_of


@pytest.mark.parametrize("size", [1, 2, 3, 4, 101, 1_000])
def test_it_is_numpys_median(size: int) -> None:
    for values in (np.random.default_rng().normal(size=size), np.arange(size) % 3 / 10, -np.arange(size) * 1e300):
        assert middle_of(values.astype(np.float64)) == np.median(values)
