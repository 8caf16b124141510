"""Which tablet may show a station's screen: one at a time, let in by a code that the table's own screen shows and that works once.

The code is short, so it ends after five wrong tries and after two minutes. The tablet then keeps a long random token. After a quarter
of an hour of silence, and after a restart of the station, a tablet has to be let in again.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

CODE_S = 120.0
IDLE_S = 900.0
MOST_TRIES = 5


def any_code() -> str:
    """Six digits."""
    return f"{secrets.randbelow(10**6):06d}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """``code`` is what the table's own screen shows until ``code_ends_s``; ``token`` is what the tablet that was let in sends."""

    code: str | None = None
    code_ends_s: float = 0.0
    tries: int = 0
    token: str | None = None
    heard_s: float = 0.0

    def offered(self, now_s: float, new_code: Callable[[], str] = any_code) -> Pairing:
        """With a code for another tablet; the one that is in stays until it is used."""
        return replace(self, code=new_code(), code_ends_s=now_s + CODE_S, tries=0)

    def code_at(self, now_s: float) -> str | None:
        """The code that lets a tablet in now."""
        return self.code if now_s < self.code_ends_s else None

    def tried(self, code: str, now_s: float, new_token: Callable[[], str] = secrets.token_urlsafe) -> Pairing:
        """After somebody has sent a code: with a new ``token`` where it was right, and never again with the same code."""
        due = self.code_at(now_s)
        if due is None:
            return self
        if hmac.compare_digest(code.encode(errors="replace"), due.encode()):
            return Pairing(token=new_token(), heard_s=now_s)
        tries = self.tries + 1
        return replace(self, tries=tries, code=None if tries >= MOST_TRIES else due)

    def let_in(self, token: str, now_s: float) -> bool:
        """Whether a tablet that sends this may see the screen."""
        return self.token is not None and self.is_out(now_s) and hmac.compare_digest(token.encode(), self.token.encode())

    def heard(self, now_s: float) -> Pairing:
        """After the tablet that is in was heard."""
        return replace(self, heard_s=now_s)

    def is_out(self, now_s: float) -> bool:
        """Whether the screen is on a tablet now."""
        return self.token is not None and now_s - self.heard_s < IDLE_S
