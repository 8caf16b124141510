"""A vault's challenge to a table: random bytes that the table's next statements repeat. They prove that the holder of the boot keys made
the statement now, neither recorded nor assembled from others' public keys. The vault signs challenges, so that others cannot collect
answers. A challenge also names the vault's sealing key for the table's journal key."""

from collections.abc import Callable, Mapping

from twinwall.game.typed_json import Digest, HexText
from twinwall.values import Shape
from twinwall.wire.messages.signing import Signer, open_named_document, sign_document, vault_sealing_key

CHALLENGE_SIZE = 16
RENEWED_AFTER_S = 10.0


class Challenge(Shape, tag_field="format", tag="twinwall-challenge-2"):
    """16 random bytes and the vault's sealing key, in hex."""

    challenge: HexText
    sealing_key: Digest


def write_challenge(signer: Signer, event: str, table: str, challenge: str) -> bytes:
    return sign_document(signer, Challenge(challenge, vault_sealing_key(signer).public.hex()), event, table)


def read_challenge(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> tuple[str, Challenge]:
    """The vault that sent a challenge, and the challenge; raises DocumentError."""
    return open_named_document(payload, Challenge, trusted, event, table)


class Challenges:
    """One vault's challenges: each table gets a new one every ten seconds, and its latest two count."""

    def __init__(self, fresh: Callable[[], bytes]) -> None:
        """``fresh`` returns ``CHALLENGE_SIZE`` random bytes."""
        self._fresh = fresh
        self._latest: dict[str, tuple[str, ...]] = {}
        self._renewed_at_s: dict[str, float] = {}

    def renew(self, table: str, now_s: float) -> str | None:
        """A new challenge for the table if the last one is old enough, else None."""
        if table in self._latest and now_s - self._renewed_at_s[table] < RENEWED_AFTER_S:
            return None
        self._latest[table] = (self._fresh().hex(), *self._latest.get(table, ())[:1])
        self._renewed_at_s[table] = now_s
        return self._latest[table][0]

    def current(self, table: str, now_s: float) -> str:
        """The table's latest challenge; makes the first."""
        return self.renew(table, now_s) or self._latest[table][0]

    def counts(self, table: str, challenge: str) -> bool:
        """Whether this is one of the table's latest two."""
        return challenge in self._latest.get(table, ())
