"""Attack 1: a copy of a table's disk repeats the public half of its boot key and says that a deal was played."""

from __future__ import annotations

from tests.support.custody.attackers import DiskCopy, after_lines, played_lines
from tests.support.custody.hall import EVENT, ROOT, VAULT, Hall, deal_topic
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.sealing import Recipient, read_sealed
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.challenge import read_challenge
from twinwall.wire.mqtt.topics import Channel

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
    statement = copy.statement(BootKeys(to, signing_key), challenge, after_lines(lines, after))
    hall.arrive(copy.topic(Channel.CUSTODY), statement)
    for line in lines:
        hall.arrive(copy.topic(Channel.EVENTS), line)


def test_a_copy_of_the_disk_that_repeats_the_tables_sealing_key_releases_nothing(hall: Hall) -> None:
    attack(hall, DiskCopy("2", OWN), OWN.public)
    assert hall.slips == {}
    assert any("shows new boot keys" in sentence for sentence in hall.said), "the vault says so, and waits for a person"


def test_a_copy_of_the_disk_that_repeats_both_boot_keys_releases_nothing(hall: Hall) -> None:
    attack(hall, DiskCopy("2", OWN), hall.tables["2"].boot_keys.signing)
    assert hall.slips == {}
    assert any("without a signature under them" in sentence for sentence in hall.said)


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
