"""The part of the page on the time that the methods take."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.privelet.page import STEM
from experiments.shared.findings import Results
from experiments.shared.page_parts import bullets, curve_table, entry, pictured


def computing_section(part: Results) -> Iterator[str]:
    yield "## Privelet, figures 13 and 14: time"
    yield ""
    yield from bullets(part["setting"])
    for key, figure in part["figures"].items():
        yield from pictured(figure, f"{STEM}-{key}.svg")
        yield from curve_table(figure, entry)
        yield ""
