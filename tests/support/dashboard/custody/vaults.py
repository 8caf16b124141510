"""The server's end of an event's vaults over a real store, vaults of the same process or fakes that commit at once, and a sealed deal."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dashboard.custody.deal_making import DealMaking
from dashboard.custody.hall_vault import AGAIN_S, HolderProgress, VaultStep
from tests.support.custody.hall import EVENT
from tests.support.custody.ordered import SERVER, OrderedVaults
from tests.support.dashboard.desks import released
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.tables.tables_in_play import picture, question
from tests.support.leak_scanner import Secret, concealed, played, without
from tests.support.wire.assignments import SEEDS
from tests.support.wire.streams import Line
from twinwall.custody.vault import Publish
from twinwall.event.deal_state import (
    DealState,
    MadeDeals,
    NoDeals,
    RefusedStep,
    apply,
    ask_deals,
    fix_start,
    take_tiles,
    with_tiles_to_read,
)
from twinwall.event.drawn_tiles import TableTiles
from twinwall.event.field import EventField
from twinwall.event.hands import HandSummary
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import Deal, Plan, StartedPlan, commit
from twinwall.game.tiles import Suit, Tile, format_tiles, parse_tiles
from twinwall.game.walls import SeatWall
from twinwall.wire.messages.signing import Counter
from twinwall.wire.messages.tile_question import ShownCall, ShownViolation
from twinwall.wire.messages.vaults.vault_orders import SessionTable
from twinwall.wire.mqtt.topics import is_vault_answer, vault_orders_topic

START = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


class HallOfVaults:
    """A dashboard's deal making and the vaults that it orders; ``off`` are the holders whose vaults do not run."""

    def __init__(self, folder: Path, *holders: str, here: str = "") -> None:
        self.folder, self.vaults = folder, OrderedVaults(folder / "vaults", *holders, here=here)
        self.off: set[str] = set()
        self.heard: list[tuple[str, bytes]] = []
        self.ordered: list[tuple[str, bytes]] = []
        self.writer: StoreWriter | None = None
        self.restart()

    @property
    def now_s(self) -> float:
        return self.vaults.now_s

    @now_s.setter
    def now_s(self, now_s: float) -> None:
        self.vaults.now_s = now_s

    def restart(self) -> None:
        """The dashboard's process ends, and starts again on its store."""
        self.close()
        programme = Programme(EVENT, EventField(EntrantKind.INDIVIDUAL, ()))
        (self.folder / "store").mkdir(exist_ok=True)
        self.writer = StoreWriter(self.folder / "store" / "event.sqlite", programme, START, SERVER)
        keys = {holder: signer.public for holder, signer in self.vaults.signers.items()}
        counter = Counter(lambda: next(self.vaults.numbers))
        self.deals = DealMaking(
            self.writer, keys, SERVER, counter, now=lambda: START + timedelta(seconds=self.now_s), monotonic_s=lambda: self.now_s
        )
        self.deals.publish = self._publish

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()

    def _publish(self, topic: str, payload: bytes) -> int:
        self.ordered.append((topic, payload))
        return 1

    def deliver(self) -> None:
        """Bring to the vaults what was sent, and their answers back."""
        while self.ordered:
            topic, payload = self.ordered.pop(0)
            for holder, vault in self.vaults.vaults.items():
                if holder not in self.off and topic == vault_orders_topic(self.vaults.signers[holder].by):
                    self._answer(vault.hear(topic, payload, self.now_s))

    def settle(self) -> None:
        """Some seconds go by, in which everybody says what there is to say."""
        for _ in range(3):
            self.now_s += AGAIN_S + 1
            for holder, vault in self.vaults.vaults.items():
                if holder not in self.off:
                    self._answer(vault.tick(self.now_s, START))
            self.deals.tick()
            self.deliver()

    def _answer(self, published: list[Publish]) -> None:
        for each in published:
            if is_vault_answer(each.topic):
                self.heard.append((each.topic, each.payload))
                self.deals.hear(each.payload)

    def progress(self) -> dict[str, HolderProgress]:
        return {each.holder: each for each in self.deals.progress}


