"""What must not show does not show: no canary in any byte written or printed, and nothing that depends on data.

Record/replay: neighbouring inputs under the same scripted bits must make the same calls, files, words and exit codes.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.__main__ import main
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.noise.source import Stream

#: as text and as a number, in whatever column they stand
CANARIES = {
    "outside": "kanari-outside",
    "dropped": "kanari-dropped",
    "number": "90210777",
    "user": "kanari-user",
    "unused": "kanari-unused",
    "malformed": "kanari-malformed",
    "head": "kanari-head",
}
SPEC = """\
[data]
source = "SOURCE"
name = "people"
[privacy]
unit = "person"
max_rows = 2
budget = 3
ledger = "people.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 4
outside = "drop"
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
outside = "OUTSIDE"
[releases.a]
task = "table"
by = ["age", "sex"]
epsilon = 1
method = "geometric"
"""
TASK = discreet.Table(["age", "sex"], method="geometric")
LOGGED = """
import logging, sys, warnings
logging.captureWarnings(True)
warnings.simplefilter("always")
logging.basicConfig(level=1, filename="everything.log", force=True)
from discreet.__main__ import main
main()
"""


def lines(rows: int = 400) -> list[bytes]:
    """CSV with a canary wherever the schema does not want the value; all of its people are canaries too."""
    people = [f"{CANARIES['user']}-{row % 90},{row % 5},{'fm'[row % 2]},{CANARIES['unused']}" for row in range(rows)]
    odd = [
        f"{CANARIES['user']}-x,1,{CANARIES['outside']},x",
        f"{CANARIES['user']}-x,{CANARIES['dropped']},f,x",
        f"{CANARIES['user']}-x,{CANARIES['number']},f,x",
        f",1,f,{CANARIES['dropped']}",
    ]
    return [text.encode() for text in ["person,age,sex,note", *people, *odd]]


MALFORMED = [
    f"{CANARIES['malformed']},1,f,x,{CANARIES['malformed']},{CANARIES['malformed']}".encode(),
    CANARIES["malformed"].encode(),
    b"\xff\xfe" + CANARIES["malformed"].encode() + b"\xff,\xff,\xff,\xff",
    f'{CANARIES["malformed"]},1,f,a"{CANARIES["malformed"]}"b'.encode(),
    f'{CANARIES["malformed"]},1,"two\n{CANARIES["malformed"]}",x'.encode(),
    f"{CANARIES['malformed']},1,f,".encode() + CANARIES["malformed"].encode() * 200_000,
]


def leaks(content: bytes) -> list[str]:
    forms: dict[str, tuple[bytes, ...]] = {
        name: (text.encode(), text.encode("utf-16-le")) for name, text in CANARIES.items()
    }
    packed = int(CANARIES["number"])
    forms["number"] += (packed.to_bytes(8, "little"), packed.to_bytes(8, "big"), np.float64(packed).tobytes())
    return [name for name, texts in forms.items() if any(text in content for text in texts)]


def written(place: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every file below, and of what is packed inside."""
    for path in sorted(place.rglob("*")):
        yield str(path.relative_to(place)), str(path).encode()
        if path.is_file():
            yield str(path.relative_to(place)), path.read_bytes()
        if path.suffix == ".parquet":
            yield str(path.relative_to(place)), repr(pq.read_table(path).to_pydict()).encode()
            yield str(path.relative_to(place)), repr(pq.ParquetFile(path).metadata.to_dict()).encode()


def publish(place: Path) -> subprocess.CompletedProcess[bytes]:
    """`discreet publish` in a process whose every way to write leads below `place`."""
    for name in ("home", "tmp", "work"):
        (place / name).mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-X", "dev", "-c", LOGGED, "publish", "people.toml", "a"],
        cwd=place / "work",
        env={
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "HOME": str(place / "home"),
            "TMPDIR": str(place / "tmp"),
        },
        capture_output=True,
        timeout=120,
    )


@pytest.mark.parametrize("outside", ["drop", "other"])
def test_canaries_are_in_no_byte_written_or_printed(tmp_path: Path, outside: str) -> None:
    data = tmp_path / "data" / "people.csv"
    data.parent.mkdir()
    data.write_bytes(b"\n".join([*lines(), *MALFORMED, *lines()[1:]]) + b"\n")
    assert set(leaks(data.read_bytes())) == set(CANARIES) - {"head"}, "the search itself works"
    place = tmp_path / "all"
    (place / "work").mkdir(parents=True)
    (place / "work" / "people.toml").write_text(SPEC.replace("SOURCE", str(data)).replace("OUTSIDE", outside))

    done = publish(place)
    assert done.returncode == 0, done.stderr
    assert leaks(done.stdout + done.stderr) == []
    assert [(name, found) for name, content in written(place) if (found := leaks(content))] == []
    assert sorted(path.name for path in (place / "work").iterdir()) == [
        "a",
        "everything.log",
        "people.ledger",
        "people.ledger.heads",
        "people.toml",
    ]
    assert list((place / "tmp").iterdir()) == []
    assert list((place / "home").iterdir()) == []
    counted = discreet.load(place / "work" / "a").count().value
    assert 100 < counted < 300, "90 people of at most 2 rows each, and a few more"


