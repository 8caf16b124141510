"""Statement of a table to one vault: its boot keys, the vault's challenge, its ledger's head, the deals it holds.

It carries two signatures: one under the table's identity key, which lies on its disk, and one under the boot signing key, which
is in memory alone. Both cover both boot keys and the challenge, so neither a copy of the disk nor a recorded statement will
do. The ledger is chained by hash, so the head vouches for every line before it. The statement tells nothing of the play.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from twinwall.game.documents import DocumentError, Reading, parse_object
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys, NamesBootKeys, open_signed_twice
from twinwall.wire.messages.signing import VAULT


class Statement(NamesBootKeys, tag_field="format", tag="twinwall-statement-4"):
    """``challenge`` is the vault's latest that the table has heard, empty before the first; ``head`` is the last line of its ledger;
    ``holds`` are the numbers of the deals of which it has what this vault gives; ``counter`` rises from statement to statement under one
    pair of keys. ``journal_key`` is what the table has kept of its journal's key, sealed to the vault (hex), where it asks for it; else
    empty. ``to`` is the name of the vault; another vault leaves the statement alone."""

    to: Text
    challenge: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{32})?\Z")]
    journal: Text
    seq: Count
    digest: Digest
    holds: tuple[int, ...]
    counter: Count
    journal_key: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*\Z", max_length=512)]

    @classmethod
    def of(
        cls,
        keys: BootKeys,
        challenge: str,
        head: LedgerPosition,
        holds: tuple[int, ...],
        *,
        counter: int,
        journal_key: str = "",
        to: str = VAULT,
    ) -> "Statement":
        """The statement of a table with these boot keys, whose ledger ends at ``head``."""
        return cls(keys.sealing.hex(), keys.signing.hex(), to, challenge, head.journal, head.seq, head.digest, holds, counter, journal_key)

    @property
    def head(self) -> LedgerPosition:
        """Where the table's ledger ends."""
        return LedgerPosition(self.journal, self.seq, self.digest)


def addressee(payload: bytes) -> str | None:
    """The vault that a statement names, its signatures not checked; None where it names none."""
    try:
        to = parse_object(payload).get("to")
    except DocumentError:
        return None
    return to if isinstance(to, str) else None


def read_statement(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> Statement:
    """Read a statement of this table; ``trusted`` holds its identity key under its name. Raises DocumentError."""
    with Reading(f"the statement of table {table!r} is refused"):
        return open_signed_twice(payload, Statement, trusted, event, table)
