"""Deals from the vault: checks a sealed deal, opens it in memory, and gives it to the table when its turn comes.

A table holds the deal that it plays and the next one, whose wall it builds meanwhile, so it can play on without network.
Sealed deals are kept in a memory folder beside the key that opens them: a killed controller finds both again, a
table that lost power finds neither. Before a tile moves, each deal is made again from its keys and compared with the
event's start. In rehearsals ``controller.adapters.deal_folder`` takes the place of this module.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller.ledger.journal_heads import HeadKeys
from controller.state.messages import BrokerFound, BrokerLost, DealBad, DealLoaded, Message, SlipHeard
from controller.state.open_deal import OpenDeal, opened_deal
from controller.state.table_state import TableState
from twinwall.game.deals import Slip, Start, StartedPlan, VerificationError, verify_slip
from twinwall.game.documents import DocumentError
from twinwall.wire.canonical_json import FormError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets
from twinwall.wire.messages.challenge import read_challenge
from twinwall.wire.messages.journal_key import take_journal_key
from twinwall.wire.messages.sealing import VAULT, Recipient, SealedDealError, read_sealed, unseal
from twinwall.wire.messages.signing import Counter, SignatureError, Signer
from twinwall.wire.messages.statement import Statement, write_statement

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trust:
    """What a table was told before the event: plan and start, who it is, and the key with which the vault signs."""

    started: StartedPlan
    recipient: Recipient
    vault_key: bytes


@dataclass(frozen=True, slots=True)
class Keys:
    """The table's identity key, which lies on its disk, and its boot keys, which are in memory alone."""

    identity: Signer
    boot: BootSecrets
    counter: Counter


