"""The last part of the page on sampled-analytics: what goes beyond the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.sampled_analytics.checks.verdicts import NEW
from experiments.sampled_analytics.page.sections import entry
from experiments.shared.findings import Results


def beyond(results: Results) -> Iterator[str]:
    yield "## Beyond the paper"
    yield ""
    yield "### Consistency: items and edges combined by inverse variance"
    yield ""
    yield "The figures above have the counts as they were drawn. A release answers with the consistent ones."
    yield ""
    yield "| data set | counts | method | error | consistent | ratio | top 10, % | consistent, % |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    for name, part in results.items():
        for kind, rows in part.get("consistent", {}).items():
            for method, row in rows.items():
                errors = " | ".join(entry(row[key]) for key in ("mse", "agreed mse", "gain"))
                tops = " | ".join(entry(row[key], percent=True) for key in ("top", "agreed top"))
                yield f"| {name} | {kind} | {method} | {errors} | {tops} |"
    yield ""
    yield from _causes(results)
    yield "### Rescaled counts"
    yield ""
    yield "With `rescale`, counts are multiplied by a factor from a noisy total of all records. Mean squared errors."
    yield ""
    heads = "plain | rescaled | by the exact factor"
    yield f"| data set | method | factor | items, {heads} | edges, {heads} |"
    yield "|---|---|---:|" + "---:|" * 6
    for name, part in results.items():
        for method, row in part["rescaled"].items():
            cells = [entry(row["factor"])]
            for kind in part["methods"]:
                cells += [entry(row[kind]["plain"]), entry(row[kind]["rescaled"])]
                cells.append(entry(part["causes"][method][f"{kind}, rescaled"]))
            yield f"| {name} | {method} | " + " | ".join([*cells, "", "", ""][:7]) + " |"
    yield ""
    yield from _guesses(results)
    yield "### fpa with a number of coefficients that is given"
    yield ""
    yield (
        "The best of a few numbers of frequencies, picked by the true error, which is not private and here to compare: "
        "how much of fpa's error comes from the private choice."
    )
    yield ""
    yield "| data set | counts | frequencies | error | fpa as in the figures | sra |"
    yield "|---|---|---:|---:|---:|---:|"
    for name, part in results.items():
        for kind, row in part["frequencies"].items():
            drawn, sra = (entry(part["methods"][kind][method]["mse"]) for method in ("fpa", "sra"))
            yield f"| {name} | {kind} | {row['frequencies']} | {entry(row['mse'])} | {drawn} | {sra} |"
    yield ""


def _guesses(results: Results) -> Iterator[str]:
    yield "### The l of equation 22"
    yield ""
    yield (
        "For sra's items, with the true number of users and of records of each, and the popularity of the average "
        "item, the root mean square of all, and that of the most popular item; and the best l of figure 6."
    )
    yield ""
    kinds = [row["popularity"] for row in next(iter(results.values()))["guessed"]]
    yield "| data set | best l | error | " + " | ".join(f"{kind} | error" for kind in kinds) + " |"
    yield "|---|---:|---:|" + "---:|---:|" * len(kinds)
    for name, part in results.items():
        curve = next(line for line in part["figures"]["6-items"]["lines"] if line["name"] == "sra")
        best = curve["y"].index(min(curve["y"]))
        cells = [f"{row['bound']} | {entry(row['mse'])}" for row in part["guessed"]]
        yield (
            f"| {name} | {curve['x'][best]} | {entry([curve['y'][best], curve['se'][best]])} | "
            + " | ".join(cells)
            + " |"
        )
    yield ""


def _causes(results: Results) -> Iterator[str]:
    """What the reasons given for statements that do not hold rest on."""
    yield "### Causes: noise, and the popularity"
    yield ""
    yield (
        "The same releases as in figures 7 and 8, with the counts of the kept records before noise, and hpa with the "
        "true popularity as public scores. Neither is private; both show where errors come from."
    )
    yield ""
    heads = ("divergence", "without noise", "reverse", "without noise", "top 10, %", "without noise, %")
    yield "| data set | counts | method | " + " | ".join(heads) + " | with the true popularity, % |"
    yield "|---|---|---|" + "---:|" * (len(heads) + 1)
    for name, part in results.items():
        for kind, methods in part["methods"].items():
            for method in NEW:
                cause = part["causes"][method]
                cells = []
                for measure in ("kl", "kl back", "top"):
                    pairs = methods[method][measure], cause[f"{kind}, {measure}"]
                    cells += [entry(pair, percent=measure == "top") for pair in pairs]
                known = cause.get(f"known, {kind}, top")
                yield f"| {name} | {kind} | {method} | " + " | ".join(cells) + f" | {_percent(known)} |"
    yield ""


def _percent(pair: list[float] | None) -> str:
    return "" if pair is None else entry(pair, percent=True)
