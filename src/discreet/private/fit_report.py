"""How well private rows fit what was declared: what `Data.check` and `discreet check --data` say. All private."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

PRIVATE = (
    "PRIVATE. Read from the rows, and as confidential as they are: never publish it, never put it into a release. It "
    "costs no budget. What you change in the spec becomes public: take domains and bounds that you could defend "
    "without having seen this."
)
#: a share of the rows that is worth a warning
MUCH = 0.05


@dataclass(frozen=True)
class FitWarning:
    """Something that would spoil a release: where, what, and what to do about it."""

    place: str
    message: str
    fix: str

    def __str__(self) -> str:
        return f"[{self.place}] {self.message}; {self.fix}"


@dataclass(frozen=True)
class AttributeFit:
    """The rows of one attribute: `inside` its domain, `beyond` its ends, `unread` (no number, date or label of it),
    `missing`; `lost` rows are not counted, by the rules `outside` and `null`. `examples` are values that are not
    inside, with their rows, most frequent first."""

    name: str
    inside: int
    beyond: int
    unread: int
    missing: int
    lost: int
    examples: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class UserFit:
    """Rows without a user, and for several bounds what share of the other rows would not count."""

    column: str
    declared: int
    users: int
    nobody: int
    lost: dict[int, float]


@dataclass(frozen=True)
class ReleaseFit:
    """A planned release: the rows that count, what is left after the bounds of the unit, how many cells they are in.

    `noise` is the standard deviation of plain noise on one count, `in_small_cells` the share of the records that are
    in cells of less than twice that.
    """

    name: str
    rows: int
    kept: int
    occupied: int
    cells: int
    noise: float
    in_small_cells: float


@dataclass(frozen=True)
class DataFit:
    """What was found. `print` shows it; `warnings` lists what would spoil a release."""

    source: str
    rows: int
    attributes: tuple[AttributeFit, ...]
    users: UserFit | None
    releases: tuple[ReleaseFit, ...]
    unused: tuple[str, ...]
    warnings: tuple[FitWarning, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, marked as private."""
        return {"private": PRIVATE, **asdict(self)}

    def __repr__(self) -> str:
        return f"DataFit(private, {len(self.warnings)} warnings; print it to read them)"

    def __str__(self) -> str:
        return "\n".join([PRIVATE, "", *self.lines()])

    def lines(self) -> Iterator[str]:
        """For people, without the mark."""
        yield f"{self.source}: {self.rows:,} rows"
        yield ""
        yield from _columns(self._attribute_rows())
        for one in self.attributes:
            if one.examples:
                yield f"  {one.name}, not in the domain: {_listed(one.examples)}"
        if self.users is not None:
            yield ""
            yield from self._user_lines(self.users)
        if self.releases:
            yield ""
            yield from _columns(self._release_rows())
        yield ""
        yield f"Columns that nothing uses: {', '.join(self.unused) or 'none'}"
        yield ""
        yield from (f"WARNING {one}" for one in self.warnings)
        if not self.warnings:
            yield "No warnings: the rows fit what the spec declares."

    def _attribute_rows(self) -> Iterator[Sequence[str]]:
        yield "attribute", "in the domain", "beyond its ends", "not of it", "missing", "not counted"
        for one in self.attributes:
            numbers = (one.beyond, one.unread, one.missing, one.lost)
            yield one.name, share(one.inside, self.rows), *(_some(number, self.rows) for number in numbers)

    def _user_lines(self, users: UserFit) -> Iterator[str]:
        yield f"Users: {users.users:,} in column {users.column}; {_some(users.nobody, self.rows)} of the rows have none"
        yield from _columns(
            [("max_rows", "rows that would not count")]
            + [
                (f"{bound:,}{' (declared)' if bound == users.declared else ''}", f"{100 * lost:.1f} %")
                for bound, lost in users.lost.items()
            ]
        )

    def _release_rows(self) -> Iterator[Sequence[str]]:
        yield "release", "rows that count", "after bounds", "occupied cells", "noise of a count", "in small cells"
        for one in self.releases:
            occupied = f"{one.occupied:,} of {one.cells:,}" if one.cells < 10**12 else f"{one.occupied:,}"
            noise, small = f"± {one.noise:,.3g}", f"{100 * one.in_small_cells:.0f} % of records"
            yield one.name, share(one.rows, self.rows), f"{one.kept:,}", occupied, noise, small


def share(part: int, whole: int) -> str:
    """A share in percent that is 0 or 100 only if it is nothing or all."""
    if part in (0, whole):
        return "100 %" if part else "0 %"
    return f"{min(max(100 * part / whole, 0.01), 99.99):.{2 if part < whole / 100 or part > 0.99 * whole else 1}f} %"


def _some(part: int, whole: int) -> str:
    return f"{part:,} ({share(part, whole)})" if part else "0"


def _listed(examples: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{text!r} ({rows:,})" for text, rows in examples)


def _columns(rows: Any) -> Iterator[str]:
    """Rows of texts, aligned; the first column to the left."""
    every = [tuple(row) for row in rows]
    widths = [max(len(row[place]) for row in every) for place in range(len(every[0]))]
    for row in every:
        first, *others = (text for text in row)
        padded = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(["", first.ljust(widths[0]), *padded])
