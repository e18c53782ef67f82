"""One method on the histories of one data set, in memory: its noisy counts, and what it kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.private.engines.reservoirs import Reservoirs, Spread
from discreet.private.kept import Kept, KeptRecords
from discreet.schema import Ordinal, Schema
from discreet.summaries.item_tables import ItemTables
from discreet.summaries.smoothed_items import SmoothedCounts
from discreet.tasks import Items
from experiments.item_data import Histories

METHODS = ("lpa", "fpa", "gs", "sra", "hpa")
SAMPLING = ("sra", "hpa")
SEED = 1

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Counts = NDArray[Any]


class Looks:
    """Histories in memory for one trial; remembers what was kept last, and by which scores."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.scores: Floats | None = None
        self.last: Kept | None = None

    def kept(self, most: int, *, distinct: bool, scores: Floats | None, salt: bytes) -> Kept:
        assert not distinct, "the paper counts records"
        self.scores = scores if scores is not None else self.scores
        reservoirs = Reservoirs(most, self.case.schema.sizes, salt, scores=scores)
        reservoirs.offer(Spread.of([(self.case.users, self.case.users, self.case.words)], reservoirs.place))
        self.last = KeptRecords(self.case.schema.sizes, *reservoirs.settled())
        return self.last


@dataclass(frozen=True, eq=False)
class Outcome:
    """Noisy counts of items and of items x contexts (None without contexts), and the looks they came from.

    `agreed` are the same made consistent, `factor` what rescaling multiplies them by.
    """

    items: Counts
    edges: Counts | None
    looks: Looks
    agreed: tuple[Floats, Floats] | None = None
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class Case:
    """A data set as the methods take it, with its true counts."""

    name: str
    schema: Schema
    users: Ints
    words: Ints
    #: records of a user that sra and hpa count, and that the popularity is estimated from: the paper's l and d
    bound: int
    probe: int
    epsilon: Fraction

    @classmethod
    def of(cls, data: Histories, bound: int = 10, probe: int = 1, epsilon: int = 1) -> Case:
        sizes = {"item": data.item_count, **{name: data.context_sizes[name] for name in data.contexts}}
        words = np.asarray(data.items, np.int64)
        for name, codes in data.contexts.items():
            words = words * data.context_sizes[name] + codes
        schema = Schema({name: Ordinal(0, size - 1) for name, size in sizes.items()})
        users = np.asarray(data.users, np.int64)
        return cls(data.name, schema, users, words, bound, probe, Fraction(epsilon))

    @property
    def contexts(self) -> int:
        return int(np.prod(self.schema.sizes[1:]))

    @property
    def has_edges(self) -> bool:
        return len(self.schema) > 1

    @cached_property
    def per_user(self) -> Ints:
        found = np.bincount(self.users)
        return found[found > 0]

    @property
    def most(self) -> int:
        """The records of the user who has most: public in this experiment, as in the paper."""
        return int(self.per_user.max())

    @cached_property
    def edges(self) -> Ints:
        """The true counts, items x contexts."""
        table = np.bincount(self.words, minlength=self.schema.cells)
        return table.reshape(-1, self.contexts)

    @cached_property
    def items(self) -> Ints:
        return np.asarray(self.edges.sum(axis=1))

    def parameters(self, method: str) -> dict[str, Any]:
        """As in the paper's section 6; lpa, fpa and gs count all records of everybody."""
        bound = min(self.bound, self.most) if method in SAMPLING else self.most
        return {"count": "records", "bound": bound, **({"probe": self.probe} if method == "hpa" else {})}

    def trial(self, method: str, what: str, number: int, **changed: Any) -> Outcome:
        """One release, whose noise follows from the data set, the method, what it is for, and its number.

        `changed` parameters come in place of the usual ones; None leaves one out.
        """
        asked = {name: value for name, value in {**self.parameters(method), **changed}.items() if value is not None}
        task = Items("item", context=self.schema.names[1:], method=method, **asked)
        unit = Unit("user", max_rows=self.most)
        mechanism = mechanism_for(task, Request(self.schema, unit, self.epsilon, task.asked()))
        looks = Looks(self)
        noise = Noise(SeededSource(seed(self.name, self.epsilon, method, what, number)))
        summary = mechanism.measure(looks, noise)
        if isinstance(summary, SmoothedCounts):
            return self._outcome([part.values for part in summary.parts], looks)
        assert isinstance(summary, ItemTables)
        found = self._outcome([part.values for part in summary.parts], looks)
        factor = float(summary.facts().get("factor", 1.0))
        if not self.has_edges:
            return replace(found, factor=factor)
        items, edges = summary._agreed.tables
        return replace(found, agreed=(items, edges.reshape(self.edges.shape)), factor=factor)

    def _outcome(self, tables: list[Counts], looks: Looks) -> Outcome:
        edges = tables[1].reshape(self.edges.shape) if self.has_edges else None
        return Outcome(tables[0], edges, looks)


def seed(*words: object) -> int:
    """A number from words, the same on every machine."""
    text = " ".join(str(word) for word in (SEED, *words))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
