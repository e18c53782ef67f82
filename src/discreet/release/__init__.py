"""What anyone may do with what was published. Names load on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.release.combined import combine
    from discreet.release.release import Release, load

__all__ = ["Release", "combine", "load"]

_HOMES = {"Release": "release", "combine": "combined", "load": "release"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
