"""A mechanism tried on an empty table without noise: what its errors are before there is any data."""

from __future__ import annotations

import numpy as np

from discreet.mechanisms.base import Mechanism
from discreet.noise import ZeroNoise
from discreet.private.counts import Counts
from discreet.summaries import Summary


def rehearsed(mechanism: Mechanism) -> Summary:
    schema = mechanism.request.schema
    empty = Counts(schema.sizes, np.empty((0, len(schema)), np.int64), np.empty(0, np.int64))
    return mechanism.measure(empty, ZeroNoise())
