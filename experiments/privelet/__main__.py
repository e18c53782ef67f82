"""`python -m experiments.privelet --data FOLDER`: the papers' experiments on ranges, and their page.

Data and questions are made from seeds; the noise is production noise and has no seed, so every run of this program
gives other numbers. A part that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

from experiments.privelet.page import STEM
from experiments.privelet.page.whole import render
from experiments.privelet.trials.whole import PARTS
from experiments.shared.program import arguments, run_parts


def main() -> None:
    runs_help = "runs per point (default 20; the census has one)"
    run_parts(
        arguments("privelet", "The papers' experiments on ranges, and their page.", 20, runs_help), STEM, render, PARTS
    )


if __name__ == "__main__":
    main()
