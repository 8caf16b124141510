"""Paths that hold a whole hand: unseen discards won on, unsensed turns, tiles among shown hands, discards found together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from msgspec import structs

from controller.recorder import costs
from controller.recorder.beam import Beam
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.margins.event_margins import against_sure_looks, decoded
from controller.recorder.moves.candidates import assigned
from controller.recorder.moves.melds import kongs
from controller.recorder.moves.turns import discards
from controller.recorder.moves.wins import shows
from controller.recorder.signals import Grounds, MarginBound
from controller.recorder.tracks import Track
from tests.controller.recorder.test_whole_hand import followed as path_of
from tests.controller.recorder.test_whole_hand import never_seen, on_grounds, seeing, win_on_a_discard, with_open_tiles
from tests.support.narrowed import of_type
from tests.support.recorder.played_hands import PlayedHand, played
from tests.support.recorder.small_tables import EAST_DRAWS, a_table, happened, path_at, tile_at, tracks_of
from twinwall.game.play_events import (
    Claimed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import ObservedTile

Shares = Mapping[Tile, float]


def won_unseen(hand: PlayedHand, events: int) -> tuple[TableContext, Hypothesis, int]:
    """So many events of a hand that is over, on whose first win on a discard no frame saw that discard; and the index of the win."""
    won = win_on_a_discard(hand)[0]
    assert isinstance(hand.events[won - 1], TileDiscarded)
    table, path = path_of(hand, hand.events[:events], {})
    return replace(table, over=True), never_seen(path, won - 1, path.grounds[won - 1].at_ms), won


def laid_to_the_hand(table: TableContext, path: Hypothesis, won: int, shares: Shares, *, sure: bool) -> Hypothesis:
    """The path whose winner has laid the tile on which it won to its shown hand, where the camera reads it so."""
    shown = of_type(HandShown, path.events[won + 1])
    (lies,) = seeing(table, path, ObservedTile(0.0, 600.0, 0.0, shares=shares, sure=sure))[1].loose
    path = on_grounds(path, won + 1, tracks=(*path.grounds[won + 1].tracks, lies))
    return structs.replace(path, kinds={**path.kinds, lies: shown.winning})


def doubted(table: TableContext, path: Hypothesis, won: int) -> bool:
    """Whether it is a question on which tile the seat has won."""
    found = decoded(table, Beam([path], [0.0]), smoothed_below=costs.PUBLISH)[won]
    assert found.margin >= costs.ASK or found.bound is MarginBound.WON_ON_A_GUESS
    return found.margin < costs.ASK


@pytest.mark.parametrize(
    ("number", "asked"),
    [
        pytest.param(1, False, id="the hand wins with one kind that its discarder can have had"),
        pytest.param(11, True, id="it wins with two"),
    ],
)
def test_on_which_unseen_tile_a_seat_has_won_is_a_question_where_two_kinds_would_win(number: int, asked: bool) -> None:
    hand = played("mcr-duplicate", number)
    assert doubted(*won_unseen(hand, len(hand.events))) is asked


@pytest.mark.parametrize(("read", "asked"), [("surely", False), ("as either", True), ("by no frame", True)])
def test_it_is_no_question_where_the_winning_tile_is_read_in_the_shown_hand(read: str, asked: bool) -> None:
    hand = played("mcr-duplicate", 11)
    table, path, won = won_unseen(hand, len(hand.events))
    shares: dict[str, Shares] = {"surely": {Tile.M6: 0.995}, "as either": {Tile.M6: 0.4, Tile.M3: 0.4}, "by no frame": {}}
    path = laid_to_the_hand(table, path, won, shares[read], sure=read == "surely")
    assert doubted(table, path, won) is asked


@pytest.mark.parametrize("laid_open", [False, True])
def test_it_is_no_question_once_the_hand_of_its_discarder_lies_open_and_has_the_other_tile(laid_open: bool) -> None:
    hand = played("sichuan", 15)
    opened = hand.first(HandLaidOpen)[0]
    assert doubted(*won_unseen(hand, len(hand.events) if laid_open else opened)) is not laid_open


@pytest.mark.parametrize(("read", "asked"), [("surely", False), ("as either", True)])
def test_of_two_such_tiles_in_the_shown_hand_the_less_certain_one_may_be_the_other_kind(read: str, asked: bool) -> None:
    """The seat holds an 8s, and has won on a second one or on a 7s."""
    hand = played("yangzhou", 65)
    table, path, won = won_unseen(hand, len(hand.events))
    shares = {Tile.S8: 0.995} if read == "surely" else {Tile.S8: 0.4, Tile.S7: 0.4}
    path = laid_to_the_hand(table, path, won, shares, sure=read == "surely")
    assert [path.kinds[track] for track in path.grounds[won + 1].tracks].count(Tile.S8) == 2
    assert doubted(table, path, won) is asked


@pytest.mark.parametrize(("why", "asked"), [(costs.CostReason.NOTHING_LAID, True), ("key", False)])
def test_a_win_on_which_nothing_was_laid_and_whose_hand_does_not_win_is_asked_about(why: str, asked: bool) -> None:
    """The hand wins on another tile: the win was on that one."""
    hand = played("sichuan", 886)
    won, win = win_on_a_discard(hand)
    table, path = path_of(hand, hand.events[: won + 1], {})
    grounds = structs.replace(path.grounds[won], costs=((why, costs.WAITING),))
    refused = WinRefused(win.seat, "not-a-win")
    path = structs.replace(path, events=(*path.events, refused), marks=(*path.marks, 0), grounds=(*path.grounds[:won], grounds, grounds))
    assert (decoded(table, Beam([path], [0.0]))[won].margin < costs.ASK) is asked


@pytest.mark.parametrize("gates", [False, True])
@pytest.mark.parametrize("wins", [True, False])
def test_a_hand_laid_open_that_wins_on_the_last_discard_is_asked_about_where_nothing_tells_of_a_call(*, wins: bool, gates: bool) -> None:
    """North won on it and laid nothing: it was recorded as a hand that is laid open at the end, without a question. Where a win was called
    too, that is likelier: no seat passes over a win on the last discard."""
    hand = played("sichuan", 263106)
    won, win = max((number, event) for number, event in enumerate(hand.events) if isinstance(event, WinDeclared))
    before = [event for event in hand.events[won + 1 : -1] if not (isinstance(event, HandShown) and event.seat is win.seat)]
    (own,) = (event.concealed for event in hand.events if isinstance(event, HandShown) and event.seat is win.seat)
    own = own if wins else (Tile.M1, *own[1:])
    table, path = with_open_tiles(*path_of(hand, [*hand.events[:won], *before], {}), hand.place(win.seat), own)
    table, path = replace(table, deal=None, gates=gates, over=True), structs.replace(path, held=None)
    way = next(way for way in shows(table, path) if way.events[-1] == HandLaidOpen(win.seat, own))
    assert way.grounds[-1].has(costs.CostReason.WIN_NOT_TAKEN) is (wins and not gates)
    assert (decoded(table, Beam([way], [0.0]))[-1].margin < costs.ASK) is (wins and not gates)


@pytest.mark.parametrize("unseen", [0, 1])
def test_a_shown_hand_of_which_one_tile_stays_unseen_is_known_by_its_win_and_asked_about(unseen: int) -> None:
    hand = played("sichuan", 886)
    shows_at, shown = hand.first(HandShown)
    table, path = with_open_tiles(*path_of(hand, hand.events[:shows_at], {}), hand.place(shown.seat), shown.concealed[unseen:])
    table, path = replace(table, deal=None, gates=False, over=True), structs.replace(path, held=None)
    ways = list(shows(table, path))
    assert shown in [way.events[shows_at] for way in ways]
    way = next(way for way in ways if way.events[shows_at] == shown)
    assert (decoded(table, Beam([way], [0.0]))[shows_at].margin < costs.ASK) is bool(unseen)


@pytest.mark.parametrize("among", ["a tile of its meld", "the winning tile", "nothing"])
def test_a_tile_of_another_kind_among_a_shown_hand_is_not_taken_for_the_winning_tile(among: str) -> None:
    hand = played("mcr-duplicate", 11)
    won = hand.first(WinDeclared)[0]
    shown = hand.event(HandShown, won + 1)
    table, path = path_of(hand, hand.events[: won + 1], {})
    of_meld = next(tile for tile in path.play.seat(shown.seat).melds[0].tiles if tile not in (*shown.concealed, shown.winning))
    also = {"a tile of its meld": [of_meld], "the winning tile": [shown.winning], "nothing": []}[among]
    table, path = with_open_tiles(table, path, hand.place(shown.seat), [*shown.concealed[:4], *also, *shown.concealed[4:]])
    if also == [of_meld]:  # a cup that lay over the meld is lifted: the path misses the tile, and a new track begins
        missing = {TileRole(shown.seat.index, Area.MELD, 0): Missing(of_meld, 0.0, 0.0, 0)}
        path = structs.replace(path, missing={**path.missing, **missing})
    likeliest = min(shows(table, path), key=lambda way: way.cost + way.reading(table))
    assert likeliest.events[-1] == shown
    lying = path.loose - likeliest.loose
    assert sorted(likeliest.kinds[track] for track in lying) == sorted([*shown.concealed, *also] if also != [of_meld] else shown.concealed)


def test_a_tile_that_no_meld_misses_is_one_of_the_hand_so_that_the_deal_is_doubted() -> None:
    hand = played("mcr-duplicate", 11)
    won = hand.first(WinDeclared)[0]
    shown = hand.event(HandShown, won + 1)
    table, path = path_of(hand, hand.events[: won + 1], {})
    strange = next(tile for tile in Tile if tile not in (*shown.concealed, shown.winning))
    table, path = with_open_tiles(table, path, hand.place(shown.seat), [strange, *shown.concealed[1:], shown.winning])
    assert all(not way.loose for way in shows(table, path))


def test_a_tile_that_no_frame_could_read_is_the_one_of_its_hand_that_no_other_is() -> None:
    """It was taken for the first of all kinds, and a tile of that kind, which frames had read, for the kind that was left."""
    read, unread = (
        Track(2, 0.0, 0.0, 0.0, face_up=True, appeared_ms=0, seen_ms=0),
        Track(1, 0.0, 0.0, 0.0, face_up=True, appeared_ms=0, seen_ms=0),
    )
    read.evidence.look({Tile.M1: 0.995}, sure=True)
    assert assigned([unread, read], [Tile.M1, Tile.P4]) == {1: Tile.P4, 2: Tile.M1}


BEFORE = pytest.mark.parametrize(
    ("before_ms", "times"), [(-1000, 0), (500, 0), (900, 1), (4800, 1), (5200, 2)], ids=["after", "at once", "before", "before it", "long"]
)


def price_of_discard(begun_by: type[TileDrawn | Claimed], before_ms: int, *, gates: bool = True) -> dict[str, float]:
    """What a discard has cost, by why, that lay there so long before the draw of its turn, or before the last discard: the one that its
    seat claimed, or where draws are not sensed."""
    hand = played("mcr-duplicate", 0)
    turns = zip(hand.events[1:], hand.events[2:], strict=False)
    began = next(number for number, (first, then) in enumerate(turns, 1) if isinstance(first, begun_by) and isinstance(then, TileDiscarded))
    discard = hand.event(TileDiscarded, began + 1)
    table, path = path_of(hand, hand.events[: began + 1], {})
    slots = [event.tile for event in hand.events[:began] if isinstance(event, TileDiscarded) and event.seat is discard.seat]
    table, path = with_open_tiles(table, path, hand.place(discard.seat), [*slots, discard.tile], area=Area.RIVER)
    lies = max(path.loose)
    path = structs.replace(path, loose=frozenset({lies}))
    began_ms = table.track(lies).appeared_ms + before_ms
    if begun_by is TileDrawn and gates:
        path = structs.replace(path, clock_ms=began_ms)
    else:
        last = max(number for number, event in enumerate(path.events) if isinstance(event, TileDiscarded))
        table.track(path.grounds[last].tracks[0]).bare_before_ms = began_ms
    table = replace(table, gates=gates, now_ms=began_ms + 10_000)
    (way,) = [after for after in discards(table, path) if after.events[-1] == discard]
    return dict(way.grounds[-1].costs)


@pytest.mark.parametrize(
    ("begun_by", "gates", "why"),
    [
        pytest.param(TileDrawn, True, "lay there before the draw", id="before its draw"),
        pytest.param(Claimed, True, "lay there before the claim", id="before the one that its seat claimed"),
        pytest.param(TileDrawn, False, "lay there before the draw", id="without gates before the one before it"),
    ],
)
@BEFORE
def test_a_discard_that_lay_there_before_its_turn_is_unlikely_and_long_before_it_twice_as_much(
    before_ms: int, times: int, begun_by: type[TileDrawn | Claimed], gates: bool, why: str
) -> None:
    assert price_of_discard(begun_by, before_ms, gates=gates).get(why, 0.0) == times * costs.RARE


@pytest.mark.parametrize("kind", [MeldType.ADDED_KONG, MeldType.CONCEALED_KONG])
@BEFORE
def test_tiles_that_lay_there_before_the_last_discard_are_as_unlikely_a_kong_after_it(before_ms: int, times: int, kind: MeldType) -> None:
    """The fourth tile of a kong was laid with the others, and taken for one that was added to their pung turns later."""
    hand, number = (played("mcr-duplicate", 702), 45) if kind is MeldType.ADDED_KONG else (played("mcr-duplicate", 718), 126)
    declared = hand.event(KongDeclared, number)
    assert declared.meld.type is kind
    table, path = path_of(hand, hand.events[:number], {})
    melds, place = path.play.seat(declared.seat).melds, hand.place(declared.seat)
    added = kind is MeldType.ADDED_KONG
    group = next(at for at, meld in enumerate(melds) if meld.tiles == declared.meld.tiles[1:]) if added else len(melds)
    spots = [Mat().spot(Slot(place, Area.MELD, 4 * group + index)) for index in ((3,) if added else range(4))]
    laid = [ObservedTile(spot.x_mm, spot.y_mm, 0.0, added, dict.fromkeys(declared.meld.tiles, 1.0), sure=added) for spot in spots]
    table, path = seeing(table, path, *laid)
    last = max(number for number, event in enumerate(path.events) if isinstance(event, TileDiscarded))
    table.track(path.grounds[last].tracks[0]).bare_before_ms = 60_250 + before_ms
    (way,) = [after for after in kongs(replace(table, now_ms=70_000), path) if after.events[-1] == declared]
    assert dict(way.grounds[-1].costs).get("lay there before the last discard", 0.0) == times * costs.RARE


LIGHT_MS = 200_000
"""When the tiles came to light: after the hand."""
SEAT = Seat.SOUTH


def came_to_light(hand: PlayedHand, places_mm: Mapping[int, tuple[float, float]]) -> tuple[TableContext, Hypothesis]:
    """The whole hand, at whose end these discards, by index, came to light together, each lying there."""
    table, path = path_of(hand, hand.events, {})
    for number, (x_mm, y_mm) in places_mm.items():
        track = table.track(path.grounds[number].tracks[0])
        track.x_mm, track.y_mm, track.appeared_ms, track.bare_before_ms = x_mm, y_mm, LIGHT_MS, 0
    timed = tuple(structs.replace(grounds, at_ms=1000 * number) for number, grounds in enumerate(path.grounds))
    return replace(table, over=True), structs.replace(path, grounds=timed)


def margins(table: TableContext, path: Hypothesis, discards: Sequence[int]) -> list[float]:
    """How certain these discards are."""
    found = decoded(table, Beam([path], [0.0]), smoothed_below=costs.PUBLISH if table.over else 0.0)
    return [found[number].margin for number in discards]


def own_discards(hand: PlayedHand) -> list[int]:
    return [number for number, event in enumerate(hand.events) if isinstance(event, TileDiscarded) and event.seat is SEAT]


def dealt(hand: PlayedHand, discard: int) -> bool:
    """Whether the seat held the tile of its discard from the start."""
    return hand.event(TileDiscarded, discard).tile in hand.walls[SEAT].hand


def spot_of(hand: PlayedHand, place: int) -> tuple[float, float]:
    spot = Mat().spot(Slot(hand.place(SEAT), Area.RIVER, place))
    return spot.x_mm, spot.y_mm


def between(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """The middle of two places."""
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


@pytest.mark.parametrize(
    ("second", "over", "certain"),
    [
        pytest.param(1, True, True, id="drawn after the first was laid"),
        pytest.param(1, False, False, id="drawn after that, and the hand goes on"),
        pytest.param(2, True, False, id="dealt"),
    ],
)
def test_two_discards_seen_at_once_are_in_doubt_unless_one_was_drawn_after_the_other(second: int, over: bool, certain: bool) -> None:
    hand = played("mcr-duplicate", 1)
    both = own_discards(hand)[0], own_discards(hand)[second]
    assert dealt(hand, both[1]) is (second == 2), "choose other discards"
    table, path = came_to_light(hand, dict.fromkeys(both, between(spot_of(hand, 0), spot_of(hand, second))))
    assert [margin >= costs.PUBLISH for margin in margins(replace(table, over=over), path, both)] == [certain, certain]


def test_three_discards_that_came_to_light_together_are_in_doubt_where_each_fits_in_the_place_of_the_next_one() -> None:
    """If two of them alone change places, one lies far from its place."""
    hand, places = played("mcr-duplicate", 2), (4, 8, 11)
    discards = [own_discards(hand)[place] for place in places]
    assert all(dealt(hand, discard) for discard in discards), "choose other discards"
    spots = [spot_of(hand, place) for place in places]
    lie = {discard: between(spots[number], spots[(number + 1) % 3]) for number, discard in enumerate(discards)}
    assert margins(*came_to_light(hand, lie), discards) == pytest.approx([0.0] * 3, abs=0.1)
    for two in combinations(discards, 2):
        assert min(margins(*came_to_light(hand, {discard: lie[discard] for discard in two}), two)) > 1.0


def test_a_third_tile_that_was_laid_later_takes_no_doubt_from_two_others() -> None:
    """Its place was seen bare when they lay there, so it changes places with neither; they may with each other."""
    hand, places = played("mcr-duplicate", 1), (0, 2, 5)
    first, second, third = (own_discards(hand)[place] for place in places)
    assert dealt(hand, second), "choose other discards"
    middle = between(spot_of(hand, places[0]), spot_of(hand, places[1]))
    table, path = came_to_light(hand, {first: middle, second: middle, third: spot_of(hand, places[2])})
    table.track(path.grounds[third].tracks[0]).bare_before_ms = LIGHT_MS - 1
    assert margins(table, path, (first, second)) == pytest.approx([0.0] * 2, abs=0.1)


def test_of_many_tiles_the_first_and_the_last_may_have_been_exchanged() -> None:
    hand = played("mcr-duplicate", 2)
    discards = own_discards(hand)[4:12]
    lie = {discard: spot_of(hand, place) for place, discard in enumerate(discards, 4)}
    first, last = discards[0], discards[-1]
    assert dealt(hand, last), "choose other discards"
    lie[first] = lie[last] = between(lie[first], lie[last])
    assert margins(*came_to_light(hand, lie), (first, last)) == pytest.approx([0.0] * 2, abs=0.1)


@pytest.mark.parametrize(
    ("read", "tidied", "asked"),
    [
        pytest.param((Tile.P3, Tile.P5, Tile.P2), False, True, id="the claimed tile is surely none of the meld"),
        pytest.param((Tile.P3, Tile.P9, Tile.P4), True, True, id="an own one is, and the meld was moved"),
        pytest.param((Tile.P4, Tile.P5, Tile.P3), False, False, id="two of the meld's tiles are each other"),
    ],
)
def test_a_claim_is_asked_about_whose_tiles_sure_frames_contradict(read: tuple[Tile, ...], tidied: bool, asked: bool) -> None:
    """By the walls of another deal a chow was published that was none (yangzhou 2)."""
    kinds = (Tile.P3, Tile.P5, Tile.P4)
    tiles = [tile_at(Slot(1, Area.MELD, at), kind) for at, kind in enumerate(read)]
    table = a_table(tracks=tracks_of(*tiles, at_ms=range(50_000, 60_000, 250)))
    tracks = tuple(table.tracks.all)
    chow = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, tuple(sorted(kinds)), Seat.EAST))
    path = happened(table, path_at(table, loose=frozenset()), EAST_DRAWS, TileDiscarded(Seat.EAST, Tile.P4), chow)
    roles = {} if tidied else {track: TileRole(1, Area.MELD, at) for at, track in enumerate(tracks)}
    path = structs.replace(path, kinds=dict(zip(tracks, kinds, strict=True)), roles=roles)
    assert against_sure_looks(table, path, chow, Grounds(50_000, tracks[:2])) is asked
