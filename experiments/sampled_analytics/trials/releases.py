"""One method on one data set: its noisy counts, and what it kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.private.engines.reservoirs import Reservoirs, ShardedRows
from discreet.private.kept import Kept, KeptRecords
from discreet.summaries.item_tables import ItemTables
from discreet.summaries.smoothed_items import SmoothedCounts
from discreet.tasks import Items
from experiments.sampled_analytics.data.sets import SEED
from experiments.sampled_analytics.data.user_records import UserRecords
from experiments.shared.bounded import OnlyHistories
from experiments.shared.chance import Floats, seed_of

METHODS = ("lpa", "fpa", "gs", "sra", "hpa")
SAMPLING = ("sra", "hpa")

Numbers = NDArray[Any]


class Looks:
    """Histories in memory for one trial; remembers what was kept last, and by which scores."""

    def __init__(self, case: UserRecords) -> None:
        self.case = case
        self.scores: Floats | None = None
        self.last: Kept | None = None

    def kept(self, most: int, *, distinct: bool, scores: Floats | None, salt: bytes) -> Kept:
        assert not distinct, "the paper counts records"
        self.scores = scores if scores is not None else self.scores
        reservoirs = Reservoirs(most, self.case.schema.sizes, salt, scores=scores)
        reservoirs.offer(ShardedRows.of([(self.case.users, self.case.users, self.case.words)], reservoirs.place))
        self.last = KeptRecords(self.case.schema.sizes, *reservoirs.settled())
        return self.last


@dataclass(frozen=True, eq=False)
class Outcome:
    """Noisy counts of items and of items x contexts (None without contexts), and the looks they came from.

    `agreed` are the same made consistent, `factor` what rescaling multiplies them by.
    """

    items: Numbers
    edges: Numbers | None
    looks: Looks
    agreed: tuple[Floats, Floats] | None = None
    factor: float = 1.0


def trial(case: UserRecords, method: str, what: str, number: int, **changed: Any) -> Outcome:
    """One release, whose noise follows from the data set, the method, what it is for, and its number.

    `changed` parameters come in place of the usual ones; None leaves one out.
    """
    asked = {name: value for name, value in {**_usual(case, method), **changed}.items() if value is not None}
    task = Items("item", context=case.schema.names[1:], method=method, **asked)
    unit = Unit("user", max_rows=case.most)
    mechanism = mechanism_for(task, Request.of(task, case.schema, unit, case.epsilon))
    looks = Looks(case)
    noise = Noise(SeededSource(seed(case.name, case.epsilon, method, what, number)))
    summary = mechanism.measure(OnlyHistories(looks), noise)
    if isinstance(summary, SmoothedCounts):
        return _outcome([view.values for view in summary.parts], looks)
    assert isinstance(summary, ItemTables)
    found = _outcome([part.values for part in summary.parts], looks)
    factor = float(summary.facts().get("factor", 1.0))
    if not case.has_edges:
        return replace(found, factor=factor)
    items, edges = summary._agreed.tables
    return replace(found, agreed=(items, edges.reshape(case.edges.shape)), factor=factor)


def _usual(case: UserRecords, method: str) -> dict[str, Any]:
    """The parameters of the paper's section 6; lpa, fpa and gs count all records of everybody."""
    bound = min(case.bound, case.most) if method in SAMPLING else case.most
    return {"count": "records", "bound": bound, **({"probe": case.probe} if method == "hpa" else {})}


def _outcome(tables: list[Numbers], looks: Looks) -> Outcome:
    edges = tables[1].reshape(looks.case.edges.shape) if looks.case.has_edges else None
    return Outcome(tables[0], edges, looks)


def seed(*words: object) -> int:
    """A number from words, the same on every machine."""
    return seed_of(" ".join(str(word) for word in (SEED, *words)))
