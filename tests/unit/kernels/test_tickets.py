"""Tickets against Python's own md5."""

from __future__ import annotations

import hashlib

import numpy as np

from discreet.kernels.tickets import TOGETHER, digests_of, tickets_of

dice = np.random.default_rng()


def first_digits(text: str) -> int:
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:16], 16)


def test_digests_of_users() -> None:
    odd = [0, -1, 9, 10, 99, 100, 10**18, 2**63 - 1, -(2**63)]
    users = np.append(dice.integers(-(2**63), 2**63 - 1, 2 * TOGETHER), odd)
    head, found = "0123456789abcdef0123456789abcdef/", np.empty(users.size, np.uint64)
    digests_of(users, np.frombuffer(head.encode(), np.uint8), found)
    assert found.tolist() == [first_digits(f"{head}{user}") for user in users.tolist()]


def test_tickets_of_records() -> None:
    """Messages of every length up to the longest, also after longer ones in the same place."""
    digits = dice.integers(0, 2**64, 3 * TOGETHER, np.uint64)
    cells = np.array([10 ** (k % 19) - k % 2 for k in range(digits.size)])
    copies = np.array([7 * 10 ** (k % 17) for k in range(digits.size)])
    found = np.empty(digits.size, np.uint64)
    tickets_of(digits, cells, copies, found)
    records = zip(digits.tolist(), cells.tolist(), copies.tolist(), strict=True)
    assert found.tolist() == [first_digits(f"{user:016x}/{cell}/{copy}") for user, cell, copy in records]
