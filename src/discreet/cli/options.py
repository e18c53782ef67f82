"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

SpecFile = Annotated[Path, typer.Argument(metavar="SPEC", help="The spec file, such as adult.toml.")]
LedgerFile = Annotated[Path, typer.Argument(help="The ledger file, such as adult.ledger.")]
ReleaseFolder = Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a release.")]
OneRelease = Annotated[str | None, typer.Argument(help="Which release of the spec; may be left out if it has one.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but results and errors.")]
OnePeriod = Annotated[
    str | None, typer.Option(help="Only rows of this period, of a spec that has them: 2026-10, 2026-Q4, 2026-W41.")
]
OnlyWhere = Annotated[str | None, typer.Option(help="Only records that satisfy this predicate.")]
Bins = Annotated[
    str | None,
    typer.Option(help="Ranges of an ordinal attribute: how many (10), or where they start: 18,65 or age:18,65"),
]
Level = Annotated[float, typer.Option(help="How often the interval holds the truth.")]
Others = Annotated[
    list[Path] | None, typer.Option("--with", help="Another release of the same data, to be put together with it.")
]
SameRecords = Annotated[
    bool, typer.Option("--same-records", help="With --with: you know that their rules drop no rows.")
]


def output_file(text: str) -> Any:
    return typer.Option("--output", "-o", help=text)
