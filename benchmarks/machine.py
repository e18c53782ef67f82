"""On what kind of machine a run was made: facts that explain times, and none that name the machine."""

from __future__ import annotations

import datetime
import os
import platform
from importlib import metadata
from typing import Any

LIBRARIES = ("discreet", "numpy", "numba", "duckdb", "pyarrow", "cryptography")


def facts() -> dict[str, Any]:
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "load": _load(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def sentence(given: dict[str, Any]) -> str:
    libraries = ", ".join(f"{name} {version}" for name, version in given["libraries"].items())
    busy = "" if given["load"] is None else f"; {given['load']:.1f} processes wanted a core when the run began"
    return (
        f"{given['date']}: {given['system']} on {given['processor']}, {given['cores']} cores,"
        f" {given['memory_gb']} GB of memory{busy}. Python {given['python']}, {libraries}."
    )


def _memory() -> int | None:
    try:
        return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)
    except (ValueError, OSError):
        return None


def _load() -> float | None:
    """Over the last minute: more than the cores tells of a machine that others use too."""
    try:
        return round(os.getloadavg()[0], 1)
    except OSError:
        return None


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"
