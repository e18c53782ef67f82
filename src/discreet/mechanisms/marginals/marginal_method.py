"""What the methods for marginals share: which tables, their weights, what is small, and one noise scale per table.

Guarantee: pure epsilon. One record counts once in every table, so noise of scale s_i on all cells of table i costs
sensitivity * sum of 1 / s_i, the generalised sensitivity of ireduct. Numerics: exact noise on whole numbers.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.marginals.marginal_queries import Families
from discreet.mechanisms.noise_scales import SharedBudget
from discreet.naming import ENDS_COLUMNS, did_you_mean, refuse_columns
from discreet.parameters import Flag, Form, Parameter, Parameters, Whole
from discreet.privacy import as_text, cost
from discreet.private.bounded import Bounded
from discreet.summaries import Summary
from discreet.summaries.marginal_tables import MarginalTables, Part, ScaleChoice
from discreet.summaries.query_answers import QueryAnswers

if TYPE_CHECKING:
    from discreet.noise import Noise

MOST_CELLS = 10**8
MOST_TABLES = 10_000

WAYS = Parameter("ways", Whole(), "All tables of this many attributes")
SETS = Parameter("sets", Form("a list of lists of attributes"), "The attributes of each table; usually given as `by`")
QUERIES = Parameter("queries", Form("a list of predicates, as text or dicts"), "Count queries instead of tables")
CONSISTENCY = Parameter(
    "consistency", Flag(), "Whether tables, or answers to queries, are made to agree, by least squares", False
)
TABLES: Parameters = (WAYS, SETS, QUERIES, CONSISTENCY)


class MarginalMethod(SharedBudget):
    """A method of `Marginals`: `tables` of exact counts in, noisy tables with their scales out."""

    tasks = ("marginals",)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        refuse_columns(request.schema, ENDS_COLUMNS, self.method)
        self.families = self._families()
        self.sets = self._sets() if self.families is None else ()
        tables = (math.prod(request.schema[name].size for name in names) for names in self.sets)
        #: how many numbers each table, or family of queries, has
        self.cells = list(tables) if self.families is None else [len(numbers) for numbers in self.families.members]
        if sum(self.cells) > MOST_CELLS:
            raise BadParameter(
                f"{self.method}: the tables have {sum(self.cells):,} cells together, more than {MOST_CELLS:,}; "
                "leave out the largest, or use wider bins"
            )
        self.consistent = CONSISTENCY not in self.parameters or self.value(CONSISTENCY)
        self.less_noise = f"raise epsilon, or ask for fewer than {len(self.cells)} tables"
        self.check_scale(len(self.cells) / self.budget)

    @abstractmethod
    def drawn_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        """Noisy values of each table, flat, with the noise that is in them. The only use of the exact counts."""

    def noisy_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        """The same, after a check that all draws cost no more than epsilon (the generalised sensitivity)."""
        parts = self.drawn_tables(tables, noise)
        inverse = [*self.size_spent, *(1 / scale for part in parts for scale in part.scales)]
        self.check_paid(cost(self.request.unit, sum(inverse, Fraction(0))))
        return parts

    @property
    def size_spent(self) -> list[Fraction]:
        """1 / scale of what was drawn besides the tables."""
        return []

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        schema = self.request.schema
        if self.families is not None:
            parts = self.noisy_tables(self.families.counts(data.table()), noise)
            texts = [str(where) for where in self.request.parameters["queries"]]
            boxes, members = self.families.boxes, self.families.members
            return QueryAnswers(schema, texts, boxes, members, parts, self.choice_of(parts), self.consistent)
        places = [[schema.names.index(name) for name in names] for names in self.sets]
        parts = self.noisy_tables([table.dense().reshape(-1) for table in data.tables(places)], noise)
        choice = self.choice_of(parts)
        return MarginalTables(schema, self.sets, parts, consistent=self.consistent, choice=choice)

    def choice_of(self, parts: list[Part]) -> ScaleChoice:
        """How much the scales depend on the noise that is published with them."""
        return ScaleChoice()

    @property
    def entries(self) -> int:
        return sum(self.cells)

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s), independent in every cell; s is one number "
            "for each table, see `summary`",
            "scales add up to": f"sum of 1 / s at most {as_text(self.budget)}",
        }

    def _families(self) -> Families | None:
        asked = self.request.parameters
        if "queries" not in asked:
            return None
        if "ways" in asked or "sets" in asked:
            raise BadParameter("give either queries or marginals (ways, or lists of attributes), not both")
        families = Families.of(asked["queries"], self.request.schema)
        most = "one record may count in one query of each"
        origin = most if families.exact else "a record counts in one of each at most"
        self.note_choice("families", len(families.members), f"from the queries: {origin}")
        return families

    def _sets(self) -> tuple[tuple[str, ...], ...]:
        schema, asked = self.request.schema, self.request.parameters
        if ("ways" in asked) == ("sets" in asked):
            raise BadParameter("name the marginals: either ways=2, or lists of attributes such as [['age', 'sex']]")
        if "ways" in asked:
            ways = WAYS.read(asked["ways"])
            if ways > len(schema):
                raise BadParameter(f"ways must be a whole number from 1 to {len(schema)}, not {ways!r}")
            if math.comb(len(schema), ways) > MOST_TABLES:
                raise BadParameter(
                    f"ways: over {MOST_TABLES:,} tables have {ways} attributes; name fewer attributes in `by`"
                )
            return tuple(itertools.combinations(schema, ways))
        if not isinstance(asked["sets"], list | tuple) or not asked["sets"]:
            raise BadParameter("marginals: sets must be lists of attributes, such as [['age', 'sex'], ['state']]")
        found = []
        for names in asked["sets"]:
            if not isinstance(names, list | tuple) or not names:
                raise BadParameter(f"marginals: {names!r} is not a list of attributes; write ['age', 'sex'] or ['age']")
            for name in names:
                if name not in schema:
                    raise BadParameter(f"marginals: {name!r} is not an attribute.{did_you_mean(name, schema)}")
            if len(set(names)) < len(names):
                raise BadParameter(f"marginals: {', '.join(names)} names an attribute twice; name it once")
            found.append(tuple(name for name in schema if name in names))  # in the order of the schema
        if len(set(found)) < len(found):
            raise BadParameter("marginals: a set of attributes is listed twice; keep one")
        return tuple(found)
