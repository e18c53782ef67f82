"""Other libraries at the same jobs, each in an environment of its own. Imported there too: needs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.measure import Report


def run(quick: bool) -> Report:
    from benchmarks.rivals.compare import compare

    return compare(quick)
