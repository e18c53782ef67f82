"""The vectors of the DPBench study."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet.private.counts import Counts
from experiments.shared.tables import Truth, domain


def vectors(folder: Path, dimensions: int) -> dict[str, Truth]:
    """The DPBench vectors of one or two dimensions by name; empty where they are absent."""
    found = {}
    for path in sorted((folder / "dpbench" / f"{dimensions}D").glob("*.npy")):
        dense = np.rint(np.load(path)).astype(np.int64)
        schema = domain(*dense.shape)
        codes = np.stack(np.nonzero(dense), axis=1)
        found[path.stem.split(".")[0].removesuffix("_256_256")] = Truth(
            schema, Counts(schema.sizes, codes, dense[tuple(codes.T)])
        )
    return found
