"""All methods of a job, at every epsilon."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import discreet
from discreet.evaluate import trials
from discreet.evaluate.custodian import summarised
from discreet.evaluate.named_workloads import Workload, build
from discreet.mechanisms import registry
from discreet.tasks import task_from_dict
from experiments.guide.data.jobs import SEED, Job
from experiments.shared.records import Json, short

EPSILONS = (Fraction(1, 10), Fraction(1))


def tried(job: Job, runs: int) -> Json | None:
    """The errors of all methods of a job, at every epsilon; None where its data are absent."""
    data = job.data()
    if data is None:
        return None
    schema = data.schema.select(job.task.attributes(data.schema))
    lines: list[Json] = []
    refused: dict[str, str] = {}
    names = {workload for workload, _ in job.measures}
    asked = [one for one in _workloads(schema) if one.name in names]
    seconds: dict[str, float] = {}
    for method in (method for task, method in registry() if task == job.task.name):
        parameters = {**job.task.parameters, **job.extra.get(method, {})}
        fields = {**job.task.to_dict(), **parameters}
        plan = trials.Evaluation(data, task_from_dict(fields), asked, EPSILONS, runs, SEED, 50.0, method, [method])
        _warmed(plan)
        started = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            for line in trials.run(plan, Path(folder) / "trials.jsonl"):
                if "refused" in line:
                    refused[method] = line["refused"]
                else:
                    lines.append(line)
        if method not in refused:
            seconds[method] = short((time.process_time() - started) / (runs * len(EPSILONS)), 2)
        print(f"{job.title}: {method}, {time.process_time() - started:.1f} s", flush=True)
    measures = [list(measure) for measure in job.measures]
    rows = [_kept(row, job.measures) for row in summarised(lines)]
    return {"title": job.title, "setting": job.setting, "measures": measures, "runs": runs, "seed": SEED, "rows": rows,
            "seconds": seconds, "refused": refused}  # fmt: skip


def _warmed(plan: trials.Evaluation) -> None:
    """Compiles what the method needs, so that its time is that of a release and its answers."""
    with tempfile.TemporaryDirectory() as folder:
        trials.run(replace(plan, trials=1), Path(folder) / "warm.jsonl")


def _workloads(schema: discreet.Schema) -> list[Workload]:
    words = ["cells", "ranges", "prefixes", "subsets"] if schema.cells <= 10**5 else ["ranges", "subsets"]
    words += [f"marginals-{ways}" for ways in (1, 2) if ways < len(schema)]
    return [one for word in words for one in build(word, schema)]


def _kept(row: Json, measures: tuple[tuple[str, str], ...]) -> Json:
    wanted = {measure for workload, measure in measures if workload == row["workload"]}
    head = {name: row[name] for name in ("workload", "method", "epsilon")}
    values = {name: [short(row[name], 5), short(row[name + " se"], 3)] for name in wanted if name in row}
    held: Json = {name: short(row[name], 4) for name in ("covered", "covered of all") if wanted and name in row}
    return {**head, **values, **held}
