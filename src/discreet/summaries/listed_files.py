"""A table in several Parquet files, too large to be loaded: DuckDB adds up boxes of its cells over the listed files.

Boxes cut each attribute into few parts. DuckDB groups cells by part, so what comes back is a small table, and boxes are
sums over it. Where boxes would cut a table into too many parts, half of them are asked at a time.
"""

from __future__ import annotations

import glob
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import TamperedRelease
from discreet.numbers.cell_numbers import CellNumbers
from discreet.queries import Boxes
from discreet.schema import Ordinal, Schema
from discreet.summaries.base import box_sums
from discreet.summaries.columns import checked_counts
from discreet.summaries.labels import labels_of
from discreet.transforms import Direct
from discreet.transforms.lines import running_sums

#: parts of a table, and values of an attribute that are named one by one
_MOST_PARTS, _MOST_NAMED = 1 << 20, 1 << 20
#: up to so many cuts a code is compared with each
_FEW = 12
#: a folder called age=5 says nothing of the cells in it, though DuckDB would take it for a column
_ITS_OWN = "hive_partitioning = false"


@dataclass(frozen=True)
class ListedFile:
    """One file: where it is, how many rows it has, and the number of its first cell, if its rows are all cells."""

    path: Path
    rows: int
    first: int | None


@dataclass(frozen=True)
class ListedFiles:
    schema: Schema
    files: Sequence[ListedFile]

    def sums(self, boxes: Boxes, columns: Sequence[str]) -> NDArray[np.float64]:
        """The sums over each box (a row) of functions of a cell's noisy `count`, in SQL."""
        return np.stack([np.asarray(column, np.float64) for column in self._asked(boxes, columns, whole=False)], axis=1)

    def whole_sums(self, boxes: Boxes) -> NDArray[Any]:
        """Sums of `count`: whole numbers, or floats if some do not fit 64 bits."""
        return self._asked(boxes, ["count"], whole=True)[0]

    def _asked(self, boxes: Boxes, columns: Sequence[str], *, whole: bool) -> list[NDArray[Any]]:
        cuts = [_Cuts.of(*ends) for ends in zip(boxes.first.T, boxes.last.T, strict=True)]
        many = math.prod(cut.many for cut in cuts)
        if len(boxes.first) > 1 and (many > _MOST_PARTS or any(cut.too_many for cut in cuts)):
            half = len(boxes.first) // 2
            both = [
                self._asked(Boxes(boxes.first[part], boxes.last[part]), columns, whole=whole)
                for part in (slice(half), slice(half, None))
            ]
            return [np.concatenate(pair) for pair in zip(*both, strict=True)]
        parts = [np.zeros(many, np.float64) for _ in columns]
        exact: NDArray[Any] | None = np.zeros(many, np.int64) if whole else None
        for place, sums in self._grouped(cuts, columns):
            for part, found in zip(parts, sums[1:], strict=True):
                part[place] += found
            fits = float(np.abs(parts[0]).sum()) < 2.0**62 and not np.ma.is_masked(sums[0])
            if exact is not None and fits:
                exact[place] += np.ma.getdata(sums[0])
            else:
                exact = None
        within = Boxes(
            *(
                np.stack([cut.parts(codes) for cut, codes in zip(cuts, ends.T, strict=True)], axis=1)
                for ends in (boxes.first, boxes.last)
            )
        )
        shape = [cut.many for cut in cuts]
        if exact is not None:
            from discreet.kernels.prefix import box_sums as whole_sums
            from discreet.kernels.prefix import prefix_sums

            prefix = prefix_sums(exact.reshape(shape))
            return [whole_sums(prefix.reshape(-1), np.array(prefix.strides) // 8, within.first, within.last)]
        axes = [Direct(size) for size in shape]
        return [box_sums(within, running_sums(axes, part.reshape(shape))) for part in parts]

    def _grouped(self, cuts: list[_Cuts], columns: Sequence[str]) -> Iterator[tuple[Any, list[Any]]]:
        """Of each file: which parts its cells lie in, the sum of counts as whole numbers, and those of the columns."""
        import duckdb

        with duckdb.connect(
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        ) as engine:
            for file in self.files:
                if file.rows == 0 or not self._meets(file, cuts):
                    continue
                query, place = self._query(engine, file, cuts, columns), [glob.escape(str(file.path.absolute()))]
                try:
                    ends = engine.execute(f"SELECT min(count), max(count) FROM read_parquet(?, {_ITS_OWN})", place)
                    checked_counts(np.array(ends.fetchall()[0]))
                    found = engine.execute(query, place).fetchnumpy()
                except (duckdb.Error, ValueError):
                    raise TamperedRelease(
                        f"{file.path}: holds counts that no release has, or cannot be read; get the release again"
                    ) from None
                yield found["part"], [found[name] for name in ("exact", *(f"s{i}" for i in range(len(columns))))]

    def _meets(self, file: ListedFile, cuts: list[_Cuts]) -> bool:
        if file.first is None:
            return True
        ends = np.array([[cut.low for cut in cuts], [cut.high for cut in cuts]])
        low, high = CellNumbers(self.schema.sizes).encode(ends).tolist()
        return bool(low < file.first + file.rows and file.first <= high)

    def _query(self, engine: Any, file: ListedFile, cuts: list[_Cuts], columns: Sequence[str]) -> str:
        part, joins, conditions = "0", [], []
        for place, (name, cut) in enumerate(zip(self.schema, cuts, strict=True)):
            size = self.schema[name].size
            if cut.many == 1 and (cut.low, cut.high) == (0, size - 1):
                continue
            key, numbered = self._key(file, place)
            if numbered and len(cut.inner) <= _FEW:
                conditions.append(f"{key} BETWEEN {cut.low} AND {cut.high}")
                mine = " + ".join(["0", *(f"({key} >= {code})::BIGINT" for code in cut.inner.tolist())])
            else:
                engine.register(f"named{place}", self._names(cut, name, numbered=numbered))
                joins.append(f"JOIN named{place} ON {key} = named{place}.value")
                mine = f"named{place}.part"
            part = f"({part}) * {cut.many} + {mine}"
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        sums = ", ".join(f"sum({column})::DOUBLE AS s{i}" for i, column in enumerate(columns))
        return (
            f'SELECT {part} AS part, TRY_CAST(sum("count") AS BIGINT) AS exact, {sums} '
            f"FROM read_parquet(?, file_row_number = true, {_ITS_OWN}) AS cells {' '.join(joins)}{where} GROUP BY 1"
        )

    def _key(self, file: ListedFile, place: int) -> tuple[str, bool]:
        """What an attribute's value is called in a file, and whether that is its code."""
        sizes, name = self.schema.sizes, self.schema.names[place]
        if file.first is not None:
            return f"((file_row_number + {file.first}) // {math.prod(sizes[place + 1 :])} % {sizes[place]})", True
        attribute, quoted = self.schema[name], '"' + name.replace('"', '""') + '"'
        if isinstance(attribute, Ordinal) and attribute.first_number is not None:
            return f"(cells.{quoted} - ({attribute.first_number}))", True
        return f"cells.{quoted}", False

    def _names(self, cut: _Cuts, name: str, *, numbered: bool) -> Any:
        """Every value between the ends of the boxes, and its part."""
        import pyarrow as pa

        codes = np.arange(cut.low, cut.high + 1)
        value = pa.array(codes) if numbered else labels_of(self.schema[name], codes)
        return pa.table({"value": value, "part": cut.parts(codes)})


@dataclass(frozen=True)
class _Cuts:
    """Where boxes cut an attribute: into parts from `low` to `high`, of which all but the first start at `inner`."""

    low: int
    high: int
    inner: NDArray[np.int64]

    @classmethod
    def of(cls, first: NDArray[np.int64], last: NDArray[np.int64]) -> _Cuts:
        low, high = int(first.min()), int(last.max())
        inner = np.unique(np.concatenate([first, last + 1]))
        return cls(low, high, inner[(inner > low) & (inner <= high)])

    @property
    def many(self) -> int:
        return len(self.inner) + 1

    @property
    def too_many(self) -> bool:
        return len(self.inner) > _FEW and self.high - self.low >= _MOST_NAMED

    def parts(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self.inner, codes, side="right")
