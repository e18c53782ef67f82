"""`python -m experiments.sparse_summaries`: the experiments of sparse-summaries, section 4, and their page.

Data are made from seeds (the number of the run); the noise is production noise and has no seed, so every run of this
program gives other numbers, within the standard errors it states. A part that is not run again keeps its numbers.
"""

from __future__ import annotations

from experiments.shared.program import arguments, read, write
from experiments.sparse_summaries.page import STEM
from experiments.sparse_summaries.page.whole import render
from experiments.sparse_summaries.trials.whole import PARTS, experiment


def main() -> None:
    description = "The experiments of sparse-summaries, section 4, and their page."
    parser = arguments("sparse_summaries", description, 120, "runs per point (default 120)")
    parser.add_argument("--part", choices=[*PARTS], action="append", help="only this part (may be repeated)")
    options = parser.parse_args()
    results = read(options.folder, STEM)
    if not options.page_only:
        results = experiment(options.runs, options.part or [*PARTS], results if options.part else {})
    write(results, options.folder, STEM, render)


if __name__ == "__main__":
    main()
