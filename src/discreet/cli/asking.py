"""`discreet query`, `discreet quantile` and `discreet top`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.cli.relating import opened
from discreet.cli.show import print_answer, print_json, print_table
from discreet.errors import BadParameter
from discreet.release import Release, load
from discreet.release.frame import Frame

SHARES = ("share", "share_low", "share_high")
NUMBERS = ("count", "stderr", "low", "high", "kept", "kept_low", "kept_high", "certainty", *SHARES)
#: below it, a certainty says little
_TELLS = 0.5


@dataclass(frozen=True)
class Wanted:
    """Of each answer: the level of its interval, and which number."""

    level: float
    whole: bool = False
    measured: bool = False
    largest: int | None = None
    shares: bool = False
    simultaneous: bool = False
    #: releases that it is put together with
    others: tuple[Path, ...] = ()
    same_records: bool = False
    reliable: float | None = None


def run(
    folder: Path,
    where: str | None,
    by: str | None,
    csv: Path | None,
    cells: Path | None,
    wanted: Wanted,
    output: Path | None,
    as_json: bool,
) -> None:
    if csv is not None and (where, by, cells) != (None, None, None):
        raise BadParameter("--csv brings its own questions: leave out the predicate, --by and --cells")
    if cells is not None and by is not None:
        raise BadParameter("--cells is one question: leave out --by")
    if wanted.largest is not None and by is None:
        raise BadParameter("--largest chooses among groups: use it with --by")
    if (wanted.shares or wanted.simultaneous) and by is None:
        raise BadParameter("--shares and --simultaneous are about the groups of a table: use them with --by")
    if wanted.whole and wanted.measured:
        raise BadParameter("--whole numbers are estimates: leave out --measured, or --whole")
    if wanted.whole and csv is not None:
        raise BadParameter("--whole numbers add up in one table: use it with --by, or with one question")
    release, level = opened(folder, wanted.others, wanted.same_records), wanted.level
    common: dict[str, Any] = {"level": level, "measured": wanted.measured}
    if wanted.reliable is not None:
        common["reliable"] = wanted.reliable
    if csv is not None:
        _give(release, release.ask(csv, **common), level, output, as_json, "answers")
    elif by is not None:
        names = [part.strip() for part in by.split(",")]
        chosen = {name: getattr(wanted, name) for name in ("whole", "largest", "shares", "simultaneous")}
        table = release.table(names, where, **common, **chosen)
        _give(release, table, level, output, as_json, "answers")
    else:
        answer = release.count(where, cells=cells, whole=wanted.whole, **common)
        if output is not None:
            raise BadParameter("-o writes a table of answers: use it with --by or --csv")
        print_answer(answer, as_json)


def run_quantile(folder: Path, attribute: str, share: float, where: str | None, level: float, as_json: bool) -> None:
    print_answer(load(folder).quantile(attribute, share, where, level=level), as_json)


def run_top(
    folder: Path, k: int | None, where: str | None, per: str | None, level: float, output: Path | None, as_json: bool
) -> None:
    names = [part.strip() for part in per.split(",")] if per else []
    release = load(folder)
    _give(release, release.top(k, where, per=names, level=level), level, output, as_json, "rows")


def _give(release: Release, frame: Frame, level: float, output: Path | None, as_json: bool, called: str) -> None:
    """A table of answers: into a file, as JSON, or for people to read."""
    if output is not None:
        frame.to_csv(output)
        print(f"{output}: {len(frame):,} {called}")
    elif as_json:
        print_json(frame.to_dicts())
    else:
        said = [f"intervals hold the truth with probability {level:g}", *frame.notes, release.note]
        title = "; ".join(filter(None, said))
        rows = [[_cell(*named) for named in zip(frame.columns, row, strict=True)] for row in frame.rows()]
        print_table(title, list(frame.columns), rows, right=NUMBERS)


def _cell(name: str, value: Any) -> str:
    if name not in NUMBERS:
        return str(value)
    if name == "certainty":
        return f"{value:.0%}" if value >= _TELLS else "cannot tell"
    if not math.isfinite(value):
        return "none"
    if name in SHARES:
        return f"{value:.4f}"
    return f"{value:,.1f}" if name == "stderr" or value % 1 else f"{value:,.0f}"
