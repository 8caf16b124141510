"""Challenge of the vault to one table: random bytes that the table's next statements carry.

A statement over a fresh challenge was made now, by who holds the boot keys: a statement that was recorded, or assembled from
public keys that others have shown, carries another one. The vault signs challenges, so that others cannot gather answers. Each
names the vault's sealing key too, to which the table seals its journal's key.
"""

from collections.abc import Callable, Mapping

from twinwall.game.typed_json import Digest, HexText
from twinwall.values import Shape
from twinwall.wire.messages.signing import Signer, open_named_document, sign_document, vault_sealing_key

CHALLENGE_SIZE = 16
RENEWED_AFTER_S = 10.0


class Challenge(Shape, tag_field="format", tag="twinwall-challenge-2"):
    """``challenge`` is 16 random bytes, ``sealing_key`` the vault's, both in hex."""

    challenge: HexText
    sealing_key: Digest


def write_challenge(signer: Signer, event: str, table: str, challenge: str) -> bytes:
    """The challenge as it travels to one table."""
    return sign_document(signer, Challenge(challenge, vault_sealing_key(signer).public.hex()), event, table)


def read_challenge(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> tuple[str, Challenge]:
    """The vault that sent a challenge, and the challenge; raises DocumentError."""
    return open_named_document(payload, Challenge, trusted, event, table)


class Challenges:
    """The challenges of one vault: a new one for each table every ten seconds, of which the latest two count."""

    def __init__(self, fresh: Callable[[], bytes]) -> None:
        """``fresh`` gives ``CHALLENGE_SIZE`` random bytes."""
        self._fresh = fresh
        self._latest: dict[str, tuple[str, ...]] = {}
        self._renewed_at_s: dict[str, float] = {}

    def renew(self, table: str, now_s: float) -> str | None:
        """A new challenge for the table, when the last one is old enough; None until then."""
        if table in self._latest and now_s - self._renewed_at_s[table] < RENEWED_AFTER_S:
            return None
        self._latest[table] = (self._fresh().hex(), *self._latest.get(table, ())[:1])
        self._renewed_at_s[table] = now_s
        return self._latest[table][0]

    def current(self, table: str, now_s: float) -> str:
        """The table's latest challenge, the first where it has none."""
        return self.renew(table, now_s) or self._latest[table][0]

    def counts(self, table: str, challenge: str) -> bool:
        """Whether this is one of the latest two."""
        return challenge in self._latest.get(table, ())