def test_a_failure_keeps_canaries_to_the_private_file(tmp_path: Path) -> None:
    """A file that ends in the middle: reading it fails after the charge, with a row at hand to quote."""
    data = tmp_path / "people.csv.gz"
    data.write_bytes(gzip.compress(b"\n".join([*lines(30_000), *MALFORMED[:2]]))[:-2000])
    place = tmp_path / "all"
    (place / "work").mkdir(parents=True)
    (place / "work" / "people.toml").write_text(SPEC.replace("SOURCE", str(data)).replace("OUTSIDE", "drop"))
    done = publish(place)
    assert done.returncode == 4, done.stderr
    assert leaks(done.stdout + done.stderr) == []
    (details,) = (place / "tmp").iterdir()
    assert details.stat().st_mode & 0o077 == 0
    details.unlink()
    assert [(name, found) for name, content in written(place) if (found := leaks(content))] == []
    assert sorted(path.name for path in (place / "work").iterdir()) == [
        "everything.log",
        "people.ledger",
        "people.ledger.heads",
        "people.toml",
    ]


HEAD = CANARIES["head"]


@pytest.mark.parametrize(
    "first",
    [
        f"{HEAD}-1,1,f,{HEAD}-2",
        f"{HEAD},{HEAD},f,1",
        f"{HEAD},{HEAD.upper()},f,1",
        f"{HEAD}",
        f"{HEAD};1;f",
    ],
)
def test_a_file_without_a_header_does_not_show_its_first_row(
    tmp_path: Path, first: str, run: Callable[..., Outcome]
) -> None:
    text = SPEC.replace("SOURCE", "people.csv").replace("OUTSIDE", "drop")
    outcome = run(tmp_path, text, "\n".join([first, "x,1,f,x", "y,2,m,x"]).encode())
    assert outcome.code == 2
    assert HEAD not in (outcome.out + outcome.err + "".join(outcome.log)).lower()
    assert "people.csv" in outcome.err


def as_json_lines(path: Path, columns: dict[str, list[Any]]) -> Path:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    path.write_text("\n".join(map(json.dumps, rows)) + f'\n{{"person": "{CANARIES["malformed"]}')
    return path


def as_excel(path: Path, columns: dict[str, list[Any]]) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(row)
    book.save(path)
    return path


def as_delta(path: Path, table: Any) -> Path:
    import deltalake

    deltalake.write_deltalake(path, table)
    return path


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "duckdb", "JSON lines", "Excel", "Delta"])
def test_canaries_in_frames_reach_no_log_no_warning_and_no_file(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns: dict[str, list[Any]] = {
        "person": [CANARIES["user"]] * 50 + ["a", None],
        "age": [1] * 40 + [int(CANARIES["number"])] * 12,
        "sex": ["f"] * 20 + [CANARIES["outside"]] * 30 + [None, "m"],
        "note": [CANARIES["unused"]] * 52,
    }
    table, elsewhere = pa.table(columns), tmp_path_factory.mktemp("rows")
    makers: dict[str, Callable[[], object]] = {
        "pandas": lambda: pd.DataFrame({**columns, "sex": pd.Categorical(columns["sex"])}),
        "polars": lambda: pl.DataFrame(columns).with_columns(pl.col("sex").cast(pl.Categorical)),
        "arrow": lambda: table.set_column(2, "sex", table["sex"].dictionary_encode()).slice(1),
        "duckdb": lambda: duckdb.connect().from_arrow(table),
        "JSON lines": lambda: as_json_lines(elsewhere / "rows.jsonl", columns),
        "Excel": lambda: as_excel(elsewhere / "rows.xlsx", columns),
        "Delta": lambda: as_delta(elsewhere / "rows", table),
    }
    frame = makers[kind]()
    schema = discreet.Schema(age=discreet.Ordinal(0, 4, outside="other"), sex=discreet.Nominal(["f", "m"]))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    caplog.set_level(1)
    unit = discreet.Unit("person", max_rows=3)
    data = discreet.open(frame, schema, unit=unit, ledger=tmp_path / "l.ledger")
    release = data.publish(TASK, 1, name="a", to=tmp_path / "a")
    shown = repr(data) + repr(release) + release._repr_html_() + str(release.count()) + caplog.text
    assert leaks((shown + "".join(capfd.readouterr())).encode()) == []
    assert [(name, found) for name, content in written(tmp_path) if (found := leaks(content))] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "l.ledger", "l.ledger.heads"]


