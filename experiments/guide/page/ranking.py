"""Methods of a job in the order of their errors, and which of them the library takes by itself."""

from __future__ import annotations

from experiments.shared.records import Json

#: what `auto` takes for jobs of these tasks and sizes
OURS = ("adaptive", "agreed", "even-shares")
#: ours too, but no default of these jobs: it is no paper's method either
ALSO_OURS = ("weighted",)
EPSILONS = ("0.1", "1")
WORDS = {
    "absolute": "mean absolute error",
    "relative": "mean relative error (counts below 50 as 50)",
    "divergence": "Kullback-Leibler divergence",
    "top": "share of the true top 10 that is found",
}


def ranked(job: Json, workload: str, measure: str, epsilon: str) -> list[tuple[str, list[float]]]:
    """Methods, their errors and the standard errors of these; best first."""
    found = [(row["method"], row[measure]) for row in rows(job, workload, epsilon) if measure in row]
    return sorted(found, key=lambda one: -one[1][0] if measure == "top" else one[1][0])


def covered(job: Json, workload: str, method: str, epsilon: str) -> float | None:
    """Which share of the 95 % intervals held the truth; None where there are none."""
    for row in rows(job, workload, epsilon):
        if row["method"] == method:
            held = row.get("covered", row.get("covered of all"))
            return None if held is None else float(held)
    return None


def rows(job: Json, workload: str, epsilon: str) -> list[Json]:
    return [row for row in job["rows"] if row["workload"] == workload and row["epsilon"] == epsilon]


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def milliseconds(job: Json, method: str) -> str:
    return f"{1000 * job['seconds'][method]:,.0f}"
