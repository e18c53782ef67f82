"""Production's bits are never given twice: not after a fork, not to threads that draw at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import numpy as np
import pytest

from discreet.noise import KeystreamSource, Noise
from discreet.noise.source import BitSource, Stream, SystemSource, words

WORDS = 4096


def repeated(parts: list[np.ndarray[tuple[int], np.dtype[np.uint64]]]) -> int:
    """How many words of 64 bits occur again in any part; among 10**6 that are random, one pair in 4 * 10**7 runs.

    Blocks of sixteen bytes are what the cipher makes, so a pair of words must repeat: never, then.
    """
    pairs = np.concatenate([part.reshape(-1, 2) for part in parts])
    return len(pairs) - len(np.unique(pairs, axis=0))


def forked(draw: Callable[[], bytes]) -> bytes:
    """What a child draws."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(readable)
            os.write(writable, draw())
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        given = pipe.read()
    os.waitpid(child, 0)
    return given


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("source", [KeystreamSource(), SystemSource()], ids=["keystream", "system"])
def test_a_fork_after_a_warm_up_shares_no_bits(source: BitSource) -> None:
    noise = Noise(source)
    before = [words(WORDS, source.stream()), noise.laplace(10**9, WORDS).view(np.uint64)]

    def draw() -> bytes:
        return words(WORDS, source.stream()).tobytes() + noise.laplace(10**9, WORDS).tobytes()

    children = [forked(draw) for _ in range(3)]
    drawn = [np.frombuffer(given, np.uint64) for given in [*children, draw()]]
    assert [part.size for part in drawn] == [2 * WORDS] * 4
    bits = [before[0], *(part[:WORDS] for part in drawn)]
    assert repeated(bits) == 0
    # neither is any noise the same: equal draws at a scale of 10**9 are one in 4 * 10**9, four in a row are never
    noisy = np.concatenate([before[1], *(part[WORDS:] for part in drawn)]).reshape(-1, 4)
    assert len(np.unique(noisy, axis=0)) == len(noisy)
    assert repeated([bits[1], bits[1]]) == WORDS // 2, "what is there twice is seen"


@pytest.mark.parametrize("source", [KeystreamSource(), SystemSource()], ids=["keystream", "system"])
def test_threads_at_the_same_time_share_no_bits(source: BitSource) -> None:
    """Of one source, and of one `Noise`; all threads wait for each other before they draw."""
    noise, threads = Noise(source), 8
    bits: list[np.ndarray[tuple[int], np.dtype[np.uint64]]] = []
    noisy: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = []
    ready = threading.Barrier(threads)

    def draw() -> None:
        ready.wait()
        for _ in range(10):
            bits.append(words(WORDS, source.stream()))
            noisy.append(noise.laplace(10**9, WORDS))

    running = [threading.Thread(target=draw) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert len(bits) == len(noisy) == 10 * threads
    assert repeated(bits) == 0
    drawn = np.concatenate(noisy).reshape(-1, 4)
    assert len(np.unique(drawn, axis=0)) == len(drawn)


def test_a_shared_stream_would_be_seen() -> None:
    """Planted: a source that keeps its key, as it would be after a fork."""

    class Kept(KeystreamSource):
        def __init__(self) -> None:
            self.bits = words(WORDS, super().stream())

        def stream(self) -> Stream:
            kept = self.bits

            class Given:
                def fill(self, out: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> None:
                    out[:] = kept[: out.size]

            return Given()

    source = Kept()
    assert repeated([words(WORDS, source.stream()) for _ in range(2)]) == WORDS // 2
