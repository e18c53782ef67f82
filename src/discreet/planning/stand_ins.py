"""Invented data to rehearse methods on, drawn from public facts alone: a schema, a guess of sizes, and a shape.

Three shapes: `even`, every value as likely as any other; `zipf`, few values with most records, each attribute for
itself; `clustered`, records around a few centres, so that attributes depend on each other. The same seed gives the same
records every time: nothing here is published, nor private.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Mechanism
from discreet.mechanisms.guesses import SHAPES, Guess
from discreet.mechanisms.items.item_method import ItemMethod
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.private.bounded import Bounded
from discreet.private.counts import Counts
from discreet.private.kept import Histories, Kept, KeptRecords
from discreet.schema import Attribute, Nominal, Schema

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: so many different records are drawn at most; beyond it, each stands for several
MOST_DRAWN = 20_000
#: what is tried where nobody guesses how many records there are
USUAL = ((2_000.0, "even"), (2_000.0, "clustered"), (200_000.0, "zipf"), (200_000.0, "clustered"))
#: records of a user, where nobody guesses them
USUAL_RECORDS = 10.0
_CENTRES = 6
#: no user has more different items
_ALL_ITEMS = 10**6
#: nothing is chosen by it where all records are kept
_NO_SALT = b"all of the users"


@dataclass(frozen=True, eq=False)
class StandIn:
    """Data in place of the private ones: what a method is shown, and all records that there are.

    `users` counts each user once for an item; None where every record is a user's own.
    """

    name: str
    data: Bounded
    truth: Counts
    users: Counts | None = None

    def truth_for(self, mechanism: Mechanism) -> Counts:
        """What the method should have said."""
        if isinstance(mechanism, ItemMethod) and mechanism.pairs:
            return self._pairs(mechanism.distinct)
        counts_users = isinstance(mechanism, ItemMethod) and mechanism.distinct
        return self.users if counts_users and self.users is not None else self.truth

    def _pairs(self, distinct: bool) -> Counts:
        kept = self.data.histories(1).kept(_ALL_ITEMS, distinct=distinct, scores=None, salt=_NO_SALT)
        table = kept.pairs(_ALL_ITEMS, directed=not distinct)
        both = table + table.T if distinct else table
        np.fill_diagonal(both, 0)
        return Counts.from_dense(both.shape, both.reshape(-1))


def users_per_item(histories: Histories, sizes: tuple[int, ...]) -> Counts:
    kept = histories.kept(_ALL_ITEMS, distinct=True, scores=None, salt=_NO_SALT)
    return Counts.from_dense(sizes, kept.table(_ALL_ITEMS))


class InventedRows:
    """Invented records, each a user's own; tables that were counted once are remembered."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._known: dict[tuple[tuple[int, ...], ...], list[Counts]] = {}

    def table(self) -> Counts:
        return self._counts

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        key = tuple(tuple(places) for places in sets)
        if key not in self._known:
            self._known[key] = self._counts.tables(sets)
        return self._known[key]

    def histories(self, looks: int) -> Histories:
        return self._counts.histories(looks)


class InventedUsers:
    """What invented users have: cells of user u in words[starts[u]:starts[u + 1]], in random order."""

    def __init__(self, sizes: tuple[int, ...], starts: Ints, words: Ints) -> None:
        self._sizes, self._starts, self._words = sizes, starts, words
        self._owner = np.repeat(np.arange(starts.size - 1), np.diff(starts))

    def table(self) -> Counts:
        codes = np.stack(np.unravel_index(self._words, self._sizes), axis=1)
        return Counts.from_arrays(self._sizes, codes, np.ones(len(codes), np.int64))

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        return self.table().tables(sets)

    def histories(self, looks: int) -> Histories:
        return self

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        """They come in random order, so the first ones of each user are chosen at random."""
        items = self._words // int(np.prod(self._sizes[1:]))
        chosen = np.arange(self._words.size)
        if distinct:
            pairs = self._owner * self._sizes[0] + items
            chosen = np.sort(np.unique(pairs, return_index=True)[1])
        if scores is not None:
            chosen = chosen[np.lexsort((-scores[items[chosen]], self._owner[chosen]))]
        owner = self._owner[chosen]
        begin = np.searchsorted(owner, np.arange(self._starts.size))
        within = np.arange(owner.size) - begin[owner]
        few = within < most
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner[few], minlength=self._starts.size - 1))])
        return KeptRecords(self._sizes, starts.astype(np.int64), self._words[chosen[few]])


def stand_ins(schema: Schema, unit: Unit, guess: Guess, *, histories: bool) -> list[StandIn]:
    """Some of several shapes, and of several sizes if none is guessed; `histories` if users' records are wanted."""
    made = _with_users if histories and not unit.is_row else _of_rows
    return [
        made(schema, unit, guess, shape, rows, Noise(SeededSource(number)))
        for number, (rows, shape) in enumerate(_wanted(guess))
    ]


