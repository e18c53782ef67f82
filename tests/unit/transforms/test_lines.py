"""Work along any axis of a table equals plain numpy, whatever the blocks and the number of threads."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.kernels.lines import run_up
from discreet.transforms import lines

Table = NDArray[Any]


def weighted(block: Table) -> None:
    """Something that mixes the entries of a line, and in which no two lines or places are alike."""
    block[...] = np.cumsum(block, axis=0) + np.arange(len(block))[:, None] * block[-1:]


def by_numpy(table: Table, place: int) -> Table:
    moved = np.moveaxis(table, place, 0)
    made = np.cumsum(moved, axis=0) + np.arange(len(moved)).reshape(-1, *[1] * (table.ndim - 1)) * moved[-1:]
    return np.moveaxis(made, 0, place)


def some(shape: tuple[int, ...], dtype: Any = np.int64) -> Table:
    return np.random.default_rng(len(shape)).integers(-1000, 1000, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("shape", [(1,), (7,), (1, 1), (5, 1), (1, 5), (4, 6), (3, 1, 5), (2, 3, 4, 5), (1, 9, 1, 8)])
def test_every_axis_of_small_tables(shape: tuple[int, ...], dtype: Any) -> None:
    for place in range(len(shape)):
        table = some(shape, dtype)
        wanted = by_numpy(table, place)
        lines.through(table, place, weighted)
        assert np.array_equal(table, wanted)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129])
@pytest.mark.parametrize("length", [2, 60, 64, 65, 200])
def test_numbers_of_lines_around_the_width_of_a_block(monkeypatch: pytest.MonkeyPatch, length: int, count: int) -> None:
    """With blocks of 1024 numbers, so 16 lines at least: full ones, a last one cut short, a single one."""
    monkeypatch.setattr(lines, "BLOCK", 1 << 10)
    for shape, place in [((length, count), 0), ((count, length), 1), ((2, length, count), 1), ((count, length, 3), 1)]:
        table = some(shape)
        wanted = by_numpy(table, place)
        lines.through(table, place, weighted)
        assert np.array_equal(table, wanted)


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
def test_several_threads(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    """Every line is worked on once, by as many threads as there are cores."""
    monkeypatch.setattr(lines, "BLOCK", 1 << 8)
    monkeypatch.setattr(lines, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    threads: set[int] = set()
    together = threading.Barrier(cores, timeout=20)

    def noted(block: Table) -> None:
        if threading.get_ident() not in threads:
            threads.add(threading.get_ident())
            together.wait()  # every thread has its first block before any goes on
        weighted(block)

    table = some((9, 11, 70))
    for place in range(3):
        threads.clear()
        wanted = by_numpy(table, place)
        lines.through(table, place, noted)
        assert np.array_equal(table, wanted)
        assert len(threads) == cores


def test_a_failure_in_a_thread_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 1 << 8)
    monkeypatch.setattr(lines, "_WORTH_A_THREAD", 1)

    def failing(block: Table) -> None:
        raise ArithmeticError

    for cores in (1, 3):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        with pytest.raises(ArithmeticError):
            lines.through(some((9, 200)), 0, failing)


def test_running_sums_leave_the_rest_of_a_line_alone() -> None:
    block = some((6, 4), np.float64)
    wanted = block.copy()
    wanted[:4] = np.cumsum(block[:4], axis=0)
    run_up(block, 4)
    assert np.array_equal(block, wanted)
