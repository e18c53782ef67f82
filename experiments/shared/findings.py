"""What a paper says, and whether recorded numbers say the same.

Every verdict is computed. Reasons stand beside the statements and are shown only where one does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Results = Mapping[str, Any]
#: from recorded numbers a verdict, and the numbers behind it in words
Check = Callable[[Results], tuple[bool, str]]


@dataclass(frozen=True)
class Finding:
    """The verdict on one statement; `reason` says why it does not hold."""

    figure: str
    says: str
    holds: bool
    numbers: str
    reason: str


@dataclass(frozen=True)
class Statement:
    """What a paper says of a figure, how to test it, and why it may fail: one reason, or one on each line.

    `on`: the data sets it is about, if not all; `but`: those it leaves out; `needs`: what must be recorded of one.
    """

    figure: str
    says: str
    check: Check
    reason: str = ""
    on: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    needs: str = ""

    def about(self, name: str, part: Results) -> bool:
        wanted = name in self.on if self.on else name not in self.but
        return wanted and (not self.needs or self.needs in part or self.needs in part["methods"])

    def finding(self, results: Results, figure: str) -> Finding:
        """The verdict, under this name of the figure."""
        holds, numbers = self.check(results)
        return Finding(figure, self.says, holds, numbers, "" if holds else self.reason)


def by_data_set(statements: Iterable[Statement], results: Results) -> Iterator[Finding]:
    """The verdicts on every statement, on every data set that it is about and that was recorded."""
    for statement in statements:
        for name, part in results.items():
            if statement.about(name, part):
                yield statement.finding(part, f"{statement.figure}, {name}")