def _wanted(guess: Guess) -> list[tuple[float, str]]:
    """Numbers of records, and shapes; a shape that is guessed is drawn several times."""
    if guess.rows:
        return [(guess.rows, shape) for shape in ([guess.shape] * len(SHAPES) if guess.shape else SHAPES)]
    return [(rows, guess.shape or shape) for rows, shape in USUAL]


def said(guess: Guess) -> list[str]:
    """What a plan says of its stand-ins."""
    lines = []
    shapes = guess.shape or ", ".join(SHAPES)
    if guess.rows:
        lines.append(f"Ranges were rehearsed on invented records, {guess.rows:,.0f} of them, of shape {shapes}.")
    else:
        few, many = (f"{end(rows for rows, _ in USUAL):,.0f}" for end in (min, max))
        lines.append(
            f"Ranges were rehearsed on {few} and on {many} invented records, of shape {shapes}. Say "
            "guess = { rows = ... }, a public number, for narrower ones."
        )
    if (guess.rows or math.inf) > MOST_DRAWN:
        lines.append(f"Stand-ins were made smaller: {MOST_DRAWN:,} records were drawn, each standing for several.")
    return lines


def _of_rows(schema: Schema, unit: Unit, guess: Guess, shape: str, rows: float, dice: Noise) -> StandIn:
    drawn = max(1, int(min(rows, MOST_DRAWN)))
    times = np.full(drawn, int(rows) // drawn)
    times[: int(rows) - int(times.sum())] += 1
    counts = Counts.from_arrays(schema.sizes, _codes(schema, shape, drawn, dice), times)
    return StandIn(shape, InventedRows(counts), counts)


def _with_users(schema: Schema, unit: Unit, guess: Guess, shape: str, rows: float, dice: Noise) -> StandIn:
    """Users who have about as many records as is guessed: all as many, or few with very many."""
    mean = guess.records or min(USUAL_RECORDS, float(unit.most))
    mean = max(1.0, rows / guess.users) if guess.users and guess.rows and not guess.records else mean
    users = max(1, int(min(rows, 4 * MOST_DRAWN) / mean))
    if shape == "even":
        numbers = np.full(users, max(1, round(mean)), np.int64)
    else:  # the mean stays, the median is lower
        numbers = np.maximum(1, np.rint(-np.log(_even(users, dice)) * mean)).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
    codes = _codes(schema, shape, int(starts[-1]), dice)
    if shape == "clustered":  # nearly all records are about few items
        codes[:, 0] = np.minimum(np.floor(_even(len(codes), dice) ** -2.0), schema.sizes[0]).astype(np.int64) - 1
    names = dice.shuffled(np.zeros(schema.sizes[0], np.int64))  # popular items may stand anywhere in the list
    codes[:, 0] = names[codes[:, 0]]
    invented = InventedUsers(schema.sizes, starts, np.ravel_multi_index(tuple(codes.T), schema.sizes).astype(np.int64))
    return StandIn(shape, invented, invented.table(), users_per_item(invented, schema.sizes))


def _even(count: int, dice: Noise) -> Floats:
    """Numbers between 0 and 1, neither of them."""
    return (dice.integers(1 << 40, count).astype(np.float64) + 0.5) / float(1 << 40)


def _codes(schema: Schema, shape: str, count: int, dice: Noise) -> Ints:
    """A row of codes for each record."""
    columns = []
    centre = np.minimum((_even(count, dice) ** 2 * _CENTRES).astype(np.int64), _CENTRES - 1)
    for attribute in schema.values():
        draws = _even(count, dice)
        if shape == "even":
            codes = np.floor(draws * attribute.size).astype(np.int64)
        elif shape == "zipf":
            # continuous ranks, in proportion to 1 / rank, so that attributes may be of any size
            codes = np.floor(np.exp(draws * np.log(attribute.size + 1.0))).astype(np.int64) - 1
        else:
            codes = _around(attribute, centre, draws, dice)
        columns.append(np.clip(codes, 0, attribute.size - 1))
    return np.stack(columns, axis=1)


def _around(attribute: Attribute, centre: Ints, draws: Floats, dice: Noise) -> Ints:
    """Codes near the centre's own; labels that have no order are the centre's, or any."""
    places = np.floor(_even(_CENTRES, dice) * attribute.size)[centre]
    if isinstance(attribute, Nominal):
        others = np.floor(_even(centre.size, dice) * attribute.size)
        return np.where(draws < 0.7, places, others).astype(np.int64)
    sides = np.where(draws < 0.5, np.log(2 * draws), -np.log(2 * (1 - draws)))
    return np.floor(places + sides * attribute.size / 30).astype(np.int64)
