"""`python -m benchmarks` lists the benchmarks; `python -m benchmarks NAME ...` runs them, `all` runs all of them."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks import machine
from benchmarks.measure import Report, listen

SHARED = {"__main__", "machine", "measure"}
RIVALS = "rivals"
#: a benchmark that ends sooner says nothing while it runs
PATIENCE = 2.0
#: in a page with words of its own, what follows this is replaced
MARKER = "<!-- written by python -m benchmarks -->\n"


def known() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in SHARED)


def benchmark(name: str) -> Callable[[bool], Report]:
    found: Callable[[bool], Report] = importlib.import_module(f"benchmarks.{name}").run
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    names = known()
    wanted = names if "all" in given.names else list(dict.fromkeys(given.names))
    unknown = [name for name in wanted if name not in names]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    if not wanted:
        print("benchmarks:", ", ".join(names))
        return 0
    if given.no_rivals:
        wanted = [name for name in wanted if name != RIVALS]
    where, begun = machine.facts() | {"quick": given.quick, "seconds": 0.0}, time.monotonic()
    reports: dict[str, Report] = {}
    for name in wanted:
        listen(None if given.silent else _progress(name))
        try:
            reports[name] = benchmark(name)(given.quick)
        finally:
            listen(None)
        print("\n" + reports[name].markdown(), end="", flush=True)
        # after each, so that what was measured is not lost with a later one
        where["seconds"] = round(time.monotonic() - begun, 1)
        if given.json:
            given.json.write_text(json.dumps(as_json(reports, where), indent=1) + "\n", encoding="utf-8")
        if given.markdown:
            _place(given.markdown, as_markdown(reports, where))
    missed = sum(report.missed for report in reports.values())
    print(f"\n{missed or 'no'} limit{'' if missed == 1 else 's'} missed, {where['seconds']:,.0f} seconds")
    return 1 if missed else 0


def as_json(reports: dict[str, Report], where: dict[str, Any]) -> dict[str, Any]:
    rows = [{"benchmark": name, **asdict(row)} for name, report in reports.items() for row in report.rows]
    return {"machine": where, "rows": rows}


def as_markdown(reports: dict[str, Report], where: dict[str, Any]) -> str:
    how = "smaller sizes, fewer repetitions" if where["quick"] else "full sizes"
    head = f"{machine.sentence(where)} {how.capitalize()}: {where['seconds']:,.0f} seconds in all.\n"
    return "\n".join([head, *(report.markdown() for report in reports.values())])


def _place(file: Path, text: str) -> None:
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    head = old.partition(MARKER)[0] + MARKER + "\n" if MARKER in old else ""
    file.write_text(head + text, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run; all: every one; none: list them")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer repetitions: minutes, few limits")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows and the machine's facts to FILE")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the tables to FILE, below its marker if it has one"
    )
    parser.add_argument("--no-rivals", action="store_true", help="leave out the comparison with other libraries")
    parser.add_argument("--silent", action="store_true", help="no progress on stderr")
    return parser


def _progress(name: str) -> Callable[[str], None]:
    begun = time.monotonic()

    def tell(what: str) -> None:
        passed = time.monotonic() - begun
        if passed > PATIENCE:
            print(f"{name}, {passed:.0f} s: {what}", file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    raise SystemExit(main())
