"""Blocks of lines of a table, in and out (two loops, as a choice inside would be slow), and running sums along them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from discreet.kernels.jit import Floats, light_kernel


@light_kernel("block", 65_536)
def load(view: NDArray[Any], start: int, block: NDArray[Any]) -> None:
    """block[k, b] = entry k of line start + b of a view (outer, length, inner); lines run over outer, then inner."""
    inner = view.shape[2]
    for k in range(block.shape[0]):
        o, i = start // inner, start % inner
        for b in range(block.shape[1]):
            block[k, b] = view[o, k, i]
            i += 1
            if i == inner:
                o, i = o + 1, 0


@light_kernel("block", 65_536)
def store(view: NDArray[Any], start: int, block: NDArray[Any]) -> None:
    inner = view.shape[2]
    for k in range(block.shape[0]):
        o, i = start // inner, start % inner
        for b in range(block.shape[1]):
            view[o, k, i] = block[k, b]
            i += 1
            if i == inner:
                o, i = o + 1, 0


@light_kernel("lines", 65_536)
def run_up(lines: Floats, size: int) -> None:
    """The first `size` entries of every line become their running sums."""
    for k in range(1, size):
        for b in range(lines.shape[1]):
            lines[k, b] += lines[k - 1, b]
