"""What the build does by itself next, and what it no longer believes, in one state and without a machine."""

from controller.core.apply import apply
from controller.core.decide import follow
from controller.ledger.journal_events import OperationIssued
from controller.state.faults import emergency_stop, feeder_fault, open_drum_lid
from controller.state.making import Build, GateTile, Making, WallStage
from controller.state.table_state import TableState, replace
from firmware_bridge.messages import Bypass, Command, FaultCode, Feed, Place, Raise, Recirculate
from tests.support.controller.rigs import opened, set_up
from tests.support.game.tables import random_walls
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import ControllerStarted

SETUP = set_up()
DEAL = opened(random_walls(1))
BUILDING = TableState(making=Making(WallStage.BUILDING, DEAL, build=Build(surveyed=True)))
WHOLE = Build(placed={each: DEAL.wanted(each) for each in DEAL.positions}, surveyed=True)
READY = TableState(making=Making(WallStage.READY, DEAL, build=WHOLE))


def moves(state: TableState) -> list[Command]:
    return [event.command for event in follow(SETUP, state) if isinstance(event, OperationIssued)]


def test_two_tiles_in_a_gate_at_once_go_round_unread() -> None:
    back = next(iter(SETUP.sets))
    tile = GateTile(7, back, doubled=True, reads=(Tile.M1,) * SETUP.frames_to_agree)
    doubled = replace(BUILDING.making, back=back, build=replace(BUILDING.making.build, gates={0: tile}, feeding=True))
    assert moves(replace(BUILDING, making=doubled)) == [Recirculate(0)]


def test_nothing_moves_while_a_fault_of_the_machine_stands() -> None:
    assert (moves(BUILDING), moves(READY)) == ([Feed()], [Raise()])
    for fault in (emergency_stop(), open_drum_lid(), feeder_fault(FaultCode.JAM, 0)):
        assert [moves(replace(state, faults=(fault,))) for state in (BUILDING, READY)] == [[], []]


def test_after_a_restart_a_tile_on_its_way_into_a_cell_is_of_no_known_kind() -> None:
    under_way = (OperationIssued(7, Bypass(0), Tile.M1), OperationIssued(8, Place(0, 3, 0), Tile.M2))
    started = apply(SETUP, replace(BUILDING, pending=under_way), ControllerStarted("j", "1", resumed=True, first_operation=9))
    assert [(each.operation, each.tile) for each in started.pending] == [(7, None), (8, Tile.M2)]
