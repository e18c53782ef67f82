"""Opening sources: every mistake named before anything private is read, and nothing private ever shown or left."""

from __future__ import annotations

import gzip
import io
import logging
import stat
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from rich.traceback import Traceback

import discreet
from discreet.errors import BadParameter, DiscreetError, SourceError
from discreet.noise import ZeroNoise
from discreet.privacy import Unit
from discreet.private.engines.base import Source
from discreet.private.engines.counting_query import check, count, read
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import Limits, private_session
from discreet.schema import Nominal, Ordinal, Schema

ROW = Unit("row")
SALT = b"salt"
SCHEMA = Schema(age=Ordinal(0, 99, outside="other", null="drop"), sex=Nominal(["M", "F"], outside="other"))
CANARY = "canary7531902468"


def shown(counts: Any) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, counts.codes.tolist()), counts.counts.tolist(), strict=True))


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for all temporary files, which every test must leave empty."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# --- names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda _: pd.DataFrame({"age": [1], "sex": ["M"]}),
        lambda _: pl.DataFrame({"age": [1], "sex": ["M"]}),
        lambda _: pl.LazyFrame({"age": [1], "sex": ["M"]}),
        lambda _: pa.table({"age": [1], "sex": ["M"]}),
        lambda _: pa.record_batch({"age": [1], "sex": ["M"]}),
        lambda _: duckdb.sql("SELECT 1 AS age, 'M' AS sex"),
        lambda _: ibis.memtable(pa.table({"age": [1], "sex": ["M"]})),
        lambda folder: written(folder, "a.csv", "age,sex\n1,M\n"),
        lambda folder: str(written(folder, "a.TXT", "\ufeff age , sex \n1,M\n")),
        lambda folder: written(folder, "a.tsv.gz", gzip.compress(b'"age"\t"sex"\n1\tM\n')),
    ],
)
def test_columns(make: Callable[[Path], Any], tmp_path: Path) -> None:
    source = open_source(make(tmp_path))
    assert source.columns == ["age", "sex"]
    source.require(["sex", "age"])
    assert open_source(source) is source
    assert isinstance(source, Source)
    assert shown(count(source, SCHEMA, ROW, salt=SALT)) == {(1, 0): 1}
    assert "M" not in repr(source).replace("Memory", "")


def test_column_names_that_are_hard_to_quote(tmp_path: Path) -> None:
    names = ['say "hi"', "O'Brien", "a,b", "sélect", "", "count", "c0", "user"]
    schema = Schema({name: Ordinal(0, 9) for name in names if name})
    frame = pd.DataFrame([range(len(names))], columns=names)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet")
    for source in (frame, tmp_path / "rows.csv", tmp_path / "rows.parquet", pl.from_pandas(frame)):
        assert shown(count(source, schema, ROW, salt=SALT)) == {(0, 1, 2, 3, 5, 6, 7): 1}


# --- mistakes ---------------------------------------------------------------------------------------------------


def refused(thing: Any, match: str, **options: Any) -> None:
    with pytest.raises(DiscreetError, match=match):
        count(open_source(thing, **options), SCHEMA, ROW, salt=SALT)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    refused(tmp_path / "none.csv", "none.csv: there is no such file")
    refused(str(tmp_path / "none-*.csv"), "no file matches")
    refused(tmp_path, "is a folder")
    refused([], "empty")
    refused("ftp://example.org/a.csv", "URL")
    refused(written(tmp_path, "a.docx", "PK"), "its kind is unknown")
    refused(written(tmp_path, "a.parquet", "PAR1 but then nothing"), "complete Parquet")
    refused(written(tmp_path, "b.parquet", ""), "complete Parquet")


def test_files_without_a_header(tmp_path: Path) -> None:
    refused(written(tmp_path, "empty.csv", ""), "is empty")
    refused(written(tmp_path, "empty.csv.gz", gzip.compress(b"")), "is empty")
    refused(written(tmp_path, "blank.csv", "\n\n1,M\n"), "first line is blank")
    refused(written(tmp_path, "cut.csv.gz", gzip.compress(b"age,sex\n" * 999)[:15]), "first line cannot be read")
    refused(written(tmp_path, "long.csv", b"a" * 200_000), "first line cannot be read")
    with pytest.raises(SourceError, match="has none of the columns age, sex") as caught:
        count(written(tmp_path, "rows.csv", f"{CANARY},M\n1,F\n"), SCHEMA, ROW, salt=SALT)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("name", ["a[1]", "a*", "a?", "a'b", 'a"b', "a;b", "{a,b}", "a%20b"])
