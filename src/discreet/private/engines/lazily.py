"""Libraries that are loaded when something of them is first asked for: for modules that seldom need one."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazily:
    """Stands for a module: `pa = Lazily("pyarrow")`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)  # from now on found without coming here
        return value
