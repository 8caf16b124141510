"""Melds and shown hands that lie anywhere are told by the decoder without the deal, from the table's record on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from controller.recorder import costs, table_decoding
from controller.recorder.signals import Decoded, Grounds
from controller.recorder.table_decoding import TableDecoding
from controller.state.decoding import HandToDecode
from controller.state.messages import ExposureDecoded
from controller.state.watches import Awaited, AwaitedHand, AwaitedMeld, Watch
from tests.support.controller.rigs import opened
from tests.support.recorder.played_hands import FRAME_MS, PlayedHand, only, played, told
from twinwall.game.play_events import Claimed, HandShown, Meld, MeldType, PlayEvent
from twinwall.game.tiles import Seat
from twinwall.simulator.disturbances.kinds import Disturbance
from vision.mat_observation import MatObservation

STILL = 16
"""So many frames more, in which nothing changes."""


def number_of(hand: PlayedHand, kind: type[PlayEvent]) -> int:
    """The index of the hand's first event of a kind."""
    return next(index for index, event in enumerate(hand.events) if isinstance(event, kind))


def told_of(hand: PlayedHand, number: int, awaited: Awaited, *kinds: Disturbance) -> list[ExposureDecoded]:
    """What is told while the table's record stays before event ``number``, where people disturb in these ways. The decoder has seen
    nothing before that event's turn."""
    decoding, at_table = TableDecoding(hand.rules), hand.at_table(only(*kinds), number + 1)
    began_ms = [at_ms for at_ms, _ in at_table.events][number - 1]
    record = HandToDecode(opened(hand.walls, hand=hand.to_play.hand), None, hand.events[:number])
    decoding.follow(replace(record, awaited=Watch(awaited, ())))
    frames = [signal for signal in told(at_table) if isinstance(signal, MatObservation) and signal.at_ms >= began_ms]
    still = [replace(frames[-1], at_ms=frames[-1].at_ms + FRAME_MS * (1 + more)) for more in range(STILL)]
    answers = [decoding.see(frame) for frame in (*frames, *still)]
    return [answer for answer in answers if isinstance(answer, ExposureDecoded)]


@pytest.mark.parametrize("kinds", [(), (Disturbance.MELD_FAR_OFF,), (Disturbance.MELD_FAR_OFF, Disturbance.CLAIMED_TILE_LATE)], ids=str)
def test_a_meld_is_told_wherever_it_lies(kinds: Sequence[Disturbance]) -> None:
    hand = played("mcr-duplicate", 0)
    number = number_of(hand, Claimed)
    claimed = hand.events[number]
    assert isinstance(claimed, Claimed)
    (answer,) = told_of(hand, number, AwaitedMeld(claimed.seat, 0), *kinds)
    assert answer.event == claimed


@pytest.mark.slow
def test_a_shown_hand_is_told_in_any_order_and_in_two_rows() -> None:
    kinds = (Disturbance.HAND_IN_TWO_ROWS, Disturbance.HAND_UNSORTED, Disturbance.WINNING_TILE_NOT_APART)
    hand = played("mcr-duplicate", 0)
    number = number_of(hand, HandShown)
    shown = hand.events[number]
    assert isinstance(shown, HandShown)
    (answer,) = told_of(hand, number, AwaitedHand(shown.seat, 0), *kinds)
    assert isinstance(answer.event, HandShown)
    assert sorted((*answer.event.concealed, answer.event.winning)) == sorted((*shown.concealed, shown.winning))


def test_nothing_is_told_of_a_seat_that_is_to_lay_nothing() -> None:
    hand = played("mcr-duplicate", 0)
    number = number_of(hand, Claimed)
    claimed = hand.events[number]
    assert isinstance(claimed, Claimed)
    other = next(seat for seat in Seat if seat is not claimed.seat)
    assert told_of(hand, number, AwaitedMeld(other, 0)) == []


def test_another_meld_is_told_where_the_table_has_not_taken_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fourth tile of a kong is laid late: the decoder was certain of a pung, which the table refused since a kong was called."""
    hand = played("mcr-duplicate", 0)
    number = number_of(hand, Claimed)
    claimed = hand.events[number]
    assert isinstance(claimed, Claimed)
    kind = claimed.meld.tiles[0]
    read = [Claimed(claimed.seat, Meld(MeldType.PUNG, (kind,) * 3, claimed.meld.source))] * 3
    read += [Claimed(claimed.seat, Meld(MeldType.KONG, (kind,) * 4, claimed.meld.source))] * 3
    seen = iter(read)
    grounds = Grounds(0)
    monkeypatch.setattr(table_decoding, "_next_event", lambda _followed, _best: Decoded(1, next(seen, read[-1]), costs.MOST, grounds))
    assert [answer.event for answer in told_of(hand, number, AwaitedMeld(claimed.seat, 0))] == [read[0], read[-1]]
