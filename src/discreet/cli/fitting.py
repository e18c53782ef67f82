"""`discreet check --data`: whether the private rows fit a spec, only for the custodian."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from discreet.cli.publishing import sources_of
from discreet.cli.show import print_json, print_private
from discreet.errors import BadParameter
from discreet.private.data_fit import fit_of, without_day
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import UNLIMITED
from discreet.private.fit_report import PRIVATE
from discreet.private.rows import Rows
from discreet.spec import load_spec


def run_fit(path: Path, as_json: bool, period: str | None) -> None:
    """Prints what was found; ends with code 1 if there is a warning. A draft may be checked, too: nothing is made."""
    spec = load_spec(path)
    wanted = [release for release in spec.releases.values() if release.all_rows == (period is None)]
    reading = {"delimiter": spec.delimiter, "encoding": spec.encoding}
    rows = Rows(open_source(sources_of(path, spec), **reading, remote=spec.remote), UNLIMITED)
    schema = spec.schema
    if period is not None:
        if spec.periods is None:
            raise BadParameter('--period: no attribute has one; add period = "month" to the attribute of dates')
        span, every = spec.periods.span(period, schema), rows
        rows = rows.during(spec.periods.attribute, spec.periods.dates(schema), span)
        schema = spec.periods.narrowed(schema, span)
    releases = {release.name: (release.task, release.epsilon) for release in wanted}
    found = fit_of(rows, schema, spec.unit, releases)
    if period is not None and spec.periods is not None:
        undated = without_day(every, spec.periods.attribute, spec.schema)
        found = replace(found, warnings=(*undated, *found.warnings))
    if as_json:
        print_json({"spec": str(path), **found.to_dict()})
    else:
        print_private(PRIVATE)
        print("\n".join(found.lines()))
        if left := [name for name in spec.releases if name not in releases]:
            without = "with --period, which they are about one of" if period is None else "without --period"
            print(f"Not looked at: {', '.join(left)} ({without})")
    if found.warnings:
        raise SystemExit(1)
