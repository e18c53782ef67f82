"""`discreet check` and `discreet schema draft`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from discreet.cli.show import print_json
from discreet.errors import BadSpec, DiscreetError
from discreet.mechanisms import Request, mechanism_for, registry
from discreet.spec import Spec, check_spec, load_spec


def run_check(path: Path, as_json: bool, look_at_data: bool = False) -> None:
    methods = {task: [method for owner, method in registry() if owner == task] for task, _ in registry()}
    problems = check_spec(path, methods) or _method_problems(path, load_spec(path))
    if look_at_data and not problems:
        from discreet.cli.fitting import run_fit

        run_fit(path, as_json)
    elif as_json:
        print_json({"spec": str(path), "problems": problems})
    elif problems:
        print("\n".join(problems))
        print(f"{len(problems)} mistake{'s' if len(problems) > 1 else ''} found", file=sys.stderr)
    else:
        spec = load_spec(path)
        releases = ", ".join(spec.releases) or "none yet"
        print(f"{path}: no mistakes. Attributes: {', '.join(spec.schema)}. Releases: {releases}.")
        if spec.drafted:
            print("It is still marked as drafted from private data: review every domain, then remove the mark.")
        if spec.source is not None:
            print(f"Before you publish, see whether the data fits: discreet check {path} --data (private, free)")
    if problems:
        raise SystemExit(1)


def _method_problems(path: Path, spec: Spec) -> list[str]:
    """What only the mechanisms know: unknown methods and parameters, and tables that are too large for one."""
    problems = []
    for name, release in spec.releases.items():
        try:
            mechanism_for(release.task, Request.of(release.task, spec.schema, spec.unit, release.epsilon))
        except DiscreetError as error:
            problems += [f"{path}: [releases.{name}] {line}" for line in str(error).splitlines()]
    return problems


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
