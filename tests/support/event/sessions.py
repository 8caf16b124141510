"""Ledgers of an event of several sessions: hands without play, from who sits where and what each seat scored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tests.support.dashboard.desks import released
from tests.support.wire.streams import START, Line, hand_started, public_events
from twinwall.event.store.hall import Hall
from twinwall.game.play_events import ResultExcluded
from twinwall.game.tiles import SEATS, place_of
from twinwall.wire.messages.ruling import Effect, Ruling, ruling_fields

HANDS = 16


@dataclass(frozen=True)
class Play:
    """One hand of one table: ``players`` by place 0 to 3, ``scores`` in the order E S W N."""

    n: int
    session: int
    hand: int
    table: str
    players: Sequence[str]
    scores: Sequence[int]
    reason: str = ""
    options: Mapping[str, object] = field(default_factory=dict)


def hand_lines(play: Play) -> Iterator[Line]:
    """A hand from its start to its end, without a draw or a discard."""
    places = {seat.value: place_of(seat, play.hand) for seat in SEATS}
    seats = {seat: play.players[place] for seat, place in places.items()}
    yield hand_started(play.n, seats, places, session=play.session, hand=play.hand, options=dict(play.options))
    reason = play.reason or ("won" if any(play.scores) else "drawn")
    yield "hand-ended", {"reason": reason, "scores": dict(zip("ESWN", play.scores, strict=True))}
    yield "hand-closed", {"n": play.n}


def ruling(identity: str, n: int, *effects: Effect, by: str = "Sato", why: str = "a wrong tile") -> Line:
    """A ruling on a hand that is over, as its table writes it."""
    return "ruling", ruling_fields(Ruling(identity, n, by, {"en": why}, effects))


def left_out(identity: str, n: int, **words: str) -> Line:
    """A ruling that leaves a table's result out."""
    return ruling(identity, n, ResultExcluded(), **words)


def take(hall: Hall, plays: Iterable[Play], journal: str = "j") -> None:
    """Let the hall take the ledgers that these hands make, table by table."""
    scripts: dict[str, list[Line]] = {}
    for play in plays:
        scripts.setdefault(play.table, []).extend(hand_lines(play))
    for table, script in scripts.items():
        for event in public_events(script, table, journal):
            hall.take(event)


def release(hall: Hall, plays: Iterable[Play], at: datetime = START) -> None:
    for n, (session, hand) in {play.n: (play.session, play.hand) for play in plays}.items():
        hall.release(released(n, at, session, hand))


def paid(winner: int, fan: int, source: int | None) -> tuple[int, ...]:
    """What E S W N get when a seat wins ``fan`` by itself (``source`` None) or off another seat (duplicate MCR)."""
    if source is None:
        return tuple(3 * (8 + fan) if seat == winner else -(8 + fan) for seat in range(4))
    return tuple(24 + fan if seat == winner else -(8 + fan) if seat == source else -8 for seat in range(4))
