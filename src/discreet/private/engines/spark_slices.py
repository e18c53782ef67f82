"""Work on slices of a table by Spark's executors. Counts go from one stage to the next and never come to us.

The work is the last stage of one action, and of each of its tasks Spark takes the result of exactly one attempt: what a
task that failed, or was overtaken, has done does not reach us.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.kernels.cores import keep_to_one_core
from discreet.private.cell_slices import CellSlices
from discreet.private.counts import Counts

#: what is returned of one slice: names of columns and Spark's types
DONE = {"slice": "bigint", "file": "string", "sha256": "string", "bytes": "bigint", "rows": "bigint"}
Work = Callable[[int, Counts], Mapping[str, Any]]


def done_in_slices(cells: Any, words: Sequence[str], slices: CellSlices, work: Work) -> list[dict[str, Any]]:
    """What `work` returned of each slice; `cells` is a data frame of cells in words and their counts, `n`."""
    session = cells.sparkSession
    names = [*words, "n"]
    # a mark for each slice, so that those without a row are worked on, too
    nothing = [f"CAST(NULL AS BIGINT) AS {name}" for name in names]
    marks = session.range(slices.many).selectExpr("id AS slice", *nothing)
    rows = cells.selectExpr(f"{slices.sql(words[0])} AS slice", *names).union(marks)
    apart = rows.repartition(slices.many, "slice").sortWithinPartitions("slice")
    types = ", ".join(f"{name} {kind}" for name, kind in DONE.items())
    done = apart.mapInArrow(_OnExecutor(slices.sizes, work), types)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of sockets that pyspark leaves to the garbage
        found: list[dict[str, Any]] = done.toArrow().to_pylist()
    return found


@dataclass(frozen=True)
class _OnExecutor:
    """What a task does: its rows come in order of their slices, of which there may be several."""

    sizes: tuple[int, ...]
    work: Work

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        keep_to_one_core()  # the executor runs as many tasks as it has cores
        place, held = -1, list[Any]()
        for batch in batches:
            arrays = _arrays(batch)
            starts = np.flatnonzero(np.diff(arrays[0], prepend=-1))
            for start, end in zip(starts, [*starts[1:], len(arrays[0])], strict=True):
                if (mine := int(arrays[0][start])) != place and held:
                    yield self._worked(place, held)
                    held = []
                place = mine
                held.append([array[start:end] for array in arrays[1:]])
        if held:
            yield self._worked(place, held)

    def _worked(self, place: int, held: list[Any]) -> Any:
        *words, counts = (np.concatenate(parts) for parts in zip(*held, strict=True))
        return _one_row(self.work(place, Counts.from_words(self.sizes, words, counts)))


def _arrays(batch: Any) -> list[Any]:
    """Columns as whole numbers; of a mark, whose count of zero is left out later, all are zero."""
    import pyarrow.compute as pc

    return [pc.fill_null(column, 0).to_numpy(zero_copy_only=False) for column in batch.columns]


def _one_row(done: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    types = {"bigint": pa.int64(), "string": pa.string()}
    return pa.record_batch([pa.array([done[name]], types[kind]) for name, kind in DONE.items()], names=list(DONE))
