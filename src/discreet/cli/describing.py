"""`discreet check` and `discreet schema draft`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from discreet.cli.publishing import method_problems
from discreet.cli.show import print_json
from discreet.errors import BadParameter, BadSpec, DiscreetError
from discreet.method_names import named_methods
from discreet.queries.where import is_plain_name
from discreet.schema import Periods
from discreet.spec import Spec, check_spec
from discreet.spec.problem import Problem
from discreet.tasks import TASKS


def run_check(path: Path, as_json: bool, look_at_data: bool = False, period: str | None = None) -> None:
    if period is not None and not look_at_data:
        raise BadParameter("--period goes with --data: whether the rows of that period fit")
    problems, notes, sound = checked(path)
    if look_at_data and not problems:
        from discreet.cli.fitting import run_fit

        run_fit(path, as_json, period)
        return
    if as_json:
        print_json({"spec": str(path), "problems": [problem.to_dict() for problem in problems], "notes": notes})
    elif problems:
        print("\n".join(problems))
        print(f"{len(problems)} mistake{'s' if len(problems) > 1 else ''} found", file=sys.stderr)
    else:
        assert sound is not None
        spec = sound
        releases = ", ".join(spec.releases) or "none yet"
        print(f"{path}: no mistakes. Attributes: {', '.join(spec.schema)}. Releases: {releases}.")
        if spec.source is not None:
            print(f"Before you publish, see whether the data fits: discreet check {path} --data (private, free)")
    if not as_json:
        for note in notes:
            print(f"note: {note}")
    if problems:
        raise SystemExit(1)


def checked(path: Path) -> tuple[list[Problem], list[str], Spec | None]:
    """Every mistake; what else is good to know if there is none; and those parts of the spec that are right."""
    methods = {task: named_methods(task) for task in TASKS}
    sound: list[Spec] = []

    def further(spec: Spec) -> list[str]:
        sound.append(spec)
        return [*_source_problems(spec), *method_problems(spec, spec.releases.values())]

    problems = check_spec(path, methods, further)
    notes = [] if problems else [note for spec in sound for note in _notes(spec)]
    return problems, notes, sound[0] if sound else None


def _source_problems(spec: Spec) -> list[str]:
    """What is wrong with the data, by its files and the names of its columns alone."""
    from discreet.private.engines.opening import open_source

    if spec.source is None:
        fix = 'name the file to publish from, such as source = "adult.csv"'
        return [f"[data] source: missing; {fix}"] if spec.releases else []
    paths = [spec.source] if isinstance(spec.source, str) else spec.source
    columns = {f"attributes.{name}": column for name, column in zip(spec.schema, spec.schema.columns, strict=True)}
    if not spec.unit.is_row:
        columns["privacy"] = spec.unit.column
    try:
        reading = {"delimiter": spec.delimiter, "encoding": spec.encoding}
        source = open_source([spec.resolve(path) for path in paths], **reading, remote=spec.remote)
        lacking = source.lacking(columns.values())
    except DiscreetError as error:
        return [f"[data] source: {error}"]
    fix = "Correct the name, or say which it is with `column`"
    return [
        f"[{place}] {'unit' if place == 'privacy' else 'column'}: {source.name} has {lacking[column]} {fix}"
        for place, column in columns.items()
        if column in lacking
    ]


def _notes(spec: Spec) -> list[str]:
    """What is no mistake, but good to know."""
    notes = []
    if spec.unit.is_row and spec.ledger is None:
        notes.append(
            "no unit and no ledger are declared, so each row is protected as if it were a person of its own, and "
            "nothing adds up what releases spend; say otherwise in a section [privacy]: unit, max_rows, budget, ledger"
        )
    if spec.periods is not None:
        notes.append(_promise(spec, spec.periods))
    if quoted := [name for name in spec.schema if not is_plain_name(name)]:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in quoted)
        notes.append(f"questions and predicates have these names in double quotes: {names}")
    if spec.drafted:
        notes.append(
            "it is still marked as drafted from private data: review every domain, then remove the mark; until then "
            "nothing is published"
        )
    return notes


def _promise(spec: Spec, periods: Periods) -> str:
    """What a budget is about, where releases are made period by period."""
    partition = periods.partition(spec.schema)
    if not spec.unit.is_row:
        return (
            f"releases are made for one {partition} at a time. One {spec.unit.column} may be in every one of them, so "
            "all of them add up, and the budget is for all periods together"
        )
    half = "" if spec.unit.neighbours == "add-remove" else "half of " if spec.budget is not None else ""
    moves = " (replaced rows may move from one to another, and both count)" if half else ""
    return (
        f"releases are made for one {partition} at a time. Each row is in one of them only, so each has {half}the "
        f"budget for itself{moves}. This protects rows: whoever has rows in several periods loses that for each"
    )


def run_draft(data: Path, output: Path | None) -> None:
    from discreet.private.draft import draft_spec

    text = draft_spec(data, None if output is None else output.parent)
    if output is None:
        print(text, end="")
        return
    try:
        # it holds values of the data: readable by its owner only, and never written over an existing file
        handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BadSpec([f"{output}: cannot be written ({error.strerror}); choose another name with -o"]) from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{output}: drafted. Review every domain against public knowledge, then remove the mark at the top.")
