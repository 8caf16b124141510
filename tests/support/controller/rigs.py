"""Controller rig: the real controller over fake ports, stepped by hand, with a world that outlives it."""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Protocol, TypeVar

from controller.adapters.follower import Adapters, Follower, nothing
from controller.adapters.hand_record import RecordFolder
from controller.adapters.slot_questions import SlotQuestions
from controller.ledger.first_lines import LostJournal, journal_id
from controller.ledger.journal import Journal, JournalEntry
from controller.ledger.journal_events import FeederBooted, JournalEvent, OperationDone, OperationIssued, TileRead, event_from_json
from controller.ledger.journal_lines import JournalChain
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.state.messages import GateLook, GateSeen, KeyPressed, Message, SlotsSeen
from controller.state.questions import DoubtedPlace, SlotQuestion
from controller.state.sides import OpenDeal, PlayStage
from controller.state.table_state import Setup, TableState
from controller.state.watches import HandToDecode, Watch
from controller.table_loop import Books, Table
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import Raise, Renew, Unlock
from tests.support.controller.feeder import Face, FakeFeeder, Move, back_of, face_of
from tests.support.narrowed import present
from twinwall.game.deals import Start, walls_digest
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import write_time
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, DealRefused, StartFixed, WallRaised, WallReady
from twinwall.wire.messages.ruling import Effect, Ruling
from twinwall.wire.messages.tile_question import read_question
from twinwall.wire.shapes.panel import Key, Lamps
from vision.mat import Area, Slot


class GrowingJournal:
    """The entries of a journal in clear; each is read from the disk and checked against the chain of those before it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self._seen = b""
        self._chain = JournalChain(None)
        self._entries: list[JournalEntry] = []

    def entries(self) -> tuple[JournalEntry, ...]:
        """All that the journal says now."""
        content = self._path.read_bytes()
        if not content.startswith(self._seen):
            self._forget()
        self._entries += map(self._read, content[len(self._seen) :].splitlines(keepends=True))
        self._seen = content
        return tuple(self._entries)

    def _read(self, line: bytes) -> JournalEntry:
        written = json.loads(self._chain.read(line))
        written.pop("left", None)
        return JournalEntry(written.pop("seq"), written.pop("at"), event_from_json(written))


E = TypeVar("E")

EVENT = "test"
OPTIONS: dict[str, object] = {"minimum": 0}
START = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
START_OF_EVENT = Start(Sha256(32), Sha256(32), "drawn for the tests")
_Asked = TypeVar("_Asked")
HEALTH, EVENTS, PUBLIC, QUESTION = (f"twinwall/{EVENT}/1/{channel}" for channel in ("health", "events", "public", "question"))


class KilledError(BaseException):
    """The controller's process has just been killed."""


def opened(
    walls: Mapping[Seat, SeatWall],
    *,
    n: int = 1,
    hand: int = 1,
    check: str = "c0" * 32,
    rules: str = "mcr-duplicate",
    rest: tuple[Tile, ...] = (),
) -> OpenDeal:
    """A deal on the table; whether it agrees with a commitment is another test's matter."""
    rows = rule_set(rules).shared_rows
    return OpenDeal(n, 1, hand, rules, check, walls, walls_digest(walls, rest).hex(), rest, rows)


def set_up(**changes: object) -> Setup:
    """Settings of a table, the defaults but for ``changes``."""
    rules, names = rule_set("mcr-duplicate", OPTIONS), ("Ann", "Ben", "Cho", "Dan")
    setup = Setup("1", rules, names, claim_window_s=3.0, unlock_lease_s=2.0, options={"minimum": 0})
    return replace(setup, **changes)  # type: ignore[arg-type]  # each test names fields of Setup


