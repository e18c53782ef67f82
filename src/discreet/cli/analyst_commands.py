"""The commands that ask a release. Bodies import what they need, so that `discreet --help` answers at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from discreet.cli.declared import Argument, Option
from discreet.cli.options import AsJson, Bins, Level, OnlyWhere, Others, Quiet, ReleaseFolder, SameRecords, output_file


def query(
    release: ReleaseFolder,
    where: Annotated[str | None, Argument(help="A predicate; everybody is counted if it is left out.")] = None,
    by: Annotated[list[str] | None, Option(metavar="NAMES", help="Group by attributes: sex,country.region")] = None,
    csv: Annotated[Path | None, Option(help="Many questions: a column per attribute, or `where`.")] = None,
    cells: Annotated[Path | None, Option(help="Count a list of cells: a CSV, a column per attribute.")] = None,
    whole: Annotated[bool, Option("--whole", help="Whole numbers that add up, none below zero.")] = False,
    measured: Annotated[bool, Option("--measured", help="Plain noisy measurements, not estimates.")] = False,
    largest: Annotated[int | None, Option(help="With --by: so many groups, those of the highest counts.")] = None,
    shares: Annotated[bool, Option("--shares", help="With --by: each group's share, with its interval.")] = False,
    simultaneous: Annotated[
        bool, Option("--simultaneous", help="With --by: all intervals hold together with the level.")
    ] = False,
    bins: Bins = None,
    sort: Annotated[str | None, Option(help="With --by: the column to go by, such as count.")] = None,
    ascending: Annotated[bool, Option("--ascending", help="With --sort: the lowest first.")] = False,
    cumulative: Annotated[
        str | None, Option(help="For each value of this attribute, how many have it or a lower one.")
    ] = None,
    sql: Annotated[str | None, Option(help="A statement: select sex, count(*) from release group by sex")] = None,
    keep: Annotated[str | None, Option(help="With --csv: columns that are not asked about: area,remark")] = None,
    others: Others = None,
    same_records: SameRecords = False,
    level: Level = 0.95,
    reliable: Annotated[
        float | None, Option(help="Flag counts whose relative error is above this: 0.3; default: the release's.")
    ] = None,
    output: Annotated[Path | None, output_file("Write a table of answers: .csv, .xlsx, .parquet, or .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a release; every answer comes with its interval.

    \b
    Examples:
      discreet query out/by-age "age between 30 and 39 and sex = 'Female'"
      discreet query out/by-age --by sex "age >= 65"
      discreet query out/by-age --by sex --whole
      discreet query out/by-age --by age --bins 10 --sort count
      discreet query out/by-age --by age,sex --bins 18,65 -o ages.xlsx
      discreet query out/by-age --by age --largest 5
      discreet query out/by-age --by age --reliable 0.2
      discreet query out/by-age --by sex --shares --simultaneous
      discreet query out/by-age "age >= 65" --with out/pairs
      discreet query out/by-age --cumulative age --by sex
      discreet query out/by-age --sql "select sex, count(*), median(age) from release where age >= 18 group by sex"
      discreet query out/by-age --csv questions.csv -o answers.csv
      discreet query out/by-age --cells cells.csv
      discreet query out/by-age --by age --bins 20 -o ages.svg
    """
    from discreet.cli.asking import QueryWords, Wanted, run

    asked = QueryWords(where, _joined(by), csv, cells, bins, cumulative, sql, keep)
    numbers = Wanted(level, whole, measured, largest, sort, ascending, shares, simultaneous, reliable)
    run(release, asked, numbers, output, as_json, others=others or (), same_records=same_records)


