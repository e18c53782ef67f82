"""An evaluation as files for the custodian: a table, and charts in one HTML page and as PNG. All of it is private."""

from __future__ import annotations

import csv
import html
import json
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from discreet.evaluate.trials import Json

MARK = "PRIVATE. Errors against the true counts: as confidential as the data. Never publish, never put into a release."
MEASURES = ("absolute", "relative", "squared", "covered", "width", "bounds", "divergence", "top")
CHARTED = ("absolute", "relative", "covered", "divergence", "top")
NO_CHARTS = "no charts were drawn; pip install 'discreet[charts]' and run again: finished trials are kept"
SCHEMA_URL = "https://vega.github.io/schema/vega-lite/v5.json"


def summarised(lines: Sequence[Json]) -> list[Json]:
    """Mean and standard error over trials, for each workload, method and epsilon."""
    groups: dict[tuple[str, str, str], list[Json]] = {}
    for line in lines:
        if "workload" in line and "absolute" in line:
            groups.setdefault((line["workload"], line["method"], line["epsilon"]), []).append(line)
    table = []
    for (workload, method, epsilon), mine in groups.items():
        row: Json = {"workload": workload, "method": method, "epsilon": epsilon, "trials": len(mine)}
        for measure in MEASURES:
            values = [line[measure] for line in mine if measure in line]
            if values:
                row[measure] = float(np.mean(values))
                row[f"{measure} se"] = float(np.std(values, ddof=1) / len(values) ** 0.5) if len(values) > 1 else 0.0
        table.append(row)
    return table


def columns_of(table: Sequence[Json]) -> list[str]:
    """The columns to show: the measures only where one was taken."""
    taken = [name for name in MEASURES if any(name in row for row in table)]
    return ["workload", "method", "epsilon", "trials", *taken]


def write(folder: Path, title: str, lines: Sequence[Json]) -> list[Path]:
    """The table as CSV, and the charts if they can be drawn; returns what was written."""
    table = summarised(lines)
    rows = folder / "errors.csv"
    with rows.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns_of(table), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(table)
    (folder / "PRIVATE.txt").write_text(MARK + "\n", encoding="utf-8")
    spec = chart(title, table)
    (folder / "errors.vl.json").write_text(json.dumps(spec, indent=1) + "\n", encoding="utf-8")
    return [rows, *(_drawn(folder, title, spec, table) if can_draw() else [])]


def can_draw() -> bool:
    """Whether the extra `charts` is installed."""
    return find_spec("vl_convert") is not None


def chart(title: str, table: Sequence[Json]) -> Json:
    """Error against epsilon, a line for each method, a panel for each workload: a Vega-Lite chart."""
    shown = [name for name in columns_of(table) if name in CHARTED]
    values = [
        {
            "workload": row["workload"],
            "method": row["method"],
            "epsilon": float(Fraction(row["epsilon"])),
            "measure": measure,
            "error": row[measure],
            "low": max(row[measure] - 2 * row[f"{measure} se"], 0.0),
            "high": row[measure] + 2 * row[f"{measure} se"],
        }
        for row in table
        for measure in shown
        if measure in row
    ]
    x = {"field": "epsilon", "type": "quantitative", "scale": {"type": "log"}}
    colour = {"field": "method", "type": "nominal", "scale": {"scheme": "tableau20"}}
    panels = []
    for measure in shown:
        y: Json = {"field": "error", "type": "quantitative", "title": measure}
        if measure in ("absolute", "relative", "divergence"):
            positive = [value["error"] for value in values if value["measure"] == measure and value["error"] > 0]
            y["scale"] = {"type": "symlog", "constant": min(positive, default=1.0)}
        spread = {"x": x, "y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}, "color": colour}
        layers = [
            {"mark": {"type": "line", "point": True}, "encoding": {"x": x, "y": y, "color": colour}},
            {"mark": {"type": "rule", "opacity": 0.5}, "encoding": spread},
        ]
        panels.append(
            {
                "transform": [{"filter": f"datum.measure == '{measure}'"}],
                "facet": {"field": "workload", "type": "nominal"},
                "columns": 3,
                "spec": {"width": 220, "height": 160, "layer": layers},
                "resolve": {"scale": {"y": "independent"}},
            }
        )
    heading = {"text": title, "subtitle": MARK}
    return {"$schema": SCHEMA_URL, "title": heading, "data": {"values": values}, "vconcat": panels}


def _drawn(folder: Path, title: str, spec: Json, table: Sequence[Json]) -> list[Path]:
    import vl_convert as vegalite

    page, picture = folder / "errors.html", folder / "errors.png"
    drawn = vegalite.vegalite_to_html(spec, bundle=True)
    page.write_text(drawn.replace("<body>", f"<body>{_heading(title, table)}", 1), encoding="utf-8")
    picture.write_bytes(vegalite.vegalite_to_png(spec, scale=1.5))
    return [page, picture]


def _heading(title: str, table: Sequence[Json]) -> str:
    columns = columns_of(table)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = ""
    for row in table:
        values = [row.get(name, "") for name in columns]
        texts = [f"{value:,.4g}" if isinstance(value, float) else str(value) for value in values]
        body += "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in texts) + "</tr>"
    return f"<h1>{html.escape(title)}</h1><p><strong>{MARK}</strong></p><table><tr>{head}</tr>{body}</table>"