def test_a_name_that_looks_like_a_pattern_means_one_file(name: str, tmp_path: Path) -> None:
    for other in ("a1", "ab", "a", "b", "a b"):
        written(tmp_path, f"{other}.csv", "age,sex\n1,M\n")
        pq.write_table(pa.table({"age": [1], "sex": ["M"]}), tmp_path / f"{other}.parquet")
    path = written(tmp_path, f"{name}.csv", "age,sex\n2,F\n")
    pq.write_table(pa.table({"age": [2], "sex": ["F"]}), tmp_path / f"{name}.parquet")
    for one in (path, path.with_suffix(".parquet")):
        assert shown(count(one, SCHEMA, ROW, salt=SALT)) == {(2, 1): 1}


@pytest.mark.parametrize("folder", ["c0=F", "C1=u", "c0=7", "sex=F", "user=u"])
def test_a_folder_says_nothing_of_the_rows_of_a_csv_file(folder: str, tmp_path: Path) -> None:
    """Whatever its name means to engines that keep columns there."""
    (tmp_path / folder).mkdir()
    path = written(
        tmp_path / folder, "a.csv", "sex,user\n" + "".join(f"{'MF'[user % 2]},{user}\n" for user in range(9))
    )
    for unit in (ROW, Unit("user", 1)):
        assert shown(count(path, SCHEMA.select(["sex"]), unit, salt=SALT)) == {(0,): 5, (1,): 4}


def test_a_file_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, "a.csv", "age,sex\n1,M\n")
    monkeypatch.setattr(Path, "open", forbidden)  # a mode of 000 would not stop root
    refused(path, "cannot be read")


def test_wrong_delimiter(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "age;sex\n1;M\n")
    refused(path, "delimiter=';'")
    assert shown(count(open_source(path, delimiter=";"), SCHEMA, ROW, salt=SALT)) == {(1, 0): 1}
    refused(written(tmp_path, "b.csv", "age sex\n1 M\n"), "separates its columns")
    assert shown(count(open_source(written(tmp_path, "c.tsv", "age\tsex\n1\tM\n")), SCHEMA, ROW, salt=SALT)) == {
        (1, 0): 1
    }
    one = Schema(age=Ordinal(0, 9))
    assert shown(count(written(tmp_path, "d.csv", "age\n1\n"), one, ROW, salt=SALT)) == {(1,): 1}


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", 5])
def test_delimiters_that_are_none(delimiter: Any, tmp_path: Path) -> None:
    refused(written(tmp_path, "a.csv", "age,sex\n"), "delimiter", delimiter=delimiter)


def test_options_in_the_wrong_place(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1], "sex": ["M"]}), tmp_path / "a.parquet")
    for thing in (tmp_path / "a.parquet", pd.DataFrame({"age": [1]})):
        refused(thing, "CSV", delimiter=";")
        refused(thing, "CSV", encoding="latin-1")
    refused(written(tmp_path, "a.csv", "age,sex\n"), "'klingon' is unknown", encoding="klingon")


