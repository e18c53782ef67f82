"""What a spec file says, once it is read and found to be right."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from discreet.privacy import Unit
from discreet.schema import Periods, Schema
from discreet.tasks import Task


@dataclass(frozen=True)
class ReleaseSpec:
    """A release that the spec plans: the task and what it may cost."""

    name: str
    task: Task
    epsilon: Fraction
    #: a public file of the same schema, for `plan` to rehearse on
    like: str | None = None
    #: by class of questions ("" for all others): the error that is wanted, and the share of answers that keep within it
    within: dict[str, tuple[float, float | None]] = field(default_factory=dict)
    #: whether it is about all rows, and not about those of one period
    all_rows: bool = True
    #: by flag, the relative error above which a count carries it
    reliable: dict[str, float] | None = None


@dataclass(frozen=True)
class Spec:
    """Everything a spec file says. Relative paths in it start at `base`, the folder of the file."""

    schema: Schema
    unit: Unit = field(default_factory=Unit)
    source: str | list[str] | None = field(default=None, repr=False)  # an address may hold a password
    budget: Fraction | None = None
    ledger: str | None = field(default=None, repr=False)
    releases: dict[str, ReleaseSpec] = field(default_factory=dict)
    drafted: bool = False
    base: Path = Path()
    dataset: str = "data"
    delimiter: str | None = None
    encoding: str | None = None
    periods: Periods | None = None
    #: who stands behind the releases, and why they are made, in words
    about: dict[str, str] = field(default_factory=dict)
    #: whether rows may be fetched from an object store or a web site
    remote: bool = False

    def resolve(self, path: str) -> str:
        """A path of the spec as seen from here; database addresses stay as they are."""
        return path if "://" in path else str(self.base / path)
