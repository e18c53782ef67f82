"""`discreet audit`: attacks on the guarantee of a spec's releases, or of a release that was published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from discreet.audit.attacks import audited
from discreet.audit.outcome import software
from discreet.audit.published import published
from discreet.audit.verdicts import HOLDS
from discreet.cli.publishing import check_period, placed, wanted_release
from discreet.cli.show import print_json, stages
from discreet.errors import BadParameter
from discreet.spec import load_spec


def run(
    path: Path,
    name: str | None,
    guess: bool,
    runs: int | None,
    look: bool,
    period: str | None,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    if runs is not None and (not guess or runs < 2):
        raise BadParameter("--runs goes with --black-box and must be at least 2")
    if output is not None and not output.absolute().parent.is_dir():
        raise BadParameter(f"{output}: there is no such folder to write to; make it first, or write elsewhere")
    spec = load_spec(path)
    wanted = list(spec.releases.values()) if name is None else [wanted_release(path, spec, name)]
    if not wanted:
        raise BadParameter(f"{path}: has no release to audit; add a table [releases.NAME]")
    found = []
    with placed(path, spec, wanted), stages(quiet or as_json) as say, _free_of_charge():
        for release in wanted:
            check_period(spec, release, period, needed=False)
            one = audited(
                release.task,
                spec.schema,
                release.epsilon,
                unit=spec.unit,
                periods=None if release.all_rows else spec.periods,
                period=period,
                name=release.name,
                guess=guess,
                runs=runs,
                look=look,
                progress=say,
            )
            found.append(one)
            if not as_json:
                print("\n".join(one.lines()))
    told = {"software": software(), "spec": path.name, "releases": [one.to_dict() for one in found]}
    _end(told, all(one.verdict == HOLDS for one in found), output, as_json)


@contextmanager
def _free_of_charge() -> Iterator[None]:
    """Publishing that is stopped says what it was charged; an audit is charged nothing."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped; an audit charges nothing") from None


def run_release(release: Path | None, ledger: Path | None, output: Path | None, as_json: bool, *, alone: bool) -> None:
    if release is None or ledger is None or not alone:
        raise BadParameter(
            "name a spec to audit, such as adult.toml; or a release with its ledger and nothing else: "
            "--release out/by-age --ledger adult.ledger"
        )
    found = published(release, ledger)
    if not as_json:
        print("\n".join(found.lines()))
    _end({"software": software(), **found.to_dict()}, found.verdict == HOLDS, output, as_json)


def _end(told: dict[str, Any], holds: bool, output: Path | None, as_json: bool) -> None:
    if output is not None:
        output.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    if as_json:
        print_json(told)
    if not holds:
        raise SystemExit(1)
