"""What the papers claim: a figure of a trial, and the side of a bound on which it lies if the paper is right."""

from experiments.claims.checks import (
    dyadic,
    grouping_smoothing,
    ireduct,
    privelet,
    sampled_analytics,
    sparse_summaries,
)
from experiments.claims.rules import Claim

CLAIMS: tuple[Claim, ...] = tuple(
    claim
    for part in (sparse_summaries, dyadic, privelet, ireduct, sampled_analytics, grouping_smoothing)
    for claim in part.CLAIMS
)
