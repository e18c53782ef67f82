"""All commands; those of an analyst are in `analyst_commands`.

Bodies import what they need, so that `discreet --help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from discreet.cli.analyst_commands import ANALYST_COMMANDS
from discreet.cli.declared import Argument, Commands, Option
from discreet.cli.options import AsJson, LedgerFile, OnePeriod, OneRelease, Quiet, SpecFile, output_file
from discreet.cli.review_commands import REVIEW_COMMANDS

app = Commands("Publish counts, not people: releases under pure epsilon-differential privacy, with honest error bars.")
schema_app = Commands("Describe private data.")
app.within["schema"] = schema_app


@app.command()
def demo(
    folder: Annotated[Path, Option("--folder", "-f", help="Where to leave the files.")] = Path("discreet-demo"),
    quiet: Quiet = False,
) -> None:
    """Show the whole story on a made-up town: describe, publish, ask, compare. Leaves a folder to play with.

    Example: discreet demo
    """
    from discreet.cli.demo import run

    run(folder, quiet)


@app.command()
def check(
    spec: SpecFile,
    data: Annotated[bool, Option("--data", help="Also read the private rows: do they fit the spec?")] = False,
    period: OnePeriod = None,
    as_json: AsJson = False,
) -> None:
    """Report every mistake in a spec at once, each with its place and its fix. Reads no row without --data.

    With --data, for the custodian only: rows outside the declared domains with examples, dates and labels that are
    written otherwise, rows without a user, what bounds would leave out, and releases that would be mostly noise. Do
    this before you publish: publishing cannot say that no row matched. It costs no budget, and what it prints is as
    confidential as the data. Exit code 1 if there is a mistake or a warning.

    \b
    Examples:
      discreet check adult.toml
      discreet check adult.toml --data
    """
    from discreet.cli.describing import run_check

    run_check(spec, as_json, data, period)


@schema_app.command("draft")
def draft(
    data: Annotated[Path, Argument(help="A CSV, Parquet, Arrow, JSON lines or Excel file.")],
    output: Annotated[Path | None, output_file("Write here instead of printing.")] = None,
) -> None:
    """Draft a commented spec from private data, to be reviewed; `publish` refuses it until its mark is removed.

    Example: discreet schema draft adult.csv -o adult.toml
    """
    from discreet.cli.describing import run_draft

    run_draft(data, output)


@app.command()
def publish(
    spec: SpecFile,
    name: OneRelease = None,
    output: Annotated[
        Path | None, output_file("The folder to make; default: NAME. With --all, the folder that holds one for each.")
    ] = None,
    every: Annotated[bool, Option("--all", help="Every release of the spec that is not made yet.")] = False,
    period: OnePeriod = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Charge the ledger, count, add noise, and write the release as a folder of Parquet and JSON.

    It never says that no row matched, for that would tell about the data: run `discreet check SPEC --data` first.
    Publishing the same release again returns the same folder and costs nothing.

    With --all rows are read once for all releases. Each is charged by itself, before any row is read; if the budget is
    too small for all that are missing, nothing is charged. After a crash, the same command finishes.

    \b
    Examples:
      discreet publish adult.toml by-age -o out/by-age
      discreet publish adult.toml --all -o out
      discreet publish sales.toml by-country --period 2026-10
      discreet publish sales.toml --all --period 2026-10 -o out
    """
    from discreet.cli.publishing import run, run_all

    (run_all if every else run)(spec, name, output, period, quiet, as_json)


