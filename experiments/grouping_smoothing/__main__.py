"""`python -m experiments.grouping_smoothing --data FOLDER`: figures 7 to 10 of grouping-smoothing, and their page.

Data and noise come from recorded seeds, so the same runs give the same numbers; only the seconds differ. A data set
that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

from experiments.grouping_smoothing.page import STEM
from experiments.grouping_smoothing.page.whole import render
from experiments.grouping_smoothing.trials.whole import PARTS
from experiments.shared.program import arguments, run_parts


def main() -> None:
    parser = arguments(
        "grouping_smoothing",
        "Figures 7 to 10 of grouping-smoothing, and their page.",
        200,
        "runs per point (default 200, the paper's)",
    )
    run_parts(parser, STEM, render, PARTS)


if __name__ == "__main__":
    main()
