"""Claims tried and decided, and those that no longer hold."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from experiments.claims.rules import HOLDS, Claim, check
from experiments.shared.records import Json


def run(claims: Sequence[Claim], seed: int, confidence: float, factor: float = 1, *, quiet: bool = True) -> list[Json]:
    """The verdicts on some claims, in their order. Claims on one setting share its trials."""
    values: dict[str, list[float]] = {claim.key: [] for claim in claims}
    for setting in dict.fromkeys(claim.setting for claim in claims):
        seeds = setting.seeds(seed, max(1, round(factor * setting.trials)))
        for number, one in enumerate(seeds, start=1):
            if not quiet:
                print(f"\r{setting.key}: trial {number} of {len(seeds)}   ", end="", file=sys.stderr, flush=True)
            for claim in claims:
                if claim.setting is setting:
                    values[claim.key].append(claim.measure(one))
        if not quiet:
            print(file=sys.stderr)
    return [check(claim, values[claim.key], confidence) for claim in claims]


def lost(before: Json, now: Sequence[Json], papers: Sequence[str]) -> list[str]:
    """The claims of these papers that are recorded as holding and no longer do, or are no longer made."""
    holding = {claim["key"] for claim in now if claim["verdict"] == HOLDS}
    recorded = [claim for claim in before.get("claims", []) if claim["paper"] in papers]
    return [claim["key"] for claim in recorded if claim["verdict"] == HOLDS and claim["key"] not in holding]
