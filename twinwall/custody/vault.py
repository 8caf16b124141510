"""The vault of one holder without its network: what arrives goes in, what must leave comes out.

Statements and ledgers of tables become commands of ``release``; its events become sealed shares, released ones and sentences for
people. A deal's slip is made when the shares of all holders are released. Each holder's vault decides for itself. The process
stores accepted keys before it seals anything to them, and each table's progress with the line that says so. A vault that is killed
asks the tables for what came after those lines, reaches the same state and gives again what it gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import assert_never

from twinwall.custody import release
from twinwall.custody.custody_status import CustodyStatus, Spoken, status_of
from twinwall.custody.key_announcer import KeyAnnouncer
from twinwall.custody.key_shares import HolderShares
from twinwall.custody.noted_progress import NotedProgress
from twinwall.custody.release import CustodyPlan, CustodyRefusal, CustodyState, KeyAccepted, OpeningGiven, SlipReleased
from twinwall.custody.released_shares import ReleasedShares
from twinwall.custody.slip_publisher import SlipPublisher
from twinwall.custody.table_messages import TableMessages
from twinwall.custody.vault_ledger import Kept, Progressed
from twinwall.custody.vault_notices import VaultNotices
from twinwall.custody.vault_outputs import Keep, Output, Publish, Say
from twinwall.game.deals import Slip
from twinwall.game.documents import DocumentError
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.journal_start import CountedJournals
from twinwall.wire.ledger import LedgerPosition, PublicEvent
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.head import HeadError, LedgerKind, read_head
from twinwall.wire.messages.replacement import ReplacementOrder
from twinwall.wire.messages.sealing import VAULT
from twinwall.wire.messages.signing import Counter, Repeats, Signer
from twinwall.wire.messages.statement import StatementError, addressee, read_statement
from twinwall.wire.messages.vaults.challenge import Challenges
from twinwall.wire.messages.vaults.journal_key import JournalKeyError
from twinwall.wire.messages.vaults.key_request import KeyRequestError, read_key_request
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, keys_topic, parse_topic, shares_topic
from twinwall.wire.receiver import Accepted, Ask, KnownJournal, LineRefused, NewJournal, RepeatedLine
from twinwall.wire.signed_receiver import Contradicted, Received, SignedReceiver

HEARD = (Channel.EVENTS, Channel.HEAD, Channel.CUSTODY, Channel.KEY_REQUEST)


class Vault:
    """One session in custody."""

    def __init__(
        self,
        shares: HolderShares,
        custody: CustodyPlan,
        tables: Mapping[str, bytes],
        *,
        signer: Signer,
        commands: CommandWriter,
        kept: Iterable[Kept],
        counter: Counter,
        fresh: Callable[[], bytes],
        slips: Iterable[Slip] = (),
        server: bytes | None = None,
    ) -> None:
        """``tables`` are the tables' public identity keys; ``signer`` signs what is sealed, ``commands`` asks tables for what is
        missing; ``kept`` is what an earlier run has kept, in its order; ``counter`` numbers announcements, ``fresh`` gives random
        bytes for challenges; ``slips`` are those that an earlier run has put out; under ``server`` the dashboard signs what its staff
        have ordered."""
        self._shares, self._custody, self._signer, self._tables = shares, custody, signer, tables
        self._event = shares.plan.event
        self.slips = SlipPublisher(shares, _released(shares, custody, slips))
        """What is released, as it is put out."""
        self._messages = TableMessages(signer, commands, shares)
        self._notices = VaultNotices(shares, tables, self._messages)
        self._journals = CountedJournals(self._event, server, earlier=True)
        self._repeats, self._challenges = Repeats(), Challenges(fresh)
        self._announcer = KeyAnnouncer(signer, self._event, counter) if signer.by == VAULT else None
        self._spoken: dict[str, Spoken] = {}
        self._now_s = 0.0
        state, self._reached = _taken_up(custody, kept)
        self._noted = NotedProgress(self._reached)
        self.state = replace(state, uncompared=self._noted.tables)
        self._checked: dict[str, tuple[bytes, BootKeys, LedgerPosition]] = {}
        """Each table's last head, and the boot keys under which it was checked: a table repeats it."""
        self._settled: CustodyState | None = None
        """The state from which nothing follows by itself. Most of what is heard changes nothing, and with 64 tables and 16 deals it takes
        milliseconds to ask what follows."""
        self._again = self.state.released
        self._accepted_now: set[str] = set()
        self._ledgers = {table: SignedReceiver(table, _noted(self._reached.get(table))) for table in tables}

    @cached_property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to hear."""
        own = tuple(str(Topic(self._event, table, channel)) for table in self._tables for channel in HEARD)
        return own if len(self._shares.plan.holders) == 1 else (*own, shares_topic(self._event))

    def hear(self, topic_text: str, payload: bytes, now_s: float) -> list[Output]:
        """Something arrived."""
        self._now_s = now_s
        try:
            if topic_text == shares_topic(self._event):
                return self.slips.hear(payload)
            topic = parse_topic(topic_text)
        except DocumentError as problem:
            return self._notices.say(f"a share said to be released is none of this event's: {problem}")
        except TopicError as problem:
            return self._notices.say(str(problem))
        ledger = self._ledgers.get(topic.table)
        if topic.event != self._event or ledger is None:
            return []
        if topic.channel is Channel.EVENTS:
            return self._take(topic.table, ledger.feed(payload, now_s))
        if topic.channel is Channel.HEAD:
            return self._head(topic.table, payload, now_s)
        if topic.channel is Channel.CUSTODY:
            return self._statement(topic.table, payload, now_s)
        if topic.channel is Channel.KEY_REQUEST:
            return self._key_request(topic.table, payload)
        return []

    def order(self, command: release.AllowKey | release.RevokeKey | release.WithdrawTable) -> list[Output]:
        """A person at the vault has decided."""
        return self._decide(command)

    def hold(self, n: int) -> list[Output]:
        """The centre's vault has given the share of deal ``n`` to this venue's: it goes on to the tables that may have it."""
        self.state = replace(self.state, held=self.state.held | {n})
        return self._follow()

    def tick(self, now_s: float) -> list[Output]:
        """Time has passed: questions are asked again, challenges renewed, slips sent again."""
        self._now_s = now_s
        outputs = [output for n in sorted(self._again) for output in self.slips.release(n)]
        self._again = frozenset()
        for table, ledger in self._ledgers.items():
            outputs += self._take(table, ledger.tick(now_s))
            if (challenge := self._challenges.renew(table, now_s)) is not None:
                outputs.append(self._messages.challenge(table, challenge))
        return outputs + self.slips.tell_again(now_s) + self._follow()

    def status(self, at: datetime, now_s: float) -> CustodyStatus:
        """Who has what, at this moment of the wall's clock and of the one that ``hear`` is given."""
        return status_of(self._custody, self.state, self._spoken, at, now_s, start=self._shares.started.start)

    def _statement(self, table: str, payload: bytes, now_s: float) -> list[Output]:
        if addressee(payload) not in (None, self._signer.by):
            return []
        try:
            statement = read_statement(payload, self._event, table, {table: self._tables[table]})
        except StatementError as problem:
            return self._notice(table, str(problem))
        if not self._challenges.counts(table, statement.challenge):
            return [self._messages.challenge(table, self._challenges.current(table, now_s))]
        if not self._repeats.is_new(f"{table} {statement.keys}", statement.counter):
            return []
        spoke = release.TableSpoke(table, statement.keys, statement.holds)
        known = _is_accepted(self.state, table, statement.keys)
        outputs = [] if known else self._decide(spoke)
        if not _is_accepted(self.state, table, statement.keys):
            return outputs
        self._spoken[table] = Spoken(statement.holds, now_s)
        outputs += self._vouch(table, statement.head, now_s)
        if table in self.state.uncompared:
            outputs += self._compare(table, statement.head)
        if statement.journal_key:
            outputs += self._give_journal_key(table, statement.keys, statement.journal_key)
        return outputs + self._decide(spoke) if known else outputs

    def _key_request(self, table: str, payload: bytes) -> list[Output]:
        """A table without network asks for its journal's key on somebody's phone. It is given under the rules of a statement; nothing
        else follows, since a request may be old: the boot keys are accepted when the table itself speaks."""
        try:
            request = read_key_request(payload, self._event, table, {table: self._tables[table]})
        except KeyRequestError as problem:
            return self._notice(table, str(problem))
        kept = request.kept.get(self._signer.by)
        if kept is None:
            return []
        refused = self._refusal(release.TableSpoke(table, request.keys, ()))
        if refused is not None:
            return self._notice(table, refused.sentence)
        return self._give_journal_key(table, request.keys, kept)

    def _give_journal_key(self, table: str, keys: BootKeys, kept: str) -> list[Output]:
        """The table asks for its journal's key; it has signed under boot keys that a person has allowed."""
        try:
            return [self._messages.journal_key(table, keys, kept, self._reached.get(table))]
        except JournalKeyError as problem:
            return self._notice(table, str(problem))

    def _vouch(self, table: str, head: LedgerPosition, now_s: float) -> list[Output]:
        """Take what the head covers."""
        heard = self._ledgers[table].vouch(head, now_s)
        return (self._decide(release.ProgressAgrees(table)) if self._noted.is_at(table, head) else []) + self._take(table, heard)

    def _compare(self, table: str, head: LedgerPosition) -> list[Output]:
        """Compare a statement with what an earlier run has noted. A new journal is taken up where a person has allowed new keys
        since; otherwise a writer into the vault's folder could name any journal."""
        if table in self._accepted_now and self._noted.is_replaced(table, head):
            return self._decide(release.ProgressAgrees(table))
        sentence = self._noted.contradiction(table, head)
        return [] if sentence is None else self._notice(table, sentence)

    def _head(self, table: str, payload: bytes, now_s: float) -> list[Output]:
        keys = self.state.tables[table].keys
        if keys is None:
            return []
        checked = self._checked.get(table)
        if checked is None or checked[:2] != (payload, keys):
            try:
                head = read_head(payload, self._event, table, {table: keys.signing}, ledger=LedgerKind.EVENTS)
            except HeadError as problem:
                return self._notice(table, str(problem))
            checked = self._checked[table] = payload, keys, head.position
        return self._vouch(table, checked[2], now_s)

    def _take(self, table: str, heard: list[Received]) -> list[Output]:
        outputs: list[Output] = []
        for what in heard:
            match what:
                case Accepted(event):
                    outputs += self._confirmed(table, event)
                case Ask(resend):
                    outputs.append(self._messages.command(table, resend))
                case LineRefused(reason):
                    outputs += self._notice(table, reason)
                case Contradicted():
                    outputs += self._notice(table, what.sentence)
                case NewJournal() | RepeatedLine():
                    pass
                case _:
                    assert_never(what)
        return outputs

    def _confirmed(self, table: str, event: PublicEvent) -> list[Output]:
        """The table itself wrote this line; it counts where its journal is of the event's start."""
        reached, standing = self._reached.get(table), self.state.tables[table]
        former = None if reached is None or reached.journal == event.journal or not standing.started else reached
        if (problem := self._journals.problem(event, self._shares.started.start, former)) is not None:
            return self._notice(table, problem)
        if not self._journals.count(event):
            return []
        order = self._journals.order(event)
        if order is not None and (refused := self._refusal(_replacement(table, order))) is not None:
            self._journals.refuse(event)
            return self._notice(table, refused.sentence)
        goes_on = order is not None or self._noted.goes_on(table, event.position)
        outputs = self._decide(release.ProgressAgrees(table)) if goes_on else []
        self._reached[table] = event.position
        command = progress(table, event) if order is None else _replacement(table, order)
        return outputs if command is None else outputs + self._decide(command)

    def _refusal(self, command: release.Command) -> CustodyRefusal | None:
        """Why a command would be refused now."""
        decision = release.decide(self._custody, self.state, command)
        return decision if isinstance(decision, CustodyRefusal) else None

    def _decide(self, command: release.Command) -> list[Output]:
        decision = release.decide(self._custody, self.state, command)
        if isinstance(decision, CustodyRefusal):
            return self._notice(command.table, decision.sentence)
        return self._follow(decision)

    def _follow(self, events: tuple[release.Event, ...] = ()) -> list[Output]:
        """What ``events`` lead to, and what happens by itself; after a start that is what an earlier run may have left undone."""
        outputs: list[Output] = []
        while events := events or (() if self.state is self._settled else release.follow(self._custody, self.state)):
            for event in events:
                self.state = release.apply(self.state, event)
                outputs += self._outputs(event)
            events = ()
        self._settled = self.state
        announcement = None if self._announcer is None else self._announcer.due(self.state.tables, self._now_s)
        return outputs if announcement is None else [*outputs, Publish(keys_topic(self._event), announcement)]

    def _outputs(self, event: release.Event) -> list[Output]:
        match event:
            case KeyAccepted(table, keys):
                self._accepted_now.add(table)
                self._ledgers[table].forget_heads()
                return [Keep(event), Say(f"table {table!r}: its boot keys are {keys.fingerprint} from now on")]
            case OpeningGiven(table, n, key):
                return [self._messages.deal(table, n, key)]
            case SlipReleased(n):
                return [Keep(event), *self.slips.release(n)]
            case release.KeyRevoked(table, fingerprint):
                self._ledgers[table].forget_heads()
                return [Keep(event), Say(f"table {table!r}: the boot keys {fingerprint} are revoked: under them it is given nothing")]
            case release.TableWithdrawn():
                return [Keep(event), Say(event.sentence)]
            case release.DealStarted(table) | release.DealFinished(table):
                return [Keep(Progressed(event, self._reached[table]))]
            case release.KeyAllowed() | release.ProgressCompared():
                return []
            case _:
                assert_never(event)

    def _notice(self, table: str, sentence: str) -> list[Output]:
        """Something is wrong with a table."""
        return self._notices.about(table, sentence, self._now_s)


