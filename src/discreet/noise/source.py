"""Where random bits come from. No generator state outlives a stream, and a stream never outlives one call.

`SystemSource` and `KeystreamSource` are private. The scripted and the seeded source are for tests: their
`private` is False, and whatever is made from them can be recognised by it.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

_ZEROS = bytes(1 << 17)


class Stream(Protocol):
    """Random bits for one call."""

    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite every byte of a contiguous array with fresh random bits."""


def words(shape: int | tuple[int, int], stream: Stream) -> NDArray[np.uint64]:
    """Fresh random words of 64 bits."""
    out = np.empty(shape, np.uint64)
    stream.fill(out)
    return out


def word(stream: Stream) -> int:
    """64 random bits as a Python integer."""
    return int(words(1, stream)[0])


def _write(bits: bytes, out: NDArray[Any]) -> None:
    out.reshape(-1).view(np.uint8)[:] = np.frombuffer(bits, np.uint8)


class BitSource(ABC):
    """Opens streams. `private` says whether what is drawn may be published; `name` goes into releases.

    `separate` says whether several streams may be read at the same time.
    """

    private: ClassVar[bool]
    name: ClassVar[str]
    separate: ClassVar[bool] = False

    @abstractmethod
    def stream(self) -> Stream: ...


class SystemSource(BitSource):
    """The operating system's generator, asked for every bit."""

    private = True
    name = "operating system"
    separate = True

    def stream(self) -> Stream:
        return self

    def fill(self, out: NDArray[Any]) -> None:
        _write(os.urandom(out.nbytes), out)


class KeystreamSource(BitSource):
    """AES-256 in counter mode under a key that the operating system gives afresh for every stream."""

    private = True
    name = "AES-256-CTR, fresh operating-system key per call"
    separate = True

    def stream(self) -> Stream:
        return _KeyStream()


class _KeyStream:
    def __init__(self) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._encrypt = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()

    def fill(self, out: NDArray[Any]) -> None:
        bits = out.reshape(-1).view(np.uint8).data
        for start in range(0, len(bits), len(_ZEROS)):
            piece = bits[start : start + len(_ZEROS)]
            self._encrypt.update_into(_ZEROS[: len(piece)] if len(piece) < len(_ZEROS) else _ZEROS, piece)


class ScriptExhausted(RuntimeError):
    """A scripted source was asked for more bits than its script holds."""


class ScriptedSource(BitSource):
    """Gives the bytes of a script, in order, across all its streams. `given` counts what was used."""

    private = False
    name = "scripted (for tests)"

    def __init__(self, script: bytes) -> None:
        self.script = script
        self.given = 0

    def stream(self) -> Stream:
        return self

    def fill(self, out: NDArray[Any]) -> None:
        end = self.given + out.nbytes
        if end > len(self.script):
            raise ScriptExhausted(f"the script has {len(self.script)} bytes, byte {end} was asked for")
        _write(self.script[self.given : end], out)
        self.given = end


class SeededSource(BitSource):
    """The same bits for the same seed. For tests and for repeatable experiments, never for a real release."""

    private = False
    name = "seeded (not private)"

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def stream(self) -> Stream:
        return self

    def fill(self, out: NDArray[Any]) -> None:
        _write(self._generator.bytes(out.nbytes), out)
