"""`python -m experiments.sampled_analytics --data FOLDER`: the experiments of sampled-analytics, and their page.

Data that are made up and all chance come from recorded seeds, so the same program gives the same numbers. A data set
that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

from experiments.sampled_analytics.page import STEM
from experiments.sampled_analytics.page.whole import render
from experiments.sampled_analytics.trials.whole import PARTS
from experiments.shared.program import arguments, run_parts


def main() -> None:
    parser = arguments(
        "sampled_analytics",
        "The experiments of sampled-analytics, section 6, and their page.",
        20,
        "trials (default 20)",
    )
    run_parts(parser, STEM, render, PARTS)


if __name__ == "__main__":
    main()
