"""How certain a found event is, by what contradicts it and what ends a hand; what a place costs; and the subjects of questions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.beam import Beam, contradicts
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import laid_open, revised
from controller.recorder.margins.event_order import unordered_from
from controller.recorder.margins.event_questions import questions, with_subjects
from controller.recorder.moves import ended
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Decoded, Grounds, MarginBound, Question
from controller.recorder.tracks import Track, TrackList
from controller.recorder.violations import PathViolation, ViolationKind, mark_of
from tests.support.narrowed import present
from tests.support.recorder.played_hands import Message, decoder_of, followed, messages_of, near, only, played, seen_as
from tests.support.recorder.small_tables import a_table, tracks_of
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile, parse_tiles, round_wind
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

RULES = rule_set("mcr-duplicate")
TABLE = a_table(now_ms=0)
RECORD = (TileDrawn(Seat.SOUTH, from_end=False), WinDeclared(Seat.SOUTH, None, None))
OTHER = (TileDrawn(Seat.SOUTH, from_end=False), WinDeclared(Seat.SOUTH, Seat.EAST, Tile.M9))
ALL = parse_tiles("33567m345p345567s")
OTHERS = parse_tiles("33567m345p345568s")


def shown(winning: Tile, tiles: tuple[Tile, ...] = ALL) -> HandShown:
    left = list(tiles)
    left.remove(winning)
    return HandShown(Seat.SOUTH, tuple(sorted(left)), winning)


def path(*events: PlayEvent) -> Hypothesis:
    return Hypothesis(RULES.start(), None, events=events, grounds=(Grounds(1000),) * len(events), marks=tuple(map(mark_of, events)))


@pytest.mark.parametrize(
    ("rival", "after", "margin"),
    [
        pytest.param(path(*OTHER, shown(Tile.M3, OTHERS)), 7.0, costs.ODD, id="contradicts the record"),
        pytest.param(path(*OTHER, shown(Tile.M3, OTHERS)), -1.0, 0.0, id="contradicts the record and is likelier"),
        pytest.param(path(*RECORD, shown(Tile.S6)), 0.0, costs.ODD, id="names another winning tile"),
        pytest.param(path(*RECORD, shown(Tile.M3, OTHERS)), 7.0, 7.0, id="has another tile"),
    ],
)
def test_a_shown_hand_is_as_certain_as_its_tiles_by_the_tables_record(rival: Hypothesis, after: float, margin: float) -> None:
    best = path(*RECORD, shown(Tile.M3))
    found = present(laid_open(TABLE, Beam([best, rival], [0.0, after]), before=RECORD, seat=Seat.SOUTH))
    assert found.margin == margin


CHOW = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("345m"), Seat.EAST))
OTHER_CHOW = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("234m"), Seat.EAST))
DISCARDED = (TileDrawn(Seat.EAST, from_end=False), TileDiscarded(Seat.EAST, Tile.M3))


@pytest.mark.parametrize(
    ("rival", "after", "margin"),
    [
        pytest.param(path(*DISCARDED), 1.0, costs.ODD, id="has the tiles as a false claim"),
        pytest.param(path(*DISCARDED), -1.0, costs.ODD, id="has them as a false claim and is likelier"),
        pytest.param(path(DISCARDED[0]), -1.0, costs.ODD, id="has not the record"),
        pytest.param(path(*DISCARDED, OTHER_CHOW), 7.0, 7.0, id="has another meld"),
        pytest.param(path(*DISCARDED, WinDeclared(Seat.WEST, Seat.EAST, Tile.M3)), 4.0, costs.ODD, id="has another one's claim"),
    ],
)
def test_a_meld_that_was_called_is_as_certain_as_its_tiles_by_the_tables_record(rival: Hypothesis, after: float, margin: float) -> None:
    beam = sorted([(0.0, path(*DISCARDED, CHOW)), (after, rival)], key=lambda pair: pair[0])
    found = present(laid_open(TABLE, Beam([each for _, each in beam], [total for total, _ in beam]), before=DISCARDED, seat=Seat.SOUTH))
    assert (found.event, found.margin) == (CHOW, margin)


def test_a_dropped_path_with_another_winning_tile_does_not_contradict_a_shown_hand() -> None:
    best = path(*RECORD, shown(Tile.M3))
    assert not contradicts(path(*RECORD, shown(Tile.S6)), best, 2)
    assert contradicts(path(*RECORD, shown(Tile.M3, OTHERS)), best, 2)
    assert contradicts(path(*RECORD), best, 2)
    assert contradicts(path(*OTHER), best, 1)


SILENT_FROM_MS, SILENT_TO_MS = 10_000, 20_000
DISCARD = TileDiscarded(Seat.WEST, Tile.S3)


def decoded(margin: float, event: PlayEvent = DISCARD) -> Decoded:
    return Decoded(1, event, margin, Grounds(1000))


@pytest.mark.parametrize(
    ("published", "margin", "after"),
    [
        pytest.param(None, 11.0, (11.0, MarginBound.NOTHING, None), id="nothing was published"),
        pytest.param(DISCARD, 11.0, (11.0, MarginBound.NOTHING, None), id="the same was published"),
        pytest.param(ClaimsPassed(), 11.0, (costs.LINGERING, MarginBound.REVISED, ClaimsPassed()), id="another event was published"),
        pytest.param(ClaimsPassed(), 2.0, (2.0, MarginBound.NOTHING, None), id="it was in doubt anyway"),
    ],
)
def test_an_event_in_whose_place_another_one_was_published_is_asked_about_with_that_one(
    published: PlayEvent | None, margin: float, after: tuple[float, MarginBound, PlayEvent | None]
) -> None:
    (found,) = revised([decoded(margin)], {} if published is None else {1: decoded(12.0, published)})
    assert found.event == DISCARD
    assert (found.margin, found.bound, found.rival) == after


def table_with_a_silence() -> TableContext:
    tracks = tracks_of(at_ms=(*range(0, SILENT_FROM_MS + 1, 250), *range(SILENT_TO_MS, SILENT_TO_MS + 2000, 250)))
    return a_table(tracks=tracks, now_ms=SILENT_TO_MS + 2000)


def after_a_key(key: Key, at_ms: int, event: PlayEvent) -> Hypothesis:
    """A path whose second event is done with a key of West."""
    events = (TileDrawn(Seat.WEST, from_end=False), event)
    grounds = Grounds(9000), Grounds(SILENT_TO_MS + 500, keys=(KeyEdge(at_ms, all_seats(0)[Seat.WEST], key),))
    return Hypothesis(RULES.start(), None, events=events, grounds=grounds, marks=tuple(map(mark_of, events)))


@pytest.mark.parametrize(
    ("path", "lost"),
    [
        pytest.param(after_a_key(Key.WIN, SILENT_FROM_MS + 1000, DISCARD), 1, id="a win"),
        pytest.param(after_a_key(Key.PUNG, SILENT_FROM_MS + 1000, DISCARD), None, id="another call"),
        pytest.param(after_a_key(Key.WIN, SILENT_TO_MS - 1000, DISCARD), None, id="too late to show a hand in the silence"),
        pytest.param(after_a_key(Key.WIN, SILENT_FROM_MS - 3000, DISCARD), None, id="before the silence"),
        pytest.param(after_a_key(Key.WIN, SILENT_FROM_MS + 1000, WinDeclared(Seat.WEST, None, None)), None, id="a win that the path holds"),
    ],
)
def test_a_win_called_in_vain_while_the_camera_is_silent_leaves_the_rest_of_the_hand_in_doubt(path: Hypothesis, lost: int | None) -> None:
    """The hand may have been shown, refused and taken up again: then each later number is another one."""
    assert unordered_from(table_with_a_silence(), path) == lost


def test_that_nobody_claimed_before_a_draw_without_a_turn_is_in_doubt_with_it() -> None:
    """Claims that were made while the camera was silent leave such a draw: the end of the window before it was published."""
    events = (TileDrawn(Seat.EAST, from_end=False), DISCARD, ClaimsPassed(), TileDrawn(Seat.SOUTH, from_end=False))
    grounds = *(Grounds(1000 * number) for number in range(3)), Grounds(3000, costs=((costs.CostReason.WITHOUT_TURN, costs.RARE),))
    path = Hypothesis(RULES.start(), None, events=events, grounds=grounds, marks=tuple(map(mark_of, events)))
    assert unordered_from(table_with_a_silence(), path) == events.index(ClaimsPassed())


@pytest.mark.parametrize(
    ("before", "gates", "complete"),
    [
        pytest.param(0, True, True, id="the last discard is missing"),
        pytest.param(9, True, False, id="the hand stops in its middle"),
        pytest.param(0, False, False, id="no gate tells that a discard is missing"),
    ],
)
def test_the_last_discard_that_nobody_saw_is_one_whose_kind_is_asked(before: int, gates: bool, complete: bool) -> None:
    """The path holds the hand until so many events before its last discard, and nothing more lies there."""
    hand = played("yangzhou", 0)
    number = hand.last(TileDiscarded)[0] - before
    table = TableContext(hand.rules, round_wind(hand.to_play.hand), MatPlaces(all_seats(hand.east)), TrackList(), None, gates)
    path = Hypothesis(hand.rules.start(), None)
    for event in hand.events[:number]:
        path = path.recorded(table, event)
    path = ended(table, path)
    last = path.events[-1]
    assert (isinstance(last, HandEnded) and last.reason is EndReason.DRAWN) is complete
    if complete:
        assert isinstance(path.events[number], TileDiscarded)
        assert path.grounds[number].never_seen


@pytest.mark.parametrize(("refused", "asked"), [(Seat.SOUTH, [1]), (Seat.EAST, [1, 2])])
def test_the_kind_of_a_shown_tile_and_whether_its_hand_was_refused_are_one_question(refused: Seat, asked: list[int]) -> None:
    kind = replace(decoded(1.0, shown(Tile.M3)), kind_in_doubt=True)
    after = Decoded(2, HandEnded(EndReason.WON, {}), 2.0, Grounds(1000), rival=WinRefused(refused, "not-a-win"))
    assert [each.number for each in questions(TABLE, path(*RECORD, shown(Tile.M3)), [kind, after])] == asked


NUMBER = 12
OTHER_DISCARD = TileDiscarded(Seat.EAST, Tile.M1)


def question(event: PlayEvent | None = None, *, at_ms: int = 31_000, number: int = NUMBER) -> Question:
    """A question about the course of play; without an event about tiles that nothing explains."""
    return Question(number, 0.0, 0.0, at_ms - 1000, 60_000, (), None, (event, None), 0.0)


def exposed(seat: Seat, at_ms: int = 31_000, tracks: tuple[int, ...] = ()) -> Question:
    return replace(question(at_ms=at_ms), violation=PathViolation(ViolationKind.EXPOSED_TILES, seat, "", at_ms, tracks))


OF_A_KIND = replace(question(OTHER_DISCARD), kinds=(Tile.M1, Tile.M2))


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        pytest.param(OF_A_KIND, "kind", id="the kind of a tile"),
        pytest.param(question(OTHER_DISCARD), "course", id="an event and what follows"),
        pytest.param(question(), "course 30000", id="tiles that nothing explains"),
        pytest.param(exposed(Seat.WEST), "exposed-tiles W 30000", id="a violation"),
    ],
)
def test_a_question_says_what_it_asks(asked: Question, about: str) -> None:
    (named,) = with_subjects([asked])
    assert (named, named.subject) == (replace(asked, about=about), (NUMBER, about))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(question(OTHER_DISCARD), question(), id="an event, and tiles after it"),
        pytest.param(question(), question(at_ms=45_000), id="tiles at two times"),
        pytest.param(exposed(Seat.WEST), exposed(Seat.SOUTH), id="two seats"),
        pytest.param(exposed(Seat.WEST), exposed(Seat.WEST, 45_000), id="one seat at two times"),
        pytest.param(OF_A_KIND, exposed(Seat.WEST), id="a tile and a violation"),
    ],
)
def test_two_questions_at_one_event_are_told_apart_whichever_others_there_are(one: Question, other: Question) -> None:
    (alone,) = with_subjects([other])
    first, second = with_subjects([one, other])
    assert first.subject != second.subject
    assert second == alone


def test_questions_that_ask_the_same_at_one_time_have_running_numbers_and_of_two_events_they_may_ask_the_same() -> None:
    """Two readings of one moment: other tiles would have been exposed."""
    readings = (exposed(Seat.WEST, tracks=tracks) for tracks in ((3,), (3, 4), (4,)))
    asked = with_subjects([*readings, question(OTHER_DISCARD), question(OTHER_DISCARD, number=NUMBER + 9)])
    assert [each.subject for each in asked] == [
        *((NUMBER, f"exposed-tiles W 30000{running}") for running in ("", " 2", " 3")),
        (NUMBER, "course"),
        (NUMBER + 9, "course"),
    ]


def test_events_and_violations_have_the_marks_that_they_had_in_another_process_and_each_its_own() -> None:
    assert mark_of(TileDiscarded(Seat.EAST, Tile.M1)) == 71615194364059770
    assert PathViolation(ViolationKind.FALSE_WIN, Seat.SOUTH, "a win is declared on a hand that wins", 12).mark == 7523909513337237
    assert len({mark_of(TileDiscarded(seat, tile)) for seat in Seat for tile in Tile}) == len(Seat) * len(Tile)


def test_a_discard_lies_rather_in_its_own_river_than_on_another_and_rather_there_than_anywhere() -> None:
    def cost(x_mm: float, y_mm: float) -> float:
        """What the place of the first discard of East costs, who sits at place 0."""
        return MatPlaces(all_seats(0)).river(Seat.EAST, 0, Track(0, x_mm, y_mm, 0.0, face_up=True, appeared_ms=0, seen_ms=0))

    slots = ([Slot(place, Area.RIVER, index) for index in range(Mat().count(place, Area.RIVER))] for place in range(4))
    own, *others = ([cost(spot.x_mm, spot.y_mm) for spot in map(Mat().spot, river)] for river in slots)
    nowhere = cost(0.0, 330.0)
    assert max(own) < min(others[1])
    assert max(each[10] for each in others) < nowhere - 1.0
    assert cost(-270.0, -270.0) == pytest.approx(nowhere, abs=0.1)


BEGINNING = 8
ONE_TILE_MM = 12.0
FIRST = 2
"""The event that is the first discard."""


def first_discard_read_as(shares: Mapping[Tile, float], stream: Iterable[Message]) -> Iterator[Message]:
    """What is told, but that each frame is sure of these shares for the tile that was laid first."""
    laid = Mat().spot(Slot(0, Area.RIVER, 0))

    def look(frame: MatObservation) -> MatObservation:
        tiles = (replace(tile, shares=shares, sure=True) if near(tile, laid, ONE_TILE_MM) else tile for tile in frame.tiles)
        return replace(frame, tiles=tuple(tiles))

    return seen_as(stream, look)


def first_discard(events: Iterable[Decoded]) -> Tile | None:
    return next((each.event.tile for each in events if isinstance(each.event, TileDiscarded) and each.number == FIRST), None)


@pytest.mark.parametrize("gates", [True, False])
@pytest.mark.parametrize("shares", [{Tile.EAST: 0.99}, {Tile.EAST: 0.9, Tile.P9: 0.05}])
def test_a_tile_that_is_read_as_one_that_the_rules_do_not_have_is_asked_about(shares: Mapping[Tile, float], *, gates: bool) -> None:
    hand = played("sichuan", 0)
    decoder = decoder_of(hand, deal=False, gates=gates)
    stream = first_discard_read_as(shares, messages_of(hand.at_table(only(), BEGINNING)))
    assert first_discard(followed(decoder, stream, gates=gates)) is None
    assert first_discard(decoder.finish()) in hand.rules.tiles
    (question,) = (each for each in decoder.questions if each.number == FIRST)
    assert set(question.kinds) == set(hand.rules.tiles)


def test_a_tile_of_which_the_rest_of_the_shares_is_of_another_set_is_known() -> None:
    """The camera would be in doubt between two kinds of which the rules have one."""
    hand = played("sichuan", 0)
    laid = hand.event(TileDiscarded, FIRST - 1).tile
    decoder = decoder_of(hand, deal=False)
    followed(decoder, first_discard_read_as({laid: 0.55, Tile.EAST: 0.45}, messages_of(hand.at_table(only(), BEGINNING))))
    assert first_discard(decoder.finish()) is laid
    assert FIRST not in {question.number for question in decoder.questions}
