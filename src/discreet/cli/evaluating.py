"""`discreet evaluate`: the true error of methods, only for the custodian."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.cli.publishing import data_of, wanted_release
from discreet.cli.show import print_json, print_table
from discreet.errors import BadParameter
from discreet.evaluate import custodian, trials
from discreet.evaluate.named_workloads import Workload, build, default_names
from discreet.privacy import exact
from discreet.private.engines.file_sources import found_paths
from discreet.queries import questions_of
from discreet.spec import Spec, load_spec


def run(
    path: Path,
    name: str | None,
    methods: str | None,
    epsilons: str | None,
    workloads: str | None,
    count: int,
    seed: int,
    sanity: float | None,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    if count < 1:
        raise BadParameter(f"--trials must be at least 1, not {count}")
    spec = load_spec(path)
    release = wanted_release(path, spec, name)
    data = data_of(path, spec)
    schema = data.schema.select(release.task.attributes(data.schema))
    if (asked := release.task.parameters.get("queries")) and not workloads:
        found = [Workload("queries", schema, questions_of(asked, schema))]
    else:
        found = [one for text in _listed(workloads) or default_names(schema) for one in build(text, schema)]
    budgets = [exact(text, "epsilon") for text in _listed(epsilons)] or [release.epsilon]
    digest = _digest(path, spec)
    plan = trials.Evaluation(data, release.task, found, budgets, count, seed, sanity, digest, _listed(methods))
    folder = output or Path(f"{release.name}-evaluation-private")
    folder.mkdir(parents=True, exist_ok=True)
    with _bar(quiet or as_json) as progress:
        lines = trials.run(plan, folder / "trials.jsonl", progress)
    written = custodian.write(folder, f"{release.name}: true errors over {count} trials", lines)
    if not custodian.can_draw():
        print(f"discreet: {custodian.NO_CHARTS}", file=sys.stderr)
    table = custodian.summarised(lines)
    if as_json:
        print_json({"private": custodian.MARK, "errors": table, "files": [str(one) for one in written]})
        return
    _show(table)
    for line in lines:
        if "refused" in line:
            print(f"{line['method']}: left out, {line['refused']}")
    print(f"{custodian.MARK}\nWritten: {', '.join(str(one) for one in written)}")


def _show(table: list[trials.Json]) -> None:
    measures = [name for name in custodian.columns_of(table) if name in custodian.MEASURES]
    columns = ["workload", "epsilon", "method", *measures]
    rows = [
        [row["workload"], row["epsilon"], row["method"], *(f"{row[m]:,.4g}" if m in row else "" for m in measures)]
        for row in sorted(table, key=lambda row: (row["workload"], row["epsilon"], row["absolute"]))
    ]
    print_table("true errors, means over trials (PRIVATE)", columns, rows, right=measures)


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] if text else []


def _digest(path: Path, spec: Spec) -> str:
    """Changes with the spec and the data: made from the spec's text and the names, sizes and times of the files."""
    parts = [path.read_text(encoding="utf-8")]
    for source in [spec.source] if isinstance(spec.source, str) else spec.source or ():
        files = [(file.name, file.stat()) for file in found_paths(spec.resolve(source))]
        parts += [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda done, every: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("trials", total=None)
        yield lambda done, every: progress.update(task, completed=done, total=every)
