"""Hands of a running table are followed from their beginning, by what comes from camera, gates and keys."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

import pytest

from controller.recorder import signals as told_signals
from controller.recorder.at_table import followed_hand
from controller.recorder.at_table.reported_tiles import DOUBT_MS, PATIENCE_MS, DoubtedTile, Report
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.signals import GateEdge, KnownDeal
from controller.state.messages import CallDecoded, TilesDecoded
from controller.state.watches import Awaited, Awaits, HandToDecode, Watch, WatchVersion
from simulator.disturbances.kinds import Disturbance
from tests.support.controller.rigs import opened
from tests.support.narrowed import of_type, present
from tests.support.recorder.kept_hand import EVENTS, a_hand, decoding_of, frames, hear, in_play, signals
from tests.support.recorder.played_hands import FRAME_MS, Message, messages_of, only, played
from tests.support.recorder.small_tables import tile_at
from twinwall.game.play_events import Claim, Claimed, ClaimsPassed, TileDiscarded
from twinwall.game.play_json import to_text
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import RecordDoubt
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

LAG_MS = 10_000
PLAYED = 16
"""Events of a hand that goes on long enough after its fifth one."""
WATCH = Watch(Awaited(Awaits.DISCARD, Seat.EAST, 0), ())


def test_a_record_that_holds_another_tile_than_the_decoder_with_the_deal_is_doubted() -> None:
    decoding, hand = decoding_of(signals()), in_play(EVENTS - 1)
    truth = of_type(TileDiscarded, hand.events[4])
    wrong = replace(truth, tile=next(tile for tile in hand.deal.walls[truth.seat].hand if tile is not truth.tile))
    review = present(decoding.take_record(replace(hand, events=(*hand.events[:4], wrong, *hand.events[5:]), closed=True)))
    (doubt,) = review.compare()
    assert (doubt.number, doubt.held, doubt.read) == (5, to_text(wrong), to_text(truth))
    assert doubt.margin >= 9


@pytest.mark.parametrize("share", [0.7, 0.3], ids=["reads-it-as-the-record", "reads-another-kind"])
def test_an_event_of_which_the_decoder_with_the_deal_is_not_certain_is_doubted_with_what_else_it_may_be(share: float) -> None:
    hand, tile = in_play(PLAYED), unsure_tile()
    other = hand.deal.walls[tile.seat].hand[-1]
    (doubt,) = reviewed(unsure_of(tile.tile, {tile.tile: share, other: 1 - share}), hand)
    assert (doubt.number, doubt.held, doubt.read) == (5, to_text(tile), to_text(replace(tile, tile=other)))
    assert 0 < doubt.margin < DecoderLimits().ask


def test_of_the_last_turns_before_the_frames_end_only_what_is_certain_is_doubted() -> None:
    hand, tile = in_play(PLAYED), unsure_tile()
    other = hand.deal.walls[tile.seat].hand[-1]
    seen = unsure_of(tile.tile, {tile.tile: 0.3, other: 0.7})
    shown_ms = next(s.at_ms for s in seen if isinstance(s, MatObservation) and any(other in one.shares for one in s.tiles))
    assert reviewed([signal for signal in seen if signal.at_ms < shown_ms + 3000], hand) == ()


def unsure_tile() -> TileDiscarded:
    """The discard that is the fifth event of the hand."""
    return of_type(TileDiscarded, a_hand().events[4])


def unsure_of(tile: Tile, shares: Mapping[Tile, float]) -> list[Message]:
    """The signals of the hand, with every look at a kind unsure."""

    def looked_at(one: ObservedTile) -> ObservedTile:
        return replace(one, shares=shares, sure=False) if one.face_up and tile in one.shares else one

    heard = messages_of(a_hand().at_table(only(), PLAYED + 1))
    return [replace(each, tiles=tuple(map(looked_at, each.tiles))) if isinstance(each, MatObservation) else each for each in heard]


def reviewed(heard: Iterable[Message], record: HandToDecode) -> tuple[RecordDoubt, ...]:
    """What the decoder with the deal says of a record of which a table heard this."""
    return present(decoding_of(heard).take_record(replace(record, closed=True))).compare()


def test_no_decoder_knows_the_deal_before_the_hand_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its work would take longer with some concealed tiles than with others, and what the table tells would come later."""
    deals: list[KnownDeal | None] = []

    def noted(rules: RuleSet, places: Mapping[Seat, int], wind: Seat, known: KnownDeal | None, *, gates: bool, mat: Mat) -> HandDecoder:
        deals.append(known)
        return HandDecoder(rules, places, wind, known, gates=gates, mat=mat)

    monkeypatch.setattr(followed_hand, "HandDecoder", noted)
    decoding = decoding_of(signals())
    assert deals == [None]
    review = present(decoding.take_record(replace(in_play(EVENTS - 1), closed=True)))
    assert deals == [None]
    review.compare()
    assert deals == [None, KnownDeal(a_hand().walls, in_play().deal.rest)]


