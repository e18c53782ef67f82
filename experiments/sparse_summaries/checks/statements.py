"""What sparse-summaries, section 4, says of its figures, and whether our numbers say the same.

Every verdict is computed. The reasons stand here and are shown only where one does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.shared.findings import Finding, Results, Statement
from experiments.sparse_summaries.checks import verdicts as check

ORDERED = "Two runs of this length differ by chance; the curves are flat near their best."
FAST_NOISE = (
    "The paper's noise was the dear part. Exact noise by table costs about as much per cell as writing the cell, so a "
    "dense table that fits in memory is cheap, and a kept cell costs several times an empty one."
)

STATEMENTS = (
    Statement("3a", "two-sided filtering is mostly more accurate than one-sided", check.two_sides),
    Statement("3a", "with most true cells in the summary, the two-sided error is about 1 %", check.one_percent),
    Statement("3a", "in small summaries the two sides do equally well", check.small_alike),
    Statement("3a", "the least error comes with most true cells and few empty ones", check.least_error),
    Statement(
        "3.2",
        "a filter's absent cells can be taken for theta / 2 each (3.2: a heuristic; tested: it lowers the error)",
        check.half_of_theta,
        "Most absent cells of a sparse table are empty, and theta / 2 for each of them is more than all the data. It "
        "helps only where nearly every cell is occupied, and nobody filters such a table.",
    ),
    Statement(
        "3.2",
        "or for some other calibrated value (tested: what a noisy total leaves over, shared out evenly)",
        check.calibrated,
        "The total has noise as well, and takes 3 % of epsilon; where nothing is missing, that is all it does.",
    ),
    Statement("3b", "threshold and priority sampling behave alike", check.alike),
    Statement(
        "3b",
        "the relative errors are between 1 % and 7 %",
        check.sampling_range,
        "The text does not give its sizes. The error follows from the sample alone: with weights tau, the total of the "
        "noisy sizes over s, r cells have a relative error of about 0.8 tau sqrt(r s / m) / (r * mean count).",
    ),
    Statement(
        "3.3-size",
        "tau = (records + m E|noise|) / s keeps about s cells (3.3)",
        check.wanted_size,
        "Cells larger than tau are kept once only, but counted with more.",
    ),
    Statement(
        "3.3-size",
        "ours: a public guess that is wrong by a factor of 2 changes the size by less than that",
        check.off_by_two,
    ),
    Statement(
        "3c",
        "theta = 40 is best",
        check.forty,
        "The best theta depends on the subset, and the text does not say which subset was asked; 40 is nearly best for "
        "the largest ones.",
    ),
    Statement("3c", "the best theta is about half the mean count", check.half_the_mean),
    Statement("3c", "the relative errors are between 0.3 % and 6 %", check.filtered_range),
    Statement("3c", "larger subsets want a smaller theta", check.smaller_theta, ORDERED),
    Statement(
        "4",
        "filter is the fastest at every size of the domain",
        check.filter_fastest,
        "A filter keeps all that passes, here up to twice the cells of a sample, and writing them takes its time.",
    ),
    Statement("4", "priority and filter-priority take longer than filter", check.priority_dearer),
    Statement("4", "at density 0.1 all methods take about as long as geometric", check.same_when_dense, FAST_NOISE),
    Statement("4", "in sparse domains all methods are orders of magnitude faster than geometric", check.orders_faster),
    Statement("4", "the wavelet processes every cell too, and fails to scale", check.wavelet_fails_to_scale),
    Statement(
        "5a",
        "all but priority have errors between 5 % and 10 % for subsets of 100",
        check.five_to_ten,
        "Geometric must be at 11.3 %: 100 noises of deviation 14.1 have a mean absolute sum of 113, where the answer "
        "is 1,000.",
    ),
    Statement("5a", "errors fall as subsets grow", check.falling),
    Statement("5a", "filter is best for small and medium subsets", check.filter_best),
    Statement(
        "5a",
        "priority is more accurate than filter beyond 10,000 cells",
        check.priority_beyond("5a"),
        "At sigma 20 a filter at 50 drops well under 1 % of the data, and the error of sampling (about 4 / sqrt(r)) "
        "falls below that only beyond some 250,000 cells. At sigma 40, where the filter drops more, the claim is true: "
        "see figure 5(b).",
    ),
    Statement("5a", "filter-priority is slightly more accurate than geometric", check.slightly_better),
    Statement("5b", "filter does less well on values that vary more", check.filter_suffers),
    Statement("5b", "priority is more accurate than filter beyond 10,000 cells", check.priority_beyond("5b")),
    Statement("5b", "the summaries are mostly less accurate than geometric", check.less_accurate),
    Statement(
        "5b",
        "with twice the size, filter-priority is comparable to geometric",
        check.twice,
        "Fewer cells than that pass the filter, so the sample takes them all and a larger size changes nothing; what "
        "is left is what the filter drops, and it does not average out over large subsets.",
    ),
    Statement("5c", "filter does better than priority and filter-priority at most sizes", check.filter_leads),
    Statement("5c", "filter-priority beats geometric at every size", check.better_everywhere),
    Statement("6ab", "the summaries take up to ten times less time than geometric", check.faster("6ab", 5)),
    Statement("6ab", "the dense table is hundreds of times larger", check.smaller("6ab", 200)),
    Statement("6c", "filter is accurate for small subsets and not for large ones", check.filter_turns),
    Statement(
        "6c",
        "priority and filter-priority are comparable to geometric for most queries",
        check.comparable,
        "The paper's cells had a mean of 150, these have less than 3, well below the noise. A sample of a fifth of the "
        "cells spends most of its places on noise.",
    ),
    Statement(
        "6c",
        "subsets of at least 5 % of the cells have errors below 0.8 %",
        check.large_subsets,
        "The noise is the same, the answers are not: this table holds 0.4 million jobs, the paper's some hundred "
        "million.",
    ),
    Statement("7ab", "the summaries take about a hundred times less time than geometric", check.faster("7ab", 100)),
    Statement("7ab", "the dense table is much larger", check.smaller("7ab", 100)),
    Statement("7c", "only queries over very many cells are accurate", check.late_accuracy),
    Statement(
        "7c",
        "methods with a filter are much more accurate than geometric at nearly all sizes",
        check.filters_win,
        "For large subsets what the filter drops dominates: half the occupied cells of Adult hold one person.",
    ),
)


def findings(results: Results) -> Iterator[Finding]:
    """The verdicts on all statements whose figures are there."""
    for statement in STATEMENTS:
        if statement.figure in results["figures"] or statement.figure in results["costs"]:
            yield statement.finding(results, statement.figure)
