"""Drafting a spec from data: it loads, it covers the data, it is marked, and it leaks nothing by accident."""

from __future__ import annotations

import csv
import gzip
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import SourceError
from discreet.private.draft import draft_spec
from discreet.private.draft_domains import _crowded, _integers, _reals
from discreet.schema import Nominal, Ordinal
from discreet.spec import Spec, load_spec

PEOPLE = '''age,hours,joined,seen,sex,note,member,empty
17,0.5,2023-12-05,2020-01-01 10:00:00,Male,"a,b",true,
90,12.25,2024-03-05,2024-02-01 23:59:59,Female,"=1+1 ""quoted""",false,
30,,2024-01-05,2022-02-03 10:00:00,Female,"two
lines",false,
'''


def drafted(folder: Path, data: str | bytes, name: str = "people.csv") -> tuple[str, Spec]:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    text = draft_spec(path)
    (folder / "draft.toml").write_text(text, encoding="utf-8")
    return text, load_spec(folder / "draft.toml")


def drafted_parquet(folder: Path, **columns: Any) -> Spec:
    pq.write_table(pa.table(columns), folder / "people.parquet")
    (folder / "draft.toml").write_text(draft_spec(folder / "people.parquet"), encoding="utf-8")
    return load_spec(folder / "draft.toml")


def test_a_draft_loads_and_covers_the_data(tmp_path: Path) -> None:
    text, spec = drafted(tmp_path, PEOPLE)
    assert spec.schema["age"] == Ordinal(17, 90)
    assert spec.schema["hours"] == Ordinal(0.0, 13.0, 1.0)
    assert spec.schema["joined"] == Ordinal(date(2023, 12, 5), date(2024, 3, 5))
    assert spec.schema["seen"] == Ordinal(date(2020, 1, 1), date(2024, 2, 29), "month")
    assert spec.schema["sex"] == Nominal(["Female", "Male"])
    assert spec.schema["note"] == Nominal(['=1+1 "quoted"', "a,b", "two\nlines"])
    assert spec.schema["member"] == Nominal(["false", "true"])
    assert "empty" not in spec.schema
    assert '# [attributes."empty"] is left out: it is empty.' in text
    assert spec.source == str(tmp_path / "people.csv")
    assert (spec.dataset, spec.ledger) == ("people", "people.ledger")


def test_a_draft_is_marked_and_says_why(tmp_path: Path) -> None:
    text, spec = drafted(tmp_path, PEOPLE)
    assert spec.drafted
    before, after = text.split("drafted_from_private_data = true\n")
    assert all(line.startswith("#") for line in before.splitlines())
    for words in ("private data", "public knowledge", "remove the next line"):
        assert words in before
    (tmp_path / "reviewed.toml").write_text(before + after, encoding="utf-8")
    reviewed = load_spec(tmp_path / "reviewed.toml")
    assert not reviewed.drafted
    assert reviewed.releases["example"].epsilon == Fraction(1, 2)


def test_gzip_and_other_delimiters_are_read(tmp_path: Path) -> None:
    text = b"age;sex\n17;a\n90;b\n"
    assert drafted(tmp_path, gzip.compress(text), "people.csv.gz")[1].schema.names == ("age", "sex")


ODD_COLUMNS = {
    "python": ["True", "False", "True"],
    "capitals": ["TRUE", "FALSE", "TRUE"],
    "letter": ["t", "f", "f"],
    "british": ["31/12/2024", "01/02/2024", "05/06/2024"],
    "compact": ["20241231", "20240201", "20240605"],
    "slashes": ["2024/12/31", "2024-2-1", "2024-06-05"],
    "moment": ["2024-12-31 23:59:59", "2024-02-01T00:00:00Z", "2024-06-05 10:00"],
    "mixed": ["2024-12-31", "unknown", "2024-06-05"],
    "blanks": ["  a ", "a", " b"],
    "hexadecimal": ["0x10", "0x11", "12"],
    "half": ["1", "2.5", "3"],
    "unsure": ["1", "2", "about 3"],
    "boundless": ["1.5", "inf", "2"],
    "never": ["infinity", "-infinity", "infinity"],
    "far": ["99999-01-01", "2024-01-01", "2024-01-02"],
    "spelt": ["nan", "x", "y"],
    "quoted": ["two\nlines", "a,b", 'q"'],
    "long": ["9007199254740993", "9007199254740995", "9007199254740994"],
    "longer": ["1e20", "3e20", "200000000000000000000"],
}


