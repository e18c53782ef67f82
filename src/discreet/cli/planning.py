"""`discreet plan`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from discreet.cli.publishing import wanted_release
from discreet.cli.show import print_json, print_table
from discreet.errors import BadParameter
from discreet.mechanisms import Request
from discreet.plan import Plan, plan
from discreet.privacy import as_text, exact
from discreet.spec import load_spec


def run(path: Path, name: str | None, epsilon: str | None, as_json: bool) -> None:
    spec = load_spec(path)
    wanted = list(spec.releases.values()) if name is None else [wanted_release(path, spec, name)]
    if not wanted:
        raise BadParameter(f"{path}: has no release to plan; add a table [releases.NAME]")
    printed = []
    for release in wanted:
        epsilons = [exact(text.strip(), "epsilon") for text in epsilon.split(",")] if epsilon else [release.epsilon]
        for one in epsilons:
            found = plan(release.task, Request.of(release.task, spec.schema, spec.unit, one))
            methods = [{name: _json(value) for name, value in row.items()} for row in found.table.to_dicts()]
            printed.append({"release": release.name, "epsilon": as_text(one), "methods": methods})
            if not as_json:
                _show(release.name, found)
    if as_json:
        print_json(printed)


def _show(name: str, found: Plan) -> None:
    columns = list(found.table.columns)
    rows = [[_text(value) for value in row] for row in found.table.rows()]
    title = f"{name}, epsilon {as_text(found.epsilon)}: standard errors, before anything is spent"
    print_table(title, columns, rows, right=set(columns) - {"method", "parameters", "note"})
    for line in found.advice:
        print(line)


def _text(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return "" if math.isnan(value) else f"{value:,.4g}"


def _json(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
