"""After the charge nothing that depends on the data may show, not even in an error.

Whatever fails there becomes one generic message; what really happened goes to a file that only its owner can read.
"""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from discreet.errors import LedgerError, PublishFailed


@contextmanager
def private_failures() -> Iterator[None]:
    """Turn any failure inside into PublishFailed; the ledger's own errors know no data and stay."""
    try:
        yield
    except LedgerError:
        raise
    except Exception as error:
        place = _write_private(error)
    else:
        return
    # raised out here, so that neither cause, context nor frames lead back to the data
    raise PublishFailed(
        "publishing failed after the budget was charged; nothing was published. "
        f"{place} Publishing the same release again costs nothing more"
    )


def _write_private(error: Exception) -> str:
    """Details for the custodian, mode 0600; says where they are, or that they could not be kept."""
    try:
        handle, path = tempfile.mkstemp(prefix="discreet-private-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            detail = getattr(error, "private_detail", "")
            file.write("".join(traceback.format_exception(error)) + f"\n{detail}\n")
    except OSError:
        return "The details could not be written: is the disk full?"
    return f"For the details, which may be private, see {path}."