@pytest.mark.parametrize("column", ODD_COLUMNS)
def test_publishing_a_draft_counts_every_row(tmp_path: Path, column: str) -> None:
    cells = [[value, str(row)] for row, value in enumerate(ODD_COLUMNS[column])]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[column, "row"], *cells])
    (tmp_path / "draft.toml").write_text(draft_spec(tmp_path / "people.csv"), encoding="utf-8")
    spec = load_spec(tmp_path / "draft.toml")
    data = discreet.open(tmp_path / "people.csv", spec.schema)
    counts = data.origin.bounded(spec.schema.select([column]), data.unit, b"salt").table()
    assert counts.counts.sum() == 3


def test_whole_numbers_beside_blanks_are_whole_as_pandas_writes_them(tmp_path: Path) -> None:
    assert drafted(tmp_path, "age,x\n12.0,1\n,2\n17.0,3\n")[1].schema["age"] == Ordinal(12, 17)


def test_a_value_that_very_many_rows_have_is_drafted_as_special(tmp_path: Path) -> None:
    rows = [
        f"{row * row * 7 if row % 2 else 0},{0.0 if row % 3 else row + 0.25},"
        f"{1950 + row % 50 if row % 5 else 1900}-06-01,{'none' if row % 4 else row % 31},{row % 80}\n"
        for row in range(1000)
    ]
    text, spec = drafted(tmp_path, "income,spent,day,job,age\n" + "".join(rows))
    special = {name: attribute.special for name, attribute in spec.schema.items()}
    assert special == {
        "income": ("0-199999",),
        "spent": ("[0, 50)",),
        "day": ("1900-01-01..1900-12-31",),
        "job": ("none",),
        "age": (),
    }
    before, after = text.split("drafted_from_private_data = true\n")
    assert "special values" in before
    lines = after.splitlines()
    places = [at for at, line in enumerate(lines) if line.startswith("special = ")]
    assert len(places) == 4
    for at in places:
        assert lines[at - 1].startswith("# ")
        assert "very many rows" in lines[at - 2]


RETAIL = "InvoiceNo,StockCode,sold,CustomerID,county,block,country\n" + "".join(
    f"{536000 + row // 5},item {row % 300},{1 + row % 12}/{1 + row % 28}/2010 {row % 24}:{row % 60:02},"
    f"{17000 + row % 40}.0,{row % 56 + 1:05},{440010301001000 + row},{'UK' if row % 3 else 'France'}\n"
    for row in range(1000)
)


def test_what_looks_like_an_id_is_the_unit_and_never_an_attribute(tmp_path: Path) -> None:
    text, spec = drafted(tmp_path, RETAIL)
    assert spec.unit == discreet.Unit("CustomerID", max_rows=50)
    assert spec.schema.names == ("sold", "county", "country")
    assert '# [attributes."InvoiceNo"] is left out: it looks like an id' in text
    assert "17000" not in text
    assert "536" not in text
    assert "# Columns that were read: 7. Below are 3 as attributes, 1 as the unit, 3 left out, with the reason." in text
    data = discreet.open(tmp_path / "people.csv", spec.schema, unit=spec.unit)
    assert data.publish(discreet.Table("country"), 1000).count().value == 1000


@pytest.mark.parametrize(
    ("name", "is_id"),
    [("id", True), ("Patient", True), ("userId", True), ("card_no", True), ("paid", False), ("number", False)],
)
def test_ids_are_told_by_their_names(tmp_path: Path, name: str, is_id: bool) -> None:
    rows = "".join(f"{1000 + row % 50},{row % 7}\n" for row in range(100))
    _, spec = drafted(tmp_path, f"{name},x\n{rows}")
    assert (name in spec.schema, spec.unit.is_row) == (not is_id, not is_id)
    _, spec = drafted(tmp_path, f"{name},x\n" + "".join(f"{row % 5},{row % 7}\n" for row in range(100)))
    assert name in spec.schema
    _, spec = drafted(tmp_path, f"{name},x\n" + "".join(f"{row % 50 + 0.5},{row % 7}\n" for row in range(100)))
    assert name in spec.schema


def test_ids_of_single_rows_are_left_out_and_no_unit(tmp_path: Path) -> None:
    text, spec = drafted(tmp_path, "id,x\n" + "".join(f"{row},{row % 7}\n" for row in range(100)))
    assert spec.schema.names == ("x",)
    assert spec.unit.is_row
    assert "with one row for each" in text


