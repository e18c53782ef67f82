"""What ireduct, section 6, says of its figures, and whether our numbers say the same on each table.

Every verdict is computed. The reasons stand here and are shown only where a statement does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.ireduct.checks import verdicts as check
from experiments.shared.findings import Finding, Results, Statement, by_data_set

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

STATEMENTS = (
    Statement("5", "the error of TwoPhase falls with the first phase's share to a least value, then rises", check.bowl),
    Statement(
        "5", "for 1-way marginals the best share is 0.06 to 0.08", check.sweet_spot("1-way", 0.07), DIFFERENT_NEEDS
    ),
    Statement("5", "for 2-way marginals it is about 0.025", check.sweet_spot("2-way", 0.025), DIFFERENT_NEEDS),
    Statement(
        "5", "for those of the classifier it is about 0.03", check.sweet_spot("classifier", 0.03), DIFFERENT_NEEDS
    ),
    *(
        statement
        for figure in ("6", "7", "8", "9")
        for statement in (
            Statement(figure, "iReduct is almost equal to Oracle", check.almost(figure), FEW_CELLS),
            Statement(figure, "TwoPhase is worse than iReduct", check.worse(figure, "two-phase", "ireduct"), FEW_CELLS),
            Statement(figure, "TwoPhase is better than iResamp and Dwork", check.beats_the_rest(figure)),
            Statement(figure, "iResamp is comparable to Dwork", check.alike(figure), TWICE),
        )
    ),
    Statement("7", "errors fall as the sanity bound grows", check.falling("7")),
    Statement("9", "errors fall as the sanity bound grows", check.falling("9")),
    Statement(
        "6, 8", "the gaps between iReduct, TwoPhase and Dwork are smaller for 2-way marginals", check.smaller_gaps
    ),
    Statement("10", "iReduct and Oracle have the smallest errors", check.smallest("10")),
    Statement("10", "TwoPhase comes next", check.beats_the_rest("10")),
    Statement("10", "iResamp is worse than Dwork", check.worse("10", "iresamp", "equal"), TWICE),
    Statement("11", "lower errors make more accurate classifiers", check.follows_error),
    Statement("11", "iReduct is nearer to the accuracy without noise than Dwork", check.gap_closes),
)


def findings(results: Results) -> Iterator[Finding]:
    """The verdicts on every statement, on every table that was recorded."""
    return by_data_set(STATEMENTS, results)
