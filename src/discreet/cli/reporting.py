"""`discreet report`."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.show import print_json
from discreet.errors import BadParameter
from discreet.report.document import paged
from discreet.report.evidence import FAILED, PASSED, gathered
from discreet.report.registry_entry import entry_text

_WORDS = {PASSED: "all checks passed", FAILED: "DO NOT SIGN"}


def run(
    release: Path,
    ledger: Path | None,
    audit: Path | None,
    about: Path | None,
    output: Path,
    registry: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    for target in filter(None, [output, registry]):
        if not target.absolute().parent.is_dir() or target.is_dir():
            raise BadParameter(f"{target}: cannot be written to; name a file in a folder that exists")
    page = paged(gathered(release, ledger, audit, about))
    output.write_text(page.html, encoding="utf-8")
    evidence, verdict = page.evidence, page.evidence.verdict
    if registry is not None and verdict != FAILED:
        registry.write_text(entry_text(evidence), encoding="utf-8")
    if as_json:
        checks = [{"check": one.check, "result": one.result, "why": one.why} for one in evidence.checks]
        print_json({"report": str(output), "verdict": verdict, "checks": checks})
    elif not quiet:
        print(
            f"{output}: {_WORDS.get(verdict, 'nothing is wrong in what could be checked, but not everything could be')}"
        )
        for one in evidence.checks:
            if one.result != "ok":
                print(f"  {one.result}: {one.check} ({one.why})")
    if verdict == FAILED:
        raise SystemExit(1)