@pytest.mark.parametrize(
    ("dates", "written"),
    [
        (["12/1/2010 8:26", "1/31/2011 13:05"], "%m/%d/%Y %H:%M"),
        (["31/12/2010", "1/2/2011"], "%d/%m/%Y"),
        (["31.12.10", "1.2.11"], "%d.%m.%y"),
        (["01-Dec-2010", "15-JAN-2011"], "%d-%b-%Y"),
        (["12/31/2010 8:26 PM", "1/2/2011 12:00 AM"], "%m/%d/%Y %I:%M %p"),
        (["20101231", "20110102"], "%Y%m%d"),
    ],
)
def test_dates_are_recognised_by_their_format(tmp_path: Path, dates: list[str], written: str) -> None:
    rows = "".join(f"{day},{row}\n" for row, day in enumerate([*dates, ""]))
    text, spec = drafted(tmp_path, f"day,x\n{rows}")
    assert spec.schema["day"].reading.format == written
    assert f"# Read as dates written {written}." in text
    counts = discreet.open(tmp_path / "people.csv", spec.schema).origin.bounded(
        spec.schema.select(["day"]), discreet.Unit(), b"salt"
    )
    assert counts.table().counts.sum() == 2


def test_dates_that_can_be_read_in_two_ways_are_for_the_custodian_to_choose(tmp_path: Path) -> None:
    text, spec = drafted(tmp_path, "day,x\n1/2/2010,1\n3/4/2011,2\n")
    assert spec.schema["day"].reading.format == "%m/%d/%Y"
    assert "# Read as dates written %m/%d/%Y, though %d/%m/%Y would fit every row too: choose." in text


def test_numbers_of_days_in_a_typed_column_are_dates_too(tmp_path: Path) -> None:
    spec = drafted_parquet(tmp_path, day=[20101231, 20110102, None], number=[12345678, 99999999, 10000000])
    assert spec.schema["day"] == Ordinal(
        date(2010, 12, 31), date(2011, 1, 2), reading=discreet.Reading(format="%Y%m%d")
    )
    assert isinstance(spec.schema["number"], Ordinal)
    assert spec.schema["number"].kind == "integer"


def test_codes_stay_text_and_long_lists_are_offered_as_a_file(tmp_path: Path) -> None:
    text, spec = drafted(tmp_path, RETAIL)
    county = spec.schema["county"]
    assert isinstance(county, Nominal)
    assert county.labels[:2] == ("00001", "00002")
    assert "# Read as codes of 5 digits, kept as text." in text
    offer = text[text.index('# [attributes."block"] is left out: it has more than 200 codes of 15 digits.') :]
    lines = [line.removeprefix("# ") for line in offer.splitlines()[3:9]]
    assert lines[0] == "[attributes.block]"
    (tmp_path / "block.csv").write_text("block\n440010301001000\n440010301001001\n440070101001001\n")
    (tmp_path / "more.toml").write_text("\n".join(lines), encoding="utf-8")
    block = load_spec(tmp_path / "more.toml").schema["block"]
    assert isinstance(block, Nominal)
    assert (block.depth, block.node("44001"), block.outside) == (4, (0, 1), "other")
    assert '# values_csv = "StockCode.csv"' in text
    assert "item 1" not in text


def test_a_few_numbers_far_out_do_not_decide_the_ends(tmp_path: Path) -> None:
    """One order of 80,995 pieces must not put all others into one bin; far more of them are part of the domain."""
    pieces = [*range(1, 101)] * 30
    text, spec = drafted(tmp_path, "pieces\n" + "\n".join(map(str, [*pieces, 80_995, -80_995])))
    assert spec.schema["pieces"] == Ordinal(1, 100)
    assert "far beyond these ends" in text
    prices = drafted_parquet(tmp_path, price=[piece / 10 for piece in pieces] + [38_970.0]).schema["price"]
    assert isinstance(prices, Ordinal)
    assert prices.high == 10.0
    text, spec = drafted(tmp_path, "pieces\n" + "\n".join(map(str, [*pieces, *[80_995] * 100])))
    assert "far beyond" not in text
    wide = spec.schema["pieces"]
    assert isinstance(wide, Ordinal)
    assert wide.high >= 80_995  # type: ignore[operator]


def test_single_values_are_drafted_as_they_are(tmp_path: Path) -> None:
    spec = drafted_parquet(tmp_path, hours=[40] * 60 + list(range(100)), few=[0] * 150 + list(range(10)))
    assert spec.schema["hours"] == Ordinal(0, 99, special=[40])
    assert spec.schema["few"] == Ordinal(0, 9)