def test_of_a_hand_without_an_end_not_everything_is_kept(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(told_signals, "MOST_HEARD", len(signals()) - 2)
    assert decoding_of(signals()).take_record(replace(in_play(EVENTS - 1), closed=True)) is None
    assert caplog.text.count("will not be compared with its deal") == 1


@pytest.mark.parametrize(
    ("lag_ms", "in_time"),
    [
        pytest.param(0, False, id="all come in time"),
        pytest.param(10**6, False, id="all frames come after all edges and keys"),
        pytest.param(LAG_MS, False, id="all frames are late"),
        pytest.param(LAG_MS, True, id="frames come in time, and once more between newer ones"),
    ],
)
def test_the_log_says_how_far_decoder_and_record_agree_in_the_end(caplog: pytest.LogCaptureFixture, lag_ms: int, in_time: bool) -> None:
    """Edges and keys come at their time. So does the decoder with the deal agree."""
    decoding = decoding_of()
    late = [(signal.at_ms + lag_ms, signal) for signal in signals() if isinstance(signal, MatObservation)]
    others = [(signal.at_ms, signal) for signal in signals() if in_time or not isinstance(signal, MatObservation)]
    with caplog.at_level("INFO"):
        hear(decoding, [signal for _, signal in sorted((*others, *late), key=lambda pair: pair[0])])
        assert present(decoding.take_record(replace(in_play(EVENTS - 1), closed=True))).compare() == ()
    assert "agrees with the first 8 of 8 events" in caplog.text
    assert decoding.hand is None


def test_the_next_hand_is_followed_after_the_one_before() -> None:
    decoding = decoding_of()
    decoding.take_record(replace(in_play(), deal=opened(a_hand().walls, n=2), back=2))
    assert decoding.hand is not None
    assert decoding.hand.back == 2


def told_of_what_lies(decoding: TableDecoding, lies: Callable[[int], tuple[ObservedTile, ...]], until_ms: int) -> list[Report]:
    """What is told while the table waits for East's first discard, and this lies there at each time."""
    decoding.take_record(replace(in_play(1), awaited=WATCH))
    decoding.hear(GateEdge(100, a_hand().east))
    answers = (decoding.see(MatObservation(at_ms, lies(at_ms))) for at_ms in range(250, until_ms, FRAME_MS))
    return [answer for answer in answers if answer is not None]


FIRST_DISCARD = 2
"""Events of the hand up to its first discard: a draw, and the discard."""


def told_of(*kinds: Disturbance, record: int = 1, first: int = FIRST_DISCARD + 2) -> list[TilesDecoded]:
    """What is told of the first discard while the table's record stays at so many events, where people disturb in these ways."""
    hand, decoding = a_hand(), decoding_of()
    decoding.take_record(replace(in_play(record), awaited=WATCH))
    answers = hear(decoding, messages_of(hand.at_table(only(*kinds), first)))
    return [answer for answer in answers if isinstance(answer, TilesDecoded)]


@pytest.mark.parametrize("kind", [Disturbance.DISCARD_FAR_OFF, Disturbance.DISCARD_IN_WRONG_PLACE])
def test_a_discard_astray_is_told_once_with_the_places_on_which_it_lies(kind: Disturbance) -> None:
    discard = of_type(TileDiscarded, a_hand().events[1])
    (found,) = told_of(kind)
    assert (found.watch, found.event) == (WATCH, discard)
    lies_at = {(place, index) for place, index in found.covers if place == a_hand().east}
    assert found.covers == tuple(sorted(lies_at))
    assert (a_hand().east, 0) not in lies_at


def test_a_discard_astray_is_told_with_the_first_frame_that_shows_it() -> None:
    (found,) = told_of(Disturbance.DISCARD_FAR_OFF)
    laid_ms = a_hand().at_table(only(Disturbance.DISCARD_FAR_OFF), FIRST_DISCARD).events[1][0]
    assert found.shown_ns is not None
    assert 0 <= found.shown_ns // 1_000_000 - laid_ms < 4 * FRAME_MS


def test_the_tables_own_reader_has_time_before_the_decoder_tells_of_a_discard() -> None:
    hand, decoding = a_hand(), decoding_of()
    for frame in frames(decoding, messages_of(hand.at_table(only(), FIRST_DISCARD + 2))):
        decoding.take_record(replace(in_play(1), awaited=replace(WATCH, version=WatchVersion(1, 1, frame.at_ms // PATIENCE_MS, 0))))
        assert decoding.see(frame) is None


def test_a_discard_is_not_doubted_while_the_decoder_has_yet_to_end_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """It weighs one path at an observation, and has met the discard and not all rivals when the table has waited for long enough."""
    decoders: list[HandDecoder] = []

    def slow(rules: RuleSet, places: Mapping[Seat, int], wind: Seat, known: KnownDeal | None, *, gates: bool, mat: Mat) -> HandDecoder:
        decoders.append(HandDecoder(rules, places, wind, known, gates=gates, limits=DecoderLimits(weighed=1), mat=mat))
        return decoders[-1]

    monkeypatch.setattr(followed_hand, "HandDecoder", slow)
    laid, searched = tile_at(Slot(a_hand().east, Area.RIVER, 0), Tile.P5), list[bool]()

    def lies(at_ms: int) -> tuple[ObservedTile, ...]:
        searched.extend([decoders[0].searching] * (at_ms == DOUBT_MS + FRAME_MS))
        return (laid,) if at_ms > DOUBT_MS - 3 * FRAME_MS else ()

    (answer,) = told_of_what_lies(decoding_of(), lies, DOUBT_MS + 8 * FRAME_MS)
    assert searched == [True]
    assert of_type(TileDiscarded, of_type(TilesDecoded, answer).event).tile is Tile.P5


def test_a_discard_on_its_slot_of_a_larger_mat_is_told() -> None:
    mat, discard = Mat(half_side_mm=450.0, river_first_row_mm=290.0, hand_row_mm=400.0), a_hand().events[1]
    assert isinstance(discard, TileDiscarded)
    decoding, spot = TableDecoding(a_hand().rules, mat), mat.spot(Slot(a_hand().east, Area.RIVER, 0))
    decoding.take_record(in_play())
    laid = ObservedTile(spot.x_mm, spot.y_mm, spot.turn_deg % 180, shares={discard.tile: 0.995}, sure=True)
    answers = told_of_what_lies(decoding, lambda at_ms: (laid,) if at_ms > 1000 else (), 4000)
    assert [answer.event for answer in answers if isinstance(answer, TilesDecoded)] == [discard]


def test_nothing_is_told_of_a_seat_that_the_table_does_not_wait_for() -> None:
    assert told_of(record=3) == []


@pytest.mark.parametrize("number", [10, 18])
def test_a_decoder_that_saw_nothing_for_some_turns_goes_on_from_the_tables_record(number: int) -> None:
    hand, decoding = a_hand(), TableDecoding(a_hand().rules)
    at_table = hand.at_table(only(Disturbance.DISCARD_OFF), number + 3)
    discard, times = hand.events[number], [at_ms for at_ms, _ in at_table.events]
    assert isinstance(discard, TileDiscarded)
    decoding.take_record(in_play())
    answers = []
    for signal in messages_of(at_table):
        happened = min(number, sum(at_ms <= signal.at_ms for at_ms in times))
        awaited = replace(WATCH, awaited=Awaited(Awaits.DISCARD, discard.seat, 0)) if happened == number else None
        decoding.take_record(replace(in_play(happened), awaited=awaited))
        if not isinstance(signal, MatObservation):
            decoding.hear(signal)
        elif signal.at_ms > times[number - 1]:
            answers.append(decoding.see(signal))
    assert [answer.event for answer in answers if isinstance(answer, TilesDecoded)] == [discard]


def test_a_hand_that_began_before_the_controller_is_decoded_from_the_tables_record_on() -> None:
    """The controller starts after four turns, in the fifth of which a discard lies away from its slot."""
    hand, decoding, number = a_hand(), TableDecoding(a_hand().rules), 13
    at_table = hand.at_table(only(Disturbance.DISCARD_OFF), number + 1)
    discard, times = hand.events[number], [at_ms for at_ms, _ in at_table.events]
    assert isinstance(discard, TileDiscarded)
    decoding.take_record(replace(in_play(number), awaited=replace(WATCH, awaited=Awaited(Awaits.DISCARD, discard.seat, 1))))
    frames = [signal for signal in messages_of(at_table) if isinstance(signal, MatObservation) and signal.at_ms > times[number - 1]]
    still = [replace(frames[-1], at_ms=frames[-1].at_ms + FRAME_MS * (1 + more)) for more in range(12)]
    answers = [decoding.see(frame) for frame in (*frames, *still)]
    assert [answer.event for answer in answers if isinstance(answer, TilesDecoded)] == [discard]
    assert decoding.take_record(replace(in_play(number), closed=True)) is None


def test_what_the_decoder_alone_could_tell_and_does_not_find_is_told_as_unread() -> None:
    (answer,) = told_of_what_lies(TableDecoding(a_hand().rules), lambda _at_ms: (), DOUBT_MS + 2 * FRAME_MS)
    assert isinstance(answer, DoubtedTile)
    assert (answer.report.asked, answer.place.near) == (Slot(a_hand().east, Area.RIVER, 0),) * 2
    assert set(answer.kinds) == set(a_hand().rules.tiles)


@pytest.mark.parametrize("faint", [False, True], ids=["not seen at first", "unsure at first"])
def test_a_discard_that_was_in_doubt_is_told_when_it_is_read_later(faint: bool) -> None:
    """Something lies over it, or the light is bad, until the referee has been asked."""
    discard = a_hand().event(TileDiscarded, 1)
    read = tile_at(Slot(a_hand().east, Area.RIVER, 0), discard.tile)
    before = (replace(read, shares={discard.tile: 0.6, Tile.RED: 0.3}, sure=False),) if faint else ()
    changes_ms = DOUBT_MS + 4 * FRAME_MS
    doubted, told = told_of_what_lies(decoding_of(), lambda at_ms: before if at_ms < changes_ms else (read,), changes_ms + 16 * FRAME_MS)
    assert isinstance(doubted, DoubtedTile)
    assert isinstance(told, TilesDecoded)
    assert (told.watch, told.event) == (WATCH, discard)


def test_no_discard_is_awaited_where_a_tile_lies_that_may_be_the_one_that_is_not_found() -> None:
    """The tile lies where another seat's sixth discard belongs."""
    decoding, place = TableDecoding(a_hand().rules), (a_hand().east + 2) % 4
    lying = tile_at(Slot(place, Area.RIVER, 5), Tile.P9)
    decoding.take_record(replace(in_play(1), awaited=WATCH))
    answers = [decoding.see(MatObservation(at_ms, (lying,))) for at_ms in range(0, DOUBT_MS + 2 * FRAME_MS, FRAME_MS)]
    (answer,) = [answer for answer in answers if answer is not None]
    assert isinstance(answer, DoubtedTile)
    assert answer.report == TilesDecoded(WATCH, None, ((place, 5),), Slot(a_hand().east, Area.RIVER, 0))


CLAIM = 14
"""Events of the hand before its first claim, a chow."""
RECORDED_MS = 700
"""The table's record follows a draw or a discard so much later."""


def _place(tile: ObservedTile) -> tuple[int, int]:
    return round(tile.x_mm), round(tile.y_mm)


def under_a_hand(seen: MatObservation, before: Collection[tuple[int, int]]) -> MatObservation:
    """The observation with something over all tiles but those that lay there before."""
    left = tuple(tile for tile in seen.tiles if _place(tile) in before)
    middles = [(round(tile.x_mm / COVER_MM), round(tile.y_mm / COVER_MM)) for tile in seen.tiles if tile not in left]
    over = {(column + x, row + y) for column, row in middles for x in (-1, 0, 1) for y in (-1, 0, 1)}
    return replace(seen, tiles=left, covered=seen.covered | over)


def called_aloud(
    rules: str,
    claim: int,
    record: int,
    *,
    passed_ms: float = math.inf,
    heard_ms: int | None = None,
    ruled_ms: float = math.inf,
    covered_ms: float = 0,
) -> list[tuple[int, CallDecoded]]:
    """The calls that are told of a hand whose people press no key, with how long the meld has lain there by then; ``claim`` events come
    before it, of which the table's record comes to hold ``record``. So long after it was laid the record says that nobody claims, and the
    referee rules; ``heard_ms`` is when the table said so, where that was after the frame; until ``covered_ms`` after it was laid a hand
    lies over the meld."""
    hand = played(rules, 0)
    decoding, deal = TableDecoding(hand.rules), opened(hand.walls, hand=hand.to_play.hand)
    at_table = hand.at_table(only(Disturbance.CALL_BY_VOICE), claim + 2)
    decoding.take_record(HandToDecode(deal, None, ()))
    calls, lying = [], set[tuple[int, int]]()
    said_ms = None if heard_ms is None else at_table.events[claim][0] + heard_ms
    for frame in frames(decoding, messages_of(at_table)):
        so_far = sum(at_ms + RECORDED_MS < frame.at_ms for at_ms, _ in at_table.events[:record])
        after_ms = frame.at_ms - at_table.events[claim][0]
        passed = (ClaimsPassed(),) if after_ms >= passed_ms else ()
        decoding.take_record(HandToDecode(deal, None, (*hand.events[:so_far], *passed), rulings=int(after_ms >= ruled_ms)), said_ms)
        lying = {_place(tile) for tile in frame.tiles} if after_ms < 0 else lying
        decoding.see(under_a_hand(frame, lying) if 0 <= after_ms < covered_ms else frame)
        call = decoding.call()
        calls += [] if call is None else [(after_ms, call)]
    return calls


def test_a_meld_that_nobody_has_called_by_key_is_told_once_as_a_call() -> None:
    claimed = of_type(Claimed, a_hand().events[CLAIM])
    ((after_ms, call),) = called_aloud("mcr-duplicate", CLAIM, CLAIM)
    assert call == CallDecoded(1, CLAIM, claimed.seat, Claim.CHOW)
    assert after_ms < PATIENCE_MS


def test_of_a_pung_one_waits_for_the_fourth_tile_of_a_kong() -> None:
    ((after_ms, call),) = called_aloud("sichuan", 38, 38)
    assert (call.events, call.call) == (38, Claim.PUNG)
    assert PATIENCE_MS <= after_ms < 2 * PATIENCE_MS


@pytest.mark.parametrize(
    ("times", "in_time"),
    [
        pytest.param({"passed_ms": -400}, False, id="laid after the end of the claims"),
        pytest.param({"passed_ms": 600}, True, id="laid before"),
        pytest.param({"passed_ms": 600, "covered_ms": 1200}, True, id="below a hand then: it may have been laid before"),
        pytest.param({"passed_ms": -1400, "heard_ms": -100}, True, id="the frame from before the end had been looked at for so long"),
    ],
)
def test_a_meld_that_may_have_lain_there_before_the_claims_were_over_was_laid_in_time(times: dict[str, int], in_time: bool) -> None:
    calls = called_aloud("sichuan", 38, 38, **times)
    assert [(call.events, call.in_time) for _, call in calls] == [(39, in_time)]


def test_a_call_is_told_again_after_a_ruling_and_when_the_claims_are_over() -> None:
    """The table refuses a call while it waits for the referee."""
    calls = called_aloud("sichuan", 38, 38, ruled_ms=2000, passed_ms=2300)
    assert [(call.events, call.in_time) for _, call in calls] == [(38, True), (38, True), (39, True)]


def test_no_call_is_told_while_the_decoder_holds_another_hand_than_the_record() -> None:
    assert called_aloud("mcr-duplicate", CLAIM, CLAIM - 1) == []


def accused_of_a_discard_before_its_draw(record: HandToDecode, *, gates: bool = True) -> list[str]:
    """What is told as a violation while the first discard lies there, no draw has been sensed, and the table's record is this one."""
    decoding, accused = TableDecoding(a_hand().rules, gates=gates), list[str]()
    decoding.take_record(in_play())
    decoding.take_record(record)
    seen = [signal for signal in messages_of(a_hand().at_table(only(), 2)) if isinstance(signal, MatObservation)]
    for at_ms in range(0, 20_000, FRAME_MS):
        decoding.see(replace(seen[-1], at_ms=seen[-1].at_ms + at_ms))
        accused += [each.report.what for each in decoding.violations()]
    return accused


@pytest.mark.parametrize("gates", [False, True], ids=["draws-are-told-by-people", "draws-are-sensed"])
def test_a_discard_before_its_draw_is_told_accuses_nobody_where_draws_are_not_sensed(gates: bool) -> None:
    assert bool(accused_of_a_discard_before_its_draw(in_play(), gates=gates)) is gates


def test_nobody_is_accused_while_the_decoder_holds_another_hand_than_the_record() -> None:
    drawn, discard = in_play(2).events
    assert isinstance(discard, TileDiscarded)
    other = next(tile for tile in in_play().deal.walls[discard.seat].hand if tile is not discard.tile)
    assert accused_of_a_discard_before_its_draw(replace(in_play(2), events=(drawn, replace(discard, tile=other)))) == []


def test_where_draws_are_not_sensed_a_discard_astray_is_told_once_its_draw_is_told() -> None:
    decoding, discard = TableDecoding(a_hand().rules, gates=False), in_play(2).events[1]
    assert isinstance(discard, TileDiscarded)
    decoding.take_record(in_play())
    seen = [signal for signal in messages_of(a_hand().at_table(only(Disturbance.DISCARD_OFF), 2)) if isinstance(signal, MatObservation)]
    for observation in seen:
        assert decoding.see(observation) is None
    decoding.hear(GateEdge(seen[-1].at_ms, a_hand().east))
    decoding.take_record(replace(in_play(1), awaited=Watch(Awaited(Awaits.DISCARD, Seat.EAST, 0), ())))
    found = [decoding.see(replace(seen[-1], at_ms=seen[-1].at_ms + at_ms)) for at_ms in range(FRAME_MS, 2 * PATIENCE_MS, FRAME_MS)]
    assert [each.event for each in found if isinstance(each, TilesDecoded)] == [discard]
