"""The command line: `discreet`, or `python -m discreet`.

Exit code 0 done, 1 a check said no, 2 bad input, 3 budget exceeded, 4 failed after the charge, 130 stopped.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from functools import cache


def main() -> None:
    """Entry point of `discreet`; every expected error becomes one message on stderr and an exit code."""
    from discreet.cli.app import app
    from discreet.cli.plain_calls import plain_call
    from discreet.errors import BudgetExceeded, DiscreetError, PublishFailed, without_secrets

    _collect_seldom()
    for stream in (sys.stdout, sys.stderr):  # a plain terminal shows ? for what it lacks
        getattr(stream, "reconfigure", lambda **options: None)(errors="replace")
    # a polite kill ends as Ctrl-C does, so that no private file stays
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if (plain := plain_call(app, sys.argv[1:])) is not None:
            plain()
        else:
            from discreet.cli.typer_app import typer_app

            typer_app(prog_name="discreet")  # also for `python -m discreet`: completion is for what people type
    except BrokenPipeError:  # whoever reads what is printed has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except DiscreetError as error:
        print(f"discreet: {error}", file=sys.stderr)
        codes: dict[type[Exception], int] = {BudgetExceeded: 3, PublishFailed: 4}
        sys.exit(codes.get(type(error), 2))
    except OSError as error:
        said = without_secrets(f"{error.filename or 'file'}: {error.strerror or error}")
        print(f"discreet: {said}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as leaving:
        # Ctrl-C has become an exit without a word
        stopped = leaving.__context__ and leaving.__context__.__cause__
        if isinstance(stopped, KeyboardInterrupt):
            print(f"discreet: {stopped.args[0] if stopped.args else 'stopped'}", file=sys.stderr)
        raise
    except KeyboardInterrupt as stopped:
        print(f"discreet: {stopped.args[0] if stopped.args else 'stopped'}", file=sys.stderr)
        sys.exit(130)


@cache
def _collect_seldom() -> None:
    """What libraries make while they load is no garbage: to look for some again and again took a quarter of a start."""
    gc.set_threshold(100_000, 50, 100)
    atexit.register(_end_soon)


def _end_soon() -> None:
    """Nor is it worth a search when the process ends; but DuckDB complains of what it still holds then."""
    (gc.disable if "duckdb" in sys.modules else gc.freeze)()


if __name__ == "__main__":
    main()
