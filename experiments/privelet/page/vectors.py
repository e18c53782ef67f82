"""The part of the page on the DPBench vectors."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.privelet.page.numbers import error_text, in_short
from experiments.shared.findings import Results
from experiments.shared.page_parts import bullets


def vectors_section(part: Results) -> Iterator[str]:
    yield "## DPBench vectors"
    yield ""
    yield from bullets(part["setting"])
    for key, title in (("1d", "One dimension"), ("2d", "Two dimensions")):
        found = part[key]
        names = list(found["rows"][0]["errors"])
        cells = " x ".join(f"{size:,}" for size in found["sizes"])
        yield f"### {title}, {cells} cells: scaled error in millionths"
        yield ""
        yield "| vector | records | questions | " + " | ".join(names) + " |"
        yield "|---|---:|---|" + "---:|" * len(names)
        for row in found["rows"]:
            errors = " | ".join(_millionths(*row["errors"][name]) for name in names)
            yield f"| {row['vector']} | {row['records']:,} | {row['workload']} | {errors} |"
        held = " | ".join(f"{100 * found['intervals'][name]:.1f} %" for name in names)
        yield f"| 95 % intervals that hold the truth | | | {held} |"
        yield ""
        left = ", ".join(f"by {name} {' and '.join(some) or 'none'}" for name, some in found["direct"].items())
        yield f"Left untransformed: {left}."
        yield ""


def _millionths(mean: float, error: float) -> str:
    return f"{in_short(1e6 * mean)} ± {error_text(1e6 * error)}"
