"""Which method for which job: every method of a task on data for it, by the custodian's own evaluation.

    python -m experiments.guide [--runs 20] [--folder docs/results] [--job NAME ...] [--page-only]

Writes which-method.json, the page which-method.md made from it, and a chart for each job.
"""

from __future__ import annotations

from experiments.guide.data.every_job import ALL_JOBS
from experiments.guide.page import STEM
from experiments.guide.page.whole import render
from experiments.guide.trials.methods import tried
from experiments.shared.program import arguments, read, write
from experiments.shared.tables import data_folder


def main() -> None:
    parser = arguments("guide", __doc__ or "", 20, "how often each method is tried")
    parser.add_argument("--job", choices=[*ALL_JOBS], action="append", help="only this job (may be repeated)")
    options = parser.parse_args()
    results = read(options.folder, STEM)
    for name in [] if options.page_only else options.job or ALL_JOBS:
        found = tried(ALL_JOBS[name], options.runs)
        if found is None:
            print(f"{name}: left out, its data are not in {data_folder()}")
        else:
            results[name] = found
        write({job: results[job] for job in ALL_JOBS if job in results}, options.folder, STEM, render)
    write({job: results[job] for job in ALL_JOBS if job in results}, options.folder, STEM, render)


if __name__ == "__main__":
    main()