def test_duplicate_columns(tmp_path: Path) -> None:
    refused(written(tmp_path, "a.csv", "age,sex,age\n1,M,2\n"), "two columns, 1 and 3, have the same name")
    refused(written(tmp_path, "b.csv", "age,sex,Age\n1,M,2\n"), "two columns, 1 and 3, have the same name")
    refused(pd.DataFrame([[1, 2]], columns=["age", "age"]), "same name")
    refused(pa.table([[1], [2]], names=["age", "age"]), "same name")


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_columns_that_changed_places_name_nobody(ending: str, tmp_path: Path) -> None:
    """Of a file that was replaced since it was opened, no other column is taken for the one that names users."""

    def replaced(*columns: str) -> None:
        if ending == "csv":
            lines = [",".join(columns), *(",".join("7" if one == "user" else "1" for one in columns) for _ in range(9))]
            (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
        else:
            book = openpyxl.Workbook()
            for row in (columns, *([7 if one == "user" else 1 for one in columns] for _ in range(9))):
                book.active.append(row)
            book.save(tmp_path / "rows.xlsx")

    replaced("user", "age")
    schema, unit, source = Schema(age=Ordinal(0, 9)), Unit("user", 2), open_source(tmp_path / f"rows.{ending}")
    assert count(source, schema, unit, salt=SALT).counts.tolist() == [2]
    for columns in (("age", "user"), ("new", "user", "age"), ("age",)):
        replaced(*columns)
        with pytest.raises(SourceError):
            count(source, schema, unit, salt=SALT)
        if ending == "csv":  # before any charge, too
            with pytest.raises(SourceError, match="another one than when it was opened"):
                check(source, schema, unit)
    replaced("user", "age")
    assert count(source, schema, unit, salt=SALT).counts.tolist() == [2]


def test_missing_columns(tmp_path: Path) -> None:
    refused(pd.DataFrame({"age": [1], "sxe": ["M"]}), "no column 'sex'. Did you mean 'sxe'")
    refused(pl.DataFrame({"age": [1], "Sex": ["M"]}), "Did you mean 'Sex'")
    refused(written(tmp_path, "a.csv", "age,gender\n1,M\n"), "no column 'sex'")
    with pytest.raises(SourceError, match="'user'"):
        count(pa.table({"age": [1], "sex": ["M"]}), SCHEMA, Unit("user", 1), salt=SALT)


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    first = written(tmp_path, "a1.csv", "age,sex\n1,M\n")
    written(tmp_path, "a2.csv", "sex,age\nF,2\n")
    assert shown(count(tmp_path / "a*.csv", SCHEMA, ROW, salt=SALT)) == {(1, 0): 1, (2, 1): 1}
    assert shown(count([first, str(first)], SCHEMA, ROW, salt=SALT)) == {(1, 0): 1}
    written(tmp_path, "a3.csv", "sex,age,more\nF,2,3\n")
    refused(tmp_path / "a*.csv", "a3.csv: its columns differ")
    pq.write_table(pa.table({"age": [1], "sex": ["M"]}), tmp_path / "b1.parquet")
    pq.write_table(pa.table({"age": [1], "gender": ["M"]}), tmp_path / "b2.parquet")
    refused(tmp_path / "b*.parquet", "b2.parquet: its columns differ")
    refused([first, tmp_path / "b1.parquet"], "one kind")


@pytest.mark.parametrize("thing", [5, None, object(), {"age": [1]}, [1, 2], pa.array([1]), pd.Series([1]), duckdb])
def test_things_that_are_no_table(thing: Any) -> None:
    refused(thing, "cannot open")


def test_an_ibis_table_of_no_database() -> None:
    refused(ibis.table({"age": "int64", "sex": "string"}, name="t"), "not bound to a database")


# --- flaws in the rows ------------------------------------------------------------------------------------------

FLAWS: dict[str, tuple[str | bytes, dict[tuple[int, int], int]]] = {
    "short row": ("7\n", {}),
    "long row": (f"7,F,{CANARY},9\n", {(7, 1): 1}),
    "broken utf-8": (b"7,\xff\xfe\n", {(7, 2): 1}),
    "broken utf-8 in a number": (b"\xff7,F\n", {(100, 1): 1}),
    "text after quotes": ('7,"F"x\n', {}),
    "line end in quotes": ('7,"F\nF"\n', {(7, 2): 1}),
    "carriage return": ("7,F\r8,M\n", {(7, 1): 1, (8, 0): 1}),
    "zero byte": (b"7,\x00\n", {(7, 2): 1}),
    "very long line": (b"7," + CANARY.encode() * 200_000 + b"\n", {}),
    "blank line": ("\n", {}),
    "quoted number": ('"7","F"\n', {(7, 1): 1}),
    "blanks": (" 7 ,  F \n", {(7, 1): 1}),
}
SOUND = "".join(f"{age},{'MF'[age % 2]}\n" for age in range(3, 50))


@pytest.mark.parametrize("flaw", list(FLAWS))
@pytest.mark.parametrize("packed", [False, True])
def test_a_flawed_row_costs_no_other_row(flaw: str, packed: bool, tmp_path: Path) -> None:
    """Each flaw, in the midst of sound rows, changes its own row only."""
    raw, wanted = FLAWS[flaw]
    raw = raw.encode() if isinstance(raw, str) else raw
    content = b"age,sex\n" + SOUND.encode() + raw + SOUND.encode()
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(content) if packed else content)
    counts = shown(count(path, SCHEMA, ROW, salt=SALT, limits=Limits(4 if packed else 1)))
    for age in range(3, 50):
        counts[age, age % 2] -= 2
    rest = {cell: number for cell, number in counts.items() if number}
    if flaw == "text after quotes":  # what the field then says is the reader's business
        assert sum(rest.values()) <= 1
    else:
        assert rest == wanted


def test_an_open_quote_swallows_the_rest_without_a_word(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "age,sex\n" + SOUND + f'7,"{CANARY}\n' + SOUND)
    counts = [shown(count(path, SCHEMA, ROW, salt=SALT, limits=Limits(threads))) for threads in (1, 4)]
    assert counts[0] == counts[1]
    assert sum(counts[0].values()) == 47 + 1


