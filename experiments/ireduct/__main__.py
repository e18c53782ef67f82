"""`python -m experiments.ireduct --data FOLDER`: the experiments of ireduct, section 6, and their page.

Made-up data come from a seed; the noise is production noise and has no seed, so every run of this program gives other
numbers. A table that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

from experiments.ireduct.page import STEM
from experiments.ireduct.page.whole import render
from experiments.ireduct.trials.whole import PARTS
from experiments.shared.program import arguments, run_parts


def main() -> None:
    runs_help = "runs per point of 2-way marginals (default 10)"
    parser = arguments("ireduct", "The experiments of ireduct, section 6, and their page.", 10, runs_help)
    run_parts(parser, STEM, render, PARTS)


if __name__ == "__main__":
    main()
