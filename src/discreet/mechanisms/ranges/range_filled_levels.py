"""The levels of a table whose every cell may hold many records: those of `weighted`, the best where all are divided."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from discreet.mechanisms.ranges.range_levels import Asked, LevelChoice
from discreet.mechanisms.ranges.range_workload import spread_workload
from discreet.schema import Schema
from discreet.transforms.nested_levels import Cuts, NestedLevels
from discreet.transforms.partitions import EvenParts, Partition


@lru_cache(maxsize=64)
def filled_levels(schema: Schema) -> tuple[tuple[tuple[Partition, ...], ...], tuple[Fraction, ...]]:
    """Levels of the least mean variance over ranges of all sizes, and their weights. Hierarchies are not looked at."""
    asked = Asked.of(spread_workload(schema))
    cuts = LevelChoice(schema, asked).best()
    shares = asked.shares(NestedLevels(schema, cuts))
    # a total is bought anyway
    kept = [(level, share) for level, share in zip(cuts, shares, strict=True) if level or len(cuts) == 1]
    return tuple(_parts(schema, level) for level, _ in kept), tuple(share for _, share in kept)


def _parts(schema: Schema, level: Cuts) -> tuple[Partition, ...]:
    """A label without a hierarchy is cut at depth 0: into single ones."""
    return tuple(
        EvenParts(attribute.size, max(level[name], 1) if name in level else attribute.size)
        for name, attribute in schema.items()
    )
