"""Hands of a running table are followed from their beginning, by what comes from camera, gates and keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest

from controller.recorder.table_decoding import TableDecoding
from controller.state.decoding import HandToDecode
from tests.support.controller.rigs import opened
from tests.support.recorder.played_hands import Message, PlayedHand, only, played, told
from vision.mat_observation import MatObservation

BEGINNING = 9


def a_hand() -> PlayedHand:
    return played("mcr-duplicate", 0)


@cache
def signals() -> tuple[Message, ...]:
    """What is told of the beginning of the hand."""
    return tuple(told(a_hand().at_table(only(), BEGINNING)))


def in_play(events: int = 0) -> HandToDecode:
    """The hand when the table's record has come so far."""
    return HandToDecode(opened(a_hand().walls, hand=a_hand().to_play.hand), None, a_hand().events[:events])


def tell(decoding: TableDecoding, heard: Iterable[Message]) -> None:
    for signal in heard:
        if isinstance(signal, MatObservation):
            decoding.see(signal)
        else:
            decoding.told(signal)


def closed(decoding: TableDecoding, caplog: pytest.LogCaptureFixture) -> str:
    """What the log says when the hand is over."""
    with caplog.at_level("INFO"):
        decoding.follow(replace(in_play(BEGINNING - 1), closed=True))
    return caplog.text


def test_at_the_end_of_a_hand_the_log_says_how_far_the_decoder_agrees_with_the_record(caplog: pytest.LogCaptureFixture) -> None:
    decoding = TableDecoding(a_hand().rules)
    decoding.follow(in_play())
    tell(decoding, signals())
    assert "agrees with the first 8 of 8 events" in closed(decoding, caplog)
    assert not decoding.follows


def test_edges_that_come_before_an_older_frame_count_with_the_next_one(caplog: pytest.LogCaptureFixture) -> None:
    decoding = TableDecoding(a_hand().rules)
    decoding.follow(in_play())
    mats = [signal for signal in signals() if isinstance(signal, MatObservation)]
    tell(decoding, [signal for signal in signals() if not isinstance(signal, MatObservation)])
    tell(decoding, mats)
    assert "agrees with the first 8 of 8 events" in closed(decoding, caplog)


def test_a_hand_that_began_before_the_controller_is_not_decoded(caplog: pytest.LogCaptureFixture) -> None:
    decoding = TableDecoding(a_hand().rules)
    with caplog.at_level("INFO"):
        decoding.follow(in_play(3))
    assert not decoding.follows
    assert "is not decoded" in caplog.text
    tell(decoding, signals())


def test_the_next_hand_is_followed_after_the_one_before() -> None:
    decoding = TableDecoding(a_hand().rules)
    decoding.follow(in_play())
    decoding.follow(replace(in_play(), deal=opened(a_hand().walls, n=2), back=2))
    assert decoding.follows
    assert decoding.back == 2