# --- record and replay


class Recorded(SeededSource):
    """Remembers how many bytes were asked for, call by call."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.asked: list[int] = []

    def stream(self) -> Stream:
        self.asked.append(-1)
        return super().stream()

    def fill(self, out: Any) -> None:
        self.asked.append(out.nbytes)
        super().fill(out)


@dataclass
class Outcome:
    """All that anyone but the custodian may see of one publication."""

    code: int
    out: str
    err: str
    log: list[str]
    files: list[tuple[str, int]]
    manifest: dict[str, Any] | None
    asked: list[int]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Publish `a` from a CSV file with the bits of a fixed seed, and gather everything public about it."""

    def publish_with_seed(place: Path, spec: str, data: bytes) -> Outcome:
        place.mkdir(exist_ok=True)
        (place / "people.toml").write_text(spec)
        (place / "people.csv").write_bytes(data)
        (place / "tmp").mkdir()
        source = Recorded(7)
        with monkeypatch.context() as patch, caplog.at_level(logging.DEBUG):
            caplog.clear()
            capfd.readouterr()
            patch.setattr("discreet.noise.noise.KeystreamSource", lambda: source)
            patch.setattr(tempfile, "tempdir", str(place / "tmp"))
            patch.setattr(sys, "argv", ["discreet", "publish", "people.toml", "a"])
            patch.chdir(place)
            code = 0
            try:
                main()
            except SystemExit as end:
                code = int(end.code or 0)
        out, err = capfd.readouterr()
        files = [(str(path.relative_to(place)), path.stat().st_mode) for path in sorted(place.rglob("*"))]
        manifest = None
        if (place / "a").exists():
            manifest = json.loads((place / "a" / "release.json").read_text(encoding="utf-8"))
            assert manifest["noise"]["bits"] == "seeded (not private)"
            # the hash of the noisy counts, and what follows from it or from when and where it was charged
            for key in ("files", "seal", "time"):
                del manifest[key]
            del manifest["ledger"]["head"], manifest["ledger"]["id"]  # of a ledger of its own, made at another time
        # but for what numba says of compiling, which it does once in a process
        log = [record.getMessage() for record in caplog.records if record.name.partition(".")[0] != "numba"]
        return Outcome(code, out, err, log, files, manifest, source.asked)

    return publish_with_seed


def row_spec(outside: str = "drop") -> str:
    text = SPEC.replace("SOURCE", "people.csv").replace("OUTSIDE", outside)
    return text.replace('unit = "person"\nmax_rows = 2\n', 'unit = "row"\n')


def neighbours() -> dict[str, bytes]:
    base = lines()
    changed = {
        "itself": base,
        "without a row": base[:200] + base[201:],
        "with a row": [*base, b"new,4,m,x"],
        "with a value outside": [*base, b"new,99,zzz,x"],
        "with an empty row": [*base, b",,,"],
        "with bytes that are no text": [*base[:100], b"new,1,\xff\xfe,x", *base[100:]],
        "with a line break in a value": [*base[:100], b'new,1,f,"two\nlines"', *base[100:]],
        "with too many fields": [*base[:100], b"new,1,f,x,y,z,,,", *base[100:]],
        "with too few": [*base[:100], b"new", *base[100:]],
        "with stray quotes": [*base[:100], b'new,1,f,a"b"c', *base[100:]],
        "without any row": base[:1],
    }
    return {name: b"\n".join(rows) + b"\n" for name, rows in changed.items()}


@pytest.mark.parametrize(
    "spec", [row_spec(), SPEC.replace("SOURCE", "people.csv").replace("OUTSIDE", "other")], ids=["row", "user"]
)
def test_neighbours_differ_in_the_counts_and_in_nothing_else(
    tmp_path: Path, run: Callable[..., Outcome], spec: str
) -> None:
    outcomes = {name: run(tmp_path / name.replace(" ", "-"), spec, data) for name, data in neighbours().items()}
    first = outcomes["itself"]
    assert first.code == 0
    assert first.manifest is not None
    assert len(first.asked) > 3
    for name, outcome in outcomes.items():
        assert outcome == first, name
    counts = [
        discreet.load(tmp_path / name.replace(" ", "-") / "a").to_arrow()["count"].to_pylist() for name in outcomes
    ]
    assert len(set(map(tuple, counts))) > 2, "the data does matter to the counts"
    assert counts[0] == discreet.load(tmp_path / "itself" / "a").to_arrow()["count"].to_pylist()


