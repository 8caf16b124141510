"""Building the wall from tiles in any order, with misreadings, wrong tile counts, refusals and cut lines."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.ledger.journal_events import OperationDone, PauseOver, PositionsDoubted, Surveyed, TileRead, TilesNamed
from controller.state.messages import GateLook
from controller.state.sides import PlayStage, WallStage
from firmware_bridge.link import events as port
from firmware_bridge.messages import Bypass, Capabilities, Command, NakCode, Place, Raise, Recirculate, Release, Result, Return
from tests.support.controller.feeder import Face, OtherBack
from tests.support.controller.rigs import WHOLE_SET, MakeRig, Rig, a_set_with, a_set_without, opened, set_up, shuffled, true_look
from tests.support.game.tables import random_walls
from tests.support.tiers import some
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Tile
from twinwall.wire.events.trouble_events import TableFault, TablePart
from twinwall.wire.events.wall_events import Building, DealOpened, DealRefused, HandsTaken, WallRaised, WallReady
from twinwall.wire.shapes.panel import Key


def once(kind: type) -> Callable[[Command], bool]:
    """True for the first command of a kind, and only for that one."""
    left = [True]

    def first(command: Command) -> bool:
        hit = isinstance(command, kind) and left[0]
        left[0] = left[0] and not hit
        return hit

    return first


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_136_tiles_in_any_order_end_in_the_deals_wall(make_rig: MakeRig, seed: int) -> None:
    """A tile goes straight to a place that wants its kind, the public count rises to 136, and nothing is refused for its neighbours."""
    rig = make_rig(seed=seed)
    rig.build()
    assert [event.digest for event in rig.happened(WallReady)] == [rig.deal.digest]
    assert len(rig.ordered(Raise)) == 1
    assert len(rig.ordered(Place)) + len(rig.ordered(Release)) == 136
    assert len(rig.ordered(Recirculate)) < 10
    counts = [event.placed for event in rig.happened(Building)]
    assert (counts, counts[-1]) == (sorted(set(counts)), 136)
    assert {event.result for event in rig.happened(OperationDone)} <= {"ok", "refused-busy"}


def test_tiles_whose_only_places_are_covered_wait_in_bypass_cells_and_leave_them_again(make_rig: MakeRig) -> None:
    deal = opened(random_walls(1))
    upper = [deal.wanted(position) for position in deal.positions if Capabilities().support_below(position[1]) is not None]
    rest = Counter(WHOLE_SET) - Counter(upper)
    rig = make_rig(deal, faces=[*upper, *rest.elements()])
    rig.build()
    assert rig.feeder.most_cells_used > 0
    assert not rig.feeder.cells
    assert len(rig.ordered(Release)) == len(rig.ordered(Bypass)) > 0


def test_a_position_is_trusted_only_when_its_operation_ended_well(make_rig: MakeRig) -> None:
    rig = make_rig()
    disturbed = once(Place)
    rig.feeder.result = lambda command: Result.DISTURBED if disturbed(command) else Result.OK
    rig.run(lambda: bool(rig.state.making.build.doubted))
    first, command = next((number, command) for number, command in rig.feeder.commands if isinstance(command, Place))
    assert OperationDone(first, "disturbed") in rig.events()
    assert PositionsDoubted(((command.seat, command.position),), (), "sensed") in rig.events()
    assert (command.seat, command.position) not in rig.state.making.build.placed
    rig.build()
    assert Return(command.seat, command.position) in rig.ordered(Return)


def test_an_unread_tile_goes_round_again_and_never_enters_a_tray(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.look = lambda face, showing: (None, "low-confidence") if showing % 7 == 3 else true_look(face, showing)
    rig.build()
    unread = sum(isinstance(event, TileRead) and event.tile is None for event in rig.events())
    assert unread > 30
    assert len(rig.ordered(Recirculate)) >= unread // rig.setup.frames_before_recirculating


def test_readings_that_contradict_each_other_place_nothing(make_rig: MakeRig) -> None:
    rig = make_rig()
    readings: dict[int, int] = {}
    honest = rig.read

    def wavering(look: GateLook, after_ns: int) -> None:
        readings[look.number] = readings.get(look.number, 0) + 1
        if look.number == 1 and isinstance(rig.feeder.gate, Tile):
            other = Tile.M1 if rig.feeder.gate is not Tile.M1 else Tile.M2
            rig._showings[rig.feeder.boot, look.number] = (rig.feeder.gate if look.frame % 2 else other, "")
        honest(look, after_ns)

    rig.read = wavering  # type: ignore[method-assign]  # the fake camera of this test
    rig.run(lambda: len(rig.feeder.commands) > 1)
    assert readings[1] == rig.setup.frames_before_recirculating
    assert isinstance(rig.feeder.commands[1][1], Recirculate)


def test_a_tile_nobody_can_read_goes_to_the_reject_cell_and_staff_are_called(make_rig: MakeRig) -> None:
    rig = make_rig(faces=[Tile.M1])
    rig.look = lambda face, showing: (None, "glare")
    rig.run(lambda: "unreadable-tile" in rig.fault_codes())
    assert len(rig.ordered(Recirculate)) == rig.setup.showings_before_staff - 1
    rig.run(lambda: rig.feeder.rejected == [Tile.M1])


def test_a_misread_comes_to_light_as_a_fifth_copy_and_is_put_right(make_rig: MakeRig) -> None:
    rig = make_rig(seed=3)
    rig.look = lambda face, showing: (Tile.S5 if face is Tile.S6 else Tile.S6, "") if showing == 4 else true_look(face, showing)
    rig.build()
    doubted = [event for event in rig.happened(PositionsDoubted) if event.reason == "fifth-copy"]
    assert (len(doubted), len(doubted[0].positions)) == (1, 4)
    assert set(doubted[0].positions) <= {(command.seat, command.position) for command in rig.ordered(Return)}
    assert not rig.feeder.rejected


def test_a_misread_tile_that_waits_in_a_bypass_cell_is_read_again_too(make_rig: MakeRig) -> None:
    """Three copies lie right and the fourth place is still covered: the misread tile waits for it when the fourth copy comes."""
    deal, support = opened(random_walls(1)), Capabilities().support_below
    kind, below = next(
        (deal.wanted((place, index)), deal.wanted((place, under)))
        for place, index in deal.positions
        if (under := support(index)) is not None
        and sum(support(at[1]) is not None for at in deal.positions if deal.wanted(at) is deal.wanted((place, index))) == 1
        and deal.wanted((place, under)) is not deal.wanted((place, index))
    )
    misread = next(tile for tile in Tile if tile not in (kind, below))
    late = Counter({below: 4})
    rest = list((Counter(WHOLE_SET) - Counter({kind: 4, misread: 1}) - late).elements())
    rig = make_rig(deal, faces=[kind, kind, kind, misread, kind, *rest, *late.elements()])
    rig.look = lambda face, showing: (kind, "") if showing == 3 else true_look(face, showing)
    rig.build()
    (recount,) = (event for event in rig.happened(PositionsDoubted) if event.reason == "fifth-copy")
    assert (len(recount.positions), len(recount.cells)) == (3, 1)
    assert not rig.feeder.rejected


def test_a_misread_after_its_kind_was_counted_is_looked_for_before_a_tile_is_called_missing(make_rig: MakeRig) -> None:
    """A 6p falls from its place and comes again, a fifth one, so that all are read again; then a 7s is taken for a 6p. The last true 6p
    is one too many, and a 7s too few: the set is whole, and was misread."""
    rig = make_rig(faces=[*shuffled(list((Counter(WHOLE_SET) - Counter([Tile.S7])).elements())), Tile.S7])
    rig.run(lambda: list(rig.state.making.build.placed.values()).count(Tile.P6) == 4)
    fallen = next(position for position, face in rig.feeder.trays.items() if face is Tile.P6)
    rig.feeder.drum.insert(0, rig.feeder.trays.pop(fallen))
    rig.run(lambda: bool(rig.state.making.build.recounted) and not rig.state.making.build.doubted)
    taken_for_another: list[int] = []

    def look(face: Face, showing: int) -> tuple[Tile | None, str]:
        if face is Tile.S7 and taken_for_another in ([], [showing]):
            taken_for_another[:] = [showing]
            return Tile.P6, ""
        return true_look(face, showing)

    rig.look = look

    def over() -> bool:
        if rig.state.faults:
            attend(rig)
        return rig.state.playing.stage is PlayStage.TAKING

    rig.run(over)
    assert taken_for_another
    assert [event.reason for event in rig.happened(PositionsDoubted)].count("recount") == 1
    assert rig.wall_is_right()


def attend(rig: Rig) -> None:
    """What staff do at the table: wipe and put back what was rejected, add what is named."""
    if "missing-tiles" in rig.fault_codes():
        rig.run(lambda: rig.feeder.well_open)
        for face in rig.feeder.rejected:
            rig.feeder.push_in([face])
        rig.feeder.rejected.clear()
    rig.press(0, Key.CONFIRM)


def test_a_real_fifth_copy_is_rejected_and_named_and_the_hand_waits_for_staff(make_rig: MakeRig) -> None:
    rig = make_rig(faces=a_set_with(Tile.P7))
    rig.run(lambda: len(rig.feeder.trays) == 136 and not rig.feeder.drum and rig.time.now_s > 5)
    assert rig.feeder.rejected == [Tile.P7]
    assert [fault.code for fault in rig.state.faults] == ["extra-tile"]
    assert "fifth 7p" in rig.state.faults[0].sentence
    assert rig.state.faults[0].tiles == (Tile.P7,)
    assert rig.lamps.fault
    assert rig.state.making.stage is WallStage.BUILDING
    rig.press(2, Key.CONFIRM)
    rig.build()
    assert not rig.lamps.fault


def test_a_tile_that_the_rules_are_played_without_is_rejected_and_named(make_rig: MakeRig) -> None:
    rules = rule_set("sichuan")
    deal = opened(deal_tiles(rules.tiles, 27)[0], rules=rules.name)
    rig = make_rig(deal, setup=set_up(rules=rules, options={}), faces=[*rules.tiles, Tile.EAST])
    rig.run(lambda: bool(rig.state.faults))
    (fault,) = rig.state.faults
    assert fault.code == "extra-tile"
    assert "A E, which sichuan is played without," in fault.sentence
    assert fault.tiles is None, "the pages' words for tiles beside this code are those of a fifth copy"
    rig.press(0, Key.CONFIRM)
    rig.build()


@pytest.mark.parametrize("last", [False, True], ids=["somewhere", "last of all"])
def test_a_foreign_tile_is_rejected_and_named_and_the_hand_waits_for_staff(make_rig: MakeRig, last: bool) -> None:
    """A full wall is not ready while a tile still tumbles in the drum."""
    faces: list[Face] = [*shuffled(list(WHOLE_SET)), "plum"] if last else a_set_with("plum")
    rig = make_rig(faces=faces)
    if last:
        rig.run(lambda: rig.feeder.drum == ["plum"])
        rig.feeder.stuck = True
        rig.run(lambda: rig.time.now_s > 5)
        assert (len(rig.feeder.trays), rig.happened(WallReady)) == (136, [])
        rig.feeder.stuck = False
    rig.run(lambda: len(rig.feeder.trays) == 136 and rig.feeder.rejected == ["plum"] and rig.time.now_s > 5)
    assert [fault.code for fault in rig.state.faults] == ["foreign-tile"]
    assert rig.state.making.stage is WallStage.BUILDING
    rig.press(0, Key.CONFIRM)
    rig.build()


def test_a_sensor_that_knows_no_back_is_named_before_a_good_tile_is_rejected(make_rig: MakeRig) -> None:
    faces: list[Face] = [OtherBack(tile, back=0) if number >= 12 else tile for number, tile in enumerate(WHOLE_SET)]
    rig = make_rig(faces=faces)
    rig.stand_still(lambda: bool(rig.fault_codes()))
    assert [(fault.code, fault.part) for fault in rig.state.faults] == [("feeder-sensors-disagree", TablePart.GATE)]
    assert (rig.feeder.rejected, rig.feeder.feeding) == ([], False)
    rig.feeder.drum = [face.face if isinstance(face, OtherBack) else face for face in rig.feeder.drum]
    rig.press(0, Key.CONFIRM)
    rig.run(lambda: bool(rig.feeder.rejected))
    assert len(rig.feeder.trays) == 135, "the last one was in the gate when the sensor came back, and is foreign"


def test_one_tile_with_another_back_among_tiles_that_are_hard_to_read_accuses_no_sensor(make_rig: MakeRig) -> None:
    faces: list[Face] = [OtherBack(tile, back=0) if number == 20 else tile for number, tile in enumerate(WHOLE_SET)]
    rig = make_rig(faces=faces)
    rig.look = lambda face, showing: (None, "low-confidence") if showing % 4 else true_look(face, showing)
    rig.run(lambda: bool(rig.fault_codes()))
    assert "feeder-sensors-disagree" not in rig.fault_codes()


def test_with_135_tiles_eight_good_places_over_all_seats_are_emptied_before_the_missing_kind_is_named(make_rig: MakeRig) -> None:
    rig = make_rig(faces=a_set_without(Tile.EAST))
    rig.run(lambda: "missing-tiles" in rig.fault_codes())
    story = rig.events()
    named = story.index(next(event for event in story if isinstance(event, TilesNamed)))
    assert story[named] == TilesNamed((Tile.EAST,))
    assert next(event for event in story if isinstance(event, TableFault) and event.code == "missing-tiles").tiles == (Tile.EAST,)
    returned = rig.ordered(Return)
    assert len(returned) >= 8
    assert {command.seat for command in returned} == {0, 1, 2, 3}
    assert len(rig.feeder.trays) == 135 - len(returned)
    emptied = next(event for event in story if isinstance(event, PositionsDoubted) and event.reason == "naming")
    assert story.index(emptied) < named


def test_when_staff_add_the_wrong_tile_it_is_found_and_the_missing_one_is_named_again(make_rig: MakeRig) -> None:
    rig = make_rig(faces=a_set_without(Tile.EAST))
    rig.run(lambda: rig.feeder.well_open)
    rig.feeder.push_in([Tile.WEST])
    rig.press(1, Key.CONFIRM)
    rig.run(lambda: rig.fault_codes() == {"extra-tile", "missing-tiles"})
    assert (rig.feeder.rejected, rig.happened(TilesNamed)[-1]) == ([Tile.WEST], TilesNamed((Tile.EAST,)))


def test_a_drum_that_is_empty_for_a_moment_only_empties_nothing(make_rig: MakeRig) -> None:
    rig = make_rig(faces=a_set_without(Tile.EAST))
    rig.run(lambda: rig.state.making.build.starved is not None)
    rig.feeder.drum.append(Tile.EAST)
    rig.build()
    assert not rig.ordered(Return)
    assert not rig.happened(TableFault)


@pytest.mark.parametrize(("kind", "until_s", "most"), [(Place, 0.95, 10), (Raise, 2, 20)])
def test_a_refused_operation_pauses_the_build_and_is_tried_again(make_rig: MakeRig, kind: type[Command], until_s: float, most: int) -> None:
    rig = make_rig()
    rig.feeder.nak = lambda command: NakCode.BUSY if isinstance(command, kind) and rig.time.now_s < until_s else None
    rig.build()
    assert len(rig.happened(WallReady)) == len(rig.happened(WallRaised)) == 1
    refused = [event for event in rig.happened(OperationDone) if event.result == "refused-busy"]
    assert 5 <= len(refused) <= most, "ten times a second, not more"
    assert len({event.operation for event in refused}) == len(refused)
    assert len(rig.happened(PauseOver)) >= len(refused)


def test_a_cell_that_is_not_as_the_journal_has_it_is_looked_at_and_not_asked_for_ever(make_rig: MakeRig) -> None:
    rig = make_rig(seed=2)
    rig.run(lambda: bool(rig.feeder.cells))
    cell, face = rig.feeder.cells.popitem()
    rig.feeder.drum.append(face)
    rig.build()
    assert any(isinstance(event, Surveyed) and cell in event.emptied_cells for event in rig.events())


def test_a_tile_that_nobody_put_there_is_returned_and_read_before_the_wall_is_ready(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.run(lambda: len(rig.feeder.trays) == 100)
    position = next(position for position in rig.deal.positions if position[1] < 10 and position not in rig.feeder.trays)
    rig.feeder.trays[position] = rig.feeder.drum.pop()
    rig.build()
    assert Return(*position) in rig.ordered(Return)


def test_the_wall_is_not_ready_while_the_sensors_see_another_one(make_rig: MakeRig) -> None:
    rig = make_rig()

    def one_less(status: port.FeederStatus) -> port.FeederStatus:
        return replace(status, trays=(status.trays[0] - {7}, *status.trays[1:]))

    rig.run(lambda: len(rig.state.making.build.placed) == 130)
    rig.feeder.sensors = one_less
    with pytest.raises(AssertionError, match="it takes too long"):
        rig.run(lambda: rig.state.making.stage is not WallStage.BUILDING, most_s=30)
    assert not rig.happened(WallReady)


@pytest.mark.parametrize("moves", [0, 1])
def test_power_lost_while_the_walls_rise_ends_with_the_walls_raised_once(make_rig: MakeRig, moves: int) -> None:
    rig = make_rig()
    rig.run(lambda: bool(rig.ordered(Raise)))
    rig.feeder.up = False
    for move in rig.feeder.moves()[:moves]:
        move()
    rig.feeder.restart()
    rig.build()
    assert rig.feeder.raises == 1


def test_power_lost_with_the_well_open_or_not_yet_open_still_lets_staff_add_the_tile(make_rig: MakeRig) -> None:
    rig = make_rig(faces=a_set_without(Tile.EAST))
    rig.run(lambda: "missing-tiles" in rig.fault_codes())
    rig.feeder.restart()
    rig.run(lambda: rig.feeder.well_open)
    rig.feeder.push_in([Tile.EAST])
    rig.press(1, Key.CONFIRM)
    rig.feeder.restart()
    rig.build()
    assert not rig.state.faults


def test_hand_tiles_taken_while_the_feeder_had_no_power_are_not_waited_for(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.build()
    rig.feeder.power_cut()
    for place in range(4):
        for index in range(13):
            del rig.feeder.magazines[place, index]
    rig.feeder.connect()
    rig.run(lambda: rig.state.playing.stage is PlayStage.PLAYING)
    assert rig.happened(HandsTaken)


def test_a_deal_that_must_not_be_played_moves_nothing_and_is_asked_for_again_at_the_next_start(make_rig: MakeRig) -> None:
    rig = make_rig(DealRefused(1, "digest", "deal-0001.json must not be played"))
    rig.settle()
    assert rig.happened(DealRefused) == [DealRefused(1, "digest", "deal-0001.json must not be played")]
    assert rig.fault_codes() == {"deal-refused"}
    assert rig.lamps.fault
    assert not rig.feeder.commands
    rig.deals.deals[0] = opened(random_walls(1))
    rig.die(power_cut=False)
    rig.run(lambda: rig.state.making.stage is WallStage.BUILDING)
    assert rig.happened(DealOpened)
    assert not rig.state.faults
