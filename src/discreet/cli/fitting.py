"""`discreet check --data`: whether the private rows fit a spec, only for the custodian."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.publishing import sources_of
from discreet.cli.show import print_json, print_private
from discreet.private.data_fit import fit_of
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import UNLIMITED
from discreet.private.fit_report import PRIVATE
from discreet.private.rows import Rows
from discreet.spec import load_spec


def run_fit(path: Path, as_json: bool) -> None:
    """Prints what was found; ends with code 1 if there is a warning. A draft may be checked, too: nothing is made."""
    spec = load_spec(path)
    rows = Rows(open_source(sources_of(path, spec), delimiter=spec.delimiter, encoding=spec.encoding), UNLIMITED)
    releases = {name: (release.task, release.epsilon) for name, release in spec.releases.items()}
    found = fit_of(rows, spec.schema, spec.unit, releases)
    if as_json:
        print_json({"spec": str(path), **found.to_dict()})
    else:
        print_private(PRIVATE)
        print("\n".join(found.lines()))
    if found.warnings:
        raise SystemExit(1)
