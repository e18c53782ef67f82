"""`python -m tests.mutants`: plants each bug of the list in a copy of the project, and sees which test notices."""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import time

from tests.mutants import page
from tests.mutants.listed import mutants
from tests.mutants.running import Verdict, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="such as noise/fixed-key or 'ledger/*'; all if none is named")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    parser.add_argument("--listed", action="store_true", help="try no other tests than those listed")
    parser.add_argument("--write", action="store_true", help="write docs/mutants.md")
    asked = parser.parse_args()
    every = mutants()
    wanted = [one for name, one in every.items() if not asked.names or _named(name, asked.names)]
    if not wanted:
        parser.error(f"no mutant has such a name; there are {', '.join(every)}")
    begin = time.monotonic()
    found = run(wanted, asked.jobs, _tell, listed_only=asked.listed)
    if isinstance(found, str):
        print(found, file=sys.stderr)
        return 2
    if asked.write:
        page.write(every, found)
    missed = [verdict for verdict in found if not verdict.caught]
    minutes = (time.monotonic() - begin) / 60
    print(f"{len(found) - len(missed)} of {len(found)} caught in {minutes:.1f} minutes")
    for verdict in missed:
        print(f"  {verdict.mutant.name}: {verdict.slip.splitlines()[0] if verdict.slip else 'survived'}")
    return 1 if missed else 0


def _named(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _tell(verdict: Verdict) -> None:
    if verdict.slip:
        said = f"is no running program, or the tests fail anyway: {verdict.slip}"
    elif verdict.by:
        said = f"caught by {verdict.by}{'' if verdict.listed else ', which is not listed'} ({verdict.reason})"
    else:
        said = "SURVIVED"
    print(f"{verdict.mutant.name}: {said}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
