"""At which scales a release drew noise, by what it declares, and whether the sampler is exact at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from discreet.errors import DiscreetError
from discreet.noise.verify import Verdict, verify_noise
from discreet.privacy import exact

#: what a law or a summary calls a scale, or several of them
_NAMES = ("scale", "scales", "root_scale", "selecting", "s")
#: of more scales than this, the least, the largest and some between are tried
MOST_TRIED = 4
_MOST_READ = 10_000


@dataclass(frozen=True)
class SamplerRun:
    """How many scales a release declares, and what came out at those that were tried."""

    declared: int
    tried: Mapping[Fraction, Verdict]

    @property
    def wrong(self) -> list[Fraction]:
        return [scale for scale, verdict in self.tried.items() if not verdict.passed]


def run_again(law: Mapping[str, Any], summary: Mapping[str, Any]) -> SamplerRun:
    """The complete check of the sampler for the scales that these declare."""
    scales = scales_of(law, summary)
    return SamplerRun(len(scales), {scale: verified(scale) for scale in _some(scales)})


def scales_of(law: Mapping[str, Any], summary: Mapping[str, Any]) -> list[Fraction]:
    """All scales, in order. Those of a law with factors are their products; a share of epsilon divides its scale."""
    factors = law.get("factors")
    found: set[Fraction] = set()
    if isinstance(factors, Mapping) and "scale" in law:
        base = exact(law["scale"], "scale")
        for some in product(*(sorted(set(one)) for one in factors.values())):
            found.add(base * prod(map(Fraction, some)))
            if len(found) > _MOST_READ:
                break
        return sorted(found)
    for text in _named([law, summary]):
        found.add(exact(text, "scale"))
    if "share of epsilon" in str(law.get("law", "")):
        found |= set(_divided(summary))
        found.discard(exact(law["scale"], "scale"))
    return sorted(found)


def _divided(summary: Mapping[str, Any]) -> Iterator[Fraction]:
    """Of trees whose levels have shares: the scale of each level's own look, and of a last one that has the rest."""
    for tree in summary.get("trees", []):
        shares = [exact(share, "share") for share in tree["shares"]]
        for place, share in enumerate(shares):
            yield exact(tree["scale"], "scale") / share
            if rest := sum(shares[place + 1 :], Fraction(0)):
                yield exact(tree["scale"], "scale") / rest


def _named(value: Any, mine: bool = False) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _named(inner, name in _NAMES)
    elif isinstance(value, list):
        for inner in value[:_MOST_READ]:
            yield from _named(inner, mine)
    elif mine and isinstance(value, str):
        yield value


def _some(scales: list[Fraction]) -> list[Fraction]:
    """The least, the largest, and of the others as many as are tried, evenly."""
    if len(scales) <= MOST_TRIED:
        return scales
    return [scales[round(place * (len(scales) - 1) / (MOST_TRIED - 1))] for place in range(MOST_TRIED)]


@lru_cache(maxsize=256)
def verified(scale: Fraction) -> Verdict:
    """Nothing in it is random, so one run for each scale is enough."""
    try:
        return verify_noise(Fraction(1), scale)
    except DiscreetError as error:
        raise ValueError(f"no noise has the scale {scale}: {error}") from None
