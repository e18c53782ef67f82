"""Who may come in: one browser, by a token that works once, on a host name that nobody can guess."""

from __future__ import annotations

import hmac
import secrets
from threading import Lock

COOKIE = "discreet-session"
#: the field of every form that changes something
FORM_KEY = "form_key"


class BrowserSession:
    """The secrets of one start of the server; nothing here is related to the noise of releases."""

    def __init__(self) -> None:
        #: cookies ignore ports, so that every server of 127.0.0.1 would get ours: hence a name of our own
        self.name = f"discreet-{secrets.token_hex(8)}.localhost"
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.form_key = secrets.token_urlsafe(32)
        self._used = False
        self._lock = Lock()

    def redeem(self, token: str) -> bool:
        """Whether this is the token, for the first time."""
        with self._lock:
            if self._used or not same(token, self.token):
                return False
            self._used = True
            return True


def fresh_id() -> str:
    """A name for a job that nobody can guess."""
    return secrets.token_hex(8)


def same(given: str, secret: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how far they are."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
