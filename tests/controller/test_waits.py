"""Waits of a table: from every state, when nothing comes any more, a fault or a call follows; with the cause gone the table goes on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.core.outputs import outputs_of
from controller.ledger.journal_events import JournalEvent
from controller.state.messages import Message, Refused, TimerFired
from controller.state.sides import OpenDeal, PlayStage
from controller.state.table_state import Setup, TableState
from controller.state.waits import WAITS, Party, Wait
from firmware_bridge.messages import Flags, NakCode
from tests.controller.wall.test_sessions import check, play
from tests.support.controller.game import E, Game, S, walls_of
from tests.support.controller.paper_rig import PaperRig
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, hand_is, seat_session
from tests.support.game.tables import random_walls
from tests.support.tiers import one_in
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.messages.commands import BeginHand, TakeSeat
from twinwall.wire.shapes.panel import Key

PAGE = Path(__file__).parents[2] / "docs/reference/waits.md"
LONGEST_S = 3700.0


@dataclass(frozen=True)
class Stop:
    """How a wait is made to last, and what ends it."""

    wait: Wait
    begin: Callable[[Rig], None]
    end: Callable[[Rig], None]
    confirms: bool = False


def _attribute(name: str, begun: object, ended: object) -> tuple[Callable[[Rig], None], Callable[[Rig], None]]:
    return (lambda rig: setattr(rig.feeder, name, begun)), (lambda rig: setattr(rig.feeder, name, ended))


def _blind(rig: Rig) -> None:
    rig.blind = True


def _sees(rig: Rig) -> None:
    rig.blind = False
    assert rig.unseen is not None
    rig.read(rig.unseen, 0)


def _feels(rig: Rig, *, nothing: bool) -> None:
    rig.feeder.feels_nothing = nothing
    rig.feeder.disconnect()
    rig.feeder.connect()


STOPS = [
    Stop(Wait.TILE, *_attribute("stuck", True, False), confirms=True),
    Stop(Wait.OPERATION, *_attribute("hangs", True, False)),
    Stop(Wait.WALL, *_attribute("nak", lambda _: NakCode.BUSY, lambda _: None)),
    Stop(Wait.READING, _blind, _sees),
    Stop(Wait.SENSORS, lambda rig: _feels(rig, nothing=True), lambda rig: _feels(rig, nothing=False)),
]


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.wait)
def test_a_machine_that_stands_still_calls_and_the_wall_goes_on_when_the_cause_is_gone(make_rig: MakeRig, stop: Stop) -> None:
    rig = make_rig(opened(random_walls(3)))
    rig.run(lambda: len(rig.feeder.trays) == 32)
    stop.begin(rig)
    begun_s = rig.time.now_s
    rig.stand_still(lambda: rig.state.has_fault(stop.wait))
    assert rig.time.now_s - begun_s <= WAITS[stop.wait].limit_s(rig.setup) + 1
    assert rig.lamps.fault
    assert rig.lamps.buzzer
    assert rig.feeder.feeding is (rig.state.making.build.feeding and stop.wait is not Wait.TILE), "a person reaches into a still drum"
    assert len(rig.happened(TableFault)) == 1
    stop.end(rig)
    if stop.confirms:
        rig.press(2, Key.CONFIRM)
    rig.build()
    assert not rig.state.faults


def test_a_blocked_drum_that_is_confirmed_and_not_freed_calls_again(make_rig: MakeRig) -> None:
    rig = make_rig(opened(random_walls(3)))
    rig.feeder.stuck = True
    for calls in (1, 2):
        rig.stand_still(lambda: rig.state.has_fault(Wait.TILE))
        assert len(rig.happened(TableFault)) == calls
        rig.press(0, Key.CONFIRM)
        assert not rig.state.faults
        assert rig.feeder.feeding


def test_a_whole_wall_waits_no_longer_for_a_drum_that_never_empties(make_rig: MakeRig) -> None:
    rig = make_rig(opened(random_walls(3)))
    rig.run(lambda: len(rig.feeder.trays) == 130)
    rig.feeder.sensors = lambda status: replace(status, report=replace(status.report, flags=status.flags & ~Flags.DRUM_EMPTY))
    rig.stand_still(lambda: rig.state.has_fault(Wait.TILE))
    assert rig.fault_codes() == {Wait.TILE}


def test_players_who_do_nothing_are_called_and_the_call_goes_when_they_play_on(make_rig: MakeRig) -> None:
    game = Game(make_rig, walls_of({E: "1m"})).wait(601)
    assert game.rig.fault_codes() == {Wait.HANDS}
    game.take_hands()
    assert not game.rig.state.faults
    game.wait(599)
    assert not game.rig.state.faults
    game.wait(2)
    assert game.rig.fault_codes() == {Wait.PLAY}
    game.press(S, Key.CONFIRM)
    assert game.rig.fault_codes() == {Wait.PLAY}, "only play answers it"
    game.draw(E)
    assert not game.rig.state.faults
    game.discard(E, "1m").close_window()
    assert game.unlocked == S.value


def test_a_score_that_nobody_confirms_calls_while_the_next_wall_is_built(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig, players = session.rig, session.rig.players
    rig.run(hand_is(rig, 1, PlayStage.SETTLING), most_s=3600)
    rig.players = lambda: None
    rig.stand_still(lambda: rig.state.has_fault(Wait.SCORE))
    assert rig.fault_codes() == {Wait.SCORE}
    rig.players = players
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert not rig.state.faults


def test_a_deal_that_does_not_come_calls_until_it_comes(make_rig: MakeRig) -> None:
    rig = make_rig(opened(random_walls(3)), setup=set_up(custody=True))
    (held,), rig.deals.deals, rig.deals.awaited = rig.deals.deals, [], 1
    rig.stand_still(lambda: rig.state.has_fault(Wait.DEAL))
    assert isinstance(held, OpenDeal)
    rig.deals.awaited = None
    rig.post(held)
    rig.build()
    assert not rig.state.faults


def walked(rig_setup: Setup, events: list[JournalEvent]) -> Iterator[TableState]:
    """Every state of a journal in which nothing more happens by itself."""
    state = TableState()
    for event in events:
        state = apply(rig_setup, state, event)
        if not due_events(rig_setup, state):
            yield state


def called(state: TableState) -> bool:
    playing = state.playing
    return bool(state.faults or state.lost or playing.referee or playing.fouled or playing.halted)


def silence(setup: Setup, state: TableState) -> Iterator[Wait]:
    """What is waited for until somebody is called, while nothing comes but time; fails where time alone calls nobody."""
    now_s, begun_s = 0.0, dict[Message, float]()
    while not called(state):
        outputs = outputs_of(setup, state)
        if outputs.next_deal and not outputs.waits:
            return  # the session is over, or the deal is on this computer's disk
        limits: dict[Message, float] = {each: WAITS[each.wait].limit_s(setup) for each in outputs.waits}
        limits |= {TimerFired(each.timer): each.seconds for each in outputs.timers}
        begun_s = {each: begun_s.get(each, now_s) for each in limits}
        assert limits, f"nothing limits this wait: {state.making.stage}, {state.playing.stage}, {state.pending}"
        message = min(limits, key=lambda each: begun_s[each] + limits[each])
        now_s = begun_s.pop(message) + limits[message]
        assert now_s <= LONGEST_S, f"{message} again and again, and nobody is called"
        yield from (each.wait for each in outputs.waits)
        decision = decide(setup, state, message)
        assert not isinstance(decision, Refused), f"{message}: {decision}"
        for event in decision:
            state = apply(setup, state, event)
        while events := due_events(setup, state):
            for event in events:
                state = apply(setup, state, event)


@pytest.mark.slow
def test_from_every_state_of_two_hands_silence_ends_in_a_call(make_rig: MakeRig, tmp_path: Path) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    play(session, 2)
    check(session)
    seats = set_up(seat_check=True, custody=True, last_hand=2)
    paper = PaperRig(tmp_path / "paper", seat_check=True)
    paper.tell(TakeSeat(0, "Ann"))
    awaited = paper.state
    paper.tell(*(TakeSeat(place, name) for place, name in enumerate(paper.setup.names)), BeginHand(0, 1))
    states = [(rig.setup, state) for state in one_in(4, walked(rig.setup, rig.events()))]
    met = {wait for setup, state in [*states, (seats, TableState()), (paper.setup, awaited), (paper.setup, paper.state)]
           for wait in silence(setup, state)}  # fmt: skip
    assert met == set(Wait)


def test_the_page_lists_every_wait_with_its_limit() -> None:
    page, setup = " ".join(PAGE.read_text().split()), replace(set_up(), machine_patience_s=60.0)
    rows = [f"- `{wait}` ({row.on}): {row.what}; {row.limit_s(setup):g} s" for wait, row in WAITS.items()]
    assert [row for row in rows if row not in page] == []
    assert set(WAITS) == set(Wait)
    assert {row.on for row in WAITS.values()} == set(Party)
