"""The rows of each user that count, out of rows sorted by user and cell. See `private/engines/streamed_bounding.py`."""

from __future__ import annotations

from discreet.kernels.jit import Ints, Words, kernel


@kernel
def told_apart(
    users: Ints, cells: Ints, most: int, per_cell: int, kept: Ints, above: Ints, ends: Ints, few: Ints, copies: Ints
) -> tuple[int, int]:
    """The cells of users within the bound go to `kept`; those above it to `above`, with their rows' cells and copies.

    At most `per_cell` rows of a user in a cell are looked at. The rows of above[i] end before ends[i] in `few` and
    `copies`. Returns how many cells were kept, and how many users are above.
    """
    used, found, rows, begin = 0, 0, 0, 0
    while begin < users.size:
        end, total, copy = begin, 0, 0
        first = rows
        while end < users.size and users[end] == users[begin]:
            copy = copy + 1 if end > begin and cells[end] == cells[end - 1] else 0
            if copy < per_cell:
                few[rows], copies[rows] = cells[end], copy
                rows += 1
                total += 1
            end += 1
        if total <= most:
            kept[used : used + total] = few[first:rows]
            used, rows = used + total, first
        else:
            above[found], ends[found] = users[begin], rows
            found += 1
        begin = end
    return used, found


@kernel
def lowest_tickets(ends: Ints, tickets: Words, cells: Ints, most: int, kept: Ints) -> None:
    """kept[i * most : (i + 1) * most] = the cells of the rows of user i with the lowest tickets; of equal ones, the
    rows that come first."""
    heap, begin = [0] * most, 0
    for user in range(ends.size):
        size = 0
        for row in range(begin, ends[user]):
            if size < most:
                heap[size] = row
                at = size
                size += 1
                while at > 0 and _later(tickets, heap[at], heap[(at - 1) // 2]):
                    above = (at - 1) // 2
                    heap[at], heap[above] = heap[above], heap[at]
                    at = above
            elif tickets[row] < tickets[heap[0]]:
                heap[0] = row
                at = 0
                while 2 * at + 1 < most:
                    below = 2 * at + 1
                    if below + 1 < most and _later(tickets, heap[below + 1], heap[below]):
                        below += 1
                    if not _later(tickets, heap[below], heap[at]):
                        break
                    heap[at], heap[below] = heap[below], heap[at]
                    at = below
        for place in range(most):
            kept[user * most + place] = cells[heap[place]]
        begin = ends[user]


@kernel
def _later(tickets: Words, one: int, other: int) -> bool:
    return bool(tickets[one] > tickets[other] or (tickets[one] == tickets[other] and one > other))
