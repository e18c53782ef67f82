"""Which method for which job: the jobs that were recorded are those there are, and the page follows the numbers."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from discreet.mechanisms import registry
from experiments.guide.data.every_job import ALL_JOBS
from experiments.guide.data.jobs import JOBS, Job
from experiments.guide.data.real_jobs import REAL_JOBS
from experiments.guide.page import STEM
from experiments.guide.page.against_papers import FILE, compared
from experiments.guide.page.whole import render
from experiments.guide.trials.methods import EPSILONS, tried
from experiments.shared.records import Json
from tests.experiments.recorded import recorded


def test_every_job_is_recorded() -> None:
    numbers = recorded(STEM)
    assert list(numbers) == list(ALL_JOBS)
    for name, job in ALL_JOBS.items():
        assert numbers[name]["title"] == job.title
        assert numbers[name]["setting"] == job.setting
        assert [tuple(measure) for measure in numbers[name]["measures"]] == list(job.measures)


@pytest.mark.parametrize("job", ALL_JOBS.values(), ids=list(ALL_JOBS))
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
    assert found is not None
    assert not found["refused"]
    assert [(row["method"], row["epsilon"]) for row in found["rows"]] == [
        (method, f"{float(epsilon):g}") for task, method in registry() if task == "table" for epsilon in EPSILONS
    ]
    assert all(row["absolute"][0] > 0 for row in found["rows"])


def test_ours_stands_beside_the_best_of_the_papers() -> None:
    lines = compared(recorded(STEM))
    assert len(lines) == 2 * sum(len(job.measures) for job in ALL_JOBS.values())
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


def test_every_method_of_a_job_stands_on_the_page() -> None:
    numbers = recorded(STEM)
    text = render(numbers)[f"{FILE}.md"].split("### Every method")[1]
    for part, job in zip(text.split(" trials:")[1:], numbers.values(), strict=True):
        assert {f"`{row['method']}`" for row in job["rows"]} <= set(part.replace("|", " ").split())


@pytest.mark.parametrize("job", REAL_JOBS.values(), ids=list(REAL_JOBS))
def test_a_real_job_is_left_out_where_its_data_are_absent(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))
    assert tried(job, 1) is None
