"""The part of the page on dyadic ranges."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.privelet.page import STEM
from experiments.privelet.page.numbers import error_text, in_short
from experiments.shared.findings import Results
from experiments.shared.page_parts import bullets, curve_table, pictured


def dyadic_section(part: Results) -> Iterator[str]:
    yield "## Sparse summaries, figure 8: dyadic ranges"
    yield ""
    yield from bullets(part["setting"])
    for key, figure in part["figures"].items():
        yield from pictured(figure, f"{STEM}-{key}.svg")
        lines = figure["lines"]
        yield from curve_table(figure, _entry)
        if "kept" in lines[0]:
            yield "| *numbers held* | " + " | ".join(f"{line['kept']:,.0f}" for line in lines) + " |"
        yield ""
    yield "### Intervals"
    yield ""
    yield (
        "Share of the ranges, all sizes alike, whose 95 % interval holds the truth, the stated bias of filtered "
        "summaries added at both ends. In brackets half the width of that interval over the mean error: about 2.5 "
        "where the noise is all there is, more where an interval must allow for what a summary left out."
    )
    yield ""
    yield "| method | uniform | clustered |"
    yield "|---|---:|---:|"
    for name in part["intervals"]["8a"]:
        found = [part["intervals"][key][name] for key in ("8a", "8b")]
        shown = " | ".join(f"{100 * one['covered']:.1f} % ({one['width']:.1f})" for one in found)
        yield f"| {name} | {shown} |"
    yield ""


def _entry(value: float, error: float) -> str:
    return f"{in_short(value)} ± {error_text(error)}" if error else in_short(value)
