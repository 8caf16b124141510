"""Secrecy: two deals that differ only in tiles that nobody saw give equal outputs."""

import dataclasses
from collections.abc import Callable, Sequence
from random import Random

import pytest

from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.ledger.journal_events import LastDiscardSeen, RecordDisputed
from controller.state.broken_rules import BROKEN_RULES
from controller.state.messages import ClaimWindowTimer, ExposureTimer, KeyPressed, LeaseTimer, SlipHeard
from controller.state.sides import Making, PlayStage, WallStage
from controller.state.table_state import replace
from tests.controller.hand.test_play import CALLS
from tests.support.controller.decoded_table import DecodedTable
from tests.support.controller.feeder import Move
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.hands_of_rules import (
    CONCEALED_KONG,
    LATE_KONG,
    THREE_WINNERS,
    Walls,
    another_world,
    is_the_same_play,
    other_world,
    outside,
    world_of,
    written,
)
from tests.support.controller.players import Players, written_hand
from tests.support.controller.rigs import QUESTION, MakeRig, Rig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, hand_is, seat_players, written_session
from tests.support.game.seigo_tables import seigo_deal
from tests.support.game.sichuan_tables import sichuan_walls
from tests.support.game.tables import random_walls, walls_with_kongs
from tests.support.recorder.played_hands import played
from tests.support.tiers import some
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.play_events import PlayEvent, TileDiscarded
from twinwall.game.play_json import to_text
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.hand_events import RecordDoubt, TileAnswered
from twinwall.wire.events.wall_events import Building, DealOpened
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

pytestmark = pytest.mark.slow

WORLDS = [*((random_walls, seed) for seed in some((1, 3, 4), 1)), *((walls_with_kongs, seed) for seed in some((394, 502), 1))]


def cannot_read_discards(rig: Rig) -> None:
    """From now on the camera reads no discard, and a referee tells the table what lies there whenever it asks."""
    rig.mat.blurred.update(Slot(place, Area.RIVER, index) for place in range(4) for index in range(24))
    players = rig.players

    def move() -> Move | None:
        asked = outputs_of(rig.setup, rig.state).asked.question
        if asked is None or rig.eye.observation() is not None:
            return players()
        return lambda: rig.post(AnswerTile(asked.n, asked.number, asked.where, rig.mat.tiles[asked.slot].text, "Ota"))

    rig.players = move


def alike(worlds: Sequence[Rig], least: int = 0) -> None:
    """Tables of different deals have given equal outputs, and no fewer than ``least`` of them."""
    first, second = worlds
    assert first.deal.digest != second.deal.digest
    assert len(outside(first)) > least
    assert outside(first) == outside(second)


def closed(rig: Rig, script: list[PlayEvent], *, unread: bool = False) -> Rig:
    """The table at which the hand of the script has been played to its end, where the camera reads its discards or none of them."""
    Players(rig, script)
    if unread:
        cannot_read_discards(rig)
    rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
    return rig


@pytest.mark.parametrize(("deal", "seed"), WORLDS)
def test_after_the_wall_is_ready_no_output_depends_on_a_tile_that_was_never_shown(
    make_rig: MakeRig, deal: Callable[[int], Walls], seed: int
) -> None:
    walls = deal(seed)
    script = written_hand(rule_set("mcr-duplicate", {"minimum": 0}), walls, seed)
    other = another_world(walls, script, seed)
    different = sum(walls[seat].tiles[index] is not other[seat].tiles[index] for seat in SEATS for index in range(34))
    assert different > 12
    alike([closed(make_rig(opened(world), seed=seed, raised=True), script) for world in (walls, other)], least=300)


