"""`python -m experiments.claims`: the claims of the five papers, each tried at a reduced size and decided.

Data and noise come from a seed, so the same seed gives the same verdicts, but for those on time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.claims import checks
from experiments.claims.decisions import lost, run
from experiments.claims.page import STEM
from experiments.claims.page.whole import TITLES, render, sentence
from experiments.claims.rules import CONFIDENCE, SEED
from experiments.shared.program import read, write
from experiments.shared.records import Json


def _options(arguments: Sequence[str] | None) -> Any:
    parser = argparse.ArgumentParser(
        "python -m experiments.claims",
        description="The claims of the five papers, tried at a reduced size and decided.",
    )
    parser.add_argument("--paper", choices=[*TITLES], action="append", help="only this paper (may be repeated)")
    parser.add_argument("--trials", type=float, default=1, help="so many times the usual number of trials")
    parser.add_argument("--seed", type=int, default=SEED, help="where data and noise come from")
    parser.add_argument("--confidence", type=float, default=CONFIDENCE, help="of each side of an interval")
    parser.add_argument("--strict", action="store_true", help="1 if a claim recorded as holding no longer does")
    parser.add_argument("--json", type=Path, help="write the verdicts to this file")
    parser.add_argument("--page", action="store_true", help="record the verdicts of all papers and write their page")
    parser.add_argument("--page-only", action="store_true", help="write the page again, from the recorded verdicts")
    parser.add_argument("--folder", type=Path, default=Path("docs/results"), help="where the page and its record are")
    parser.add_argument("--quiet", action="store_true", help="no word on the progress")
    options = parser.parse_args(arguments)
    if options.page and options.paper:
        parser.error("a page has all papers")
    if not 0.5 <= options.confidence < 1:
        parser.error("the confidence is at least 0.5 and below 1")
    if options.trials <= 0:
        parser.error("the number of trials is above 0")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    before = read(options.folder, STEM)
    if options.page_only:
        write(before, options.folder, STEM, render)
        return 0
    start, verdicts = time.process_time(), list[Json]()
    papers = [paper for paper in TITLES if not options.paper or paper in options.paper]
    for paper in papers:
        mine = [claim for claim in checks.CLAIMS if claim.paper == paper]
        found = run(mine, options.seed, options.confidence, options.trials, quiet=options.quiet)
        print(paper, *(f"  {sentence(claim)}" for claim in found), sep="\n", flush=True)
        verdicts += found
    settings = {claim.setting.key: claim.setting.words for claim in checks.CLAIMS if claim.paper in papers}
    results: Json = {"seed": options.seed, "confidence": options.confidence, "factor": options.trials}
    results |= {"seconds": round(time.process_time() - start), "settings": settings, "claims": verdicts}
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if options.page:
        write(results, options.folder, STEM, render)
    gone = lost(before, verdicts, papers)
    if options.strict and gone:
        print(f"no longer hold: {', '.join(gone)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
