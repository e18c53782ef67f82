"""The part of the page on the census table: settings, charts and tables."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.privelet.page import STEM
from experiments.privelet.page.numbers import in_short
from experiments.privelet.trials.splits import MOST_QUESTIONS
from experiments.shared.findings import Results
from experiments.shared.page_parts import bullets


def census_section(part: Results) -> Iterator[str]:
    yield "## Privelet, figures 9 to 12: a census table"
    yield ""
    yield from bullets(part["setting"])
    sizes = sorted({row["times"] for row in part["stated"]})
    for kind in ("coverage", "selectivity"):
        for times in sizes:
            keys = [key for key in part["figures"] if key.startswith(f"{kind}-{times}-")]
            people = times * part["facts"]["people"]
            yield f"### Error by {kind}, {people:,} people"
            yield ""
            for key in keys:
                yield f"![{part['figures'][key]['title']}]({STEM}-{key}.svg)"
            yield ""
            yield from _fifths(part["figures"], keys, kind)
    yield from _stated(part)
    yield from _added_up(part)


def _fifths(figures: Results, keys: list[str], kind: str) -> Iterator[str]:
    names = [line["name"] for line in figures[keys[0]]["lines"]]
    yield f"| epsilon | mean {kind} | " + " | ".join(names) + " |"
    yield "|---:|---:|" + "---:|" * len(names)
    for key in keys:
        lines = figures[key]["lines"]
        for place, x in enumerate(lines[0]["x"]):
            errors = " | ".join(in_short(line["y"][place]) for line in lines)
            where = "0" if kind == "selectivity" and x <= 1e-6 else f"{x:.2g}"
            yield f"| {key.rsplit('-', 1)[1]} | {where} | {errors} |"
    yield ""


def _stated(part: Results) -> Iterator[str]:
    yield "### Stated and true errors"
    yield ""
    yield (
        "Share of the questions whose 95 % interval holds the truth, and in brackets the root mean square error over "
        "that of the stated standard errors. The questions of a column share one noisy table, so shares scatter. "
        "Thresholding is no part of the stated error: privelet* has the interval of the coefficients before it."
    )
    yield ""
    names = list(part["stated"][0]["methods"])
    yield "| people | epsilon | " + " | ".join(names) + " |"
    yield "|---:|---:|" + "---:|" * len(names)
    for row in part["stated"]:
        found = [row["methods"].get(name) for name in names]
        cells = " | ".join(f"{100 * one['covered']:.1f} % ({one['ratio']:.2f})" if one else "" for one in found)
        yield f"| {row['times'] * part['facts']['people']:,} | {row['epsilon']:g} | {cells} |"
    yield ""


def _added_up(part: Results) -> Iterator[str]:
    yield "### How errors add up"
    yield ""
    yield (
        f"Questions over all ages and both sexes are sums over {part['facts']['combinations']} pairs, up to "
        f"{MOST_QUESTIONS} of them in each fifth by coverage. Their mean absolute error, and in brackets what it would "
        "be if the errors of the pairs were as large as they are but independent."
    )
    yield ""
    yield "| people | epsilon | fifth by coverage | questions | privelet+ | privelet* |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for row in part["added_up"]:
        people = f"{row['times'] * part['facts']['people']:,}"
        plus, star = (row["methods"][name] for name in ("privelet+", "privelet*"))
        for fifth, one in plus.items():
            errors = " | ".join(f"{some['measured']:,.0f} ({some['independent']:,.0f})" for some in (one, star[fifth]))
            yield f"| {people} | {row['epsilon']:g} | {int(fifth) + 1} | {one['questions']} | {errors} |"
    yield ""