@pytest.mark.parametrize("seed", some([1, 4], 1))
def test_nor_do_the_questions_to_the_referee_their_pictures_and_the_order_of_their_kinds(make_rig: MakeRig, seed: int) -> None:
    """The camera reads no discard, and the referee is asked about each."""
    walls = random_walls(seed)
    script = written_hand(rule_set("mcr-duplicate", {"minimum": 0}), walls, seed)
    deals = (opened(world) for world in (walls, another_world(walls, script, seed)))
    worlds = [closed(make_rig(deal, seed=seed, raised=True), script, unread=True) for deal in deals]
    questions = [[payload for topic, payload in rig.broker.published if topic == QUESTION] for rig in worlds]
    assert len(questions[0]) == len(worlds[0].happened(TileAnswered)) > 20
    assert questions[0] == questions[1]
    alike(worlds)


def test_nor_does_it_where_a_decoder_looks_for_the_last_discard_after_the_controller_was_away(make_rig: MakeRig) -> None:
    """All tiles lie astray; one discard lies there still, and with the next one another tile of the record is gone."""
    hand = played("mcr-duplicate", 0)
    script, walls, setup = list(hand.events), dict(hand.walls), set_up(decodes=True)
    worlds = [make_rig(opened(world), setup=setup, raised=True) for world in (walls, another_world(walls, script, 1))]
    for rig in worlds:
        Players(rig, script)
        decoded = DecodedTable(rig)
        for number, gone in enumerate((False, True)):
            rig.run(lambda rig=rig, number=number: discards(rig) == 3 + number)  # type: ignore[misc]  # bound now
            if gone:
                del rig.mat.tiles[min(rig.mat.tiles, key=lambda slot: (slot.place, slot.index))]
            rig.die(power_cut=False)
            decoded.restarted()
        rig.run(lambda rig=rig: rig.state.playing.halted)  # type: ignore[misc]  # bound now
    assert len(worlds[0].happened(LastDiscardSeen)) == 1
    alike(worlds)


def discards(rig: Rig) -> int:
    return len(rig.happened(TileDiscarded))


def test_what_is_doubted_after_its_hand_changes_nothing_that_the_table_does(make_rig: MakeRig, caplog: pytest.LogCaptureFixture) -> None:
    """The decoder that doubts it knows the deal; before the release what it says stands in the journal and nowhere else."""
    caplog.set_level("DEBUG", "controller")
    walls = random_walls(1)
    rig = make_rig(opened(walls), seed=1, setup=set_up(custody=True), raised=True)
    closed(rig, written_hand(rig.setup.rules, walls, 1))
    before, published = outputs_of(rig.setup, rig.state), list(rig.broker.published)
    held = rig.happened(TileDiscarded)[0]
    doubts = (
        RecordDoubt(1, 2, to_text(held), to_text(dataclasses.replace(held, tile=Tile.M1)), 12.0),
        RecordDoubt(1, 2, "", "", 3.0, Seat.SOUTH, {"exposed-tiles": BROKEN_RULES["exposed-tiles"]}),
    )
    rig.settle()
    caplog.clear()
    for doubt in (*doubts, *doubts):  # a controller that starts anew compares the hand once more
        rig.post(doubt)
    rig.settle()
    disputed, suspected = rig.happened(RecordDisputed)
    assert (disputed.number, disputed.margin) == (2, 12.0)
    assert (suspected.seat, suspected.margin) == (Seat.SOUTH, 3.0)
    assert outputs_of(rig.setup, rig.state) == before
    assert rig.broker.published == published
    assert caplog.text == ""
    rig.tell(SlipHeard(1))
    assert "deal 1: the referee is asked about event 2 of its record (margin 12.0)" in caplog.text
    assert "deal 1: the referee is asked whether a rule was broken before event 2 of its record (margin 3.0)" in caplog.text