def quantile(
    release: ReleaseFolder,
    attribute: Annotated[str, Argument(help="An ordinal attribute, such as age.")],
    share: Annotated[str, Argument(help="Which part of the records: 0.5 is the median; or 0.25,0.5,0.75.")] = "0.5",
    where: OnlyWhere = None,
    by: Annotated[list[str] | None, Option(metavar="NAMES", help="For each group: sex,country.region")] = None,
    bins: Bins = None,
    level: Level = 0.95,
    output: Annotated[Path | None, output_file("Write several as .csv, .xlsx or .parquet.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the value that a given part of the records do not exceed, with its interval.

    \b
    Examples:
      discreet quantile out/by-age age
      discreet quantile out/by-age age 0.9 --where "sex = 'Female'"
      discreet quantile out/by-age age 0.25,0.5,0.75 --by sex
    """
    from discreet.cli.asking import run_quantile

    run_quantile(release, attribute, share, where, _joined(by), bins, level, output, as_json)


def share(
    release: ReleaseFolder,
    where: Annotated[str, Argument(help="Which records, as a predicate.")],
    of: Annotated[str | None, Option(help="Among which; among all if it is left out.")] = None,
    others: Others = None,
    same_records: SameRecords = False,
    level: Level = 0.95,
    as_json: AsJson = False,
) -> None:
    """Say which part of some records satisfies a predicate, with the interval of that ratio.

    \b
    Examples:
      discreet share out/by-age "sex = 'Female'" --of "age >= 65"
      discreet share out/by-age "age < 18"
    """
    from discreet.cli.relating import opened, run_share

    run_share(opened(release, others or (), same_records), where, of, level, as_json)


def compare(
    release: ReleaseFolder,
    a: Annotated[str, Argument(help="A predicate.")],
    b: Annotated[str | None, Argument(help="Another one; with --since it may be left out.")] = None,
    since: Annotated[Path | None, Option(help="Count b in this release instead, such as last year's.")] = None,
    across: Annotated[
        bool, Option("--across", help="With --since: it is about another data set, and that is what you mean.")
    ] = False,
    others: Others = None,
    same_records: SameRecords = False,
    level: Level = 0.95,
    as_json: AsJson = False,
) -> None:
    """Say which of two counts is larger, how likely that is, and by how much.

    With --since and one predicate, also by how many percent the count changed.

    \b
    Examples:
      discreet compare out/by-age "sex = 'Female'" "sex = 'Male'"
      discreet compare out/2026 "age >= 65" --since out/2025 --across
    """
    from discreet.cli.relating import opened, run_compare

    run_compare(opened(release, others or (), same_records), a, b, since, across, level, as_json)


def mean(
    release: ReleaseFolder,
    attribute: Annotated[str, Argument(help="An ordinal attribute, such as age.")],
    where: OnlyWhere = None,
    variance: Annotated[bool, Option("--variance", help="The variance instead of the mean.")] = False,
    total: Annotated[bool, Option("--sum", help="The sum of the values instead of their mean.")] = False,
    others: Others = None,
    same_records: SameRecords = False,
    level: Level = 0.95,
    as_json: AsJson = False,
) -> None:
    """Find the mean of an attribute's values, with its interval.

    \b
    Examples:
      discreet mean out/by-age age
      discreet mean out/by-age age --where "sex = 'Female'" --variance
    """
    from discreet.cli.relating import opened, run_mean

    run_mean(opened(release, others or (), same_records), attribute, where, variance, total, level, as_json)


def top(
    release: ReleaseFolder,
    k: Annotated[int | None, Option("-k", help="How many items; 10, or as many as were selected.")] = None,
    where: OnlyWhere = None,
    per: Annotated[str | None, Option(help="A list for each value of these contexts: gender,age")] = None,
    level: Level = 0.95,
    output: Annotated[Path | None, output_file("Write the table: .csv, .xlsx or .parquet.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the most frequent items of a release of `items`, and how certain it is that they belong to the top.

    \b
    Examples:
      discreet top out/films -k 10 --where "day = 'Mon'"
      discreet top out/films -k 3 --per day
    """
    from discreet.cli.asking import run_top

    run_top(release, k, where, per, level, output, as_json)


def rows(
    release: ReleaseFolder,
    output: Annotated[Path, output_file("The file to make: .csv or .parquet; never over one that exists.")],
    n: Annotated[int | None, Option("-n", help="How many rows; default: as many as there are records.")] = None,
    seed: Annotated[int | None, Option(help="The same seed gives the same rows.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make synthetic rows that fit a release, with the schema's labels and types. Costs no budget, reads no data.

    Rows are to try out code, to look around and to train models; for counts ask the release, whose answers have error
    bars. They are marked as synthetic: in the metadata of a Parquet file, or in NAME.csv.json beside a CSV.

    \b
    Examples:
      discreet rows out/pairs -n 50000 -o synthetic.csv
      discreet rows out/pairs -o synthetic.parquet --seed 7
    """
    from discreet.cli.sampling import run

    run(release, n, output, seed, quiet, as_json)


ANALYST_COMMANDS = (query, quantile, share, compare, mean, top, rows)


def _joined(names: list[str] | None) -> str | None:
    """`--by age,sex` and `--by age --by sex` are the same."""
    return ",".join(names) if names else None