def test_the_same_bits_and_data_give_the_same_bytes(tmp_path: Path, run: Callable[..., Outcome]) -> None:
    """So whatever differs between neighbours differs because of the data."""
    data = b"\n".join(lines()) + b"\n"
    for name in ("one", "two"):
        run(tmp_path / name, row_spec(), data)
    one, two = ((tmp_path / name / "a" / "table.parquet").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_failure_after_the_charge_looks_the_same_for_all(
    tmp_path: Path, run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object, **named: object) -> None:
        raise ValueError(f"{CANARIES['dropped']} in row {len(given)}")

    monkeypatch.setattr("discreet.mechanisms.table.geometric.Geometric.measure", fails)
    seen = []
    for name in ("itself", "with a row", "without any row"):
        outcome = run(tmp_path / name.replace(" ", "-"), row_spec(), neighbours()[name])
        assert outcome.code == 4
        (details,) = [file for file, _ in outcome.files if file.startswith("tmp/")]
        assert Path(details).name in outcome.err
        words = outcome.err.replace(str(tmp_path / name.replace(" ", "-")), "").replace(details, "")
        assert leaks((outcome.out + words + "".join(outcome.log)).encode()) == []
        seen.append((outcome.out, words, outcome.log, len(outcome.files), outcome.asked))
    assert seen[0] == seen[1] == seen[2]


# --- one more row moves the table by no more than was declared


SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m", "two\nlines"], outside="other"))


def exact(source: Any, unit: discreet.Unit | None = None) -> Any:
    """The table that noise would be added to, with the same bits for the choice of rows."""
    data = discreet.open(source, SCHEMA, unit=unit)
    noise: Noise = ZeroNoise(SeededSource(5))
    return np.asarray(data.publish(TASK, 1, noise=noise).to_arrow()["count"])


@pytest.mark.parametrize(
    "line",
    [
        b"x,1,f,x",
        b"x,1,f,x,y,z",
        b"x,1",
        b"",
        b",,,",
        b"x,1,\xff\xfe,x",
        b"x,1,f\x00,x",
        b'x,1,f,a"b"c',
        b'x,1,"f"x,y',
        b'x,1,"two\nlines",y',
        b"x,1,f,a\rb",
        b'x,1,f,"a\rb"',
        b"x,1,f,x\r",
        b"\xef\xbb\xbfx,1,f,x",
        b"x,1,f,\x1a",
        b"x,1,f," + b"x" * 3_000_000,
        b"x,1,f" + b",x" * 1_000_000,
    ],
    ids=range(17),
)
def test_one_more_line_of_any_kind_moves_the_table_by_at_most_one(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "people.csv"
    rows = lines()
    path.write_bytes(b"\n".join(rows) + b"\n")
    without = exact(path)
    path.write_bytes(b"\n".join([*rows[:200], line, *rows[200:]]) + b"\n")
    assert np.abs(exact(path) - without).sum() <= 1
    assert without.sum() > 300


@pytest.mark.parametrize(
    "value",
    [None, 1, "1", "x", 1.0, 1.5, float("nan"), True, date(2024, 1, 1), b"\xff", 10**30, [1], {"a": 1}, object()],
)
def test_one_more_value_of_any_type_moves_the_table_by_at_most_one(value: object) -> None:
    """In pandas one value can change the type of its whole column."""
    import pandas as pd

    columns: dict[str, list[object]] = {"age": [0, 1, 2, 3, 4] * 10, "sex": ["f", "m", "f", "?", "m"] * 10}
    without = exact(pd.DataFrame(columns))
    for name in columns:
        more = {key: [*values, value if key == name else values[0]] for key, values in columns.items()}
        assert np.abs(exact(pd.DataFrame(more)) - without).sum() <= 1, name


@pytest.mark.parametrize("per_cell", [None, 1])
def test_one_more_person_moves_the_table_by_at_most_their_bound(per_cell: int | None) -> None:
    import pandas as pd

    unit = discreet.Unit("person", max_rows=3, max_rows_per_cell=per_cell)
    rows = [(f"p{i % 37}", i % 5, "fm"[i % 2]) for i in range(300)]
    greedy = [("greedy", i % 5, "f") for i in range(1000)]
    tables = [
        exact(pd.DataFrame(chosen, columns=["person", "age", "sex"]), unit)
        for chosen in (rows, rows + greedy, greedy[:500] + rows + greedy[500:])
    ]
    assert tables[0].sum() == 3 * 37
    for table in tables[1:]:
        assert np.abs(table - tables[0]).sum() == 3