def test_other_encodings(tmp_path: Path) -> None:
    schema = Schema(name=Nominal(["Zoë", "José"], outside="other"))
    for encoding in ("latin-1", "utf-16", "cp1252", "UTF8"):
        path = written(tmp_path, "a.csv", "name\nZoë\nJosé\nZoe\n".encode(encoding))
        assert shown(count(open_source(path, encoding=encoding), schema, ROW, salt=SALT)) == {
            (0,): 1,
            (1,): 1,
            (2,): 1,
        }


def test_parquet_with_text_that_is_not_utf_8(tmp_path: Path) -> None:
    offsets = pa.array([0, 1, 3, 4], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"M\xff\xfeF")])
    good = pa.array(["M", "F", None]).dictionary_encode()
    for number, sex in enumerate((broken, good)):
        pq.write_table(pa.table({"age": [1, 2, 3], "sex": sex}), tmp_path / f"{number}.parquet", row_group_size=2)
    assert shown(count(tmp_path / "*.parquet", SCHEMA, ROW, salt=SALT)) == {(1, 0): 2, (2, 1): 1, (2, 2): 1, (3, 1): 1}


def test_a_row_that_changes_the_reading_changes_no_other_user(tmp_path: Path) -> None:
    """A flaw makes the file be read in another way; what is kept of every other user must stay the same."""
    schema = Schema(name=Nominal([f"Zoë {k}" for k in range(20)]), age=Ordinal(0, 99))
    rows = "".join(f"Zoë {k % 20},{k},Jürgen {k % 20}\n" for k in range(100))
    unit = Unit("user", 2)
    plain = written(tmp_path, "a.csv", "name,age,user\n" + rows)
    flawed = written(tmp_path, "b.csv", b"name,age,user\n" + rows.encode() + b'\xff,"1\n",x,y\n')
    assert count(plain, schema, unit, salt=SALT) == count(flawed, schema, unit, salt=SALT)


# --- nothing shows, nothing stays -------------------------------------------------------------------------------


def corrupt_parquet(folder: Path) -> Path:
    """A sound footer over pages of rubbish."""
    path = folder / "corrupt.parquet"
    values = [f"{CANARY}{k}" for k in range(20_000)]
    table = pa.table({"age": pa.array(np.arange(20_000)), "sex": values})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[200:5000] = b"\xff" * 4800
    middle = len(content) // 2
    content[middle : middle + 5000] = b"\x7f" * 5000
    path.write_bytes(content)
    return path


def cut_gzip(folder: Path) -> Path:
    noise = np.random.default_rng(1).integers(0, 10**9, 20_000)
    text = "age,sex\n" + "".join(f"{number},{CANARY}{number}\n" for number in noise)
    return written(folder, "cut.csv.gz", gzip.compress(text.encode())[:-20_000])


def failing_relation(_: Path) -> Any:
    return duckdb.sql(f"SELECT 1 AS age, error('{CANARY}') AS sex FROM range(10)")


def failing_ibis(_: Path) -> Any:
    table = ibis.memtable(pa.table({"age": [1], "sex": [CANARY]}))
    return table.mutate(age=table.sex.cast("int64"))


class Exploding:
    def __str__(self) -> str:
        raise RuntimeError(CANARY)

    __repr__ = __eq__ = __hash__ = __str__  # type: ignore[assignment]


