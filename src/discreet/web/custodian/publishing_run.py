"""The process that publishes, apart from the server: `python -m discreet.web.custodian.publishing_run`.

It says its stages on stdout, a line of JSON each, and nothing else: no size, no time, nothing of the data. Right before
the charge it waits for a word on stdin; without "go", also if the server is gone, nothing is charged. After it, the
release is finished whatever becomes of the server.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

from discreet.cli.publishing import data_during, wanted_release
from discreet.errors import DiscreetError
from discreet.private.publish import CHARGING
from discreet.spec import load_spec
from discreet.web.custodian.spec_files import check_mark

GO = "go"
STAGE, OVER, FAILED = "stage", "over", "failed"


class Cancelled(DiscreetError):
    """Before the charge."""


def say(kind: str, text: str) -> None:
    with suppress(OSError, ValueError):  # the server may be gone
        print(json.dumps([kind, text]), flush=True)


def publish(spec_path: Path, name: str, period: str | None, mark: str) -> None:
    """`mark` is that of the spec as it was when somebody confirmed it."""
    spec = load_spec(spec_path)
    check_mark(spec_path, mark)
    wanted = wanted_release(spec_path, spec, name)
    data = data_during(spec_path, spec, wanted, period)
    target = spec_path.parent / data.id_of(wanted.name)

    def progress(stage: str) -> None:
        if stage == CHARGING:
            say(STAGE, CHARGING)
            if sys.stdin.readline().strip() != GO:
                raise Cancelled("Stopped before the charge: nothing was spent.")
            say(STAGE, "charging the ledger")
        else:
            say(STAGE, stage)

    data.publish(wanted.task, wanted.epsilon, name=wanted.name, to=target, reliable=wanted.reliable, progress=progress)


def demo(folder: Path) -> None:
    from discreet.cli.demo import run

    say(STAGE, "making a town, and a release of it")
    with redirect_stdout(StringIO()):
        run(folder, True)


def main(arguments: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    say(STAGE, "checking")
    if arguments[0] == "demo":
        done(lambda: demo(Path(arguments[1])))
    else:
        done(lambda: publish(Path(arguments[1]), arguments[2], arguments[3] or None, arguments[4]))


def done(work: Callable[[], None]) -> None:
    try:
        work()
    except DiscreetError as error:
        say(FAILED, str(error))
    except Exception:
        say(FAILED, "Something went wrong. If the ledger was charged, publish again, which costs nothing more.")
    else:
        say(OVER, "published")


if __name__ == "__main__":
    main(sys.argv[1:])
