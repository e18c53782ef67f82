"""The command for those who sign a release off; its body imports what it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from discreet.cli.declared import Option
from discreet.cli.options import AsJson, Quiet, ReleaseFolder, output_file


def report(
    release: ReleaseFolder,
    ledger: Annotated[Path | None, Option("--ledger", help="The ledger that it was charged to.")] = None,
    audit: Annotated[
        Path | None, Option("--audit", help="The result of an audit: discreet audit SPEC -o audit.json")
    ] = None,
    about: Annotated[
        Path | None,
        Option("--about", help="A TOML file with a table [about], for what the release does not say."),
    ] = None,
    output: Annotated[Path, output_file("The page to write.")] = Path("report.html"),
    registry: Annotated[
        Path | None,
        Option("--registry", help="Also write an entry for OpenDP's registry of deployments, as YAML."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the page that a reviewer reads before signing off: one file, which needs no network and prints on A4.

    Everything that can be checked is checked again: bytes, charge, method, cost, sampler. It says who is protected,
    what epsilon means, how exact answers are, what was spent, and what is not protected. The same release, ledger and
    audit give the same bytes. Exit code 1 if something is wrong; the page then says so in red, and why.

    \b
    Examples:
      discreet report out/by-age --ledger adult.ledger -o report.html
      discreet report out/by-age --ledger adult.ledger --audit audit.json --registry registry.yaml
    """
    from discreet.cli.reporting import run

    run(release, ledger, audit, about, output, registry, quiet, as_json)


REVIEW_COMMANDS = [report]
