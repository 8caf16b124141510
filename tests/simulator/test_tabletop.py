"""The tabletop: people move tiles, none is lost, also at a machine with lanes; it looks like a mat; and what may be wrong with a set."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.board.table_record import LANE_SIZES
from simulator.by_hand.builders import LaneHands, StationScreen
from simulator.by_hand.hand_table import Asked
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.tabletop import NotPossibleError, PhysicalTile, Tabletop, swap_tiles, tile_set
from simulator.world.service import both_sets
from simulator.world.visible_table import melds, river, scene, shared, shown
from tests.support.narrowed import present
from twinwall.art.mat import Area, Slot
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES

FACES = [tile.text for tile in ALL_TILES]


def dealt(seed: int = 1, hands: tuple[str, ...] = ("1m 2m 3m 5p 5p E",) * 4) -> Tabletop:
    table = Tabletop(seed)
    for place, hand in enumerate(hands):
        for number, face in enumerate(hand.split()):
            table = table.take(place, PhysicalTile(100 * place + number, face, 0))
    return table


def tiles_of(table: Tabletop) -> list[int]:
    """The identities of all tiles, wherever they are."""
    return sorted([tile.id for rack in table.racks for tile in rack.tiles] + [lying.tile.id for lying in table.lying])


moves = st.lists(
    st.one_of(
        st.tuples(st.just("discard"), st.integers(0, 3), st.sampled_from(["1m", "2m", "3m", "5p", "E"])),
        st.tuples(st.just("claim"), st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.just("pick up"), st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.just("show"), st.integers(0, 3), st.none()),
    ),
    max_size=30,
)


@given(moves)
def test_whatever_hands_do_no_tile_is_lost_or_doubled_and_a_refused_move_changes_nothing(done: list[tuple[str, int, object]]) -> None:
    table = dealt()
    before = tiles_of(table)
    for deed, place, what in done:
        last = table.version
        try:
            if deed == "discard":
                table = table.discard(place, str(what))
            elif deed == "claim":
                assert isinstance(what, int)
                table = table.expose(place, ("1m", "2m"), Slot(what, Area.RIVER, 0))
            elif deed == "pick up":
                assert isinstance(what, int)
                table = table.pick_up(place, Slot(what, Area.RIVER, 0))
            else:
                table = table.show(place, None)
        except NotPossibleError:
            assert table.version == last
        assert tiles_of(table) == before
        slots = [lying.slot for lying in table.lying]
        assert len(set(slots)) == len(slots)


def test_a_claimed_tile_leaves_its_slot_empty_for_good() -> None:
    table = dealt().discard(0, "5p").discard(0, "3m")
    table = table.expose(1, ("1m", "2m"), Slot(0, Area.RIVER, 1)).discard(0, "E")
    assert river(table, 0) == ("5p", None, "E")
    assert (table.discards, table.last_discard) == (3, Slot(0, Area.RIVER, 2))


@pytest.mark.parametrize(("claimant", "giver", "position"), [(1, 0, 0), (0, 3, 0), (2, 0, 1), (1, 3, 1), (0, 1, 2), (3, 0, 2)])
def test_a_claimed_tile_lies_sideways_where_its_giver_sits(claimant: int, giver: int, position: int) -> None:
    table = dealt().discard(giver, "5p").expose(claimant, ("5p", "5p"), Slot(giver, Area.RIVER, 0))
    (meld,) = melds(table, claimant, claimant)
    assert (meld.tiles, meld.sideways) == (("5p", "5p", "5p"), position)
    assert [lying.slot.index for lying in table.lying if lying.sideways] == [position]
    assert river(table, giver) == (None,)


def test_a_fourth_tile_on_a_pung_can_be_claimed_like_a_discard() -> None:
    table = dealt(hands=("5p 5p 5p", "", "", "5p")).discard(3, "5p").expose(0, ("5p", "5p"), Slot(3, Area.RIVER, 0))
    added = table.add_to_pung(0, "5p")
    assert (added.discards, added.last_discard) == (2, Slot(0, Area.MELD, 3))
    assert melds(added, 0, 1)[0].tiles == ("5p",) * 4
    with pytest.raises(NotPossibleError, match="no pung of 5p"):
        added.add_to_pung(0, "5p")


def test_a_concealed_kong_shows_backs_to_all_but_its_owner_until_the_hand_is_shown() -> None:
    table = dealt(hands=("5p 5p 5p 5p 1m", "", "", "")).lay_face_down(0, "5p")
    assert (melds(table, 0, 1)[0].tiles, melds(table, 0, 0)[0].tiles) == (("back",) * 4, ("5p",) * 4)
    assert [tile.face for tile in scene(table).tiles] == ["back"] * 4
    assert {tile.face for tile in scene(table.show(0, None)).tiles} == {"5p", "1m"}
    with pytest.raises(NotPossibleError, match="holds no 1m"):
        table.lay_face_down(0, "1m")


def test_a_shown_hand_is_sorted_and_the_self_drawn_tile_lies_apart() -> None:
    table = dealt(hands=("E 9s 1m C 2p", "", "", "")).draw(0, PhysicalTile(9, "3p", 0)).show(0, "3p")
    assert shown(table, 0) == ("1m", "2p", "9s", "E", "C")
    assert present(table.at(Slot(0, Area.WIN, 0))).tile.id == 9
    assert table.racks[0].tiles == ()


def test_the_drawn_tile_is_the_one_that_leaves_when_it_is_thrown_and_stands_apart_no_longer_otherwise() -> None:
    table = dealt().draw(0, PhysicalTile(9, "5p", 0))
    assert present(table.discard(0, "5p").at(Slot(0, Area.RIVER, 0))).tile.id == 9
    kept = table.discard(0, "E")
    assert kept.racks[0].drawn is None
    assert 9 in {tile.id for tile in kept.racks[0].tiles}


def test_hands_may_do_what_the_rules_forbid() -> None:
    table = dealt().lay(2, "5p", Slot(0, Area.RIVER, 7), sideways=True, beside_mm=(12.0, -9.0))
    lying = present(table.at(Slot(0, Area.RIVER, 7)))
    assert abs(lying.offset_mm[0] - 12.0) <= 0.5
    assert abs(lying.offset_mm[1] + 9.0) <= 0.5
    assert table.discards == 0
    assert river(table.discard(2, "1m").discard(2, "2m"), 2) == ("1m", "2m")


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (lambda table: table.discard(0, "9s"), "place 0 holds no 9s"),
        (lambda table: table.expose(1, ("1m", "2m"), Slot(0, Area.RIVER, 3)), "no tile lies at river 3 of place 0"),
        (lambda table: table.discard(1, "E").expose(1, ("1m", "2m"), Slot(1, Area.RIVER, 0)), "place 1 cannot claim its own tile"),
        (
            lambda table: table.lay(0, "1m", Slot(0, Area.WIN, 0)).lay(0, "2m", Slot(0, Area.WIN, 0)),
            "a tile lies at win 0 of place 0 already",
        ),
        (lambda table: table.pick_up(0, Slot(0, Area.WIN, 0)), "no tile lies at win 0"),
    ],
)
def test_what_hands_cannot_do_is_said_in_a_sentence(attempt: object, sentence: str) -> None:
    assert callable(attempt)
    with pytest.raises(NotPossibleError, match=sentence):
        attempt(dealt())


def test_a_full_river_takes_no_more() -> None:
    table = dealt(hands=(" ".join(["1m"] * 25), "", "", ""))
    for _ in range(24):
        table = table.discard(0, "1m")
    with pytest.raises(NotPossibleError, match="slot 24 of the river of place 0"):
        table.discard(0, "1m")


def test_a_tile_can_be_laid_into_a_later_slot_of_the_river_but_into_none_before() -> None:
    table = dealt(hands=("1m 2m 3m", "", "", "")).discard(0, "1m").discard(0, "2m", 3)
    assert river(table, 0) == ("1m", None, None, "2m")
    with pytest.raises(NotPossibleError, match="slot 2 of the river"):
        table.discard(0, "3m", 2)
    assert river(table.discard(0, "3m"), 0)[4] == "3m"


def test_a_stick_lies_by_the_tile_that_it_was_laid_with_until_the_place_is_swept() -> None:
    table = dealt(hands=("1m 2m", "", "", "")).discard(0, "1m").discard(0, "2m", stick=True)
    assert (table.sticks, table.sweep(0)[0].sticks) == ((1, None, None, None), (None,) * 4)


def test_shared_tiles_lie_in_the_middle_and_are_swept_by_place_0() -> None:
    tile = PhysicalTile(7, "C", 1)
    table = dealt(hands=("1m", "2m", "", "")).turn_up(tile, 10)
    assert shared(table) == (None,) * 10 + ("C", None)
    assert shared(table.sweep(1)[0]) == shared(table)
    swept, tiles = table.sweep(0)
    assert tile in tiles
    assert set(shared(swept)) == {None}


def test_sweeping_takes_everything_of_a_place_and_nothing_else() -> None:
    table = dealt().discard(0, "5p").discard(1, "E").expose(2, ("5p", "5p"), Slot(0, Area.RIVER, 0))
    swept, tiles = table.sweep(2)
    assert len(tiles) == 7
    assert swept.racks[2].tiles == ()
    assert melds(swept, 2, 2) == ()
    assert river(swept, 1) == ("E",)
    assert len(tiles_of(swept)) + len(tiles) == 24


def test_tiles_lie_within_what_the_mat_leaves_between_them_and_both_ways_up() -> None:
    table = dealt(hands=(" ".join(FACES[:20]), "", "", ""))
    for face in FACES[:20]:
        table = table.discard(0, face)
    assert all(abs((lying.angle_deg + 90) % 180 - 90) <= 1.5 for lying in table.lying)
    assert all(max(map(abs, lying.offset_mm)) <= 0.5 for lying in table.lying)
    assert 4 <= sum(lying.angle_deg > 90 for lying in table.lying) <= 16


def test_the_same_moves_look_the_same_for_one_seed_and_different_for_another() -> None:
    def seen(seed: int) -> object:
        return scene(dealt(seed).discard(0, "5p").discard(1, "E"))

    assert seen(4) == seen(4)
    assert seen(4) != seen(5)


def test_a_set_has_the_tiles_of_the_rules_that_are_played() -> None:
    suits = rule_set("sichuan").tiles
    drum, box = both_sets(FaultPlan(), suits)
    assert [tile.face for tile in drum] == [tile.face for tile in box] == [tile.text for tile in suits]
    with pytest.raises(ValueError, match="E cannot be missing"):
        both_sets(FaultPlan(missing=("E",)), suits)


def test_tiles_that_were_swapped_lie_each_in_the_others_set() -> None:
    ours, theirs = swap_tiles(tile_set(1), tile_set(2), ["3p", "3p", "E"])
    assert Counter(tile.face for tile in ours) == Counter(tile.face for tile in theirs) == Counter(tile.face for tile in tile_set(1))
    assert (
        sorted(tile.face for tile in ours if tile.back == 2) == sorted(tile.face for tile in theirs if tile.back == 1) == ["3p", "3p", "E"]
    )
    with pytest.raises(ValueError, match="3p cannot be swapped"):
        swap_tiles(tile_set(1), tile_set(2), ["3p"] * 5)


class _Screen(StationScreen):
    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:1")
        self.done: list[int] = []

    def touch(self, path: str, **fields: int) -> None:
        assert path == "/done"
        self.done.append(fields["number"])


@pytest.fixture
def machine() -> Iterator[FeederSimulator]:
    """Its well is shut."""
    machine = FeederSimulator(MechanicsSettings(speed=20.0, lanes=True, **LANE_SIZES), 1, FaultPlan(unread=0.0))
    machine.start()
    yield machine
    machine.stop()


def test_a_tile_that_is_asked_back_while_the_well_is_shut_stays_in_hand(machine: FeederSimulator) -> None:
    screen, tile = _Screen(), tile_set(1)[0]
    hands = LaneHands(machine, screen)
    hands.walls[0, 0] = tile
    for _ in range(2):
        with pytest.raises(NotPossibleError):
            hands._do(Asked("recover", number=7, seat=0, place=0))
    assert (hands.aside, screen.done) == ([tile], [])


def test_a_lane_that_is_to_be_emptied_is_looked_into(machine: FeederSimulator) -> None:
    with pytest.raises(NotPossibleError):
        LaneHands(machine, _Screen())._do(Asked("machine-empty-lane", seat=0, place=3))
