"""Random bits are fresh for every call, thread and process; test sources can be recognised."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from discreet.noise import (
    BitSource,
    KeystreamSource,
    Noise,
    ScriptedSource,
    SeededSource,
    SystemSource,
    ZeroNoise,
)
from discreet.noise import source as room
from discreet.noise.source import ScriptExhausted, Stream


@pytest.fixture(autouse=True)
def _bits_of_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "os", os)


def some_bits(source: BitSource, nbytes: int = 32) -> bytes:
    out = np.empty(nbytes, np.uint8)
    source.stream().fill(out)
    return out.tobytes()


class ReusedKeystream(KeystreamSource):
    """The planted fault: one keystream for the life of the object."""

    def __init__(self) -> None:
        self._stream = super().stream()

    def stream(self) -> Stream:
        return self._stream


def bits_after_fork(source: BitSource, children: int = 3) -> list[bytes]:
    """What the parent and each forked child draw next from the same source object."""
    pipes = []
    for _ in range(children):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.write(writing, some_bits(source))
            os._exit(0)
        os.close(writing)
        pipes.append(reading)
    drawn = [some_bits(source)] + [os.read(pipe, 32) for pipe in pipes]
    for _ in range(children):
        os.wait()
    for pipe in pipes:
        os.close(pipe)
    return drawn


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("source", [SystemSource(), KeystreamSource()])
def test_forks_share_no_bits(source: BitSource) -> None:
    some_bits(source)  # warm up: whatever state there may be exists now
    drawn = bits_after_fork(source)
    assert len(set(drawn)) == len(drawn)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_keystream_reused_after_fork_is_caught() -> None:
    source = ReusedKeystream()
    some_bits(source)
    drawn = bits_after_fork(source)
    assert len(set(drawn)) < len(drawn)


def test_threads_share_no_bits() -> None:
    noise = Noise()
    drawn: list[bytes] = []

    def work() -> None:
        drawn.extend(noise.laplace("1e12", 4).tobytes() for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 400
    assert len(set(drawn)) == 400


def test_fresh_processes_share_no_bits() -> None:
    code = "from discreet.noise import Noise; print(Noise().laplace('1e12', 4).tolist())"
    drawn = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(3)}
    assert len(drawn) == 3


@pytest.mark.parametrize("nbytes", [0, 1, 2, 7, 8, 65536 * 2 - 1, 65536 * 2, 65536 * 2 + 3, 1_000_003])
@pytest.mark.parametrize("source", [SystemSource(), KeystreamSource(), SeededSource(1)])
def test_any_amount_is_filled_completely(source: BitSource, nbytes: int) -> None:
    out = np.zeros(nbytes, np.uint8)
    source.stream().fill(out)
    if nbytes > 1000:
        for piece in (out[:500], out[-500:]):
            assert np.unique(piece).size > 150  # a stretch left at zero would show one value


def test_bits_are_balanced() -> None:
    """Each of 64 bit places is one half of the time set: |share - 1/2| < 7 standard errors, about 1e-10 in all."""
    for source in (SystemSource(), KeystreamSource()):
        words = np.empty(1 << 18, np.uint64)
        source.stream().fill(words)
        shares: NDArray[Any] = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
        assert np.all(np.abs(shares - 0.5) < 7 * 0.5 / 2**9)


def test_a_stream_has_a_key_of_256_bits_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a start of its own: what it gives is AES-256 in counter mode under just these bytes."""
    given: list[bytes] = []

    def urandom(size: int) -> bytes:
        given.append(bytes((37 * len(given) + 11 * i + 5) % 256 for i in range(size)))
        return given[-1]

    monkeypatch.setattr("discreet.noise.source.os", type("Told", (), {"urandom": staticmethod(urandom)}))
    out = np.empty(8, np.uint64)
    KeystreamSource().stream().fill(out)
    assert [len(part) for part in given] == [32, 16]
    assert out.tobytes() == Cipher(algorithms.AES(given[0]), modes.CTR(given[1])).encryptor().update(bytes(64))


def test_sources_for_tests_are_marked() -> None:
    assert Noise().private
    assert Noise(SystemSource()).private
    for double in (Noise(SeededSource(1)), Noise(ScriptedSource(b"")), ZeroNoise()):
        assert not double.private
        assert "AES" not in double.name


def test_the_same_seed_gives_the_same_noise() -> None:
    first, second = (Noise(SeededSource(7)).laplace(3, 1000) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, Noise(SeededSource(8)).laplace(3, 1000))


def test_a_script_is_given_once_and_in_order() -> None:
    source = ScriptedSource(bytes(range(6)))
    out = np.empty(2, np.uint16)
    source.stream().fill(out)
    assert out.tolist() == [0x0100, 0x0302]
    assert source.given == 4
    with pytest.raises(ScriptExhausted):
        source.stream().fill(out)
