"""ibis over a Spark session that is somebody else's: no setting of it is changed, and nothing is left in it.

Data frames are handed to a query by name, together with it.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Mapping
from typing import Any

import ibis
import ibis.expr.operations as ops
import ibis.expr.schema as sch
from ibis.backends.pyspark import Backend

MODE = "batch"


class SparkBackend(Backend):  # type: ignore[misc]
    def __init__(self, session: Any) -> None:
        super().__init__()
        if getattr(ibis.options, "pyspark", None) is None:  # as ibis does when it connects
            self.register_options()
        self._session, self._mode = session, MODE
        self._frames: dict[str, Any] = {}

    @property
    def session(self) -> Any:
        return self._session

    def table_of(self, frame: Any, types: Mapping[str, str]) -> Any:
        """An ibis table over a data frame whose columns have these types."""
        name = f"discreet_{uuid.uuid4().hex}"
        self._frames[name] = frame
        return ops.SQLQueryResult(f"SELECT {', '.join(types)} FROM {name}", sch.schema(types), self).to_expr()

    def to_pyarrow(self, expression: Any, /, **_: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # of sockets that pyspark leaves to the garbage
            return expression.__pyarrow_result__(self.frame_of(expression).toArrow())

    def frame_of(self, expression: Any) -> Any:
        """A data frame of what an expression gives."""
        query = self.compile(expression.as_table())
        used = {name: frame for name, frame in self._frames.items() if name in query}
        query = query.replace("{", "{{").replace("}", "}}")
        for name in used:
            query = query.replace(name, f"{{{name}}}")
        return self._session.sql(query, **used)