def test_a_question_is_the_same_whatever_the_seat_holds(make_rig: MakeRig) -> None:
    """One wall has given East both kinds that the camera confuses, the other one of them."""
    sent = []
    for hand in ("123456789p 12s 5s", "123456789p 12s 4s"):
        game = Game(make_rig, walls_of({E: f"{hand} 5s"})).take_hands().draw(E)
        game.rig.mat.blurred.add(Slot(game.place(E), Area.RIVER, 0))
        sent.append([payload for topic, payload in game.discard(E, "5s").rig.broker.published if topic == QUESTION])
    assert len(sent[0]) == 1
    assert sent[0] == sent[1]


@pytest.mark.parametrize("seed", some([THREE_WINNERS, LATE_KONG, CONCEALED_KONG], 1))
def test_nor_does_it_where_play_goes_on_after_a_win(make_rig: MakeRig, seed: int) -> None:
    setup = set_up(rules=rule_set("sichuan"), options={})
    walls, script = sichuan_walls(seed), list(written("sichuan", seed))
    other = another_world(walls, script, seed, setup)
    assert sum(walls[seat].tiles[index] is not other[seat].tiles[index] for seat in SEATS for index in range(27)) > 12
    tables = (make_rig(opened(world, rules="sichuan"), seed=seed, setup=setup, raised=True) for world in (walls, other))
    alike([closed(rig, script) for rig in tables], least=300)


@pytest.mark.parametrize(("seed", "same"), some([(2, 20), (35, 0), (3, 0)], 1))
def test_nor_where_tiles_of_no_seat_lie_behind_the_walls(make_rig: MakeRig, seed: int, same: int) -> None:
    """The two worlds differ in concealed tiles, in tiles that were never drawn, and in shared tiles that were never turned up."""
    setup, script = set_up(rules=rule_set("seigo"), options={}), list(written("seigo", seed, 1, same))
    walls, rest = seigo_deal(seed, alike=same)
    chance, other = Random(seed), (*(tile for seat in SEATS for tile in walls[seat].tiles), *rest)
    for _ in range(150):
        tiles = list(other)
        one, two = chance.randrange(len(tiles)), chance.randrange(len(tiles))
        tiles[one], tiles[two] = tiles[two], tiles[one]
        candidate, shared = deal_tiles(tuple(tiles), 31)
        if is_the_same_play(dict(candidate), script, setup, shared):
            other = tuple(tiles)
    others, other_rest = deal_tiles(other, 31)
    assert sum(one is not two for one, two in zip(rest, other_rest, strict=True)) > 2
    assert sum(one is not two for seat in SEATS for one, two in zip(walls[seat].tiles, others[seat].tiles, strict=True)) > 12
    deals = (opened(tiles, rules="seigo", rest=shared) for tiles, shared in ((walls, rest), (others, other_rest)))
    alike([closed(make_rig(deal, seed=seed, setup=setup, raised=True), script) for deal in deals], least=150)


@pytest.mark.parametrize("seed", some([SHORT_HANDS, 1, 3], 1))
def test_building_during_a_hand_and_clearing_depend_on_no_tile_that_was_never_shown(make_rig: MakeRig, seed: int) -> None:
    deals, scripts = written_session(2, seed)
    other = another_world(dict(deals[0].walls), scripts[0], seed)
    worlds = [seat_players(make_rig, [first, deals[1]], scripts, seed, raised=True) for first in (deals[0], opened(other))]
    for world in worlds:
        world.rig.run(hand_is(world.rig, 2, PlayStage.CLOSED))
    first, second = (world.rig for world in worlds)
    assert first.happened(DealOpened)[0].digest != second.happened(DealOpened)[0].digest
    assert any(isinstance(event, Building) for event in first.events())
    assert outside(first) == outside(second)


def test_nor_does_it_tell_whether_a_tile_that_is_added_to_a_pung_was_drawn_just_now() -> None:
    # In hand 1356 of Seigo, whose rules do not ask, North adds an east wind: one wall gave it at the beginning, the other just now.
    world = world_of("seigo", 1356)
    other = other_world(world, 1356)
    assert world.differing(other) == 4
    assert world.played(1356) == other.played(1356)


