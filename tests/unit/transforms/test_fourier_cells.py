"""Some cells from the first coefficients: written out, they are those of the whole transform."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.transforms import fourier


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 9, 10, 15, 16, 100, 128])
@pytest.mark.parametrize("most", [0, 10**9])
def test_some_cells_are_those_of_the_whole(length: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fourier, "_MOST_BASIS", most)
    dice = np.random.default_rng(length)
    for count in {1, (length + 1) // 2, max(1, length - 1), length}:
        kept, cells = dice.normal(size=(3, count)), dice.integers(0, length, 7)
        whole = np.stack([fourier.restored(row, length, length) for row in kept])
        assert fourier.restored_at(kept, length, length, cells) == pytest.approx(whole[:, cells], abs=1e-12)
