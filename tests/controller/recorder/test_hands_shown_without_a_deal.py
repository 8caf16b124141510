"""Hands that are shown where nobody knows the deal: how they were won, and on which tile."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from msgspec import structs

from benchmarks.recorder_ablation import observed, outcome
from controller.recorder import costs
from controller.recorder.beam import Beam
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole
from controller.recorder.margins.event_margins import decoded
from controller.recorder.moves.candidates import as_read, open_kinds
from controller.recorder.moves.melds import kongs
from controller.recorder.moves.wins import shows, wins
from controller.recorder.places import from_own_side
from tests.controller.recorder.test_whole_hand import followed, seeing, with_open_tiles
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.play import visible_tiles
from twinwall.game.play_events import HandShown, KongDeclared, MeldType, SharedTileTurned, TileDiscarded, WinDeclared, WinRefused
from twinwall.game.tiles import Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile


def won(rules: str, *, self_drawn: bool, turned: bool = False, whole: bool = False) -> tuple[PlayedHand, int, HandShown]:
    """A hand that was won so by a seat with a meld, with none where it is ``whole``, or with a shared tile turned up; where its win is
    among the events, and the hand."""
    for number in (700, 701, 702, 720):
        hand = played(rules, number)
        shown = [each for each in hand.events if isinstance(each, HandShown)]
        win = next((at for at, each in enumerate(hand.events) if isinstance(each, WinDeclared)), len(hand.events) - 1)
        declared, after = hand.events[win], hand.events[win + 1 : win + 2]
        if len(shown) != 1 or not isinstance(declared, WinDeclared) or (declared.source is None) is not self_drawn or shown[0].kongs:
            continue
        if isinstance(after[0], SharedTileTurned) if turned else after[0] is shown[0] and (len(shown[0].concealed) == 13) is whole:
            return hand, win, shown[0]
    raise AssertionError("no hand was won so")


def unknown(hand: PlayedHand, until: int) -> tuple[TableContext, Hypothesis]:
    """The path that holds these events, on a table without gates whose deal is unknown; the last discard lies in its river."""
    table, path = followed(hand, hand.events[:until], {})
    last = max(at for at, each in enumerate(path.events) if isinstance(each, TileDiscarded))
    discard, (track,) = path.events[last], path.grounds[last].tracks
    assert isinstance(discard, TileDiscarded)
    role = TileRole(discard.seat.index, Area.RIVER, len(path.play.seat(discard.seat).river) - 1)
    return replace(table, deal=None, gates=False), structs.replace(path, held=None, roles={track: role})


def ways(
    hand: PlayedHand,
    win: int,
    shown: HandShown,
    row: Sequence[dict[Tile, float]],
    *,
    taken: bool = False,
    behind: int = 99,
    over: bool = False,
) -> tuple[TableContext, list[Hypothesis]]:
    """The table, and how the hand may be shown there by a row of looks before its seat; ``taken``: the discard that was won on lies there
    no more; ``behind``: the number of the first tile of a second row behind the first."""
    table, path = unknown(hand, win + 1)
    (river,) = (table.track(number) for number in path.roles)
    laid = [] if taken else [ObservedTile(river.x_mm, river.y_mm, 0.0, shares={river.evidence.likeliest: 0.995}, sure=True)]
    for index, look in enumerate(row):
        place = hand.place(shown.seat)
        (along_mm, away_mm), (next_mm, _) = (Mat().at_own_side(Slot(place, Area.HAND, number)) for number in range(2))
        x_mm, y_mm = from_own_side(
            place, along_mm + index % behind * (next_mm - along_mm), away_mm + Mat().tile_height_mm * (index >= behind)
        )
        laid.append(ObservedTile(x_mm, y_mm, 0.0, shares=look, sure=max(look.values(), default=0.0) > 0.9))
    table, path = seeing(table, path, *laid)
    return table, list(shows(table, path))


def sure(kinds: Sequence[Tile]) -> list[dict[Tile, float]]:
    return [{kind: 0.995} for kind in kinds]


@pytest.mark.parametrize("behind", [99, 5])
def test_the_one_tile_that_is_out_of_order_in_the_rows_of_a_shown_hand_is_the_drawn_one(behind: int) -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=True)
    row, last = sorted(shown.concealed), max(shown.concealed)
    row.insert(0 if shown.winning is not row[0] and shown.winning > row[0] else len(row), shown.winning)
    assert row not in (sorted(row), sorted(row, reverse=True)), last
    found = sorted(ways(hand, win, shown, sure(row), behind=behind)[1], key=lambda way: way.cost)
    assert found[0].events[win + 1] == shown
    assert found[1].cost - found[0].cost > costs.SOMETIMES


def test_a_row_in_which_each_suit_lies_in_order_tells_of_no_drawn_tile_whichever_suit_lies_first() -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=True)
    row = sorted((*shown.concealed, shown.winning), key=lambda kind: (-(kind // 9), kind))
    assert row != sorted(row)
    found = ways(hand, win, shown, sure(row))[1]
    assert len({way.cost for way in found}) == 1
    assert len(found) > 1


@pytest.mark.parametrize("whole", [False, True])
def test_which_tile_of_a_hand_won_that_lies_in_any_order_is_left_open_and_not_asked_about(*, whole: bool) -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=True, whole=whole)
    row = sorted((*shown.concealed, shown.winning), key=lambda kind: (kind.rank, -kind))
    table, paths = ways(hand, win, shown, sure(row))
    paths.sort(key=lambda way: way.cost)
    table, totals = replace(table, over=True), [way.cost - paths[0].cost for way in paths]
    assert len(paths) > 1
    found = decoded(table, Beam(paths, totals), smoothed_below=costs.PUBLISH)[win + 1]
    assert {found.event, *found.left_open} == {way.events[win + 1] for way in paths}
    assert found.margin >= costs.ASK


@pytest.mark.nightly
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(160000, id="the last discard lay under the arm that showed the hand which won on it"),
        pytest.param(160052, id="a hand that won by its own draw has a tile of the last discard's kind, and its winning tile lies apart"),
        pytest.param(170005, id="a shared tile was turned up before a draw of which no gate told"),
        pytest.param(190026, id="a tile on which a seat had won was moved a little in its river"),
        pytest.param(190006, id="a seat won by voice of which nothing was laid, and the one on whose discard it won by its own draw"),
        pytest.param(230039, id="a discard that was won on was shown with the hand"),
    ],
)
def test_a_hand_of_which_only_the_camera_tells_is_recorded_without_a_question(number: int) -> None:
    """In ``make test`` the others of this file, and what test_search.py says of a shown hand that waits for its last discard."""
    found = outcome(observed("record-only", number, 1.0, 1.0, 0))
    assert (found["exact"], found["questions"]) == (1, 0)


def test_a_discard_that_still_lies_in_its_river_is_not_shown_with_the_hand_that_won_on_it() -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=False)
    row = sure([*shown.concealed, shown.winning])
    lies, taken = (min(way.cost for way in ways(hand, win, shown, row, taken=taken)[1]) for taken in (False, True))
    assert lies - taken == pytest.approx(costs.AGAINST_SIGHT - costs.SOMETIMES)


def test_a_discard_that_came_to_lie_among_a_hand_as_it_was_shown_may_be_of_the_hand() -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=False)

    def cost(laid_ms: int) -> float:
        table, path = unknown(hand, win + 1)
        place, (role,) = hand.place(shown.seat), path.roles.values()
        spots = [Mat().spot(Slot(place, Area.HAND, number)) for number in range(len(shown.concealed) + 1)]
        row = [
            ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={kind: 0.995}, sure=True)
            for kind, spot in zip([*shown.concealed, shown.winning], spots, strict=True)
        ]
        before = set(table.tracks.all)
        for at_ms in sorted({laid_ms, laid_ms + 250, 60_250, 60_500}):
            table.tracks.see(MatObservation(at_ms, tuple(row if at_ms > 60_000 else row[-1:])))
        *of_hand, discard = sorted(set(table.tracks.all) - before, key=lambda track: table.track(track).evidence.likeliest is shown.winning)
        path = structs.replace(path, loose=frozenset(of_hand), roles={discard: role})
        return min(way.cost for way in shows(replace(table, now_ms=60_500), path))

    assert cost(60_250) - cost(50_000) == pytest.approx(costs.SOMETIMES)


@pytest.mark.parametrize("likelier", [1, 8])
def test_a_hand_that_does_not_win_by_what_is_likeliest_wins_with_another_kind_of_a_tile_in_doubt(likelier: int) -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=False)
    other, *others = (kind for kind in reversed(Tile) if kind not in shown.concealed)
    doubt = {other: 0.6, **dict.fromkeys(others[: likelier - 1], 0.05), shown.concealed[0]: 0.35 / likelier**2}
    row = [doubt, *sure(shown.concealed[1:])]
    (winner,) = (way for way in ways(hand, win, shown, row)[1] if shown.seat in way.wins)
    assert winner.events[win + 1] == shown
    assert not [way for way in ways(hand, win, shown, [{other: 0.995}, *row[1:]])[1] if shown.seat in way.wins]


def test_the_tiles_of_a_shown_hand_that_no_frame_can_read_are_not_more_than_four_of_a_kind() -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=False)
    found = ways(hand, win, shown, [{}] * 6 + sure(shown.concealed[6:]))[1]
    _, before = unknown(hand, win)
    for way in found:
        laid = way.events[win + 1]
        assert isinstance(laid, HandShown)
        assert max((Counter(visible_tiles(before.play)) + Counter(laid.concealed)).values()) <= 4
    assert found


def test_a_hand_that_was_taken_up_again_counts_as_open_no_more() -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=False)
    table, path = unknown(hand, win + 1)
    after = path
    for event in (shown, WinRefused(shown.seat, "too-few-fan")):
        after = structs.replace(after, play=table.rules.apply(after.play, event), events=(*after.events, event))
    assert open_kinds(after) == open_kinds(path)


@pytest.mark.parametrize("taken", [False, True])
def test_a_discard_that_was_laid_to_a_hand_counts_once_among_its_four(*, taken: bool) -> None:
    hand, win, shown = won("mcr-duplicate", self_drawn=False)
    table, path = unknown(hand, win + 1)
    others = 5 - open_kinds(path)[shown.winning]
    row = [
        ObservedTile(100.0 + 30 * at, 300.0, 0.0, shares={shown.winning: 0.5 - 0.01 * at, Tile.M1: 0.1}, sure=False) for at in range(others)
    ]
    table, path = seeing(table, path, *row)
    tracks = [table.track(number) for number in sorted(path.loose)[-others:]]
    read = list(as_read(table, path, tracks, (shown.winning,) if taken else ()).values())
    assert read.count(shown.winning) == others - 1 + taken


def test_a_shared_tile_turned_up_tells_of_a_win_whose_hand_is_not_shown_yet() -> None:
    hand, win, _ = won("seigo", self_drawn=False, turned=True)
    table, path = unknown(hand, win)
    turned = hand.event(SharedTileTurned, win + 1)
    assert hand.events[win] not in [way.events[-1] for way in wins(table, path)]
    kinds = [Tile.M1] * turned.place + [turned.tile]
    table, path = with_open_tiles(table, path, 0, kinds, area=Area.SHARED)
    path = structs.replace(path, loose=frozenset({max(path.loose)}))
    assert hand.events[win] in [way.events[-1] for way in wins(table, path)]


@pytest.mark.parametrize("share", [0.995, 0.002, 0.0])
def test_a_face_beside_a_hand_may_have_won_as_each_kind_that_the_camera_has_seen_in_it(share: float) -> None:
    hand, win, shown = won("seigo", self_drawn=True)
    table, path = unknown(hand, win)
    first, *others = (kind for kind in Tile if kind is not shown.winning)
    doubt = {first: 0.5, **dict.fromkeys(others[:6], 0.05)} if 0 < share < 0.5 else {}
    spot, look = Mat().spot(Slot(hand.place(shown.seat), Area.WIN, 0)), {shown.winning: share, **doubt} if share else {}
    lies = ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares=look, sure=share > 0.5)
    assert (hand.events[win] in [way.events[-1] for way in wins(*seeing(table, path, lies))]) is bool(share)


@pytest.mark.parametrize("deal", [False, True])
def test_whether_a_tile_added_to_a_pung_was_drawn_in_that_turn_is_left_open_where_the_deal_is_unknown(deal: bool) -> None:
    hand, kong = next(
        (hand, at)
        for hand in (played("sichuan", number) for number in range(700, 900))
        for at, each in enumerate(hand.events)
        if isinstance(each, KongDeclared) and each.meld.type is MeldType.ADDED_KONG
    )
    declared = hand.event(KongDeclared, kong)
    table, path = followed(hand, hand.events[:kong], {})
    table, path = (table, path) if deal else (replace(table, deal=None, gates=False), structs.replace(path, held=None))
    group = next(at for at, meld in enumerate(path.play.seat(declared.seat).melds) if meld.tiles == declared.meld.tiles[1:])
    place = hand.place(declared.seat)
    table, path = with_open_tiles(table, path, place, [declared.meld.tiles[0]] * (4 * group + 4), area=Area.MELD)
    path = structs.replace(path, loose=frozenset({max(path.loose)}))
    (way,) = (after for after in kongs(table, path) if after.events[-1] == declared)
    found = decoded(replace(table, over=True), Beam([way], [0.0]), smoothed_below=costs.PUBLISH)[kong]
    assert found.left_open == (() if deal else (replace(declared, late=not declared.late),))
