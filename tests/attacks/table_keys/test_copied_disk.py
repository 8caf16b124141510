"""Attack 1: a copy of a table's disk repeats the public half of its boot key and says that a deal was played."""

from dataclasses import dataclass
from functools import reduce

from tests.support.custody.hall import EVENT, IDENTITIES, ROOT, START, VAULT, Hall, PlayedTable, deal_topic
from tests.support.wire.streams import Line, hand_started
from twinwall.game.tiles import SEATS
from twinwall.wire.ledger import LedgerPosition, envelope, next_position
from twinwall.wire.messages.boot_keys import BootKeys, Statement, sign_twice
from twinwall.wire.messages.signing import Recipient, Signer, read_sealed
from twinwall.wire.messages.vaults.journal_key import read_challenge
from twinwall.wire.mqtt.topics import Channel, Topic


def played_lines(table: str, n: int, after: LedgerPosition) -> list[bytes]:
    """Lines of a ledger that say that a table has played deal ``n``, which it has not."""
    seats = {seat.value: 0 for seat in SEATS}
    lines: list[bytes] = []
    first: list[Line] = [] if after.seq else [("start-fixed", {"code": START.code.hex()})]
    played: list[Line] = [hand_started(n, dict.fromkeys(seats, "Ann"), seats, 0), ("hand-closed", {"n": n})]
    for kind, fields in first + played:
        lines.append(envelope(table, after, PlayedTable.now(), kind, fields))
        after = next_position(after, lines[-1])
    return lines


@dataclass(frozen=True, slots=True)
class DiskCopy:
    """Somebody with a copy of a table's disk: its identity key and its broker password, and what the broker tells that account.

    What the table has in memory, the boot keys, he has not; ``boot`` is a signing key of his own.
    """

    table: str
    boot: Signer

    def statement(self, keys: BootKeys, challenge: str, head: LedgerPosition) -> bytes:
        """A statement that names any keys, signed with what he has."""
        return sign_twice(IDENTITIES[self.table], self.boot, Statement.of(keys, challenge, head, (), counter=10**12), EVENT, self.table)

    def topic(self, channel: Channel) -> str:
        """A topic to which the table's account may publish, or that it may hear."""
        return str(Topic(EVENT, self.table, channel))


OWN = Signer("2", b"\x66" * 32)
BEGINNING = LedgerPosition("stolen")


def heard(hall: Hall, topic: str) -> bytes:
    """The last message on a topic that the table's account may hear."""
    return next(payload for to, payload in reversed(hall.sent) if to == topic)


def attack(hall: Hall, copy: DiskCopy, signing_key: bytes, after: LedgerPosition = BEGINNING) -> None:
    """Say that deal 1 was played, in a statement that repeats the sealing key which the table has shown; the ledger goes on ``after``."""
    to = read_sealed(heard(hall, deal_topic("2")), Recipient(EVENT, "2", ROOT), {"vault": VAULT.public}).to
    challenge = read_challenge(heard(hall, copy.topic(Channel.CHALLENGE)), EVENT, "2", {"vault": VAULT.public})[1].challenge
    lines = played_lines("2", 1, after)
    statement = copy.statement(BootKeys(to, signing_key), challenge, reduce(next_position, lines, after))
    hall.arrive(copy.topic(Channel.CUSTODY), statement)
    for line in lines:
        hall.arrive(copy.topic(Channel.EVENTS), line)


def test_a_copy_of_the_disk_that_repeats_the_tables_sealing_key_releases_nothing(hall: Hall) -> None:
    attack(hall, DiskCopy("2", OWN), OWN.public)
    assert hall.slips == {}
    assert any("shows new boot keys" in sentence for sentence in hall.sentences), "the vault says so, and waits for a person"


def test_a_copy_of_the_disk_that_repeats_both_boot_keys_releases_nothing(hall: Hall) -> None:
    attack(hall, DiskCopy("2", OWN), hall.tables["2"].boot_keys.signing)
    assert hall.slips == {}
    assert any("without a signature under them" in sentence for sentence in hall.sentences)


def test_a_recorded_statement_says_nothing_to_a_vault_that_has_asked_anew(hall: Hall) -> None:
    """The table's own words, both signatures good: only the challenge is of yesterday."""
    table = hall.tables["2"]
    recorded = table.deals.statement("vault", table.head)
    hall.cut("2")
    for _ in range(3):
        hall.now_s += 10.0
        hall.tick()
    before = hall.status()
    hall.arrive(DiskCopy("2", OWN).topic(Channel.CUSTODY), recorded)
    assert hall.status() == before


def test_control_whoever_holds_the_boot_signing_key_too_releases_the_deal(hall: Hall) -> None:
    """The same attack with the one thing that the defence asks for: he goes on with the ledger of the disk."""
    signer = hall.tables["2"].boot_secrets.signer
    attack(hall, DiskCopy("2", signer), signer.public, after=hall.tables["2"].head)
    assert list(hall.slips) == [1]
