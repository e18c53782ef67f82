"""Attacks on the guarantee that anyone can run: what a release really costs, derived from its own draws."""

from __future__ import annotations

import importlib
from typing import Any

#: loaded when asked for: checking a release needs nothing of what publishes one
_HOMES = {"audited": "attacks", "published": "published"}

__all__ = ["audited", "published"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet.audit' has no attribute {name!r}")
    return getattr(importlib.import_module(f"discreet.audit.{_HOMES[name]}"), name)
