"""What all tests share: nothing is timed, for machines are noisy and kernels are compiled when first used; and a test
draws the same bits in every run, whichever tests ran before it (but for samples that tests share, and what several
threads or other processes draw). `DISCREET_FRESH=1 pytest` draws fresh bits instead.
"""

from __future__ import annotations

import os
import random
import sys
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import Phase, settings

from discreet.noise import source

FRESH = os.environ.get("DISCREET_FRESH", "") not in ("", "0")
BITS = np.random.default_rng(0)

settings.register_profile("untimed", deadline=None, derandomize=not FRESH)
# for who needs to know that a test fails, and not the simplest case in which it does
settings.register_profile("unshrunk", settings.get_profile("untimed"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("untimed")

if not FRESH:
    vars(source)["os"] = SimpleNamespace(urandom=BITS.bytes)
    # what random.SystemRandom and numpy's generators without a seed ask
    vars(random)["_urandom"] = BITS.bytes


def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> None:
    _begin_again(f"{request.node.nodeid} {fixturedef.argname} {getattr(request, 'param', '')!r}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    _begin_again(item.nodeid)
    dice = getattr(sys.modules[item.function.__module__], "dice", None)  # type: ignore[attr-defined]
    if isinstance(dice, np.random.Generator) and not FRESH:
        dice.bit_generator.state = BITS.bit_generator.state


def _begin_again(name: str) -> None:
    BITS.bit_generator.state = np.random.PCG64(crc32(name.encode())).state