@given(st.dictionaries(st.integers(0, 99), st.integers(1, 1000)), st.sampled_from([2, 100]))
def test_special_values_stand_out(rows: dict[int, int], reach: int) -> None:
    found = _crowded(rows, reach)
    assert len(found) <= min(10, max(0, len(rows) - 1))
    for code in found:
        assert rows[code] >= max(sum(rows.values()) / 10, 10)
    even = dict.fromkeys(rows, 1000)
    assert _crowded(even, reach) == []


@pytest.mark.parametrize(("name", "mark"), [("people.csv", ";"), ("people.csv", "\t"), ("people.tsv", ",")])
def test_the_delimiter_is_drafted_where_a_reader_must_be_told(tmp_path: Path, name: str, mark: str) -> None:
    rows = mark.join(["age", "sex"]) + "\n" + mark.join(["17", "f"]) + "\n"
    spec = drafted(tmp_path, rows, name)[1]
    assert spec.delimiter == mark
    assert spec.schema.names == ("age", "sex")


def test_the_usual_delimiter_is_not_drafted(tmp_path: Path) -> None:
    assert drafted(tmp_path, "age;years,sex\n17,f\n")[1].delimiter is None
    assert drafted(tmp_path, "age\tsex\n17\tf\n", "people.tsv")[1].delimiter is None


def test_columns_without_any_number_are_left_out(tmp_path: Path) -> None:
    spec = drafted_parquet(tmp_path, x=[float("nan"), float("inf")], far=[date.max, None], age=[1, 2])
    assert spec.schema.names == ("age",)


def test_odd_parquet_columns_are_drafted_or_left_out_with_a_reason(tmp_path: Path) -> None:
    spec = drafted_parquet(
        tmp_path,
        real=[float("nan"), float("inf"), -0.25],
        wide=[-(10**9), 10**9, None],
        huge=pa.array([0, 2**64 - 1, 5], pa.uint64()),
        lists=[[1], [2], []],
        raw=[b"\xff", b"a", b"b"],
        **{'a"b\n[releases.x]': ["\x00", "=1", "é"]},
    )
    assert spec.schema.names == ("real", "wide", 'a"b\n[releases.x]')
    assert spec.schema["real"].code(-0.25) == 0
    wide = spec.schema["wide"]
    assert wide.size < 100
    assert (wide.code(-(10**9)), wide.code(10**9)) == (0, wide.size - 1)
    assert list(spec.releases) == ["example"]
    text = (tmp_path / "draft.toml").read_text(encoding="utf-8")
    for column in ("huge", "lists", "raw"):
        assert f'# [attributes."{column}"] is left out: ' in text


def test_a_column_with_very_many_labels_is_not_quoted(tmp_path: Path) -> None:
    rows = "".join(f"name-{row},{row % 3}\n" for row in range(500))
    text, spec = drafted(tmp_path, "name,group\n" + rows)
    assert spec.schema.names == ("group",)
    assert "name-1" not in text
    assert "more than 200 labels" in text


@pytest.mark.parametrize("data", [b"", b"name,age\n", b"name,age\nSECRET\xff\xfe,5\n", b"PAR1 SECRET"])
def test_a_file_that_cannot_be_drafted_is_told_without_its_contents(tmp_path: Path, data: bytes) -> None:
    for name in ("people.csv", "people.parquet"):
        if name == "people.csv" and data.startswith(b"PAR1"):
            continue
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError) as caught:
            draft_spec(tmp_path / name)
        assert name in str(caught.value)
        assert "SECRET" not in str(caught.value)


def test_ctrl_c_while_drafting_is_no_failure_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("discreet.private.draft._columns", stopped)
    with pytest.raises(KeyboardInterrupt):
        drafted(tmp_path, PEOPLE)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        draft_spec(tmp_path / "none.csv")


def test_nothing_is_left_beside_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    assert 'source = "people.csv"' in draft_spec("people.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@given(st.integers(-(10**15), 10**15), st.integers(0, 10**15))
def test_drafted_bins_of_integers_hold_both_ends(low: int, span: int) -> None:
    bins = _integers(low, low + span)
    assert bins.bins <= 1000
    assert 0 <= bins.code(low) <= bins.code(low + span)


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12).filter(lambda value: value == 0 or abs(value) > 1e-6))
def test_drafted_bins_of_reals_hold_both_ends(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    if low < high and high - low < 1e-3 * max(abs(low), abs(high)):
        return  # too fine for its size: such a column is left out
    bins = _reals(low, high)
    assert bins.bins <= 25
    assert 0 <= bins.code(low) <= bins.code(high)
