"""Which method for which job: the jobs that were recorded are those there are, and the page follows the numbers."""

from __future__ import annotations

import copy

import pytest

from discreet.mechanisms import registry
from experiments.guide.data.jobs import JOBS, Job
from experiments.guide.page import STEM
from experiments.guide.page.against_papers import FILE, compared
from experiments.guide.page.whole import render
from experiments.guide.trials.methods import EPSILONS, tried
from experiments.shared.records import Json
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
    assert known >= {*job.extra}


def test_another_number_is_another_page() -> None:
    numbers = recorded(STEM)
    changed = copy.deepcopy(numbers)
    row = next(row for row in changed["small-table"]["rows"] if row["method"] == "filter" and row["epsilon"] == "1")
    row["absolute"][0] /= 1000
    before, after = render(numbers), render(changed)
    assert {name for name in before if before[name] != after[name]} == {
        f"{STEM}.md",
        f"{STEM}-small-table-0.svg",
        f"{FILE}.md",
        f"{FILE}.svg",
    }
    assert "`filter` (" in next(line for line in after[f"{STEM}.md"].splitlines() if "(#small-table)" in line)


def test_a_job_is_tried_with_all_its_methods() -> None:
    job = JOBS["small-table"]
    found = tried(job, 2)
    assert not found["refused"]
    assert [(row["method"], row["epsilon"]) for row in found["rows"]] == [
        (method, f"{float(epsilon):g}") for task, method in registry() if task == "table" for epsilon in EPSILONS
    ]
    assert all(row["absolute"][0] > 0 for row in found["rows"])


def test_ours_stands_beside_the_best_of_the_papers() -> None:
    lines = compared(recorded(STEM))
    assert len(lines) == 2 * sum(len(job.measures) for job in JOBS.values())
    for line in lines:
        assert {line.ours, line.best} & {"adaptive", "agreed", "even-shares", "weighted"} == {line.ours}
        errors = [row[line.measure][0] for row in line.job["rows"] if _is_a_papers(row, line.workload, line.epsilon)]
        assert line.best_error[0] == (max(errors) if line.measure == "top" else min(errors))
        assert (line.ratio < 1) == (
            line.ours_error[0] > line.best_error[0]
            if line.measure == "top"
            else line.ours_error[0] < line.best_error[0]
        )


def _is_a_papers(row: Json, workload: str, epsilon: str) -> bool:
    ours = ("adaptive", "agreed", "even-shares", "weighted")
    return row["workload"] == workload and row["epsilon"] == epsilon and row["method"] not in ours
