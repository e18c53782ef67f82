"""After the charge nothing that depends on the data may show, not even in an error.

Whatever fails there becomes one generic message; what really happened goes to a file that only its owner can read.
"""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable
from typing import TypeVar

from discreet.errors import LedgerError, PublishFailed, without_secrets

Result = TypeVar("Result")


def privately(work: Callable[[], Result], what: str) -> Result:
    """The result of `work`; any failure in it becomes PublishFailed. The ledger's own errors hold no data and pass.

    `what` names the release: publishing it again is free.
    """
    again = f"Publishing {what} again, under the same name, costs nothing more"
    try:
        return work()
    except LedgerError:
        raise
    except KeyboardInterrupt:
        failure: BaseException = stopped_after_the_charge(f"nothing was published. {again}")
    except Exception as error:
        detail = _write_private(error)
        failure = PublishFailed(
            f"publishing {what} failed after the budget was charged; nothing was published. {detail} {again}"
        )
    # raised out here, so that neither cause, context nor frames lead back to the data
    raise failure


def stopped_after_the_charge(then: str) -> KeyboardInterrupt:
    return KeyboardInterrupt(f"stopped after the budget was charged; {then}")


def _write_private(error: Exception) -> str:
    """Details for the custodian, mode 0600; says where they are, or that they could not be kept."""
    try:
        handle, path = tempfile.mkstemp(prefix="discreet-private-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            detail = getattr(error, "private_detail", "")
            file.write(without_secrets("".join(traceback.format_exception(error)) + f"\n{detail}\n"))
    except OSError:
        return "The details could not be written: is the disk full?"
    return f"For the details, which may be private, see {path}."
