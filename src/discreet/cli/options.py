"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from discreet.cli.declared import Argument, Option

SpecFile = Annotated[Path, Argument(metavar="SPEC", help="The spec file, such as adult.toml.")]
LedgerFile = Annotated[Path, Argument(help="The ledger file, such as adult.ledger.")]
ReleaseFolder = Annotated[Path, Argument(metavar="RELEASE", help="The folder of a release.")]
OneRelease = Annotated[str | None, Argument(help="Which release of the spec; may be left out if it has one.")]
AsJson = Annotated[bool, Option("--json", help="Print JSON instead of text.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print nothing but results and errors.")]
OnePeriod = Annotated[
    str | None, Option(help="Only rows of this period, of a spec that has them: 2026-10, 2026-Q4, 2026-W41.")
]
OnlyWhere = Annotated[str | None, Option(help="Only records that satisfy this predicate.")]
Bins = Annotated[
    str | None,
    Option(help="Ranges of an ordinal attribute: how many (10), or where they start: 18,65 or age:18,65"),
]
Level = Annotated[float, Option(help="How often the interval holds the truth.")]
Others = Annotated[
    list[Path] | None, Option("--with", help="Another release of the same data, to be put together with it.")
]
SameRecords = Annotated[bool, Option("--same-records", help="With --with: you know that their rules drop no rows.")]


def output_file(text: str) -> Option:
    return Option("--output", "-o", help=text)
