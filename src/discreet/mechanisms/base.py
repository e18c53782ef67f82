"""What a mechanism is: which linear map, which scales, which post-processing, and what its answers leave out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from discreet.errors import BadParameter
from discreet.naming import did_you_mean
from discreet.privacy import Unit
from discreet.schema import Schema

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.summaries import Summary


@dataclass(frozen=True)
class Request:
    """The public facts a mechanism is made from; no data, and nothing derived from data."""

    schema: Schema
    unit: Unit
    epsilon: Fraction
    parameters: dict[str, Any] = field(default_factory=dict)


class Mechanism(ABC):
    """Made from a request, before anything is charged; then it measures once.

    Subclasses are found by their `tasks` and `method`; `parameters` names what the method takes, with a line on each.
    """

    tasks: ClassVar[tuple[str, ...]]
    method: ClassVar[str]
    parameters: ClassVar[dict[str, str]] = {}
    #: the sets of attributes to count by, if not by all at once; `measure` then gets a list of counts
    sets: tuple[tuple[str, ...], ...] | None = None
    #: what errors on an empty table say of others: "exact", the same; "empty", a start; "none", nothing
    rehearsal: str = "exact"
    #: whether `measure` looks at what users have, through `kept.Histories`, rather than at counts
    reads_histories: ClassVar[bool] = False
    #: whether it then needs rows: ready counts are not enough
    needs_rows: bool = False

    @property
    def looks(self) -> int:
        """How many looks at the histories it will take."""
        return 1

    def __init__(self, request: Request) -> None:
        for name in request.parameters:
            if name not in self.parameters:
                hint = f"{did_you_mean(name, self.parameters)} It takes {', '.join(self.parameters) or 'none'}"
                raise BadParameter(f"method {self.method!r} has no parameter {name!r}.{hint}")
        self.request = request
        #: what the release is about: usually the attributes that were asked for
        self.release_schema = request.schema

    @property
    @abstractmethod
    def cost(self) -> Fraction:
        """The epsilon of what `measure` does, derived again from its map and scales by `privacy.cost`."""

    @abstractmethod
    def measure(self, counts: Any, noise: Noise) -> Summary:
        """The one look at what is private: `Counts` over the whole schema, a list of them (one for each set), or
        `Histories`."""

    @abstractmethod
    def noise_law(self) -> dict[str, Any]:
        """The law of the noise, for release.json."""

    def chosen(self) -> list[dict[str, Any]]:
        """Every parameter in force: name, value, and where it came from ("given", "default: why")."""
        return []

    def bias(self) -> list[str]:
        """What the error bars leave out because of the method, in plain sentences."""
        return []
