"""One record moves what is noised by as much as ever, however large the counts are: nothing is rounded before noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.private.open_data import from_counts
from discreet.tasks import Items, Marginals, Task
from tests.conformance.examples import EXAMPLES, SCHEMA
from tests.conformance.test_answers import CODES, COUNTS
from tests.law.deaf_noise import Deaf

#: no float of 53 bits holds sums of such numbers
LARGE = 2**52 + 1
#: every cell is occupied; fpa cuts counts and pays for its rounding, and samples of rows are drawn one by one
TASKS: list[Task] = [
    *(
        task
        for tasks in EXAMPLES.values()
        for task in tasks
        if task.method != "fpa" and "sampling" not in task.parameters
    ),
    Items("sex", context=["place"], method="sra", rescale=True),
    Marginals([["age"], ["sex", "place"]], method="ireduct", start=50, step=1, sanity=5),
    Marginals([["age"], ["sex", "place"]], method="two-phase"),
]


def noised(task: Task, counts: NDArray[np.int64]) -> list[NDArray[Any]]:
    """All exact numbers that the method asked noise for."""
    noise = Deaf()
    from_counts(SCHEMA, CODES, counts).publish(task, "0.3", noise=noise)
    return noise.exact


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.method)
def test_one_record_moves_large_counts_as_it_moves_small_ones(task: Task) -> None:
    for cell in (0, len(CODES) // 2, len(CODES) - 1):
        one = np.zeros_like(COUNTS)
        one[cell] = 1
        moved = []
        for base in (COUNTS + 1, COUNTS + LARGE):
            before, after = noised(task, base), noised(task, base + one)
            moved.append([new - old for new, old in zip(after, before, strict=True)])
        assert any(part.any() for part in moved[0])
        if task.method == "agreed":  # the strength of a pair goes up or down by one, for it is a distance
            moved = [[np.abs(part) for part in parts] for parts in moved]
        assert all(np.array_equal(small, large) for small, large in zip(*moved, strict=True))
