"""What an address asks: every field of it, checked; the answer; and the same question in Python and on the shell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from discreet.charts import Picture
from discreet.cli.asking import ranges_of
from discreet.errors import BadParameter, CannotAnswer
from discreet.release import Release
from discreet.release.frame import Frame
from discreet.release.groups import groups_of
from discreet.release.levels import LEVEL
from discreet.schema import Schema
from discreet.web.analyst.drawing import check_view, picture_of, usual_view
from discreet.web.analyst.wording import Wording, named, options, wording
from discreet.web.shell.limits import MOST_GROUPS, MOST_ITEMS, Fields, among, number, text, texts, whole

VIEWS = {"table": "Table", "bars": "Bars", "line": "Line", "heat": "Heat map"}
SORTS = {"": "as declared", "count": "largest first"}


@dataclass(frozen=True)
class Answered:
    """What came out: a table, a single answer in words, or both; with its picture."""

    frame: Frame | None = None
    answer: Any = None
    picture: Picture | None = None
    notes: list[str] = field(default_factory=list)


def names_in(fields: Fields, key: str, schema: Schema) -> list[str]:
    """Attributes that were named one by one, or several with commas between them."""
    found = []
    for given in texts(fields, key):
        found += [given] if given in schema else [part.strip() for part in given.split(",") if part.strip()]
    return found


def own_queries(release: Release) -> list[str]:
    """Those that a release was made for, if it answers no others."""
    return [str(one) for one in release.manifest["task"].get("queries", ())]


def _level(fields: Fields) -> float:
    return number(fields, "level", LEVEL)


def _check_groups(by: Sequence[str], bins: Any, release: Release) -> None:
    if len(by) > len(release.schema):
        raise BadParameter(f"by: {len(by):,} groups of {len(release.schema):,} attributes; name each of them once")
    groups = groups_of(by, bins, release.schema, release.manifest["data_attributes"])
    rows = math.prod(len(labels) for _, labels, _ in groups)
    if rows > MOST_GROUPS:
        many = f"{rows:,}" if rows < 10**15 else "very many"
        raise CannotAnswer(
            f"this would be a table of {many} rows; here are at most {MOST_GROUPS:,}: use ranges or levels"
        )


@dataclass(frozen=True)
class Explore:
    """Counts by groups."""

    by: list[str]
    where: str
    bins: str
    view: str
    level: float
    sort: str

    @classmethod
    def read(cls, fields: Fields, release: Release) -> Explore:
        by = names_in(fields, "by", release.schema) or [release.schema.names[0]]
        view = among(fields, "view", ("", *VIEWS), "")
        sort = among(fields, "sort", ("", *SORTS), "")
        return cls(by, text(fields, "where"), text(fields, "bins"), view, _level(fields), sort)

    def fields(self) -> dict[str, Any]:
        level = "" if self.level == LEVEL else f"{self.level:g}"
        by = ",".join(self.by)
        return {"by": by, "where": self.where, "bins": self.bins, "view": self.view, "level": level, "sort": self.sort}

    def answer(self, release: Release) -> Answered:
        bins = ranges_of(self.bins or None)
        _check_groups(self.by, bins, release)
        frame = release.table(self.by, self.where or None, bins=bins, level=self.level)
        view = self.view or usual_view(frame, self.by, release.schema)
        if self.view:
            check_view(view, self.by, release.schema)
        picture = None if view == "table" else picture_of(view, frame, self.by, self.level)
        if self.sort:
            frame = release.table(self.by, self.where or None, bins=bins, level=self.level, sort=self.sort)
        return Answered(frame, None, picture, [*frame.notes, *filter(None, [release.note])])

    def words(self, folder: str) -> Wording:
        arguments = [repr(self.by), *([repr(self.where)] if self.where else [])]
        arguments += named(bins=(ranges_of(self.bins or None), None), level=(self.level, LEVEL), sort=(self.sort, ""))
        asked = [self.where] if self.where else []
        chosen = options(
            by=(",".join(self.by), ""), bins=(self.bins, ""), level=(self.level, LEVEL), sort=(self.sort, "")
        )
        return wording(folder, "table", arguments, ["query", *asked, *chosen])


@dataclass(frozen=True)
class Ask:
    """One count, or a share of another; or a statement in SQL."""

    where: str
    of: str
    sql: str
    level: float

    @classmethod
    def read(cls, fields: Fields, release: Release) -> Ask:
        asked = cls(text(fields, "where"), text(fields, "of"), text(fields, "sql"), _level(fields))
        if asked.sql and (asked.where or asked.of):
            raise BadParameter("sql: a statement says all that is asked; leave out `where` and `of`")
        if asked.of and not asked.where:
            raise BadParameter("of: a share is of those who also satisfy `where`; write that as well")
        return asked

    def fields(self) -> dict[str, Any]:
        level = "" if self.level == LEVEL else f"{self.level:g}"
        return {"where": self.where, "of": self.of, "sql": self.sql, "level": level}

    def answer(self, release: Release) -> Answered:
        if not (self.where or self.of or self.sql) and (own := own_queries(release)):
            return Answered(notes=[f"this release answers: {'; '.join(own)}"])
        if self.sql:
            frame = release.sql(self.sql, level=self.level)
            if len(frame) > MOST_GROUPS:
                raise CannotAnswer(f"this is a table of {len(frame):,} rows; here are at most {MOST_GROUPS:,}")
            return Answered(frame, notes=[*frame.notes, *filter(None, [release.note])])
        if self.of:
            return Answered(answer=release.share(self.where, of=self.of, level=self.level))
        return Answered(answer=release.count(self.where or None, level=self.level))

    def words(self, folder: str) -> Wording:
        more, chosen = named(level=(self.level, LEVEL)), options(level=(self.level, LEVEL))
        if self.sql:
            return wording(folder, "sql", [repr(self.sql), *more], ["query", "--sql", self.sql, *chosen])
        if self.of:
            arguments = [repr(self.where), f"of={self.of!r}", *more]
            return wording(folder, "share", arguments, ["share", self.where, "--of", self.of, *chosen])
        asked = [self.where] if self.where else []
        return wording(folder, "count", [*map(repr, asked), *more], ["query", *asked, *chosen])


@dataclass(frozen=True)
class Quantiles:
    """The median, or other quantiles, also by groups."""

    attribute: str
    share: str
    where: str
    by: list[str]
    bins: str
    level: float

    @classmethod
    def read(cls, fields: Fields, release: Release) -> Quantiles:
        known = [name for name in release.schema if hasattr(release.schema[name], "bins")]
        if not known:
            raise CannotAnswer("no attribute of this release has an order, so there are no quantiles; ask for counts")
        by = names_in(fields, "by", release.schema)
        attribute, share = text(fields, "attribute") or known[0], text(fields, "share") or "0.5"
        return cls(attribute, share, text(fields, "where"), by, text(fields, "bins"), _level(fields))

    @property
    def shares(self) -> list[float]:
        try:
            return [float(part) for part in self.share.split(",")]
        except ValueError:
            raise BadParameter(f"share: {self.share!r:.60} is not a share such as 0.5, or several: 0.25,0.5") from None

    def fields(self) -> dict[str, Any]:
        level, by = "" if self.level == LEVEL else f"{self.level:g}", ",".join(self.by)
        shown = {"attribute": self.attribute, "share": self.share, "where": self.where}
        return {**shown, "by": by, "bins": self.bins, "level": level}

    def answer(self, release: Release) -> Answered:
        bins = ranges_of(self.bins or None)
        _check_groups(self.by, bins, release)
        share: Any = self.shares[0] if len(self.shares) == 1 else self.shares
        common: dict[str, Any] = {"by": self.by, "bins": bins, "level": self.level}
        found = release.quantile(self.attribute, share, self.where or None, **common)
        if isinstance(found, Frame):
            return Answered(found, notes=[*found.notes, *filter(None, [release.note])])
        return Answered(answer=found, notes=[release.note] if release.note else [])

    def words(self, folder: str) -> Wording:
        share: Any = self.shares[0] if len(self.shares) == 1 else self.shares
        arguments = [repr(self.attribute), repr(share), *([repr(self.where)] if self.where else [])]
        arguments += named(by=(self.by, []), bins=(ranges_of(self.bins or None), None), level=(self.level, LEVEL))
        by = ",".join(self.by)
        chosen = options(where=(self.where, ""), by=(by, ""), bins=(self.bins, ""), level=(self.level, LEVEL))
        return wording(folder, "quantile", arguments, ["quantile", self.attribute, self.share, *chosen])


@dataclass(frozen=True)
class Comparing:
    """Which of two counts is larger, and how sure that is."""

    a: str
    b: str
    level: float

    @classmethod
    def read(cls, fields: Fields, release: Release) -> Comparing:
        return cls(text(fields, "a"), text(fields, "b"), _level(fields))

    def fields(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "level": "" if self.level == LEVEL else f"{self.level:g}"}

    def answer(self, release: Release) -> Answered:
        if not self.a and not self.b:
            return Answered()
        if not self.a or not self.b:
            raise BadParameter("compare: write both predicates, a and b")
        counts = [release.count(one, level=self.level) for one in (self.a, self.b)]
        columns: dict[str, Any] = {"": ["a", "b"], "where": [self.a, self.b]}
        columns |= {"count": [one.value for one in counts], "stderr": [one.stderr for one in counts]}
        columns |= {"low": [one.low for one in counts], "high": [one.high for one in counts]}
        found = release.compare(self.a, self.b, level=self.level)
        return Answered(Frame(columns), found, notes=[release.note] if release.note else [])

    def words(self, folder: str) -> Wording:
        more, chosen = named(level=(self.level, LEVEL)), options(level=(self.level, LEVEL))
        return wording(folder, "compare", [repr(self.a), repr(self.b), *more], ["compare", self.a, self.b, *chosen])


@dataclass(frozen=True)
class Top:
    """The largest items, with certainties."""

    k: int | None
    where: str
    per: list[str]
    level: float

    @classmethod
    def read(cls, fields: Fields, release: Release) -> Top:
        k = whole(fields, "k", 0, MOST_ITEMS) or None
        return cls(k, text(fields, "where"), names_in(fields, "per", release.schema), _level(fields))

    def fields(self) -> dict[str, Any]:
        level = "" if self.level == LEVEL else f"{self.level:g}"
        return {"k": self.k or "", "where": self.where, "per": ",".join(self.per), "level": level}

    def answer(self, release: Release) -> Answered:
        _check_groups(self.per, None, release)
        frame = release.top(self.k, self.where or None, per=self.per, level=self.level)
        return Answered(frame, notes=[*frame.notes, *filter(None, [release.note])])

    def words(self, folder: str) -> Wording:
        more = named(where=(self.where, ""), per=(self.per, []), level=(self.level, LEVEL))
        chosen = options(where=(self.where, ""), per=(",".join(self.per), ""), level=(self.level, LEVEL))
        size = [] if self.k is None else ["-k", str(self.k)]
        return wording(folder, "top", [*([str(self.k)] if self.k else []), *more], ["top", *size, *chosen])


Question = Explore | Ask | Quantiles | Comparing | Top
#: by the last part of their address
KINDS: dict[str, type[Question]] = {
    "explore": Explore,
    "ask": Ask,
    "quantile": Quantiles,
    "compare": Comparing,
    "top": Top,
}
