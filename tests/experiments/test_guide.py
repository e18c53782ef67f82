"""Which method for which job: the jobs that were recorded are those there are, and the page follows the numbers."""

from __future__ import annotations

import copy

import pytest

from discreet.mechanisms import registry
from experiments.guide.data.jobs import JOBS, Job
from experiments.guide.page import STEM
from experiments.guide.page.whole import render
from experiments.guide.trials.methods import EPSILONS, tried
from tests.experiments.recorded import recorded


def test_every_job_is_recorded() -> None:
    numbers = recorded(STEM)
    assert list(numbers) == list(JOBS)
    for name, job in JOBS.items():
        assert numbers[name]["title"] == job.title
        assert numbers[name]["setting"] == job.setting
        assert [tuple(measure) for measure in numbers[name]["measures"]] == list(job.measures)


@pytest.mark.parametrize("job", JOBS.values(), ids=list(JOBS))
def test_a_job_names_methods_of_its_task(job: Job) -> None:
    known = {method for task, method in registry() if task == job.task.name}
    assert known >= {*job.methods, *job.extra}


def test_another_number_is_another_page() -> None:
    numbers = recorded(STEM)
    changed = copy.deepcopy(numbers)
    row = next(row for row in changed["small-table"]["rows"] if row["method"] == "filter" and row["epsilon"] == "1")
    row["absolute"][0] /= 1000
    before, after = render(numbers), render(changed)
    assert {name for name in before if before[name] != after[name]} == {f"{STEM}.md", f"{STEM}-small-table-0.svg"}
    assert "`filter` (" in next(line for line in after[f"{STEM}.md"].splitlines() if "(#small-table)" in line)


def test_a_job_is_tried_with_all_its_methods() -> None:
    job = JOBS["small-table"]
    found = tried(job, 2)
    assert not found["refused"]
    assert [(row["method"], row["epsilon"]) for row in found["rows"]] == [
        (method, f"{float(epsilon):g}") for method in job.methods for epsilon in EPSILONS
    ]
    assert all(row["absolute"][0] > 0 for row in found["rows"])
