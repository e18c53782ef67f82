"""diffprivlib: its geometric mechanism value by value, and its histogram."""

from __future__ import annotations

from benchmarks.rivals.job import Cannot, Order, answer

ITEMS = 17_770


def noise(order: Order) -> tuple[int, float, str]:
    from diffprivlib.mechanisms import Geometric

    randomise = Geometric(epsilon=order.epsilon, sensitivity=1).randomise
    size, taken = order.grown(lambda size: [randomise(0) for _ in range(size)])
    return size, taken, "Geometric.randomise, value by value; not exact, it computes in floating point"


def table(order: Order) -> tuple[int, float, str]:
    import numpy as np
    from diffprivlib.tools import histogram

    def work(size: int) -> None:
        cells = np.load(order.file("cells.npy"))
        histogram(cells[cells < size], epsilon=order.epsilon, bins=size, range=(0, size))

    size, taken = order.grown(work)
    return size, taken, "tools.histogram with a bin per cell; counts below zero are cut off"


def occupied(order: Order) -> tuple[int, float, str]:
    raise Cannot("no release of a table without all its cells")


def items(order: Order) -> tuple[int, float, str]:
    import numpy as np
    from diffprivlib.tools import histogram

    def work(size: int) -> None:
        films = np.load(order.file("film.npy"))[:size]
        histogram(films, epsilon=order.epsilon, bins=ITEMS, range=(1, ITEMS + 1))

    size, taken = order.grown(work, order.full)
    return size, taken, "tools.histogram; cannot bound what a user adds, so it protects a record only"


if __name__ == "__main__":
    import diffprivlib

    answer({"noise": noise, "table": table, "occupied": occupied, "items": items}, diffprivlib.__version__)