class SealedDeals:
    """The deals of one session as the vault gives them; may be called from any thread."""

    def __init__(self, trust: Trust, keys: Keys, shelf: Path, due: tuple[int, ...]) -> None:
        """``shelf`` is a folder in memory (``controller.adapters.memory_folder``); ``due`` are the deals to play, in order."""
        self._trust, self._keys, self._shelf, self._due = trust, keys, shelf, due
        self._lock = threading.Lock()
        self._held: dict[int, OpenDeal] = {}
        self._done: tuple[int, ...] = ()
        self._handed: int | None = None
        self._slips: dict[int, bytes] = {}
        self._post: Callable[[Message], None] = _nobody
        self._awaited: int | None = None
        self._refused: dict[int, DealBad] = {}
        self._sentences: set[str] = set()
        self._online = True
        self._challenge = ""
        self.vault_heard: Callable[[bytes], None] = _nobody_heard
        """Told the vault's sealing key with each challenge, before the challenge counts; may raise OSError."""

    @property
    def recipient(self) -> Recipient:
        """Whose deals they are."""
        return self._trust.recipient

    @property
    def start(self) -> Start:
        """The start under which deals are taken; one under another is refused, whoever sealed it."""
        return self._trust.started.start

    @property
    def boot_signer(self) -> Signer:
        """Signs the heads of the table's ledgers."""
        return self._keys.boot.signer

    @property
    def vault_key(self) -> bytes:
        """The vault's public key."""
        return self._trust.vault_key

    @property
    def head_keys(self) -> HeadKeys:
        """Sign the heads of the table's journal."""
        recipient = self._trust.recipient
        return HeadKeys(recipient.event, recipient.table, self._keys.identity, self._keys.boot.signer)

    def begin(self, state: TableState, post: Callable[[Message], None]) -> None:
        """Learn what the journal says and where the table's queue is, and take the sealed deals that an earlier run kept."""
        with self._lock:
            self._post, self._done = post, state.done
            self._handed = None if state.making.deal is None else state.making.deal.n
            for path in sorted(self._shelf.glob("deal-*.sealed")):
                if self._open(path.read_bytes()) is None:
                    path.unlink()

    @property
    def holds(self) -> tuple[int, ...]:
        """The deals that the table can go on with by itself: the one played last, the one whose wall is built, and what lies ready."""
        with self._lock:
            last = next((n for n in reversed(self._due) if n in self._done), None)
            return tuple(n for n in self._due if n in self._held or n in (last, self._handed))

    def after(self, done: tuple[int, ...]) -> DealLoaded | DealBad | None:
        """The next deal to build when those of ``done`` have been played or are in play, or why it must not be built; None when
        there is none or it has yet to come: then it is posted when it has."""
        with self._lock:
            self._done, self._awaited = done, None
            for past in [n for n in self._held if n in done]:
                del self._held[past]
                self._path(past).unlink(missing_ok=True)
            n = next((n for n in self._due if n not in done), None)
            if n is None:
                return None
            if n in self._held:
                self._handed = n
                return DealLoaded(self._held[n])
            self._awaited = n
            log.info("deal %d has not come yet: the table waits for the vault", n)
            return self._refused.get(n)

    def take(self, payload: bytes) -> None:
        """Something arrived on this table's ``deal`` topic."""
        with self._lock:
            deal = self._open(payload)
            if deal is None:
                return
            self._keep(deal.n, payload)
            if deal.n == self._awaited:
                self._awaited, self._handed = None, deal.n
                self._post(DealLoaded(deal))

    def hear_slip(self, payload: bytes) -> None:
        """A slip was released, or something says so: only what opens a deal of this start counts."""
        try:
            slip = Slip.from_json(payload)
            if self._slips.get(slip.n) != payload:
                verify_slip(self._trust.started, slip)
        except (VerificationError, DocumentError) as error:
            log.warning("a slip that is told to be released is none of this event's: %s", error)
            return
        self._slips[slip.n] = payload
        self._post(SlipHeard(slip.n))

    def statement(self, head: LedgerPosition, journal_key: str = "") -> bytes:
        """What this table tells the vault now; ``head`` is where its ledger stands, ``journal_key`` what it has kept of its journal's
        key, where it asks for it."""
        keys, recipient = self._keys, self._trust.recipient
        stated = Statement(keys.boot.public, self._challenge, head, self.holds, keys.counter.next(), journal_key)
        return write_statement(keys.identity, keys.boot.signer, recipient.event, recipient.table, stated)

    def hear_challenge(self, payload: bytes) -> bool:
        """A challenge, or what claims to be one: the next statements carry it. Whether it is a new one."""
        recipient = self._trust.recipient
        try:
            challenge = read_challenge(payload, recipient.event, recipient.table, {VAULT: self._trust.vault_key})
        except (FormError, SignatureError) as error:
            log.warning("a challenge that is not the vault's has no effect: %s", error)
            return False
        try:
            self.vault_heard(bytes.fromhex(challenge.sealing_key))
        except OSError as error:
            log.warning("the journal's key cannot be kept for the vault, so no deal is asked for: %s", error)
            return False
        is_new, self._challenge = challenge.challenge != self._challenge, challenge.challenge
        return is_new

    def take_journal_key(self, payload: bytes) -> tuple[bytes, LedgerPosition]:
        """The journal's key as the vault gives it back, and where the vault knows the ledger to have stood; raises JournalKeyError."""
        recipient, trusted = self._trust.recipient, {VAULT: self._trust.vault_key}
        return take_journal_key(payload, recipient.event, recipient.table, trusted, self._keys.boot.sealing)

    def connected(self) -> None:
        """The broker is there."""
        with self._lock:
            found, self._online = not self._online, True
        if found:
            self._post(BrokerFound())

    def disconnected(self) -> None:
        """The broker is gone: the table says that it plays on alone, and for how long it can."""
        with self._lock:
            lost, self._online = self._online, False
        if lost:
            log.warning("the table plays offline; it holds %s", ", ".join(f"deal {n}" for n in self.holds) or "no deal")
            self._post(BrokerLost())

    def _open(self, payload: bytes) -> OpenDeal | None:
        """Check, open and hold one sealed deal; None when it is refused (which is noted) or not wanted."""
        n = self._awaited or 0
        recipient = self._trust.recipient
        try:
            sealed = read_sealed(payload, recipient, {VAULT: self._trust.vault_key})
            n = sealed.n
            if n in self._held or n in self._done or n not in self._due:
                return None
            slip = Slip.from_json(unseal(sealed, recipient, self._keys.boot.sealing))
            if slip.n != n:
                raise SealedDealError("format", f"what is sealed as deal {n} opens deal {slip.n}")
            deal = verify_slip(self._trust.started, slip)
        except SealedDealError as error:
            self._refuse(DealBad(n, error.reason, f"Deal {n or '?'} from the vault must not be played: {error}"))
            return None
        except VerificationError as error:
            self._refuse(DealBad(n, str(error.part), f"Deal {n} from the vault must not be played: {error}"))
            return None
        except DocumentError as error:
            self._refuse(DealBad(n, "format", f"Deal {n} from the vault cannot be read: {error}"))
            return None
        self._refused.pop(n, None)
        self._held[n] = opened_deal(deal)
        return self._held[n]

    def _refuse(self, bad: DealBad) -> None:
        """The table stops for a refused deal only when it is the one that it waits for; each is said once."""
        if bad.sentence in self._sentences:
            return
        self._sentences.add(bad.sentence)
        log.warning("%s", bad.sentence)
        if bad.n:
            self._refused[bad.n] = bad
        if bad.n == self._awaited:
            self._post(bad)

    def _keep(self, n: int, payload: bytes) -> None:
        beside = self._path(n).with_suffix(".new")
        beside.touch(mode=0o600)
        beside.write_bytes(payload)
        beside.replace(self._path(n))

    def _path(self, n: int) -> Path:
        return self._shelf / f"deal-{n:04d}.sealed"


def _nobody(message: Message) -> None:
    """Where messages go before the table listens."""


def _nobody_heard(sealing_key: bytes) -> None:
    """A table that keeps no journal's key for the vault."""
