"""`discreet query`, `discreet quantile` and `discreet top`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.cli.relating import opened
from discreet.cli.show import print_answer, print_json, print_table
from discreet.errors import BadParameter
from discreet.release import Release, load
from discreet.release.frame import Frame
from discreet.release.remarks import said_once
from discreet.release.top_items import TELLS

NUMBERS = ("count", "stderr", "low", "high", "kept", "kept_low", "kept_high", "certainty")


@dataclass(frozen=True)
class Wanted:
    """Of each answer: the level of its interval, which number, and of which groups, in which order."""

    level: float
    whole: bool = False
    measured: bool = False
    largest: int | None = None
    sort: str | None = None
    ascending: bool = False
    shares: bool = False
    simultaneous: bool = False
    reliable: float | None = None


@dataclass(frozen=True)
class QueryWords:
    """The question, or the questions, in the words of the command line."""

    where: str | None = None
    by: str | None = None
    csv: Path | None = None
    cells: Path | None = None
    bins: str | None = None
    cumulative: str | None = None
    sql: str | None = None
    keep: str | None = None

    def check(self, wanted: Wanted) -> None:
        """Refuse what contradicts itself, before anything is loaded."""
        rest = (self.where, self.by, self.cells, self.bins, self.cumulative)
        if self.csv is not None and (*rest, self.sql) != (None,) * 6:
            raise BadParameter("--csv brings its own questions: leave out the predicate, --by, --cells and --sql")
        if self.sql is not None and (rest != (None,) * 5 or wanted != Wanted(wanted.level)):
            raise BadParameter("--sql says all that is asked: leave out the predicate and every option but --level")
        if self.cells is not None and (self.by is not None or self.cumulative is not None):
            raise BadParameter("--cells is one question: leave out --by and --cumulative")
        if (wanted.largest is not None or wanted.sort is not None) and (self.by is None or self.cumulative is not None):
            raise BadParameter("--largest and --sort are about groups: use them with --by")
        if (wanted.shares or wanted.simultaneous) and (self.by is None or self.cumulative is not None):
            raise BadParameter("--shares and --simultaneous are about the groups of a table: use them with --by")
        if wanted.reliable is not None and self.cumulative is not None:
            raise BadParameter("--reliable flags counts of groups: leave out --cumulative")
        if wanted.ascending and wanted.sort is None:
            raise BadParameter("--ascending is about the column of --sort: give both")
        if self.bins is not None and self.by is None:
            raise BadParameter("--bins are ranges to group by: use it with --by")
        if self.keep is not None and self.csv is None:
            raise BadParameter("--keep names columns of --csv: give both")
        if wanted.whole and wanted.measured:
            raise BadParameter("--whole numbers are estimates: leave out --measured, or --whole")
        if wanted.whole and self.csv is not None:
            raise BadParameter("--whole numbers add up in one table: use it with --by, or with one question")
        if wanted.measured and self.cumulative is not None:
            raise BadParameter("--cumulative counts are estimates: leave out --measured")


def run(
    folder: Path,
    asked: QueryWords,
    wanted: Wanted,
    output: Path | None,
    as_json: bool,
    *,
    others: Sequence[Path] = (),
    same_records: bool = False,
) -> None:
    asked.check(wanted)
    release, level = opened(folder, others, same_records), wanted.level
    if output is not None and output.suffix.lower() == ".svg":
        _draw(release, asked, wanted, output)
    elif (table := _table(release, asked, wanted)) is not None:
        _give(release, table, level, output, as_json, "answers")
    else:
        numbers: Any = {"whole": wanted.whole, "measured": wanted.measured, "reliable": wanted.reliable}
        answer = release.count(asked.where, cells=asked.cells, level=level, **numbers)
        if output is not None:
            raise BadParameter("-o writes a table of answers: use it with --by or --csv")
        print_answer(answer, as_json)


def _table(release: Release, asked: QueryWords, wanted: Wanted) -> Frame | None:
    """Many answers; None if one number is asked for."""
    level = wanted.level
    if asked.csv is not None:
        common: dict[str, Any] = {"level": level, "measured": wanted.measured, "reliable": wanted.reliable}
        return release.ask(asked.csv, keep=_parts(asked.keep), **common)
    if asked.sql is not None:
        return release.sql(asked.sql, level=level)
    bins = ranges_of(asked.bins)
    if asked.cumulative is not None:
        by = _parts(asked.by)
        return release.prefix(asked.cumulative, asked.where, by=by, bins=bins, level=level, whole=wanted.whole)
    if asked.by is None:
        return None
    names = ("whole", "measured", "largest", "shares", "simultaneous", "reliable")
    chosen: dict[str, Any] = {name: getattr(wanted, name) for name in names}
    chosen |= {"sort": wanted.sort, "ascending": wanted.ascending or None, "bins": bins}
    return release.table(_parts(asked.by, empty=True), asked.where, level=level, **chosen)


def run_quantile(
    folder: Path,
    attribute: str,
    share: str,
    where: str | None,
    by: str | None,
    bins: str | None,
    level: float,
    output: Path | None,
    as_json: bool,
) -> None:
    try:
        shares = [float(part) for part in share.split(",")]
    except ValueError:
        raise BadParameter(f"quantile: {share!r} is not a share such as 0.5, or several such as 0.25,0.5") from None
    release = load(folder)
    if len(shares) == 1 and by is None:
        if output is not None or bins is not None:
            raise BadParameter("-o and --bins are for several quantiles: give shares such as 0.25,0.5, or --by")
        print_answer(release.quantile(attribute, shares[0], where, level=level), as_json)
        return
    found = release.quantile(attribute, shares, where, by=_parts(by), bins=ranges_of(bins), level=level)
    assert isinstance(found, Frame)
    _give(release, found, level, output, as_json, "answers")


def _draw(release: Release, asked: QueryWords, wanted: Wanted, output: Path) -> None:
    """A picture of groups, or of cumulative counts."""
    cumulative = asked.cumulative is not None
    if (asked.by is None and not cumulative) or wanted != Wanted(wanted.level):
        raise BadParameter("-o with .svg draws groups: use it with --by or --cumulative, and of the rest only --bins")
    by = [*_parts(asked.cumulative), *_parts(asked.by)]
    picture = release.plot(by, asked.where, bins=ranges_of(asked.bins), cumulative=cumulative, level=wanted.level)
    print(f"{picture.save(output)}: a picture")


def ranges_of(text: str | None) -> Any:
    """`10`, `18,65`, or for several attributes `age:18,65;income:4`."""
    if text is None:
        return None
    if ":" not in text:
        return _cuts(text)
    found = {}
    for part in text.split(";"):
        name, colon, cuts = part.rpartition(":")
        if not colon or not name.strip():
            raise BadParameter(f"--bins: {part!r} names no attribute; write age:18,65;income:4")
        found[name.strip()] = _cuts(cuts)
    return found


def _cuts(text: str) -> Any:
    """One whole number is how many ranges; several values are where they start."""
    parts = [part.strip() for part in text.split(",")]
    return int(parts[0]) if len(parts) == 1 and parts[0].isdecimal() else [part for part in parts if part]


def _parts(text: str | None, *, empty: bool = False) -> list[str]:
    return [part.strip() for part in text.split(",")] if text or (empty and text is not None) else []


def run_top(
    folder: Path, k: int | None, where: str | None, per: str | None, level: float, output: Path | None, as_json: bool
) -> None:
    release = load(folder)
    _give(release, release.top(k, where, per=_parts(per), level=level), level, output, as_json, "rows")


def _give(release: Release, frame: Frame, level: float, output: Path | None, as_json: bool, called: str) -> None:
    """A table of answers: into a file, as JSON, or for people to read."""
    if output is not None:
        frame.write(output)
        print(f"{output}: {len(frame):,} {called}")
    elif as_json:
        print_json(frame.to_dicts())
    else:
        said = [f"intervals hold the truth with probability {level:g}", *frame.notes, release.note]
        title, counts = said_once(said), "count" in frame.columns
        rows = [[_cell(*named, counts) for named in zip(frame.columns, row, strict=True)] for row in frame.rows()]
        print_table(title, list(frame.columns), rows, right=NUMBERS)


def _cell(name: str, value: Any, counts: bool) -> str:
    """As people read it; ends of quantiles are labels."""
    if isinstance(value, float) and name not in NUMBERS:
        return _plain(value)
    if name not in NUMBERS or not isinstance(value, int | float) or not (counts or isinstance(value, float)):
        return str(value)
    if name == "certainty":
        return f"{value:.0%}" if value >= TELLS else "cannot tell"
    if not counts or not math.isfinite(value):
        return _plain(value)
    return f"{value:,.1f}" if name == "stderr" or value % 1 else f"{value:,.0f}"


def _plain(value: float) -> str:
    """A number that has a name of the asker's own: a count, or a share."""
    if not math.isfinite(value):
        return "none"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.4g}"