def test_nothing_that_the_table_does_for_a_hand_depends_on_the_wall_in_the_making(make_rig: MakeRig) -> None:
    """At every step of a hand: lamps, gates, windows and answers to keys are what they were with nothing in the making."""
    deals, scripts = written_session(2, SHORT_HANDS)
    rig, compared = seat_players(make_rig, deals, scripts, SHORT_HANDS, raised=True).rig, [0]
    keys = [KeyPressed(place, key) for place in range(4) for key in Key]

    def reached() -> bool:
        state = rig.state
        if state.playing.deal is None or state.playing.deal.n != 1:
            return True
        alone = replace(state, making=Making())
        both = [outputs_of(rig.setup, each) for each in (state, alone)]
        assert (both[0].lamps, both[0].watch) == (both[1].lamps, both[1].watch)
        assert [timer for timer in both[0].timers if isinstance(timer.timer, OF_A_HAND)] == list(both[1].timers)
        assert [decide(rig.setup, state, key) for key in keys] == [decide(rig.setup, alone, key) for key in keys]
        compared[0] += state.making.stage is not WallStage.NONE
        return False

    rig.run(reached)
    assert compared[0] > 300


OF_A_HAND = (ClaimWindowTimer, LeaseTimer, ExposureTimer)


WEAK = walls_of({E: "123456789p 123s 5s", S: "19m 1m 9m 7s 8s 9s 1p E S W C F", W: "3s 9s 147m 258p 39s E S N", N: "123m 456m 788m 46s CF"})
"""On East's 5s nobody has anything."""


@pytest.mark.parametrize("pressed", [{}, {S: Key.CHOW}, {W: Key.PUNG}, {N: Key.WIN}, {S: Key.CHOW, W: Key.PUNG, N: Key.WIN}], ids=str)
def test_until_tiles_are_laid_open_a_call_looks_the_same_whether_it_is_true_or_not(make_rig: MakeRig, pressed: dict[Seat, Key]) -> None:
    worlds = []
    for walls in (CALLS, WEAK):
        game = Game(make_rig, walls).take_hands().draw(E).discard(E, "5s")
        for seat, key in pressed.items():
            game.press(seat, key)
        worlds.append(outside(game.close_window().rig))
    assert worlds[0] == worlds[1]


def test_a_hand_that_wins_and_one_that_does_not_look_the_same_until_they_are_shown(make_rig: MakeRig) -> None:
    winning = walls_of({E: "123m 456m 789m 46s FF 5s"})
    losing = walls_of({E: "123m 456m 789m 46s FF 9s"})
    worlds = [outside(Game(make_rig, walls).take_hands().draw(E).press(E, Key.WIN).rig) for walls in (winning, losing)]
    assert worlds[0] == worlds[1]


def test_the_two_worlds_do_differ_in_what_this_test_would_see(make_rig: MakeRig) -> None:
    """The comparison itself: a different discard shows."""
    seen = [outside(Game(make_rig, CALLS).take_hands().draw(E).discard(E, tile).rig) for tile in ("5s", "9p")]
    assert seen[0] != seen[1]


def test_the_places_emptied_before_a_kind_is_named_do_not_depend_on_the_kind(make_rig: MakeRig) -> None:
    deal = opened(random_walls(6))
    emptied = []
    for missing in (Tile.EAST, Tile.P5, Tile.S9):
        faces = list(rule_set("mcr-duplicate").tiles)
        faces.remove(missing)
        rig = make_rig(dataclasses.replace(deal), faces=[*faces])
        rig.run(lambda rig=rig: "missing-tiles" in rig.fault_codes())  # type: ignore[misc]  # bound now
        emptied.append(rig.state.making.build.decoys)
    assert all(len(places) >= 8 for places in emptied)
    assert len(frozenset.union(*emptied)) <= 8 + 3, "at most the place that was open anyway is passed over"
