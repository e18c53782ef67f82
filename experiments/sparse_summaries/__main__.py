"""`python -m experiments.sparse_summaries`: the experiments of sparse-summaries, section 4, and their page.

Data are made from seeds (the number of the run); the noise is production noise and has no seed, so every run of this
program gives other numbers, within the standard errors it states.
"""

from __future__ import annotations

from experiments.shared.program import arguments, read, write
from experiments.sparse_summaries.page import STEM
from experiments.sparse_summaries.page.whole import render
from experiments.sparse_summaries.trials.whole import experiment


def main() -> None:
    description = "The experiments of sparse-summaries, section 4, and their page."
    options = arguments("sparse_summaries", description, 120, "runs per point (default 120)").parse_args()
    results = read(options.folder, STEM) if options.page_only else experiment(options.runs)
    write(results, options.folder, STEM, render)


if __name__ == "__main__":
    main()