@app.command()
def plan(
    spec: SpecFile,
    name: Annotated[str | None, Argument(help="Which release of the spec; all of them if left out.")] = None,
    epsilon: Annotated[str | None, Option(help="Other budgets than the spec's: 0.1,1")] = None,
    error: Annotated[
        float | None, Option(help="The other way round: the least epsilon for a standard error of at most this.")
    ] = None,
    share: Annotated[
        float | None, Option(help="Not standard errors, but what this share of the answers keeps within: 0.95")
    ] = None,
    least: Annotated[
        bool, Option("--least", help="The least epsilon for the errors that the spec wants (`within`).")
    ] = False,
    split: Annotated[
        bool, Option("--split", help="Divide the budget among all releases, so that each meets its error.")
    ] = False,
    questions: Annotated[
        str | None, Option(help="Your own questions: a CSV file of them, or predicates, separated by ';'.")
    ] = None,
    like: Annotated[
        str | None, Option(help="A public file of the same schema to rehearse methods on: last-year.csv")
    ] = None,
    period: OnePeriod = None,
    chart: Annotated[
        str | None, Option(help="Draw the errors: '-' here, or a file that ends in .svg or .html.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Predict the error of each method for the questions people ask, before anything is spent. Reads no private data.

    Errors that noise alone decides are exact. Other methods are rehearsed on invented data, drawn from the schema and
    the release's `guess`, or on a public file (`like`): these errors are ranges, "3 to 9".

    \b
    Examples:
      discreet plan adult.toml by-age --epsilon 0.1,0.5,1
      discreet plan adult.toml by-age --error 50 --share 0.95
      discreet plan adult.toml by-age --questions "age >= 65; sex = 'Female'"
      discreet plan adult.toml --split --error 50
      discreet plan adult.toml by-age --chart errors.html
    """
    from discreet.cli.predicting import Wish, run

    run(spec, name, Wish(epsilon, error, share, questions, like, least, period), split, chart, quiet, as_json)


@app.command()
def evaluate(
    spec: SpecFile,
    name: OneRelease = None,
    methods: Annotated[str | None, Option(help="Methods of the task: geometric,filter. Default: all.")] = None,
    epsilon: Annotated[str | None, Option(help="Budgets to try: 0.1,1. Default: the release's.")] = None,
    workloads: Annotated[
        str | None,
        Option(help="cells, ranges, prefixes, subsets, dpbench, marginals-1, marginals-2, or questions.csv."),
    ] = None,
    trials: Annotated[int, Option(help="How often each method is tried.")] = 10,
    seed: Annotated[int, Option(help="The same seed gives the same numbers.")] = 1,
    sanity: Annotated[float | None, Option(help="Relative errors treat smaller true counts as this.")] = None,
    period: OnePeriod = None,
    output: Annotated[Path | None, output_file("Where the private results go.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Measure the true error of methods on the private data, over repeated trials. Costs no budget.

    Only for the custodian: what it writes is as confidential as the data. Errors are told in all, as charts, and by
    class of question (heavy, rare and empty counts, roll-ups), with how often intervals held the true count. A stopped
    run continues where it was when you run it again.

    Example: discreet evaluate adult.toml by-age --epsilon 0.1,1 --trials 20
    """
    from discreet.cli.evaluating import run

    run(spec, name, methods, epsilon, workloads, trials, seed, sanity, period, output, quiet, as_json)


@app.command()
def ledger(
    file: LedgerFile,
    releases: Annotated[list[Path] | None, Argument(help="With --against: folders of releases.")] = None,
    against: Annotated[
        bool, Option("--against", help="Check that the ledger knows each of these releases, and its bytes.")
    ] = False,
    raise_to: Annotated[
        str | None, Option("--raise", metavar="EPSILON", help="Raise the cap to this; needs --reason.")
    ] = None,
    close: Annotated[bool, Option("--close", help="Allow no more charges; needs --reason.")] = False,
    reopen: Annotated[bool, Option("--reopen", help="Allow charges again; needs --reason.")] = False,
    add_dataset: Annotated[
        str | None,
        Option(metavar="NAME", help="Cover one more data set about the same people; needs --reason."),
    ] = None,
    reason: Annotated[str | None, Option(help="Why; the ledger keeps it for all who read it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was spent, by whom, for what, and what is left; checks that no entry was changed.

    The account itself is changed only for a reason, and each such act is an entry like any other, with who did it and
    when: --raise the cap (it is never lowered), --close and --reopen it, or --add-dataset. A cap that was raised stands
    in the spec as well: change its `budget` with it.

    With --against and releases that were charged to it: whether the ledger has the charge of each, and recorded these
    very bytes. A restored older copy lacks what came after it. Exit code 1 if one is missing or different.

    \b
    Examples:
      discreet ledger adult.ledger
      discreet ledger adult.ledger --against releases/*
      discreet ledger adult.ledger --raise 5 --reason "a second year of the study"
      discreet ledger adult.ledger --add-dataset adult-2025 --reason "the same people, a year later"
    """
    from discreet.cli.spending import Act, run, run_against

    act = Act(raise_to, close, reopen, add_dataset, reason)
    if act.asked:
        act.run(file, as_json, alone=not (against or releases))
    elif against or releases:
        run_against(file, releases or [], against, as_json)
    else:
        run(file, as_json)


@app.command()
def audit(
    spec: Annotated[Path | None, Argument(metavar="SPEC", help="The spec file; left out with --release.")] = None,
    name: Annotated[str | None, Argument(help="Which release of the spec; all of them if left out.")] = None,
    black_box: Annotated[
        bool, Option("--black-box", help="Also publish invented canaries many times, and guess who was there.")
    ] = False,
    runs: Annotated[int | None, Option(help="With --black-box: how often to publish.")] = None,
    traces: Annotated[
        bool, Option("--bytes", help="Also look for rows in every byte that publishing writes or says.")
    ] = False,
    period: OnePeriod = None,
    release: Annotated[
        Path | None, Option("--release", help="Check the folder of a release instead, against its --ledger.")
    ] = None,
    ledger: Annotated[Path | None, Option("--ledger", help="With --release: what it was charged to.")] = None,
    output: Annotated[Path | None, output_file("Write the result here as JSON too.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Attack the guarantee of each release: what neighbours cost is derived from recorded draws. Reads no data.

    Invented neighbours are published with a noise that writes down every draw; what their difference costs follows from
    the draws alone, in fractions, whatever the method says of itself. With --release, a release that was published is
    checked against its ledger: charge, seal, law of the noise. Ends with code 1 if a guarantee is broken.

    \b
    Examples:
      discreet audit adult.toml
      discreet audit adult.toml by-age --black-box --bytes
      discreet audit --release out/by-age --ledger adult.ledger
    """
    from discreet.cli.auditing import run, run_release

    if release is None and ledger is None and spec is not None:
        run(spec, name, black_box, runs, traces, period, output, quiet, as_json)
    else:
        run_release(
            release, ledger, output, as_json, alone=spec is None and not (black_box or runs or traces or period)
        )


@app.command("verify-noise")
def verify_noise(
    epsilon: Annotated[str, Option(help="The epsilon to check, as a decimal or a fraction.")],
    sensitivity: Annotated[str, Option(help="How far one unit can move a count table.")] = "1",
    as_json: AsJson = False,
) -> None:
    """Prove the noise for your own parameters: every threshold, every table cell, decisions deep in the bit stream.

    Example: discreet verify-noise --epsilon 0.37
    """
    from discreet.cli.verifying import run

    run(epsilon, sensitivity, as_json)


@app.command()
def serve(
    folders: Annotated[
        list[Path] | None,
        Argument(metavar="[FOLDER]", help="The folder with specs, ledgers and releases; default: this one."),
    ] = None,
    releases_only: Annotated[
        bool, Option("--releases-only", help="For analysts: these releases (OUT...), and no private page at all.")
    ] = False,
    port: Annotated[int, Option(help="The port of this machine to use; 0: any that is free.")] = 0,
    open_browser: Annotated[bool, Option("--open", help="Open the address in your browser.")] = False,
) -> None:
    """Start the web app, on this machine only: specs, plans, publishing and ledgers, and releases to ask.

    It prints an address that works once, in one browser. With --releases-only, pages of the custodian do not exist:
    what is left can reach nothing private. Needs the extra `discreet[web]`.

    \b
    Examples:
      discreet serve discreet-demo
      discreet serve --releases-only out/by-age out/pairs
    """
    from discreet.cli.serving import run

    run(folders or [], releases_only, port, open_browser)


for command in ANALYST_COMMANDS:
    app.command()(command)
for for_review in REVIEW_COMMANDS:
    app.command()(for_review)