class CommittingVaults(DealMaking):
    """One holder's vault; ``started`` is told of the start when the public value is fixed."""

    holders = ("server",)
    asked_session = 0
    """The session whose deals were asked for last."""
    state: DealState = NoDeals()
    progress: tuple[HolderProgress, ...] = (HolderProgress("server", VaultStep.READY),)

    def __init__(self, started: Callable[[StartedPlan], None] = lambda _plan: None) -> None:
        self.passphrases: list[str] = []
        self._started = started

    def make_deals(self, plan: Plan, passphrase: str, by: str) -> RefusedStep | None:
        step = ask_deals(self.state, plan, event="Autumn", holders=self.holders)
        if isinstance(step, RefusedStep):
            return step
        self.passphrases.append(passphrase)
        self.state = MadeDeals(plan, commit(plan, SEEDS))
        return None

    def fix_start(self, public: str, by: str, readings: int | None = None) -> RefusedStep | None:
        step = fix_start(self.state, public, readings)
        if isinstance(step, RefusedStep):
            return step
        if step is not None:
            self.state = apply(self.state, step)
        if isinstance(self.state, MadeDeals) and self.state.start is not None:
            self._started(StartedPlan(self.state.plan, self.state.start))
        return None

    def read_tiles(self, look: Callable[[MadeDeals], tuple[TableTiles, ...]], by: str) -> RefusedStep | None:
        made = with_tiles_to_read(self.state)
        if isinstance(made, RefusedStep):
            return made
        step = take_tiles(self.state, made, look(made))
        if isinstance(step, RefusedStep):
            return step
        self.state = apply(self.state, step)
        return None

    def unlock(self, passphrase: str) -> None:
        self.passphrases.append(passphrase)

    def begin_session(
        self, session: int, tables: Sequence[SessionTable], groups: Sequence[Sequence[str]], by: str, *, spread: int = 1
    ) -> RefusedStep | None:
        self.asked_session = session
        return None


TABLES = "1234"
ASKING = "4"
"""The table that still plays the second deal, and cannot read a discard."""
TILE_FIELDS = ("tile", "tiles", "concealed", "winning")
VIOLATION = ShownViolation(2, "S", "discarded-twice", after=picture(190), before=picture(30))
"""What the camera of that table saw."""
CALL = ShownCall(2, "mat-differs", picture(110))
"""The place about which that table calls."""
CALLED: Line = ("referee-called", {"about": CALL.about})
VIOLATED: Line = (
    "violation",
    {"seat": VIOLATION.seat, "what": VIOLATION.what, "sentence": "South laid a second tile", "rule": "a seat discards one tile a turn"},
)
NEXT_SUIT = {Suit.CHARACTERS: "p", Suit.DOTS: "s", Suit.BAMBOOS: "m"}


def turned(tiles: str) -> str:
    """The same tiles in the next suit, so that deal 2 is another deal than deal 1."""
    return format_tiles(_turn(tile) for tile in parse_tiles(tiles))


def _turn(tile: Tile) -> Tile:
    return tile if tile.suit is Suit.HONOURS else parse_tiles(f"{tile.rank}{NEXT_SUIT[tile.suit]}")[0]


def second_deal(table: str) -> list[Line]:
    """What a table does with deal 2: the worked example in other suits, for other scores."""
    lines: list[Line] = []
    for name, fields in closed_hand(table, 2):
        changed = {key: turned(str(value)) if key in TILE_FIELDS and value else value for key, value in fields.items()}
        for key in ("payments", "scores"):
            if isinstance(scores := fields.get(key), dict):
                changed[key] = {seat: 7 * score for seat, score in scores.items()}
        lines.append((name, changed))
    return lines


def walls_of_second_deal() -> Deal:
    first = released().deal
    walls = {
        seat: SeatWall(tuple(_turn(tile) for tile in wall.hand), tuple(_turn(tile) for tile in wall.draws))
        for seat, wall in first.walls.items()
    }
    return replace(first, n=2, walls=walls)


def plays(hall: Hall, n: int) -> dict[str, HandSummary]:
    """What the tables did with a deal, past every gate."""
    found = {table: hall.desk.hall.hand(table, n, as_referee_of=table) for table in TABLES}
    return {table: hand for table, hand in found.items() if hand is not None}


def secrets_of(hall: Hall, *, but: str = "") -> list[Secret]:
    """What is secret to somebody who has opened the tables of ``but``."""
    out = [played(hand) for hand in plays(hall, 1).values()]
    sealed = [without(played(hand), out) for table, hand in plays(hall, 2).items() if table not in but]
    pictures = [
        Secret(f"{what} at table {ASKING}", texts=(b64encode(shown).decode(),))
        for what, shown in (("a discard in doubt", question().after), ("a violation", VIOLATION.after), ("a call", CALL.picture))
        if ASKING not in but
    ]
    return [concealed(2, walls_of_second_deal().walls), *sealed, *pictures]
