"""`discreet report`."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.show import print_json
from discreet.errors import BadParameter
from discreet.report.document import page_of
from discreet.report.evidence import FAILED, PASSED
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
    page = page_of(release, ledger=ledger, audit=audit, about=about)
    output.write_text(page.html, encoding="utf-8")
    evidence, verdict = page.evidence, page.evidence.verdict
    if registry is not None and verdict != FAILED:
        registry.write_text(entry_text(evidence), encoding="utf-8")
    if as_json:
        print_json({"report": str(output), **page.to_dict()})
    elif not quiet:
        print(
            f"{output}: {_WORDS.get(verdict, 'nothing is wrong in what could be checked, but not everything could be')}"
        )
        for one in evidence.checks:
            if one.result != "ok":
                print(f"  {one.result}: {one.check} ({one.why})")
    if verdict == FAILED:
        raise SystemExit(1)
