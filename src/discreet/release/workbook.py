"""A table as an Excel workbook, written by hand: plain XML in a ZIP, no formulas, the same bytes every time.

Texts are cells of text, so that none is ever run; those that look like a formula carry the mark by which a spreadsheet
keeps them as they are when they are edited.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from discreet.errors import CannotAnswer

MOST_ROWS, MOST_COLUMNS, MOST_TEXT = 1_048_576, 16_384, 32_767
_DAY_ZERO = date(1899, 12, 30).toordinal()
#: before it, spreadsheets count a day that never was
_FIRST_DAY = date(1900, 3, 1)
_LARGEST_WHOLE = 2**53
#: what XML cannot hold, and what looks like our way to write it
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_")
_PLAIN, _BOLD, _QUOTED, _DATE = range(4)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" quotePrefix="1"/>'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def workbook(columns: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str]) -> bytes:
    """The bytes of an .xlsx file: a sheet of answers with a header that stays in sight, and one of notes, if any."""
    if len(rows) >= MOST_ROWS or len(columns) > MOST_COLUMNS:
        raise CannotAnswer(f"Excel holds {MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns; write .csv or .parquet")
    sheets = {"answers": _sheet([columns, *rows])}
    if notes:
        sheets["notes"] = _sheet([["notes"], *([note] for note in notes)])
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    parts = {f"xl/worksheets/sheet{number}.xml": text for number, text in zip(numbers, sheets.values(), strict=True)}
    parts["xl/workbook.xml"] = f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{listed}</sheets></workbook>'
    parts["xl/styles.xml"] = _STYLES
    linked = [(f"worksheets/sheet{number}.xml", "worksheet") for number in numbers]
    parts["xl/_rels/workbook.xml.rels"] = _relations([*linked, ("styles.xml", "styles")])
    parts["_rels/.rels"] = _relations([("xl/workbook.xml", "officeDocument")])
    parts["[Content_Types].xml"] = _types(len(sheets))
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(parts):  # which puts [Content_Types].xml first
            file.writestr(zipfile.ZipInfo(name), _HEAD + parts[name], zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def _sheet(rows: Iterable[Sequence[Any]]) -> str:
    pane = '<pane ySplit="1" topLeftCell="A2" state="frozen"/>'
    view = f'<sheetViews><sheetView workbookViewId="0">{pane}</sheetView></sheetViews>'
    lines = []
    for number, row in enumerate(rows, 1):
        cells = "".join(_cell(value, f"{_letters(place)}{number}", number == 1) for place, value in enumerate(row))
        lines.append(f'<row r="{number}">{cells}</row>')
    return f'<worksheet xmlns="{_MAIN}">{view}<sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(value: Any, at: str, head: bool) -> str:
    """Empty for an end that is not there; a text for all that is neither a number nor a date that Excel knows."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= _LARGEST_WHOLE):
        return f'<c r="{at}"><v>{value!r}</v></c>'
    if isinstance(value, date) and value >= _FIRST_DAY:
        return f'<c r="{at}" s="{_DATE}"><v>{value.toordinal() - _DAY_ZERO}</v></c>'
    text = str(value)
    if len(text) > MOST_TEXT:
        raise CannotAnswer(f"a text of {len(text):,} letters is too long for Excel; write .csv or .parquet")
    written = escape(_UNWRITABLE.sub(_coded, text))
    style = _BOLD if head else _QUOTED if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else _PLAIN
    return f'<c r="{at}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{written}</t></is></c>'


def _coded(found: re.Match[str]) -> str:
    """As Excel writes it: by number; and of what would be read so, the first letter by its number."""
    text = found[0]
    return f"_x{ord(text[0]):04X}_{text[1:]}"


def _letters(place: int) -> str:
    found = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        found, place = chr(ord("A") + letter) + found, place - 1
    return found


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    found = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for number, (target, kind) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{found}</Relationships>'


def _types(sheets: int) -> str:
    parts = [(f"/xl/worksheets/sheet{number}.xml", "worksheet") for number in range(1, sheets + 1)]
    parts += [("/xl/workbook.xml", "sheet.main"), ("/xl/styles.xml", "styles")]
    listed = "".join(f'<Override PartName="{part}" ContentType="{_TYPE}.{kind}+xml"/>' for part, kind in parts)
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return f'<Types xmlns="{_PACKAGE}/content-types">{default}{listed}</Types>'
