"""`python -m benchmarks` lists the benchmarks; `python -m benchmarks NAME ...` runs them."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

SHARED = {"__main__", "measure"}


def main(names: list[str]) -> int:
    known = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in SHARED)
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        print("benchmarks:", ", ".join(known))
        return 1 if unknown else 0
    missed = 0
    for name in names:
        missed += importlib.import_module(f"benchmarks.{name}").run()
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