@pytest.mark.parametrize("make", [corrupt_parquet, cut_gzip, failing_relation, failing_ibis])
@pytest.mark.parametrize("unit", [ROW, Unit("age", 3)])
def test_failures_show_nothing(
    make: Callable[[Path], Any],
    unit: Unit,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    source = open_source(make(tmp_path))
    caplog.clear()
    error = None
    try:
        count(source, SCHEMA, unit, salt=SALT)
    except Exception as caught:
        error = caught
    assert type(error) is SourceError
    assert "could not be read to the end" in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    out = io.StringIO()
    Console(file=out, width=300).print(
        Traceback.from_exception(type(error), error, error.__traceback__, show_locals=True)
    )
    plain = traceback.TracebackException.from_exception(error, capture_locals=True)
    printed = capfd.readouterr()
    for text in (repr(error), out.getvalue(), "".join(plain.format()), caplog.text, printed.out, printed.err):
        assert CANARY not in text
    assert printed.out == printed.err == caplog.text == ""
    assert vars(error)["private_detail"]


def test_the_reason_is_kept_for_the_custodian() -> None:
    with pytest.raises(SourceError) as caught:
        count(failing_relation(Path()), SCHEMA, ROW, salt=SALT)
    assert CANARY in vars(caught.value)["private_detail"]


@pytest.mark.parametrize("unit", [ROW, Unit("sex", 1), Unit("age", 1, 1)])
def test_values_outside_show_nothing(
    unit: Unit, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    rows = pd.DataFrame({"age": ["1", CANARY, "200"], "sex": ["M", CANARY, CANARY]})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    with (tmp_path / "rows.csv").open("a") as file:
        file.write(f'{CANARY},"x"{CANARY},{CANARY}\n')
    caplog.clear()
    for source in (rows, tmp_path / "rows.csv"):
        schema = Schema(age=Ordinal(0, 99), sex=Nominal(["M"], outside="drop"))
        assert repr(count(source, schema, unit, salt=SALT)) == "Counts(private)"
    printed = capfd.readouterr()
    assert printed.out == printed.err == caplog.text == ""


def test_objects_that_refuse_to_be_shown() -> None:
    frame = pd.DataFrame({"age": [1, 2], "sex": ["M", "F"]})
    frame["sex"] = pd.Series([Exploding(), "F"], dtype=object)
    assert shown(count(frame, SCHEMA, ROW, salt=SALT)) == {(1, 2): 1, (2, 1): 1}


def test_the_private_folder(temporary: Path) -> None:
    with private_session(Limits()) as session:
        assert session.folder.parent == temporary
        assert stat.S_IMODE(session.folder.stat().st_mode) == 0o700
        setting = session.backend.raw_sql("SELECT current_setting('temp_directory')").fetchone()[0]
        assert Path(setting) == session.folder
        (session.folder / "rows").write_text(CANARY)
        off = "SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
        assert session.backend.raw_sql(off).fetchone() == (False, False)
    assert list(temporary.iterdir()) == []


def test_the_private_folder_goes_even_when_interrupted(temporary: Path) -> None:
    def interrupted() -> None:
        with private_session(Limits()) as session:
            (session.folder / "rows").write_text(CANARY)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(temporary.iterdir()) == []


def test_ctrl_c_while_counting_is_no_failure_to_read(tmp_path: Path) -> None:
    """DuckDB makes an error of it; a second, careful reading would publish what was to be stopped."""
    readings: list[int] = []

    def stopped(parts: list[Any]) -> None:
        readings.append(len(parts))
        raise RuntimeError("Query interrupted")

    (tmp_path / "rows.csv").write_text("age,sex\n1,M\n")
    source = open_source(str(tmp_path / "rows.csv"))
    assert source.has_careful_reading
    with pytest.raises(KeyboardInterrupt):
        read(source, SCHEMA, ROW, Limits(), stopped)
    assert readings == [1]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
def test_nothing_stays_in_the_engine_of_an_ibis_table() -> None:
    backend = ibis.duckdb.connect()
    backend.raw_sql("CREATE TABLE rows AS SELECT range % 10 AS age, 'M' AS sex, 1 AS u FROM range(100)")
    count(backend.table("rows"), SCHEMA, Unit("u", 3), salt=SALT)
    found = backend.raw_sql("SELECT table_name FROM duckdb_tables()").fetchall()
    assert found == [("rows",)]


def test_public_parameters_are_checked_first() -> None:
    with pytest.raises(BadParameter):
        count(failing_relation(Path()), SCHEMA, ROW, salt=SALT, limits=Limits(0))


@pytest.mark.parametrize("odd", [[], [7], [7.5, None], [b"x", ("a", 1)], [float("nan")]])
def test_what_stands_in_an_object_column_never_decides_between_success_and_error(odd: list[Any]) -> None:
    """Whoever sees a refusal, or sees none, must not learn what somebody's row holds."""
    people = [f"p{i}" for i in range(20)]
    frame = pd.DataFrame({"who": [*people, *odd], "sex": ["f", *["m"] * 19, *odd]}, dtype=object)
    schema = discreet.Schema(sex=discreet.Nominal(["f", "m"]))
    data = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=2))
    release = data.publish(discreet.Table(["sex"]), 1, noise=ZeroNoise())
    assert release.count().value == 20
    assert data.ledger.spent == 1


def test_an_object_column_without_any_value_is_read() -> None:
    schema = discreet.Schema(sex=discreet.Nominal(["f", "m"]))
    frame = pd.DataFrame({"who": [None, None], "sex": [None, "f"]}, dtype=object)
    data = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=2))
    assert data.publish(discreet.Table(["sex"]), 1, noise=ZeroNoise()).count().value == 0


@pytest.mark.parametrize("address", ["sqlite:///people.db::t", "duckdb:///people.duckdb::t"])
def test_a_database_in_a_file_is_a_path(address: str) -> None:
    with pytest.raises(SourceError, match=f'in front: "{address.partition(":///")[2]}"'):
        open_source(address)
