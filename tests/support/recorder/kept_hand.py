"""A process that follows the beginning of a hand and keeps what it hears, until it is killed: ``python -m … FILE SIGNALS``."""

import signal
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from controller.recorder.at_table.kept_observations import KeptObservations
from controller.recorder.at_table.reported_tiles import Report
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.state.watches import HandToDecode
from tests.support.controller.rigs import opened
from tests.support.recorder.played_hands import Message, PlayedHand, messages_of, only, played
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineCipher
from vision.mat_observation import MatObservation

CIPHER = LineCipher(b"\x07" * LINE_KEY_SIZE, lambda size: b"\x01" * size)
"""What encrypts the lines of the table's journal."""
EVENTS = 9
"""So many events of the hand are played."""


def a_hand() -> PlayedHand:
    return played("mcr-duplicate", 0)


@cache
def signals() -> tuple[Message, ...]:
    """What is told of its beginning."""
    return tuple(messages_of(a_hand().at_table(only(), EVENTS)))


def in_play(events: int = 0, n: int = 1) -> HandToDecode:
    """The hand when the table's record has come so far."""
    return HandToDecode(opened(a_hand().walls, n=n, hand=a_hand().to_play.hand), None, a_hand().events[:events])


def keeper(path: Path) -> KeptObservations:
    """The table's file, under the key of its journal."""
    return KeptObservations(path, CIPHER)


def frames(decoding: TableDecoding, heard: Iterable[Message]) -> Iterator[MatObservation]:
    """Each frame, when what came before it has been heard."""
    for item in heard:
        if isinstance(item, MatObservation):
            yield item
        else:
            decoding.hear(item)


def hear(decoding: TableDecoding, heard: Iterable[Message]) -> list[Report | None]:
    """What camera, gates and keys tell; what was answered to each frame."""
    return [decoding.see(frame) for frame in frames(decoding, heard)]


def decoding_of(heard: Iterable[Message] = ()) -> TableDecoding:
    """The hand as a running table follows it from its beginning, when it has heard this."""
    decoding = TableDecoding(a_hand().rules)
    decoding.take_record(in_play())
    hear(decoding, heard)
    return decoding


def main(path: Path, first: int) -> None:
    """Hear so many signals of the hand, say so, and wait for the end."""
    decoding = TableDecoding(a_hand().rules, kept=keeper(path))
    decoding.take_record(in_play())
    hear(decoding, signals()[:first])
    sys.stdout.write("heard\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