class FakeTime:
    """Play time and wall time at once; it passes only when told to."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.started: list[tuple[str, float]] = []
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.now_s)

    def monotonic_s(self) -> float:
        return self.now_s

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        self.started.append((timer, seconds))
        self._due.append((self.now_s + seconds, len(self.started), fire))

    def forget(self) -> None:
        self._due.clear()

    def pass_to_next(self) -> bool:
        """Let time pass until the next timer fires; False when there is none."""
        if not self._due:
            return False
        due = min(self._due, key=lambda timer: timer[:2])
        self._due.remove(due)
        self.now_s = max(self.now_s, due[0])
        due[2]()
        return True

    def is_due(self, end_s: float) -> bool:
        return any(due_s <= end_s for due_s, _, _ in self._due)


class FakeDeals:
    """Deals in the order in which they are asked for."""

    def __init__(self, *deals: OpenDeal | DealRefused) -> None:
        self.deals = list(deals)
        self.given = 0
        self.start = START_OF_EVENT
        self.awaited: int | None = None

    def after(self, done: tuple[int, ...]) -> OpenDeal | DealRefused | None:
        deal = next((deal for deal in self.deals if deal.n not in done), None)
        self.given += deal is not None
        return deal


@dataclass
class FakeMat:
    """What lies face up on the table; tiles in ``blurred`` slots cannot be read, and those of ``astray`` slots lie too far off them to be
    seen there. Under an ``arm`` nothing is seen of what a watch waits for."""

    tiles: dict[Slot, Tile] = field(default_factory=dict)
    blurred: set[Slot] = field(default_factory=set)
    astray: frozenset[Slot] = frozenset()
    arm: bool = False

    def lay_face_down(self, place: int, group: int) -> None:
        """Four tiles with their backs up: something lies there, and it cannot be read."""
        for index in range(4):
            slot = Slot(place, Area.MELD, 4 * group + index)
            self.tiles[slot] = Tile.M1
            self.blurred.add(slot)

    def turn_up(self, place: int, group: int, tile: Tile) -> None:
        for index in range(4):
            slot = Slot(place, Area.MELD, 4 * group + index)
            self.tiles[slot] = tile
            self.blurred.discard(slot)


def doubted_place(question: SlotQuestion, tile: Tile) -> DoubtedPlace:
    """What a camera makes of a tile that it cannot read: kinds near it in the order of kinds are as likely as they are near."""
    kinds = tuple(sorted(Tile, key=lambda kind: (abs(kind - tile), kind)))
    return DoubtedPlace(question, kinds, b"\xff\xd8\xff bare", b"\xff\xd8\xff blurred " + tile.text.encode())


class FakeEye:
    """The overhead camera; ``keep`` takes what it knows of a tile that it cannot read."""

    def __init__(self, mat: FakeMat, post: Callable[[Message], None], keep: Callable[[DoubtedPlace], None]) -> None:
        self._mat, self._post, self._keep = mat, post, keep
        self.watching: Watch | None = None
        self.watched: list[Watch] = []
        self._posted: SlotsSeen | None = None

    def watch(self, watch: Watch | None, after_ns: int) -> None:
        self.watching, self._posted = watch, None
        self.watched += [] if watch is None else [watch]

    def observation(self) -> SlotsSeen | None:
        """What is new to tell."""
        if self.watching is None:
            return None
        if self._mat.arm:
            return self._new(SlotsSeen(self.watching, dict.fromkeys(self.watching.slots), hidden=True))
        lying = [slot for slot in self.watching.slots if slot in self._mat.tiles and slot not in self._mat.astray]
        if not lying or (len(lying) < len(self.watching.slots) and not self.watching.any_of):
            return None
        tiles = {slot: None if slot in self._mat.blurred else self._mat.tiles[slot] for slot in lying}
        tiles |= {slot: None for slot in self.watching.also if slot in self._mat.tiles}
        return self._new(SlotsSeen(self.watching, tiles))

    def _new(self, seen: SlotsSeen) -> SlotsSeen | None:
        return None if seen == self._posted else seen

    def look(self) -> None:
        seen = self._posted = present(self.observation())
        version = seen.watch.version
        for slot in seen.watch.slots:
            if version is not None and slot in self._mat.blurred and slot in seen.tiles and slot not in seen.watch.answered:
                self._keep(doubted_place(SlotQuestion(version.deal, version.events, slot), self._mat.tiles[slot]))
        self._post(seen)


Look = Callable[[Face, int], tuple[Tile | None, str]]


def true_look(tile: Face, showing: int) -> tuple[Tile | None, str]:
    """A camera that is never wrong."""
    face = face_of(tile)
    return (face, "") if isinstance(face, Tile) else (None, "not-a-tile")


@dataclass
class FakeBroker:
    """What was published, by topic; nothing arrives while it is ``away``."""

    published: list[tuple[str, bytes]] = field(default_factory=list)
    away: bool = False
    effect: Callable[[str, object], None] = lambda what, detail: None
    unconfirmed: list[int] = field(default_factory=list)

    def publish(self, topic: str, payload: bytes) -> int | None:
        if topic == HEALTH or self.away:
            return None
        self.effect("publish", payload)
        self.published.append((topic, payload))
        self.unconfirmed.append(len(self.published))
        return len(self.published)


class Rig:
    """A table's folder, its controller of the moment and the world around it."""

    def __init__(
        self,
        folder: Path,
        *deals: OpenDeal | DealRefused,
        seed: int = 0,
        faces: list[Face] | None = None,
        setup: Setup | None = None,
        raised: bool = False,
    ) -> None:
        """With ``raised`` the walls of the deal stand in the magazines already."""
        only = deals[0].hand if len(deals) == 1 and isinstance(deals[0], OpenDeal) else 1
        self.folder, self.setup = folder, setup or set_up(last_hand=only)
        self.random = Random(seed)
        self.time = FakeTime()
        self.deals = FakeDeals(*deals)
        self.mat = FakeMat()
        if faces is None:
            faces = list(self.setup.rules.tiles)
            self.random.shuffle(faces)
        self.feeder = self.make_feeder(faces)
        self.look: Look = true_look
        self.blind = False
        """Whether the gate's camera does not answer; it does later about what it was ``unseen`` then."""
        self.unseen: GateLook | None = None
        self.lamps = Lamps()
        self.broker = FakeBroker(effect=self._effect)
        self.effects: list[tuple[str, object]] = []
        """Everything that left the controller, and every fsync, in order."""
        self.moments: list[float] = []
        """When each of them did, in seconds."""
        self.fuse: int | None = None
        """The controller is killed at this many effects or fsyncs from now."""
        self.write: Callable[[int, bytes], int] = os.write
        """How the journal's bytes get into its file."""
        self.players: Callable[[], Move | None] = lambda: None
        self.pressed: Callable[[int, Key], None] = lambda _place, _key: None
        """Hears of each key that is pressed, as a decoder does."""
        self.decoding: Callable[[HandToDecode | None], None] = nothing
        self.synced = 0
        self.alive = False
        self.deaths = 0
        self.lost: LostJournal | None = None
        """What a new journal goes on for."""
        self._written = GrowingJournal(folder / "table.journal")
        self._showings: dict[tuple[int, int], tuple[Tile | None, str]] = {}
        if raised and isinstance(deals[0], OpenDeal):
            self._raise(deals[0])
        self.start()

    def make_feeder(self, faces: list[Face]) -> FakeFeeder:
        return FakeFeeder(faces, self.post, lambda: self.time.now_s)

    def _raise(self, deal: OpenDeal) -> None:
        opening = DealOpened(deal.n, deal.session, deal.hand, deal.rules, deal.check, deal.walls, deal.digest, deal.rest)
        raised = (OperationIssued(1, Raise(), None), OperationDone(1, "ok"), WallRaised(deal.n))
        ready = (WallReady(deal.n, deal.check, deal.digest), *raised)
        journal = Journal(self.folder / "table.journal")
        journal.append(
            write_time(START),
            (
                StartFixed(START_OF_EVENT.code.hex()),
                ControllerStarted("journal-1", "0.1.0", False, 1),
                FeederBooted("1", self.feeder.boot),
                opening,
                *ready,
            ),
        )
        journal.close()
        self.feeder.drum.clear()
        self.feeder.magazines.update({position: deal.wanted(position) for position in deal.positions})

    # The controller ---------------------------------------------------------------------------------------

    def start(self) -> None:
        self._posted = self._taken = 0
        self.deals.given = 0
        journal = self.journal = Journal(self.folder / "table.journal", fsync=self._fsync, write=self.write)
        self.synced = (self.folder / "table.journal").stat().st_size
        identity = journal_id(journal, "journal-1")
        self.ledgers = (table_ledger(self.folder, "1", identity), open_ledger(self.folder, "1", identity))
        recorder = RecordFolder(self.folder / "records", EVENT, self.setup.options)
        self.table = Table(self.setup, Books(journal, self.ledgers, recorder, self.lost), self.deals, self.time, "0.1.0")
        self.publisher = Publisher(EVENT, "1", self.ledgers, self.folder, self.time.now)
        self.publisher.link = self.broker
        self.broker.unconfirmed.clear()
        self.questions = SlotQuestions(EVENT, "1", self.setup.rules.tiles, None)
        self.questions.link = self.broker
        self.eye = FakeEye(self.mat, self.post, self.questions.keep)
        asked = Adapters(self, self.show, self._read_now, self.watch, self.time, self.time, self.questions.show, self.decoding)
        self.follower = Follower(asked, self.post)
        self.alive = True
        self.feeder.new_host(self.state.boot, self.state.last_event)
        self.feeder.connect()

    def sent_to_server(self, kind: type[_Asked]) -> list[_Asked]:
        """The questions and pictures of a kind that were sent, in order."""
        read = (read_question(payload, EVENT, "1", None) for topic, payload in self.broker.published if topic == QUESTION)
        return [each for each in read if isinstance(each, kind)]

    @property
    def state(self) -> TableState:
        return self.table.state

    def post(self, message: Message) -> None:
        if self.alive:
            self._posted += 1
            self.table.post(message)

    def tell(self, *messages: Message) -> None:
        """The controller has taken each message before the next one comes."""
        for message in messages:
            self.post(message)
            self.settle()

    def restart(self) -> None:
        """Kill the controller, and let the next one start and settle; nothing that it wrote is lost."""
        self.die(power_cut=False)
        self.settle()

    @property
    def watched(self) -> Watch:
        return present(self.eye.watching)

    def settle(self) -> None:
        """Let the controller take every message that waits, the one that takes over after a death included."""
        while self.alive:
            try:
                self._settle()
                return
            except KilledError:
                self.die(power_cut=self.random.random() < 0.5)

    def _settle(self) -> None:
        for _ in range(5000):
            self.table.step(self.follower, self.publisher, self._acknowledge, 0)
            if self._posted + self.deals.given == self._taken:
                break
            self._taken += 1
        else:
            raise AssertionError(f"the controller never comes to rest: {self.story()}")
        if len(self.broker.unconfirmed) > 20:
            self.confirm()

    def confirm(self) -> None:
        """The broker tells what it has, the last first."""
        unconfirmed, self.broker.unconfirmed = self.broker.unconfirmed, []
        for token in reversed(unconfirmed):
            self.publisher.published(token)

    def stop(self) -> None:
        self.journal.close()
        for ledger in self.ledgers:
            ledger.close()

    def die(self, *, power_cut: bool = True) -> None:
        """Kill the controller; with the power cut too, what had not been synced is lost from some byte on. Then start again."""
        self.deaths += 1
        self.fuse = None
        self.alive = False
        synced = self.synced
        self.stop()
        path = self.folder / "table.journal"
        if power_cut:
            os.truncate(path, self.random.randint(synced, path.stat().st_size))
            for ledger in self.ledgers:
                os.truncate(ledger.path, self.random.randint(0, ledger.path.stat().st_size))
        self.time.forget()
        self.feeder.host_gone(motors_off=self.random.random() < 0.5)
        for _ in range(self.random.randrange(4)):
            self._world(players=True)
        self.start()

    def move_to(self, folder: Path) -> None:
        """The next controller starts in another folder."""
        self.folder, self._written = folder, GrowingJournal(folder / "table.journal")

    def replace_controller(self, folder: Path, lost: LostJournal) -> None:
        """The controller is gone with its disk; another one starts on an empty folder and goes on by the staff's order."""
        self.alive = False
        self.stop()
        self.time.forget()
        self.feeder.host_gone(motors_off=False)
        folder.mkdir()
        self.move_to(folder)
        self.lost = lost
        self.start()

    # The ports --------------------------------------------------------------------------------------------

    def submit(self, request: OperationRequest) -> None:
        if isinstance(request.command, Unlock | Renew | Raise):  # nothing opens to players whose line a power cut could take
            tail = (self.folder / "table.journal").read_bytes()[self.synced :]
            assert f'"operation":{request.operation},'.encode() not in tail, request
        self._effect("submit", request)
        self.feeder.submit(request)

    def request_status(self) -> None:
        self.feeder.request_status()

    def show(self, lamps: Lamps) -> None:
        self._effect("lamps", lamps)
        self.lamps = lamps

    def _read_now(self, look: GateLook, after_ns: int) -> None:
        """Ask the camera that a test may have put in place of this one since."""
        self.read(look, after_ns)

    def read(self, look: GateLook, after_ns: int) -> None:
        face = self.feeder.gate
        if face is None:
            return
        if self.blind:
            self.unseen = look
            return
        assert look.back == back_of(face)
        showing = (self.feeder.boot, look.number)
        if showing not in self._showings:
            self._showings[showing] = self.look(face, len(self._showings))
        tile, reason = self._showings[showing]
        self.post(GateSeen(look, TileRead(tile, 0.999 if tile is not None else 0.0, reason, gate=look.gate)))

    def watch(self, watch: Watch | None, after_ns: int) -> None:
        self._effect("watch", watch)
        self.eye.watch(watch, after_ns)

    def _acknowledge(self, number: int) -> None:
        self._effect("acknowledge", number)
        self.feeder.acknowledge(number)

    def _fsync(self, file: int) -> None:
        self._effect("fsync", os.fstat(file).st_size)
        self.synced = os.fstat(file).st_size

    def _effect(self, what: str, detail: object) -> None:
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse <= 0:
                raise KilledError
        self.effects.append((what, detail))
        self.moments.append(self.time.now_s)

    # The world --------------------------------------------------------------------------------------------

    def press(self, place: int, key: Key) -> None:
        self.pressed(place, key)
        self.tell(KeyPressed(place, key))

    def rule(self, *effects: Effect, n: int | None = None, identity: str | None = None) -> None:
        """The referee rules on a deal, or on the one at the table; the controller has heard it when this returns."""
        number = len(self.state.rulings) + 1  # a ruling that a controller died of comes again, and is the same one
        self.tell(Ruling(identity or f"r{number}", n or self.deal.n, "Ota", {"en": f"Ruling {number}."}, effects))

    def look_at_mat(self) -> None:
        """Let the overhead camera tell what is new, as often as it takes."""
        while self.eye.observation() is not None:
            self.eye.look()
            self.settle()

    def _world(self, *, players: bool = True) -> bool:
        """Let one thing happen; False when nothing can."""
        possible = self.feeder.moves()
        if self.feeder.up and self.eye.observation() is not None:
            possible.append(self.eye.look)
        if players and (move := self.players()) is not None:
            possible.append(move)
        if not possible:
            return False
        self.random.choice(possible)()
        return True

    def run(self, until: Callable[[], bool], *, most: int = 20_000, most_s: float = 600.0) -> None:
        """Let the world and the controller go on until something holds; fails when it does not come to that."""
        end_s = self.time.now_s + most_s
        self.settle()
        for _ in range(most):
            if until():
                return
            if not self._world() and not self.time.pass_to_next():
                raise AssertionError(f"nothing can happen any more: {self.story()}")
            self.settle()
            assert self.time.now_s <= end_s, f"it takes too long: {self.story()}"
        raise AssertionError(f"it never comes to that: {self.story()}")

    def wait(self, seconds: float) -> None:
        end_s = self.time.now_s + seconds
        while self.time.is_due(end_s):
            self.time.pass_to_next()
            self.settle()
        self.time.now_s = end_s
        self.settle()

    def stand_still(self, until: Callable[[], bool]) -> None:
        """Nobody does anything, and the machine what it can, until something holds."""
        for _ in range(3700):
            while self._world(players=False):
                self.settle()
            if until():
                return
            self.wait(1.0)
        raise AssertionError(f"it never comes to that: {self.story()}")

    def story(self, last: int = 12) -> str:
        lines = [str(event) for event in self.events()[-last:]]
        return f"{self.state.making.stage}, {self.state.playing.stage}, faults {self.state.faults}\n" + "\n".join(lines)

    # What is known afterwards -----------------------------------------------------------------------------

    def entries(self) -> tuple[JournalEntry, ...]:
        return self._written.entries()

    def events(self) -> list[JournalEvent]:
        return [entry.event for entry in self.entries()]

    def happened(self, kind: type[E]) -> list[E]:
        return [event for event in self.events() if isinstance(event, kind)]

    def ordered(self, kind: type[E]) -> list[E]:
        """The operations of a kind that the feeder has taken on."""
        return [command for _, command in self.feeder.commands if isinstance(command, kind)]

    @property
    def deal(self) -> OpenDeal:
        """The deal in play, or before the first hand the one being built."""
        return present(self.state.playing.deal or self.state.making.deal)

    def record(self, hand: int = 1) -> HandRecord:
        return HandRecord.from_json((self.folder / "records" / f"session-01-hand-{hand:02d}.json").read_text())

    def fault_codes(self) -> set[str]:
        return {fault.code for fault in self.state.faults}

    # Shortcuts --------------------------------------------------------------------------------------------

    def build(self, *, right: bool = True) -> None:
        """Until the walls stand in the magazines, and are what the deal wants; ``right`` is False for a wall that must come out wrong."""
        self.run(lambda: self.state.playing.stage is PlayStage.TAKING)
        assert self.wall_is_right() is right

    def wall_is_right(self) -> bool:
        """Whether every tile in the trays, or in the magazines once raised, is what the deal wants there."""
        places = self.feeder.magazines or self.feeder.trays
        return all(position in places and face_of(places[position]) is self.deal.wanted(position) for position in self.deal.positions)

    def seats(self) -> dict[Seat, int]:
        return {seat: self.deal.place(seat) for seat in SEATS}


class MakeRig(Protocol):
    def __call__(
        self,
        *deals: OpenDeal | DealRefused,
        seed: int = 1,
        faces: list[Face] | None = None,
        setup: Setup | None = None,
        raised: bool = False,
    ) -> Rig: ...


WHOLE_SET = rule_set("mcr-duplicate").tiles


def shuffled(faces: list[Face], seed: int = 1) -> list[Face]:
    Random(seed).shuffle(faces)
    return faces


def a_set_without(*missing: Tile) -> list[Face]:
    return shuffled(list((Counter(WHOLE_SET) - Counter(missing)).elements()))


def a_set_with(*extra: Face) -> list[Face]:
    return shuffled([*WHOLE_SET, *extra])
