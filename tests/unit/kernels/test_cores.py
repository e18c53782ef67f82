"""Work on several cores: results in the order of the items, errors as they are, and little that waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from discreet.kernels import cores


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("many", [0, 1, 2, 3, 40])
def test_results_come_in_the_order_of_the_items(many: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: most)
    assert cores.as_they_come(lambda item: item * item, iter(range(many))) == [item * item for item in range(many)]


def test_what_is_made_waits_for_what_is_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: 2)
    made, done, most = [0], [0], [0]
    lock = threading.Lock()

    def items() -> Iterator[int]:
        for item in range(200):
            made[0] += 1
            most[0] = max(most[0], made[0] - done[0])
            yield item

    def work(item: int) -> int:
        with lock:
            done[0] += 1
        return item

    assert cores.as_they_come(work, items()) == list(range(200))
    assert most[0] <= 2 * 2 + 2


@pytest.mark.parametrize("most", [1, 2])
def test_the_first_error_ends_it(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: most)
    made = [0]

    def items() -> Iterator[int]:
        for item in range(10**6):
            made[0] += 1
            yield item

    def work(item: int) -> int:
        if item == 3:
            raise ValueError("the fourth")
        return item

    with pytest.raises(ValueError, match="the fourth"):
        cores.as_they_come(work, items())
    assert made[0] < 20