def _released(shares: HolderShares, custody: CustodyPlan, slips: Iterable[Slip]) -> ReleasedShares:
    """What an earlier run has released; in a field of venues its verified slips too."""
    released = ReleasedShares(shares, slips)
    if custody.of_field:
        released.take_slips(slips)
    return released


def _taken_up(custody: CustodyPlan, kept: Iterable[Kept]) -> tuple[release.CustodyState, dict[str, LedgerPosition]]:
    """Where an earlier run stood, and the last line that it noted of each table; it counts when a head of the table agrees with it."""
    state, reached = release.beginning(custody), dict[str, LedgerPosition]()
    for event in kept:
        if not isinstance(event, SlipReleased) and event.table not in state.tables:
            continue
        if isinstance(event, Progressed):
            reached[event.table] = event.line
            if event.event.n not in custody.deals:
                continue  # of another session: only the line counts, from which on the table's ledger is asked for
        state = release.apply(state, event.event if isinstance(event, Progressed) else event)
    return state, reached


def _noted(line: LedgerPosition | None) -> tuple[KnownJournal, ...]:
    """What an earlier run has noted of a table's ledger: one line, and that some came before."""
    return () if line is None else (KnownJournal(line.journal, (line.digest,), line.seq - 1),)


def _is_accepted(state: release.CustodyState, table: str, keys: BootKeys) -> bool:
    """Whether this is the table that deals are given to. A second one with the same identity, made from its disk perhaps,
    has other boot keys: before a person has allowed them, nothing that it says to have played counts."""
    return state.tables[table].keys == keys


def _replacement(table: str, order: ReplacementOrder) -> release.ReplaceController:
    return release.ReplaceController(table, order.finished, order.n, order.persons)


def progress(table: str, event: PublicEvent) -> release.DealBegun | release.DealDone | None:
    """What a line of a table's ledger means for custody; None for most.

    A deal begins with its play, not with its wall: the next wall may be built while the present hand is played.
    """
    match event.body:
        case HandStarted(n=n):
            return release.DealBegun(table, n)
        case HandClosed(n):
            return release.DealDone(table, n)
        case _:
            return None
