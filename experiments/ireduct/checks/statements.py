"""What ireduct, section 6, says of its figures, and whether our numbers say the same on each table.

Every verdict is computed. The reasons stand here and are shown only where a statement does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.ireduct.checks import verdicts as check
from experiments.ireduct.checks.verdicts import Results
from experiments.sparse_summaries.checks.statements import Claim, Finding

TWICE = (
    "iresamp pays for draws of scale s, 2 s, 4 s and so on, about 2 / s in all, and what it makes of them has the "
    "spread of one draw of scale 0.87 s, which costs 1.15 / s. So it has about twice the error of oracle on every "
    "table, and whether that is near equal depends on how far equal is from oracle."
)
FEW_CELLS = (
    "Tables of few cells, one of them tiny (occupation, class of worker): where that count happens to look large, its "
    "table keeps up to twice the scale that oracle gives it, and the noise that misled the choice stays in the answer. "
    "Over more cells, or at a larger epsilon, such chances even out."
)
DIFFERENT_NEEDS = (
    "These tables differ more in the noise that suits them than the real ones do (see how far equal is from oracle), "
    "so a better first look is worth more of the budget."
)

CLAIMS = (
    Claim("5", "the error of TwoPhase falls with the first phase's share to a least value, then rises", check.bowl),
    Claim("5", "for 1-way marginals the best share is 0.06 to 0.08", check.sweet_spot("1-way", 0.07), DIFFERENT_NEEDS),
    Claim("5", "for 2-way marginals it is about 0.025", check.sweet_spot("2-way", 0.025), DIFFERENT_NEEDS),
    Claim("5", "for those of the classifier it is about 0.03", check.sweet_spot("classifier", 0.03), DIFFERENT_NEEDS),
    *(
        claim
        for figure in ("6", "7", "8", "9")
        for claim in (
            Claim(figure, "iReduct is almost equal to Oracle", check.almost(figure), FEW_CELLS),
            Claim(figure, "TwoPhase is worse than iReduct", check.worse_than_ireduct(figure), FEW_CELLS),
            Claim(figure, "TwoPhase is better than iResamp and Dwork", check.beats_the_rest(figure)),
            Claim(figure, "iResamp is comparable to Dwork", check.alike(figure), TWICE),
        )
    ),
    Claim("7", "errors fall as the sanity bound grows", check.falling("7")),
    Claim("9", "errors fall as the sanity bound grows", check.falling("9")),
    Claim("6, 8", "the gaps between iReduct, TwoPhase and Dwork are smaller for 2-way marginals", check.smaller_gaps),
    Claim("10", "iReduct and Oracle have the smallest errors", check.smallest("10")),
    Claim("10", "TwoPhase comes next", check.beats_the_rest("10")),
    Claim("10", "iResamp is worse than Dwork", check.iresamp_worst("10"), TWICE),
    Claim("11", "lower errors make more accurate classifiers", check.follows_error),
    Claim("11", "iReduct is nearer to the accuracy without noise than Dwork", check.gap_closes),
)


def findings(results: Results) -> Iterator[Finding]:
    """The verdicts on every statement, on every table that was recorded."""
    for claim in CLAIMS:
        for name, part in results.items():
            holds, numbers = claim.check(part)
            yield Finding(f"{claim.figure}, {name}", claim.says, holds, numbers, "" if holds else claim.reason)
