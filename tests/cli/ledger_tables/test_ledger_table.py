"""A table without physics: what it writes is what a real table writes, and whatever a person decides is decided by the controller."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cli.ledger_tables.ledger_table import LedgerPlay, LedgerTable, NoAdapters
from controller.adapters.hand_record import RecordFolder
from controller.ledger.journal import Journal
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.state.messages import KeyPressed
from controller.state.sides import PlayStage
from controller.table_loop import Books
from simulator.players.hand_in_memory import play_in_memory
from tests.support.controller.rigs import EVENT, FakeDeals, FakeTime, opened, set_up
from tests.support.event.stored_event import STARTED, slip
from twinwall.game.deals import verify_slip
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.wire.messages.commands import PauseClock, TakeSeat
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.shapes.panel import Key

SEED, SPEED = 5, 50.0
WALLS = [verify_slip(STARTED, slip(n)).walls for n in (1, 2)]
DEALS = [opened(walls, n=n, hand=n) for n, walls in enumerate(WALLS, 1)]
MOST_STEPS = 4000


class LedgerRig:
    """A table without physics on a folder, in a time of its own."""

    def __init__(self, folder: Path, *, seat_check: bool = False) -> None:
        self.now_s = 0.0
        setup = replace(set_up(), seat_check=seat_check, last_hand=2)
        self.folder, self._journal = folder, Journal(folder / "table.journal", fsync=lambda _file: None)
        ledgers = (table_ledger(folder, "1", "j"), open_ledger(folder, "1", "j"))
        self.table = LedgerTable(
            setup, Books(self._journal, ledgers, RecordFolder(folder / "records", EVENT, {})), FakeDeals(*DEALS), FakeTime(), "1"
        )
        self.play = LedgerPlay(self.table, setup, SEED, SPEED, lambda: self.now_s)
        self.publisher = Publisher(EVENT, "1", ledgers, folder, FakeTime().now)
        self.follower = NoAdapters().follower(self.table.post)

    def until(self, seen: Callable[[], bool]) -> None:
        for _ in range(MOST_STEPS):
            if seen():
                return
            self.now_s += self.play.advance()
            self.table.step(self.follower, self.publisher, lambda _number: None, 0.0)
        raise AssertionError(f"it never comes to that: {self.types()[-8:]}")

    def pass_by(self) -> None:
        """Let more time pass than any step takes."""
        for _ in range(400):
            self.now_s += self.play.advance()
            self.table.step(self.follower, self.publisher, lambda _number: None, 0.0)

    def close(self) -> None:
        self._journal.close()

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.folder / "events.jsonl").read_bytes().splitlines()]

    def types(self) -> list[str]:
        return [str(line["type"]) for line in self.lines()]


@pytest.fixture
def rig(tmp_path: Path) -> LedgerRig:
    return LedgerRig(tmp_path)


def test_two_hands_are_played_as_the_strategies_play_them_and_their_records_replay(rig: LedgerRig) -> None:
    rig.until(lambda: rig.table.state.closed == (1, 2))
    for n, walls in enumerate(WALLS, 1):
        record = HandRecord.from_json((rig.folder / "records" / f"session-01-hand-{n:02d}.json").read_text())
        planned = play_in_memory("1", walls, n, SEED, set_up().rules)
        assert tuple(record.events)[: len(planned.events)] == planned.events
        assert replay(record).legal


@pytest.mark.nightly
def test_the_wall_of_the_next_hand_is_built_while_one_is_played(rig: LedgerRig) -> None:
    rig.until(lambda: rig.table.state.closed == (1, 2))
    types = rig.types()
    assert types.index("deal-opened", types.index("hand-started")) < types.index("hand-closed")
    assert types.index("clearing-began") > types.index("hand-closed")


def test_every_claim_goes_through_a_window_of_its_length(rig: LedgerRig) -> None:
    rig.until(lambda: rig.table.state.closed == (1,))
    types = rig.types()
    added = [line for line in rig.lines() if line["type"] == "kong-declared" and "added" in str(line["meld"])]
    assert types.count("claims-opened") == types.count("claims-closed") == types.count("tile-discarded") + len(added)
    won_on_a_discard = [line for line in rig.lines() if line["type"] == "win-declared" and line["from"] is not None]
    assert types.count("claim-bound") == types.count("claimed") + len(won_on_a_discard) > 0


def test_a_call_for_the_referee_halts_the_hand_until_he_has_ruled(rig: LedgerRig) -> None:
    rig.until(lambda: "tile-discarded" in rig.types())
    rig.table.handle(KeyPressed(0, Key.REFEREE))
    rig.pass_by()
    told = len(rig.lines())
    rig.pass_by()
    assert len(rig.lines()) == told
    rig.table.post(Ruling("r1", 1, "Ota", {"en": "Play on."}, ()))
    rig.until(lambda: rig.table.state.closed == (1,))


def test_no_hand_begins_before_the_four_sit_and_while_the_clock_is_paused(tmp_path: Path) -> None:
    rig = LedgerRig(tmp_path, seat_check=True)
    rig.table.post(PauseClock(paused=True))
    rig.until(lambda: "wall-ready" in rig.types())
    for place, player in enumerate(set_up().names):
        rig.table.post(TakeSeat(place, player))
    rig.until(lambda: "seats-confirmed" in rig.types())
    rig.pass_by()
    assert rig.table.state.playing.stage is PlayStage.NONE
    rig.table.post(PauseClock(paused=False))
    rig.until(lambda: rig.table.state.closed == (1,))


def test_a_table_that_was_ended_in_a_hand_plays_the_same_hand_on(rig: LedgerRig) -> None:
    rig.until(lambda: rig.types().count("tile-discarded") == 5)
    rig.close()
    again = LedgerRig(rig.folder)
    again.until(lambda: again.table.state.closed == (1,))
    planned = play_in_memory("1", WALLS[0], 1, SEED, set_up().rules)
    assert again.types().count("tile-drawn") == planned.draws
