"""A vault's service for the tables of a hall. It turns tables' statements, heads and ledgers into decisions of ``table_rules``, and events
of the release machine into sealed shares, announcements of keys and sentences for people. A statement needs the vault's present challenge,
a ledger line needs a head signed by the table."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import assert_never

from twinwall.custody import table_rules
from twinwall.custody.custody_status import LastStatement, status_of, write_status
from twinwall.custody.key_shares import HolderShares
from twinwall.custody.release import (
    CustodyRefusal,
    CustodyState,
    DealFinished,
    DealGiven,
    DealStarted,
    Decision,
    Event,
    KeyAccepted,
    KeyRevoked,
    MemberWithdrawn,
    ProgressCompared,
    SlipReleased,
    apply,
    beginning,
)
from twinwall.custody.table_rules import Command, CustodyPlan, ReplaceController, TableStated
from twinwall.custody.vault import Members, Publish, Vault
from twinwall.custody.vault_files import Order, StoredEntry
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.journal_start import CountedJournals
from twinwall.wire.ledger import LedgerPosition, PublicEvent
from twinwall.wire.messages.boot_keys import Announcement, BootKeys, TableKey, addressee, read_head, read_statement
from twinwall.wire.messages.commands import CommandWriter, Resend
from twinwall.wire.messages.signing import VAULT, Counter, Recipient, Repeats, Signer, seal_deal, sign_document, vault_sealing_key
from twinwall.wire.messages.vaults.journal_key import Challenges, give_journal_key, open_stored_piece, read_key_request, write_challenge
from twinwall.wire.messages.venue_messages import write_notice
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, keys_topic, parse_topic, slips_topic
from twinwall.wire.receiver import Contradicted, KnownJournal, LineRefused, NewJournal, Output, RepeatedLine
from twinwall.wire.signed_receiver import SignedReceiver

KEYS_ANNOUNCED_S = 2.0
"""Interval of key announcements: a starting server shows no line before it knows the keys."""

HEARD = (Channel.EVENTS, Channel.HEAD, Channel.CUSTODY, Channel.KEY_REQUEST)


class TableCustody(Members):
    kept = (KeyAccepted, KeyRevoked, MemberWithdrawn, DealStarted, DealFinished, SlipReleased)

    def __init__(
        self,
        plan: CustodyPlan,
        tables: Mapping[str, bytes],
        shares: HolderShares,
        *,
        signer: Signer,
        counter: Counter,
        draw: Callable[[], bytes],
        command_id: Callable[[], str],
        server: bytes | None = None,
    ) -> None:
        """``tables``: public identity keys by table.

        - signer: signs sealed deals, and commands that ask tables for missing lines.
        - counter: numbers both; rises across restarts.
        - draw: returns random bytes of a challenge.
        - server: the public key for staff orders from the dashboard.
        """
        super().__init__(plan, shares, signer)
        self.plan: CustodyPlan = plan
        self._tables = tables
        self.by = f"(vault of {shares.holder!r}) " if len(shares.plan.holders) > 1 else ""
        self._commands = CommandWriter(self._event, signer, counter, command_id)
        self._journals = CountedJournals(self._event, server, earlier=True)
        self._repeats, self._challenges = Repeats(), Challenges(draw)
        self._counter, self._announced_keys, self._announcement, self._announced_at_s = counter, list[TableKey](), b"", 0.0
        self._spoken: dict[str, LastStatement] = {}
        self._checked: dict[str, tuple[bytes, BootKeys, LedgerPosition]] = {}
        """Each table's last head and the boot keys with which it was checked, because tables repeat it."""
        self._accepted_now: set[str] = set()
        self._reached: dict[str, LedgerPosition] = {}
        """The last line of each table's ledger that counts."""
        self._noted: dict[str, LedgerPosition] = {}
        """Of these, the ones from an earlier run."""
        self._ledgers: dict[str, SignedReceiver] = {}

    @cached_property
    def subscriptions(self) -> tuple[str, ...]:
        return tuple(str(Topic(self._event, table, channel)) for table in self._tables for channel in HEARD)

    def resume(self, kept: Iterable[StoredEntry]) -> CustodyState:
        """The state of an earlier run, and each table's last line in it, which counts when a head of the table confirms it."""
        state = beginning(self.plan)
        for event in kept:
            if not isinstance(event, SlipReleased) and event.name not in state.members:
                continue
            if isinstance(event, DealStarted | DealFinished):
                self._reached[event.name] = event.line
                if event.n not in self.plan.deals:
                    continue  # of another session: only the line counts, after which the table's ledger is asked for
            state = apply(state, event)
        self._noted = dict(self._reached)
        self._ledgers = {table: SignedReceiver(table, _known(self._reached.get(table))) for table in self._tables}
        return replace(state, uncompared=frozenset(self._noted))

    def ordered(self, state: CustodyState, order: Order) -> Decision:
        return table_rules.decide(self.plan, state, order)

    def hear(self, vault: Vault, topic: str, payload: bytes) -> list[Publish]:
        try:
            heard = parse_topic(topic)
        except TopicError as problem:
            vault.say(str(problem))
            return []
        ledger = self._ledgers.get(heard.table)
        if heard.event != self._event or ledger is None:
            return []
        match heard.channel:
            case Channel.EVENTS:
                return self._take(vault, heard.table, ledger.feed(payload, vault.now_s))
            case Channel.HEAD:
                return self._head(vault, heard.table, payload)
            case Channel.CUSTODY:
                return self._statement(vault, heard.table, payload)
            case Channel.KEY_REQUEST:
                return self._key_request(vault, heard.table, payload)
            case _:
                return []

    def tick(self, vault: Vault, _at: datetime) -> list[Publish]:
        """Ask again for missing lines, and renew challenges."""
        sent: list[Publish] = []
        for table, ledger in self._ledgers.items():
            sent += self._take(vault, table, ledger.tick(vault.now_s))
            if (challenge := self._challenges.renew(table, vault.now_s)) is not None:
                sent.append(self._challenge(table, challenge))
        return sent

    def happened(self, vault: Vault, event: Event) -> list[Publish]:
        match event:
            case KeyAccepted(name):
                self._accepted_now.add(name)
                self._ledgers[name].forget_heads()
                vault.say(f"table {name!r}: its boot keys are {event.keys.fingerprint} from now on")
            case DealGiven(name, n, key):
                share, to = canonical_json(self._shares.share(n).to_json()), Recipient(self._event, name, self._shares.root)
                return [self._to(name, Channel.DEAL, seal_deal(self._signer, to, n, share, bytes.fromhex(key)))]
            case KeyRevoked(name, fingerprint):
                self._ledgers[name].forget_heads()
                vault.say(f"table {name!r}: the boot keys {fingerprint} are revoked: under them it is given nothing")
            case MemberWithdrawn():
                vault.say(table_rules.withdrawn_sentence(event))
        return []

    def settled(self, state: CustodyState, now_s: float) -> list[Publish]:
        """Let the first holder's vault announce the boot keys when they change, and again for late listeners."""
        if self._signer.by != VAULT:
            return []
        keys = [TableKey(table, standing.keys.signing.hex()) for table, standing in state.members.items() if standing.keys is not None]
        if keys != self._announced_keys:
            self._announced_keys = keys
            self._announcement = sign_document(self._signer, Announcement(self._counter.next(), tuple(keys)), self._event)
        elif not self._announcement or now_s - self._announced_at_s < KEYS_ANNOUNCED_S:
            return []
        self._announced_at_s = now_s
        return [Publish(keys_topic(self._event), self._announcement)]

    def slip_messages(self, slip: bytes) -> list[Publish]:
        return [Publish(slips_topic(self._event), slip)]

    def repeat_slips(self, slips: Iterable[bytes]) -> list[Publish]:
        return [Publish(slips_topic(self._event), slip) for slip in slips]

    def notice(self, name: str, sentence: str) -> Publish:
        """Send a sentence about a table to the hall's server."""
        return self._to(name, Channel.NOTICE, write_notice(sentence))

    def status(self, state: CustodyState, at: datetime, now_s: float) -> bytes:
        """Who has what; ``at`` and ``now_s`` are the same moment."""
        return write_status(status_of(self.plan, state, self._spoken, at, now_s, start=self._shares.started.start))

    def _to(self, table: str, channel: Channel, payload: bytes) -> Publish:
        return Publish(str(Topic(self._event, table, channel)), payload)

    def _challenge(self, table: str, challenge: str) -> Publish:
        return self._to(table, Channel.CHALLENGE, write_challenge(self._signer, self._event, table, challenge))

    def _decide(self, vault: Vault, command: Command) -> list[Publish]:
        return vault.take(command.name, table_rules.decide(self.plan, vault.state, command))

    def _refusal(self, vault: Vault, command: Command) -> CustodyRefusal | None:
        decision = table_rules.decide(self.plan, vault.state, command)
        return decision if isinstance(decision, CustodyRefusal) else None

    def _statement(self, vault: Vault, table: str, payload: bytes) -> list[Publish]:
        if addressee(payload) not in (None, self._signer.by):
            return []
        try:
            statement = read_statement(payload, self._event, table, {table: self._tables[table]})
        except DocumentError as problem:
            return vault.notice(table, str(problem))
        if not self._challenges.counts(table, statement.challenge):
            return [self._challenge(table, self._challenges.current(table, vault.now_s))]
        if not self._repeats.is_new(f"{table} {statement.keys}", statement.counter):
            return []
        spoke = TableStated(table, statement.keys, statement.holds)
        known = _is_accepted(vault.state, table, statement.keys)
        sent = [] if known else self._decide(vault, spoke)
        if not _is_accepted(vault.state, table, statement.keys):
            return sent
        self._spoken[table] = statement.holds, vault.now_s
        sent += self._vouch(vault, table, statement.head)
        if table in vault.state.uncompared:
            sent += self._compare(vault, table, statement.head)
        if statement.journal_key:
            sent += self._give_journal_key(vault, table, statement.keys, statement.journal_key)
        return sent + self._decide(vault, spoke) if known else sent

    def _key_request(self, vault: Vault, table: str, payload: bytes) -> list[Publish]:
        """Answer a table without network whose request a phone carried. The rules are those of a statement, but nothing else follows,
        because a request may be old: boot keys are accepted when the table itself speaks."""
        try:
            request = read_key_request(payload, self._event, table, {table: self._tables[table]})
        except DocumentError as problem:
            return vault.notice(table, str(problem))
        kept = request.kept.get(self._signer.by)
        if kept is None:
            return []
        refused = self._refusal(vault, TableStated(table, request.keys, ()))
        if refused is not None:
            return vault.notice(table, refused.sentence)
        return self._give_journal_key(vault, table, request.keys, kept)

    def _give_journal_key(self, vault: Vault, table: str, keys: BootKeys, kept: str) -> list[Publish]:
        """Send this holder's piece of the journal key, opened from what the table has ``kept`` and sealed to its allowed boot keys, and the
        last line that this vault knows of the table."""
        try:
            key = open_stored_piece(kept, vault_sealing_key(self._signer), self._event, table)
            given = give_journal_key(self._signer, self._event, table, key, to=keys.sealing, known=self._reached.get(table))
            return [self._to(table, Channel.JOURNAL_KEY, given)]
        except DocumentError as problem:
            return vault.notice(table, str(problem))

    def _vouch(self, vault: Vault, table: str, head: LedgerPosition) -> list[Publish]:
        heard = self._ledgers[table].vouch(head, vault.now_s)
        agrees = self._decide(vault, ProgressCompared(table)) if self._noted.get(table) == head else []
        return agrees + self._take(vault, table, heard)

    def _compare(self, vault: Vault, table: str, head: LedgerPosition) -> list[Publish]:
        """Compare a statement with the line that an earlier run has noted: a writer into the vault's folder could let it release deals
        that are being played. A statement that ends before that line, or is of another journal, contradicts it; a new journal counts
        where a person has allowed new keys since."""
        noted = self._noted[table]
        if table in self._accepted_now and noted.journal != head.journal:
            return self._decide(vault, ProgressCompared(table))
        if head.journal == noted.journal and head.seq >= noted.seq:
            return []
        return vault.notice(
            table,
            f"the vault's ledger names line {noted.seq} of table {table!r} (journal {noted.journal!r}), whose own ledger ends at line "
            f"{head.seq} (journal {head.journal!r}): nothing follows from what it notes of this table. If the table's disk was replaced, "
            f"say twinwall vault revoke {table} and allow its next keys; if not, somebody has written into the vault's folder",
        )

    def _head(self, vault: Vault, table: str, payload: bytes) -> list[Publish]:
        keys = vault.state.members[table].keys
        if keys is None:
            return []
        checked = self._checked.get(table)
        if checked is None or checked[:2] != (payload, keys):
            try:
                head = read_head(payload, self._event, table, keys.signing)
            except DocumentError as problem:
                return vault.notice(table, str(problem))
            checked = self._checked[table] = payload, keys, head.position
        return self._vouch(vault, table, checked[2])

    def _take(self, vault: Vault, table: str, heard: list[Output]) -> list[Publish]:
        sent: list[Publish] = []
        for what in heard:
            match what:
                case PublicEvent() as event:
                    sent += self._confirmed(vault, table, event)
                case Resend():
                    sent.append(self._to(table, Channel.COMMAND, self._commands.write(table, what)))
                case LineRefused(reason):
                    sent += vault.notice(table, reason)
                case Contradicted():
                    sent += vault.notice(table, what.sentence)
                case NewJournal() | RepeatedLine():
                    pass
                case _:
                    assert_never(what)
        return sent

    def _confirmed(self, vault: Vault, table: str, event: PublicEvent) -> list[Publish]:
        """Take a line that the table itself wrote, if its journal has the event's start."""
        reached, standing = self._reached.get(table), vault.state.members[table]
        former = None if reached is None or reached.journal == event.journal or not standing.started else reached
        if (problem := self._journals.problem(event, self._shares.started.start, former)) is not None:
            return vault.notice(table, problem)
        if not self._journals.count(event):
            return []
        order = self._journals.order(event)
        command = progress(table, event) if order is None else ReplaceController(table, order, event.position)
        if order is not None and command is not None and (refused := self._refusal(vault, command)) is not None:
            self._journals.refuse(event)
            return vault.notice(table, refused.sentence)
        noted = self._noted.get(table)
        goes_on = order is not None or (noted is not None and noted.journal == event.journal)
        sent = self._decide(vault, ProgressCompared(table)) if goes_on else []
        self._reached[table] = event.position
        return sent if command is None else sent + self._decide(vault, command)


def _known(line: LedgerPosition | None) -> tuple[KnownJournal, ...]:
    """What an earlier run knows of a table's ledger: its last line, and that others came before."""
    return () if line is None else (KnownJournal(line.journal, (line.digest,), line.seq - 1),)


def _is_accepted(state: CustodyState, table: str, keys: BootKeys) -> bool:
    """Whether this is the table to which deals are given. A second one with the same identity, perhaps from a copy of its disk, has other
    boot keys: until a person allows them, nothing counts that it says."""
    return state.members[table].keys == keys


def progress(table: str, event: PublicEvent) -> DealStarted | DealFinished | None:
    """What a line of a table's ledger means for custody; None for most. A deal begins with its play, not with its wall, because the next
    wall may be built during the present hand."""
    match event.body:
        case HandStarted(n=n):
            return DealStarted(table, n, event.position)
        case HandClosed(n):
            return DealFinished(table, n, event.position)
        case _:
            return None
