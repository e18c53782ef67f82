"""All jobs: on data that are made up, and on real data of the papers' kinds."""

from __future__ import annotations

from experiments.guide.data.jobs import JOBS, Job
from experiments.guide.data.real_jobs import REAL_JOBS

ALL_JOBS: dict[str, Job] = {**JOBS, **REAL_JOBS}
