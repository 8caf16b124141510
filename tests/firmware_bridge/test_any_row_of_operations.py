"""Any row of operations and accidents through bytes: no tile is lost, each is answered; ``tests/building`` builds dealt walls so."""

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.link.events import Done, OperationRefused
from firmware_bridge.messages import (
    ALL_SEATS,
    Bypass,
    Clear,
    CloseWell,
    Command,
    Container,
    Dump,
    FaultCode,
    Feed,
    Hold,
    Lock,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Renew,
    Return,
    Sense,
    Stop,
    Unlock,
)
from simulator.mechanics import MechanicsSettings
from simulator.tabletop import NotPossibleError, tile_set
from tests.support.link.pair import Pair
from tests.support.tiers import examples

small = MechanicsSettings(speed=20.0, tray_places=6, wall_places=5, hand_places=2, bypass_cells=2)
TILES = tile_set(0)[:24]
seats = st.integers(0, 3)
positions = st.integers(0, 6)
cells = st.integers(0, 2)
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(Place, seats, positions),
    st.builds(Place, seats, positions),
    st.builds(Place, seats, positions),
    st.builds(Bypass, cells),
    st.builds(Release, cells, seats, positions),
    st.builds(Return, seats, positions),
    st.builds(Recirculate),
    st.builds(Reject),
    st.builds(Feed),
    st.builds(Hold),
    st.builds(Dump, st.sampled_from(Container), seats | st.just(ALL_SEATS)),
    st.builds(Raise),
    st.builds(OpenWell),
    st.builds(CloseWell),
    st.builds(Unlock, seats, st.integers(0, 2000)),
    st.builds(Renew, seats, st.integers(0, 2000)),
    st.builds(Lock, seats | st.just(ALL_SEATS)),
    st.builds(Sense),
    st.builds(Stop),
    st.builds(Clear, st.sampled_from([FaultCode.STOP, FaultCode.ESTOP, FaultCode.LID])),
)
accidents = st.sampled_from(["reboot", "silence", "lid", "take", "draw", "drop"])


def befall(pair: Pair, accident: str) -> None:
    """Something that no host has ordered."""
    mechanics, now_s = pair.mechanics, pair.now_s
    match accident:
        case "reboot":
            pair.reboot()
            pair.operation = 0
        case "silence":
            pair.cut = True
            pair.run_for(1.5)
            pair.cut = False
        case "lid":
            mechanics.hands.set_lid(True, now_s)
            pair.run_for(0.05)
            mechanics.hands.set_lid(False, pair.now_s)
        case "take":
            with suppress(NotPossibleError):
                mechanics.hands.take_hand_tile(0, 0, now_s)
        case "draw":
            mechanics.hands.lift_draw(0, now_s)
        case _:
            with suppress(NotPossibleError):
                mechanics.hands.drop_into_well(mechanics.census()["in play"][:2], now_s)


rows_of_deeds = st.lists(st.tuples(commands | accidents, st.sampled_from([0.0, 0.002, 0.03, 0.4])), min_size=10, max_size=80)


def do_all(pair: Pair, deeds: list[tuple[Command | str, float]]) -> None:
    """Order and suffer all that, on a machine of ``small`` with ``TILES``; nothing may be lost, and the status must be true afterwards."""
    pair.up()
    pair.do(Feed())
    for deed, wait_s in deeds:
        if isinstance(deed, str):
            befall(pair, deed)
        else:
            pair.submit(deed)
        pair.run_for(wait_s)
    there = [tile for tiles in pair.mechanics.census().values() for tile in tiles]
    assert sorted(tile.id for tile in there) == sorted(tile.id for tile in TILES)

    pair.run_for(3.0)
    status, levels = pair.status(), pair.mechanics.levels()
    assert [sum(1 << place for place in places) for places in status.trays] == [*levels.trays]
    assert [sum(1 << place for place in places) for places in status.magazines] == [*levels.magazines]
    assert sum(1 << cell for cell in status.bypass) == levels.cells
    assert status.open_locks == frozenset(seat for seat in range(4) if levels.locks >> seat & 1)


@settings(max_examples=examples(60))
@given(rows_of_deeds, st.integers(0, 99))
def test_no_row_of_operations_and_accidents_breaks_the_machine_or_loses_a_tile(deeds: list[tuple[Command | str, float]], seed: int) -> None:
    do_all(Pair(machine=small, tiles=TILES, seed=seed), deeds)


@settings(max_examples=examples(40))
@given(st.lists(commands, min_size=5, max_size=30), st.integers(0, 99))
def test_every_operation_is_answered_in_the_end(row: list[Command], seed: int) -> None:
    pair = Pair(machine=small, tiles=TILES, seed=seed).linked()
    for command in row:
        pair.submit(command)
    pair.run_for(1.0)
    pair.do(Clear(FaultCode.STOP))
    pair.do(Hold())
    pair.run_for(1.0)
    while pair.status().gate_occupied:
        pair.do(Recirculate())
    pair.run_for(5.0)
    answered = {event.operation for event in pair.all(Done)} | {event.operation for event in pair.all(OperationRefused)}
    assert answered == set(range(1, pair.operation + 1))
