"""Users that are texts, as numbers: each text is looked at once, however many rows it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.kernels.numbering import number_texts, place_again
from discreet.private.engines.base import USER
from discreet.private.engines.bounding import digest_of
from discreet.private.engines.session import arrow_table, small_table
from discreet.private.engines.users import with_users
from discreet.private.engines.values import engine_of

Ints = NDArray[np.int64]
_FIRST_SLOTS, _FIRST_LETTERS = 1 << 12, 1 << 16


class TextNumbers:
    """Texts, numbered from 0 on in the order in which they are met."""

    def __init__(self, salt: np.uint64) -> None:
        self._salt = salt
        self._known = 0
        self._slots = np.zeros(_FIRST_SLOTS, np.int64)
        self._hashes = np.empty(_FIRST_SLOTS // 2, np.uint64)
        self._starts = np.zeros(_FIRST_SLOTS // 2 + 1, np.int64)
        self._store = np.empty(_FIRST_LETTERS, np.uint8)

    @property
    def nbytes(self) -> int:
        return self._slots.nbytes + self._hashes.nbytes + self._starts.nbytes + self._store.nbytes

    def numbers(self, texts: Any) -> NDArray[np.int32]:
        """The number of each text of an Arrow array without nulls."""
        texts = texts.cast(pa.large_string())
        found = np.empty(len(texts), np.int32)
        if not found.size:
            return found
        _, ends, letters = texts.buffers()
        ends = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + found.size + 1]
        letters = np.frombuffer(letters, np.uint8) if letters else np.empty(0, np.uint8)
        row = 0
        while True:
            table = (self._slots, self._hashes, self._starts, self._store)
            row, self._known = number_texts(row, ends, letters, self._salt, self._known, *table, found)
            if row == found.size:
                return found
            self._grow(int(ends[row + 1] - ends[row]))

    def _grow(self, letters: int) -> None:
        """Twice the room, at least for so many letters more."""
        used = int(self._starts[self._known])
        if used + letters > self._store.size:
            self._store = np.resize(self._store, 2 * self._store.size + letters)
        if 2 * (self._known + 1) > self._slots.size:
            self._slots = np.zeros(2 * self._slots.size, np.int64)
            self._hashes = np.resize(self._hashes, self._slots.size // 2)
            self._starts = np.resize(self._starts, self._slots.size // 2 + 1)
            place_again(self._known, self._hashes, self._slots)

    def texts(self) -> Any:
        """All texts, by their numbers."""
        ends = pa.py_buffer(self._starts[: self._known + 1])
        return pa.LargeStringArray.from_buffers(self._known, ends, pa.py_buffer(self._store))


def users_of(texts: Any, backend: Any, column: str | None, salt: bytes) -> tuple[Ints, NDArray[np.uint64]]:
    """Which user each text names, as a number, -1 for nobody; and the digest of each user.

    Texts of a column are told apart by the rule; without one they have been, and each is a user.
    """
    names = small_table(backend, pa.table({USER: texts, "place": np.arange(len(texts))}))
    users = names if column is None else with_users(names, engine_of(backend), column, [names[USER].type()])
    found = arrow_table(users.select("place", USER, digest=digest_of(users[USER], salt)), backend)
    numbered = pa.concat_arrays(found[USER].chunks or [pa.array([], pa.string())]).dictionary_encode()
    numbers = np.asarray(numbered.indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
    by_text = np.empty(len(texts), np.int64)
    by_text[found["place"].to_numpy()] = numbers
    digests = np.empty(len(numbered.dictionary), np.uint64)
    words = bytes.fromhex("".join(found["digest"].drop_null().to_pylist()))
    digests[numbers[numbers >= 0]] = np.frombuffer(words, ">u8")
    return by_text, digests
