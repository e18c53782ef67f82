"""Who is counted is described once, in ibis's words; here is what turns the words into SQL for an engine.

Tables of our own DuckDB are of `sql`, which says the same much sooner; those of all other engines are ibis's own.
"""

from __future__ import annotations

from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

from discreet.private.engines.sql import language
from discreet.private.engines.sql.columns import SqlColumn, function
from discreet.private.engines.sql.connection import OwnDuckdb
from discreet.private.engines.sql.kinds import SqlKind
from discreet.private.engines.sql.own_tables import SqlTable


def is_own(thing: Any) -> bool:
    """Whether a backend, table or column is of our own DuckDB."""
    return isinstance(thing, OwnDuckdb | SqlTable | SqlColumn)


def expressions_of(thing: Any) -> Any:
    """What makes expressions for the engine of a backend, table or column: `ibis`, or what says the same for ours."""
    if is_own(thing):
        return language
    import ibis

    return ibis


class EngineFunction:
    """A function that an engine has under this name; types are named as in ibis."""

    def __init__(self, name: str, takes: tuple[str, ...], gives: str) -> None:
        self._name, self._takes, self._gives = name, takes, gives

    def __call__(self, *given: Any) -> Any:
        if any(map(is_own, given)):
            return function(self._name, SqlKind.of(self._gives), *given)
        return self._of_ibis(*given)

    @cached_property
    def _of_ibis(self) -> Any:
        import ibis

        def called() -> None: ...

        called.__name__ = self._name
        names = [Parameter(f"given{place}", Parameter.POSITIONAL_OR_KEYWORD) for place in range(len(self._takes))]
        called.__signature__ = Signature(names)  # type: ignore[attr-defined]
        return ibis.udf.scalar.builtin(called, name=self._name, signature=(self._takes, self._gives))
