"""Work on all cores by threads: kernels and large numpy calls run without the interpreter lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


#: how many this process may use at most
_most: list[int] = []


def cores() -> int:
    return min([os.cpu_count() or 1, *_most])


def keep_to_one_core() -> None:
    """For a process beside which others work for the same task."""
    _most[:] = [1]


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results in the order of the items; a single one is worked on here."""
    waiting = list(items)
    if len(waiting) < 2:
        return [work(item) for item in waiting]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(cores(), len(waiting))) as pool:
        return list(pool.map(work, waiting))


def as_they_come(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The same of items that are made one after another, which goes on here meanwhile; only a few ever wait."""
    coming = iter(items)
    begun = list(islice(coming, 2))
    if len(begun) < 2 or cores() < 2:
        return [work(item) for item in chain(begun, coming)]
    from concurrent.futures import Future, ThreadPoolExecutor

    done: list[Result] = []
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(cores()) as pool:
        for item in chain(begun, coming):
            waiting.append(pool.submit(work, item))
            if len(waiting) > 2 * cores():
                done.append(waiting.popleft().result())
        return [*done, *(one.result() for one in waiting)]


def slices(size: int, worth: int) -> list[slice]:
    """range(size) in one piece for each core, or in fewer if they would be shorter than `worth`."""
    parts = max(1, min(cores(), size // worth))
    return [slice(size * part // parts, size * (part + 1) // parts) for part in range(parts)]
