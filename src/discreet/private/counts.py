"""Counts: the exact, bounded count table. It is private, so it never shows itself.

Only non-zero cells are kept, in lexicographic order of their codes. Nothing here names a value in a message:
whoever reads an error may not be allowed to read the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import BadParameter, CountOverflow

if TYPE_CHECKING:
    from discreet.private.kept import CountedHistories

Codes = NDArray[np.int64]

LARGEST_TOTAL = 2**62
LARGEST_DENSE = 2**30
_WORD = 2**63
#: tables that are as well written out as not
_SMALL = 2**16


class NeverShown:
    """Private values, which no way to print, copy or pickle an object may give away."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(private)"

    def __format__(self, _: str) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        return repr(self)

    def __rich_repr__(self) -> Iterator[str]:
        yield "private"

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is private and cannot be pickled or copied")


class Counts(NeverShown):
    """How many records each non-empty cell holds: `codes` (cells x attributes) and `counts`, both int64, read-only."""

    __slots__ = ("codes", "counts", "sizes")

    sizes: tuple[int, ...]
    codes: Codes
    counts: Codes

    def __init__(self, sizes: Sequence[int], codes: ArrayLike, counts: ArrayLike) -> None:
        """Takes canonical arrays: cells in order, each once, counts above zero. `from_arrays` takes any."""
        made = _checked(sizes, codes, counts)
        del codes, counts  # a traceback that prints local variables must not find them
        if isinstance(made, Exception):
            raise made
        if not _is_canonical(*made[1:]):
            del made
            raise BadParameter(
                "Counts takes each cell once, in ascending order, with a count above zero; use Counts.from_arrays"
            )
        for name, value in zip(("sizes", "codes", "counts"), made, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def from_arrays(cls, sizes: Sequence[int], codes: ArrayLike, counts: ArrayLike) -> Counts:
        """Counts from cells in any order: the counts of a repeated cell are added up, empty cells are left out."""
        made = _checked(sizes, codes, counts)
        del codes, counts
        if isinstance(made, Exception):
            raise made
        shape, cells, numbers = made
        return cls.from_words(shape, [_pack(cells[:, part], shape[part]) for part in word_slices(shape)], numbers)

    @classmethod
    def from_words(cls, sizes: Sequence[int], words: Sequence[Codes], counts: Codes) -> Counts:
        """Counts from cells whose codes are packed into the words of `word_slices(sizes)`."""
        shape = tuple(sizes)
        # np.lexsort sorts by its last key first
        order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(tuple(reversed(words)))
        order = order[counts[order] > 0]
        ordered = [word[order] for word in words]
        new = np.ones(len(order), dtype=bool)
        new[1:] = np.logical_or.reduce([word[1:] != word[:-1] for word in ordered])
        starts = np.flatnonzero(new)
        sums = np.add.reduceat(counts[order], starts)
        codes = np.empty((len(starts), len(shape)), dtype=np.int64)
        for word, part in zip(ordered, word_slices(shape), strict=True):
            _unpack(word[starts], shape[part], codes[:, part])
        return cls(shape, codes, sums)

    @classmethod
    def from_cells(cls, sizes: Sequence[int], cells: Codes) -> Counts:
        """Counts from the number of each record's cell in the full table."""
        if math.prod(sizes) <= max(cells.size, _SMALL):
            return cls.from_dense(sizes, np.bincount(cells, minlength=math.prod(sizes)))
        return cls.from_words(sizes, [cells], np.ones(cells.size, np.int64))

    @classmethod
    def from_dense(cls, sizes: Sequence[int], table: Codes) -> Counts:
        """Counts from the full table, flat."""
        occupied = np.flatnonzero(table)
        return cls(sizes, np.stack(np.unravel_index(occupied, sizes), axis=1), table[occupied])

    @property
    def cells(self) -> int:
        """The number of cells of the full table: public, it follows from the schema."""
        return math.prod(self.sizes)

    def dense(self) -> Codes:
        """The full table as one array of shape `sizes`."""
        if self.cells > LARGEST_DENSE:
            raise BadParameter(
                f"a table of {self.cells:.3g} cells is too large to write out (at most {LARGEST_DENSE:.3g}); "
                "use a sparse method, fewer attributes or wider bins"
            )
        table = np.zeros(self.sizes, dtype=np.int64)
        table[tuple(self.codes.T)] = self.counts
        return table

    def marginal(self, places: Sequence[int]) -> Counts:
        """Counts by some of the attributes, in the given order."""
        if list(places) == list(range(len(self.sizes))):
            return self  # cannot be changed
        return Counts.from_arrays([self.sizes[place] for place in places], self.codes[:, list(places)], self.counts)

    # what a mechanism may look at (`bounded.Bounded`): these counts and nothing else

    def table(self) -> Counts:
        return self

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        return [self.marginal(places) for places in sets]

    def histories(self, looks: int) -> CountedHistories:
        from discreet.private.kept import CountedHistories

        return CountedHistories(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            self.sizes == other.sizes
            and np.array_equal(self.codes, other.codes)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, *_: object) -> NoReturn:
        raise AttributeError("Counts cannot be changed")

    __delattr__ = __setattr__


def word_slices(sizes: Sequence[int]) -> list[slice]:
    """Runs of consecutive attributes whose codes fit together into one int64 mixed-radix word."""
    slices, first, product = [], 0, 1
    for index, size in enumerate(sizes):
        if product * size >= _WORD:
            slices.append(slice(first, index))
            first, product = index, 1
        product *= size
    return [*slices, slice(first, len(sizes))]


def _pack(codes: Codes, sizes: Sequence[int]) -> Codes:
    word = codes[:, 0].copy()
    for index, size in enumerate(sizes[1:], start=1):
        word *= size
        word += codes[:, index]
    return word


def _unpack(word: Codes, sizes: Sequence[int], into: Codes) -> None:
    rest = word
    for index in range(len(sizes) - 1, 0, -1):
        rest, into[:, index] = np.divmod(rest, sizes[index])
    into[:, 0] = rest


def _checked(
    sizes: Sequence[int], codes: ArrayLike, counts: ArrayLike
) -> tuple[tuple[int, ...], Codes, Codes] | BadParameter | CountOverflow:
    """Fresh read-only arrays, or the problem with the given ones: returned, so that no frame with data raises it."""
    shape = tuple(int(size) for size in sizes)
    if not shape or not all(0 < size < _WORD for size in shape):
        return BadParameter("sizes must hold one number of cells for each attribute, each of at least 1")
    try:
        cells, numbers = np.asarray(codes), np.asarray(counts)
    except (ValueError, TypeError, OverflowError):
        return BadParameter("codes and counts must be arrays of whole numbers")
    if cells.size == 0 and numbers.size == 0:
        cells, numbers = np.empty((0, len(shape)), dtype=np.int64), np.empty(0, dtype=np.int64)
    if cells.ndim != 2 or cells.shape[1] != len(shape):
        return BadParameter(f"codes must have one column for each of the {len(shape)} attributes")
    if numbers.ndim != 1 or len(numbers) != len(cells):
        return BadParameter("counts must be one number for each row of codes")
    kept, summed = _whole(cells), _whole(numbers)
    if kept is None or np.any(kept < 0) or np.any(kept >= np.array(shape)):
        return BadParameter("codes must be whole numbers from 0 to one below the size of their attribute")
    # summed as floats, and rounded up a little, so that no sum can wrap around unseen
    if numbers.dtype.kind in "iuf" and float(np.abs(numbers.astype(np.float64)).sum()) * 1.001 > LARGEST_TOTAL:
        return CountOverflow("the counts are too large for 64-bit arithmetic with noise")
    if summed is None or np.any(summed < 0):
        return BadParameter("counts must be whole numbers of at least 0")
    kept.flags.writeable = summed.flags.writeable = False
    return shape, kept, summed


def _whole(array: NDArray[Any]) -> Any:
    """A fresh int64 array of the same numbers, or None if some are no whole numbers of 64 bits."""
    if array.dtype.kind in "iu":
        return None if array.dtype == np.uint64 and np.any(array >= np.uint64(_WORD)) else array.astype(np.int64)
    if array.dtype.kind != "f" or not np.all(np.isfinite(array)) or np.any(np.abs(array) > 2**53):
        return None
    whole = array.astype(np.int64)
    return whole if np.array_equal(whole, array) else None


def _is_canonical(codes: Codes, counts: Codes) -> bool:
    if np.any(counts <= 0):
        return False
    step = codes[1:] - codes[:-1]
    differs = step != 0
    first = np.argmax(differs, axis=1)
    return bool(np.all(np.take_along_axis(step, first[:, None], axis=1) > 0))
