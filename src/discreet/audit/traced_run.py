"""One publication in a process of its own, as `discreet publish` does it, with test noise and all that it says shown.

The job comes as a Python literal on stdin: JSON would take a range for a choice. Run by `traces`.
"""

from __future__ import annotations

import ast
import logging
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PublishFailed
from discreet.noise import Noise, SeededSource
from discreet.noise.noise import Shape
from discreet.numbers.intervals import Real
from discreet.privacy import Unit
from discreet.private.open_data import open_data
from discreet.schema import Schema
from discreet.tasks import task_from_dict

RELEASE, LEDGER, NAME = "published/release", "account/ledger", "traced"
#: the exit code of `discreet publish` when it fails after the charge
FAILED = 4


class _AllHeads(Noise):
    """Coins of users all fall the same way: whose is which follows from the order in which they are read."""

    def coin(self, probability: Real, shape: Shape = 1) -> NDArray[np.bool_]:
        return np.full(shape, True)


def main() -> None:
    job: dict[str, Any] = ast.literal_eval(sys.stdin.read())
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s %(levelname)s %(message)s")
    # which only tells how it compiles, and only the first time
    logging.getLogger("numba").setLevel(logging.WARNING)
    warnings.simplefilter("always")
    try:
        data = open_data(
            job["files"],
            Schema.from_dict(job["schema"]),
            unit=Unit.from_dict(job["unit"]),
            ledger=LEDGER,
            threads=job["threads"],
        )
        release = data.publish(
            task_from_dict(job["task"]),
            job["epsilon"],
            name=NAME,
            to=RELEASE,
            noise=_AllHeads(SeededSource(job["seed"])),
            progress=lambda stage: print(stage, file=sys.stderr),
        )
    except PublishFailed as error:
        print(f"discreet: {error}", file=sys.stderr)
        sys.exit(FAILED)
    print(repr(release), release.describe(), sep="\n")


if __name__ == "__main__":
    main()
