"""Deals from the vaults: checks each holder's sealed share, opens the deal in memory, and gives it to the table in turn.

A table has the deal in play and the next one, whose wall it builds meanwhile, so it can continue without network. A deal opens when all of
the plan's holders have sent their shares. Sealed shares are stored in a memory folder with their key: a killed controller finds both, a
table that lost power neither. Each share is compared with the event's start, and the table makes the deal itself. Each vault sends a
challenge every ten seconds; a silent vault is reported by its holder's name. Rehearsals use ``controller.adapters.deal_folder`` instead.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from controller.adapters.table_identity import TableIdentity
from controller.state.messages import Message, PartFound, PartLost, SlipHeard
from controller.state.sides import OpenDeal, opened_deal
from controller.state.table_state import BROKER, TableState
from twinwall.game.deals import GatheredShares, Share, Slip, Start, VerificationError, verify_slip
from twinwall.game.documents import DocumentError
from twinwall.wire.durable_file import write_whole
from twinwall.wire.events.trouble_events import VAULT_OF
from twinwall.wire.events.wall_events import DealRefused
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import SealedDeal, SealedDealError
from twinwall.wire.messages.vaults.journal_key import RENEWED_AFTER_S

SILENT_AFTER_S = 3 * RENEWED_AFTER_S


log = logging.getLogger(__name__)


class SealedDeals:
    """The deals of one session from the vaults; any thread may call."""

    def __init__(self, identity: TableIdentity, folder: Path, due: tuple[int, ...], now_s: Callable[[], float] = time.monotonic) -> None:
        """``identity`` is that of the deals' table; ``folder`` is in memory (``controller.adapters.memory_folder``); ``due`` are the deals
        to play, in order; ``now_s`` is any clock that does not stop."""
        self.identity, self._folder, self._due = identity, folder, due
        self._lock = threading.Lock()
        self._holders = identity.holders
        self._shares = GatheredShares(identity.started)
        self._held: dict[int, OpenDeal] = {}
        self._done: tuple[int, ...] = ()
        self._handed: int | None = None
        self._slips: dict[int, bytes] = {}
        self._post: Callable[[Message], None] = lambda _message: None
        self.awaited: int | None = None
        """The requested deal that has not come yet."""
        self._refused: dict[int, DealRefused] = {}
        self._sentences: set[str] = set()
        self._online = True
        self._challenges: dict[str, str] = {}
        self._heard: dict[str, set[str]] = {vault: set() for vault in self._holders}
        """Each vault's challenges that have counted, one per ten seconds."""
        self._now_s = now_s
        self._heard_s = dict.fromkeys(self._holders.values(), now_s())
        """When each holder's vault was last heard; time without the broker does not count."""
        self._silent: set[str] = set()
        """The holders whose vaults are reported as lost."""
        self.vault_heard: Callable[[str, bytes], None] = lambda _vault, _sealing_key: None
        """Called with a vault's name and sealing key at each challenge, before the challenge counts; may raise OSError. Does nothing at a
        table that stores no journal's key for the vault."""

    @property
    def start(self) -> Start:
        """The start for these deals; a deal under another is refused, from any vault."""
        return self.identity.started.start

    def begin(self, state: TableState, post: Callable[[Message], None]) -> None:
        """Set the journal's state and the table's queue, and load the sealed deals of an earlier run."""
        with self._lock:
            self._post, self._done = post, state.done
            self._handed = None if state.making.deal is None else state.making.deal.n
            for path in sorted(self._folder.glob("deal-*.sealed")):
                if self._open(path.read_bytes()) is None:
                    path.unlink()

    @property
    def holds(self) -> tuple[int, ...]:
        """The deals with which the table can continue alone: the last one played, the one being built, and those ready."""
        with self._lock:
            last = next((n for n in reversed(self._due) if n in self._done), None)
            return tuple(n for n in self._due if n in self._held or n in (last, self._handed))

    def after(self, done: tuple[int, ...]) -> OpenDeal | DealRefused | None:
        """The next deal to build when those of ``done`` have been played or are in play, or why it must not be built; None if there is
        none, or if it has not come yet; then it is posted later."""
        with self._lock:
            self._done, self.awaited = done, None
            for past in [n for n in self._due if n in done]:
                self._held.pop(past, None)
                self._shares.drop(past)
                for vault in self._holders:
                    self._path(past, vault).unlink(missing_ok=True)
            n = next((n for n in self._due if n not in done), None)
            if n is None:
                return None
            if n in self._held:
                self._handed = n
                return self._held[n]
            self.awaited = n
            waits_for = ", ".join(self._shares.missing(n))
            log.info("deal %d has not come yet: the table waits for the vault of %s", n, waits_for)
            return self._refused.get(n)

    def take(self, payload: bytes) -> None:
        """Handle a message on this table's ``deal`` topic."""
        with self._lock:
            given = self._open(payload)
            if given is None:
                return
            write_whole(self._path(given.n, given.by), payload, 0o600)
            deal = self._held.get(given.n)
            if deal is not None and deal.n == self.awaited:
                self.awaited, self._handed = None, deal.n
                self._post(deal)

    def hear_slip(self, payload: bytes) -> None:
        """Handle a message on the slips' topic: only what opens a deal of this start counts."""
        try:
            slip = Slip.from_json(payload)
            if self._slips.get(slip.n) != payload:
                verify_slip(self.identity.started, slip)
        except (VerificationError, DocumentError) as error:
            log.warning("a slip said to be released is none of this event's: %s", error)
            return
        self._slips[slip.n] = payload
        self._post(SlipHeard(slip.n))

    def statements(self, head: LedgerPosition) -> tuple[bytes, ...]:
        """The present statements to the vaults; ``head`` is the end of the ledger. A vault that has been silent for ``SILENT_AFTER_S`` is
        reported as lost, and as found when it is heard again."""
        with self._lock:
            before, now_s = self._silent, self._now_s()
            if self._online:
                self._silent = {holder for holder, heard_s in self._heard_s.items() if now_s - heard_s > SILENT_AFTER_S}
            lost, found = sorted(self._silent - before), sorted(before - self._silent)
        for holder in lost:
            ready = ", ".join(f"deal {n}" for n in self.holds) or "no deal"
            log.warning("the vault of %r is not heard: the table plays on with what it holds (%s); nothing is lost", holder, ready)
            self._post(PartLost(f"{VAULT_OF}{holder}"))
        for holder in found:
            log.info("the vault of %r is heard again", holder)
            self._post(PartFound(f"{VAULT_OF}{holder}"))
        return tuple(self.statement(vault, head) for vault in self._holders)

    def statement(self, vault: str, head: LedgerPosition, journal_key: str = "") -> bytes:
        """A statement to one vault; ``journal_key`` is the stored piece of its journal's key, if it asks for it."""
        return self.identity.statement(vault, self._challenges.get(vault, ""), head, self._given_by(vault), journal_key)

    def hear_challenge(self, payload: bytes) -> bool:
        """Handle a message on the challenge topic: the next statements include it. Return whether it is new; a repeated one proves nothing,
        because anybody can send it, and is ignored."""
        try:
            vault, challenge = self.identity.challenge(payload)
        except DocumentError as error:
            log.warning("a challenge that is not the vault's has no effect: %s", error)
            return False
        with self._lock:
            if challenge.challenge in self._heard[vault]:
                return False
        try:
            self.vault_heard(vault, bytes.fromhex(challenge.sealing_key))
        except OSError as error:
            log.warning("the journal's key cannot be kept for the vault, so no deal is asked for: %s", error)
            return False
        with self._lock:
            self._heard_s[self._holders[vault]] = self._now_s()
            self._heard[vault].add(challenge.challenge)
            self._challenges[vault] = challenge.challenge
        return True

    def connected(self) -> None:
        with self._lock:
            found, self._online = not self._online, True
            self._heard_s = dict.fromkeys(self._heard_s, self._now_s())
        if found:
            self._post(PartFound(BROKER))

    def disconnected(self) -> None:
        """The broker is gone: the table reports that it plays alone, and for how long it can."""
        with self._lock:
            lost, self._online = self._online, False
        if lost:
            log.warning("the table plays offline; it holds %s", ", ".join(f"deal {n}" for n in self.holds) or "no deal")
            self._post(PartLost(BROKER))

    def _open(self, payload: bytes) -> SealedDeal | None:
        """Check, open and store one sealed share, and the deal if it was the last; None if it is refused (which is noted) or not wanted."""
        n, source = self.awaited or 0, "the vault"
        try:
            sealed = self.identity.sealed_deal(payload)
            n, holder = sealed.n, self._holders[sealed.by]
            source = f"the vault of {holder!r}"
            if n in self._done or n not in self._due or holder in self._shares.holders(n):
                return None
            share = Share.from_json(self.identity.unsealed(sealed))
            if (share.n, share.holder) != (n, holder):
                raise SealedDealError("format", f"what is sealed as deal {n} is the share of {share.holder!r} of deal {share.n}")
            self._shares.add(share)
            opened = self._shares.opened(n)
        except SealedDealError as error:
            self._refuse(DealRefused(n, error.reason, f"Deal {n or '?'} from {source} must not be played: {error}"))
            return None
        except VerificationError as error:
            self._refuse(DealRefused(n, str(error.part), f"Deal {n} from {source} must not be played: {error}"))
            return None
        except DocumentError as error:
            self._refuse(DealRefused(n, "format", f"Deal {n} from {source} cannot be read: {error}"))
            return None
        if opened is not None:
            self._refused.pop(n, None)
            self._held[n] = opened_deal(opened[1])
        return sealed

    def _given_by(self, vault: str) -> tuple[int, ...]:
        """The deals for which the table has this vault's share, or the deal itself."""
        known = self.holds
        with self._lock:
            return tuple(n for n in self._due if n in known or self._holders[vault] in self._shares.holders(n))

    def _refuse(self, bad: DealRefused) -> None:
        """The table stops for a refused deal only if it waits for it; each refusal is reported once."""
        if bad.sentence in self._sentences:
            return
        self._sentences.add(bad.sentence)
        log.warning("%s", bad.sentence)
        if bad.n:
            self._refused[bad.n] = bad
        if bad.n == self.awaited:
            self._post(bad)

    def _path(self, n: int, vault: str) -> Path:
        return self._folder / f"deal-{n:04d}-{tuple(self._holders).index(vault)}.sealed"
