"""`discreet evaluate`: the true error of methods, only for the custodian."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from discreet.cli.publishing import data_during, wanted_release
from discreet.cli.show import print_json, print_private, print_table
from discreet.errors import BadParameter
from discreet.evaluate import custodian, trials
from discreet.evaluate.error_charts import text_chart
from discreet.evaluate.error_measures import Json
from discreet.evaluate.named_workloads import build, natural_workloads
from discreet.privacy import exact
from discreet.private.engines.file_sources import found_paths
from discreet.spec import Spec, load_spec

#: changes when a trial's results do
_RECORD = "2"
#: seconds between lines about the progress where there is no terminal
_SECONDS = 5.0


def run(
    path: Path,
    name: str | None,
    methods: str | None,
    epsilons: str | None,
    workloads: str | None,
    count: int,
    seed: int,
    sanity: float | None,
    period: str | None,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    if count < 1:
        raise BadParameter(f"--trials must be at least 1, not {count}")
    spec = load_spec(path)
    release = wanted_release(path, spec, name)
    data = data_during(
        path, replace(spec, ledger=None, budget=None), release, period
    )  # nothing is charged, so no account is opened
    schema = data.schema.select(release.task.attributes(data.schema))
    named = [one for text in _listed(workloads) for one in build(text, schema)]
    found = named or natural_workloads(release.task, schema)
    budgets = [exact(text, "epsilon") for text in _listed(epsilons)] or [release.epsilon]
    digest = _digest(path, spec, period or "")
    plan = trials.Evaluation(data, release.task, found, budgets, count, seed, sanity, digest, _listed(methods))
    folder = output or Path(f"{data.id_of(release.name)}-evaluation-private")
    folder.mkdir(parents=True, exist_ok=True)
    with _bar(quiet or as_json) as progress:
        lines = trials.run(plan, folder / "trials.jsonl", progress)
    written = custodian.write(folder, f"{data.id_of(release.name)}: true errors over {count} trials", lines)
    table = custodian.summarised(lines)
    if as_json:
        print_json({"private": custodian.MARK, "errors": table, "files": [str(one) for one in written]})
        return
    print_private(custodian.MARK)
    _show(table)
    print("\n".join(text_chart(table)))
    for line in lines:
        if "refused" in line:
            print(f"{line['method']}: left out, {line['refused']}")
    for why in dict.fromkeys(
        f"{line['method']}, {line['workload']}: {line['unanswered']}" for line in lines if "unanswered" in line
    ):
        print(why)
    print(f"Written, as private as the data: {', '.join(str(one) for one in written)}")


def _show(table: list[Json]) -> None:
    measures = [name for name in custodian.columns_of(table) if name in custodian.MEASURES]
    by_class = [name for name in measures if name.startswith("absolute, ")]
    in_all = [name for name in measures if ", " not in name]
    _print("true errors, means over trials (PRIVATE)", table, in_all)
    _print("mean absolute errors by class of question (PRIVATE)", table, by_class)
    print(custodian.TERMS)


def _print(title: str, table: list[Json], measures: list[str]) -> None:
    columns = ["workload", "epsilon", "method", *(name.removeprefix("absolute, ") for name in measures)]
    rows = [
        [row["workload"], row["epsilon"], row["method"], *(f"{row[m]:,.4g}" if m in row else "" for m in measures)]
        for row in sorted(table, key=lambda row: (row["workload"], row["epsilon"], row["absolute"]))
    ]
    print_table(title, columns, rows, right=columns[3:])


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] if text else []


def _digest(path: Path, spec: Spec, period: str) -> str:
    """Changes with the spec and the data: made from the spec's text and the names, sizes and times of the files."""
    parts = [_RECORD, path.read_text(encoding="utf-8"), *([period] if period else [])]
    parts += [repr(release.task.known) for release in spec.releases.values() if release.task.known]  # may be a CSV's
    for source in [spec.source] if isinstance(spec.source, str) else spec.source or ():
        if (address := spec.resolve(source)) and "://" in address:
            parts.append(uuid4().hex)  # nobody knows whether a database is still what it was
            continue
        files = [(file.name, file.stat()) for file in found_paths(address.partition("::")[0])]
        parts += [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    if quiet:
        yield lambda done, every: None
        return
    if not sys.stderr.isatty():
        yield _said_now_and_then()
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("trials", total=None)
        yield lambda done, every: progress.update(task, completed=done, total=every)


def _said_now_and_then() -> Callable[[int, int], None]:
    """A line every few seconds, and none for a run that takes no longer."""
    last = [time.monotonic()]

    def say(done: int, every: int) -> None:
        if done < every and time.monotonic() - last[0] >= _SECONDS:
            last[0] = time.monotonic()
            print(f"discreet: {done} of {every} trials", file=sys.stderr, flush=True)

    return say
