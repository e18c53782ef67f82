"""Attacks on the guarantee that anyone can run: what a release really costs, derived from its own draws."""

from __future__ import annotations

import importlib
from typing import Any

from discreet.audit.published import published

__all__ = ["audited", "published"]


def __getattr__(name: str) -> Any:
    """Attacks are loaded when asked for: checking a release needs nothing of what publishes one."""
    if name != "audited":
        raise AttributeError(f"module 'discreet.audit' has no attribute {name!r}")
    return importlib.import_module("discreet.audit.attacks").audited
