"""The rows that count, against plain sorting."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.choosing import lowest_tickets, told_apart

dice = np.random.default_rng()


@pytest.mark.parametrize("per_cell", [1, 2, 2**62])
def test_users_above_the_bound_are_told_apart(per_cell: int) -> None:
    users = np.sort(dice.integers(0, 30, 200))
    cells = dice.integers(0, 4, 200)[np.arange(200)]
    order = np.lexsort((cells, users))
    users, cells = users[order], cells[order]
    kept, above, ends, few, copies = (np.empty(200, np.int64) for _ in range(5))
    used, found = told_apart(users, cells, 5, per_cell, kept, above, ends, few, copies)
    want_kept, want_above, want_rows = [], [], []
    for user in range(30):
        mine = [
            (cell, copy)
            for cell in range(4)
            for copy in range(min(((users == user) & (cells == cell)).sum(), per_cell))
        ]
        if len(mine) > 5:
            want_above.append(user)
            want_rows += mine
        else:
            want_kept += [cell for cell, _ in mine]
    assert kept[:used].tolist() == want_kept
    assert above[:found].tolist() == want_above
    rows = ends[found - 1] if found else 0
    assert list(zip(few[:rows].tolist(), copies[:rows].tolist(), strict=True)) == want_rows


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_the_lowest_tickets_win_and_of_equal_ones_the_first(most: int) -> None:
    sizes = dice.integers(most + 1, 90, 20)
    ends = np.cumsum(sizes)
    tickets, cells = dice.integers(0, 12, ends[-1]).astype(np.uint64) << np.uint64(60), np.arange(ends[-1])
    kept = np.empty(20 * most, np.int64)
    lowest_tickets(ends, tickets, cells, most, kept)
    for user, (begin, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        wanted = begin + np.argsort(tickets[begin:end], kind="stable")[:most]
        assert sorted(kept[user * most : (user + 1) * most].tolist()) == sorted(wanted.tolist())
