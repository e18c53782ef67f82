"""Which method for which job: every method of a task on made-up data for it, by the custodian's own evaluation.

    python -m experiments.guide [--runs 20] [--folder docs/results] [--job NAME ...] [--page-only]

Writes which-method.json, the page which-method.md made from it, and a chart for each job.
"""

from __future__ import annotations

from experiments.guide.data.jobs import JOBS
from experiments.guide.page import STEM
from experiments.guide.page.whole import render
from experiments.guide.trials.methods import tried
from experiments.shared.program import arguments, read, write


def main() -> None:
    parser = arguments("guide", __doc__ or "", 20, "how often each method is tried")
    parser.add_argument("--job", choices=[*JOBS], action="append", help="only this job (may be repeated)")
    options = parser.parse_args()
    results = read(options.folder, STEM)
    for name in [] if options.page_only else options.job or JOBS:
        results[name] = tried(JOBS[name], options.runs)
        write({job: results[job] for job in JOBS if job in results}, options.folder, STEM, render)
    write({job: results[job] for job in JOBS if job in results}, options.folder, STEM, render)


if __name__ == "__main__":
    main()
