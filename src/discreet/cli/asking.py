"""`discreet query`, `discreet quantile` and `discreet top`."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.show import print_json, print_table
from discreet.errors import BadParameter
from discreet.release import load
from discreet.release.frame import Frame

NUMBERS = ("count", "stderr", "low", "high", "bias", "certainty")


def run(
    folder: Path,
    where: str | None,
    by: str | None,
    csv: Path | None,
    cells: Path | None,
    level: float,
    output: Path | None,
    as_json: bool,
) -> None:
    if csv is not None and (where, by, cells) != (None, None, None):
        raise BadParameter("--csv brings its own questions: leave out the predicate, --by and --cells")
    if cells is not None and by is not None:
        raise BadParameter("--cells is one question: leave out --by")
    release = load(folder)
    if csv is None and by is None:
        answer = release.count(where, cells=cells, level=level)
        if output is not None:
            raise BadParameter("-o writes a table of answers: use it with --by or --csv")
        if as_json:
            print_json(answer.to_dict())
        else:
            print(answer)
        return
    if csv is not None:
        frame = release.ask(csv, level=level)
    else:
        frame = release.table([part.strip() for part in (by or "").split(",")], where, level=level)
    if output is not None:
        frame.to_csv(output)
        print(f"{output}: {len(frame):,} answers")
    elif as_json:
        print_json(frame.to_dicts())
    else:
        _show(frame, level, release.note)


def run_quantile(folder: Path, attribute: str, share: float, where: str | None, level: float, as_json: bool) -> None:
    found = load(folder).quantile(attribute, share, where, level=level)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)


def run_top(
    folder: Path, k: int, where: str | None, per: str | None, level: float, output: Path | None, as_json: bool
) -> None:
    names = [part.strip() for part in per.split(",")] if per else []
    release = load(folder)
    frame = release.top(k, where, per=names, level=level)
    if output is not None:
        frame.to_csv(output)
        print(f"{output}: {len(frame):,} rows")
    elif as_json:
        print_json(frame.to_dicts())
    else:
        _show(frame, level, release.note)


def _show(frame: Frame, level: float, note: str) -> None:
    rows = [
        [
            _number(value, name) if name in NUMBERS else str(value)
            for name, value in zip(frame.columns, row, strict=True)
        ]
        for row in frame.rows()
    ]
    title = f"intervals hold the truth with probability {level:g}{'; ' if note else ''}{note}"
    print_table(title, list(frame.columns), rows, right=NUMBERS)


def _number(value: float, name: str) -> str:
    if name == "certainty":
        return f"{value:.0%}"
    return f"{value:,.1f}" if name == "stderr" or value % 1 else f"{value:,.0f}"
