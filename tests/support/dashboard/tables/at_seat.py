"""A hand of the worked example at the moment when its score is entered and confirmed, for the pages of seats."""

import html
import re

from dashboard.access.seat_codes import seat_code
from tests.support.dashboard.example import BY_DISCARD, CHECK, NAMES, ON_A_DISCARD, building, ending, play
from tests.support.dashboard.hall import SETTINGS
from tests.support.game.tables import RandomTable
from tests.support.wire.streams import Line, hand_started
from twinwall.game.play_events import HandEnded, totals
from twinwall.game.play_json import to_json
from twinwall.game.session import place_of, round_wind
from twinwall.game.tiles import SEATS, Seat

SHOWN: list[Line] = [*building(), *play(ON_A_DISCARD), next(iter(ending(BY_DISCARD)))]
"""South has won with West's discard and has shown the hand."""
ENTERED: list[Line] = [*SHOWN, list(ending(BY_DISCARD))[1]]
"""South has entered the score."""
RECORDED: list[Line] = [*building(), *play(ON_A_DISCARD), *ending(BY_DISCARD), ("hand-closed", {"n": 1})]
PAYMENTS = (-8, 48, -32, -8)


def words_of(page: str) -> str:
    """What a page says between its header and its end, in one line."""
    main = re.search(r"<main.*</main>", page, re.DOTALL)
    assert main is not None
    return text_of(main[0])


def text_of(markup: str) -> str:
    """The words of a part of a page, in one line."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup))).strip()


def seat_address(place: int, table: str = "1") -> str:
    """The address that the card of a table has for a place, at the event of the tests' settings."""
    return f"/seat/{table}/{place}?code={seat_code(SETTINGS.secret, SETTINGS.event, table, place)}"


def hand_entered(played: RandomTable, number: int = 1) -> list[Line]:
    """A hand that has been played, up to its score, which is entered and not confirmed; ``number`` is that of the hand in its session."""
    payments = {seat.value: gain for seat, gain in totals(played.rules.payments(played.state, played.wins)).items()}
    fans = [{"id": fan.id, "name": fan.name, "value": fan.value, "count": fan.count} for win in played.wins.values() for fan in win.fans]
    entered = {
        "seat": next(iter(played.wins), Seat.EAST).value,
        "fans": fans,
        "total": sum(win.total for win in played.wins.values()),
        "payments": payments,
    }
    written = [to_json(event) for event in played.events if not isinstance(event, HandEnded)]
    rules = played.rules.name
    of_hand: dict[str, object] = {"hand": number, "rules": rules, "round": round_wind(number).value, "options": dict(played.options)}
    places = {seat.value: place_of(seat, number) for seat in SEATS}
    return [
        ("controller-started", {"version": "0.1.0", "resumed": False}),
        ("deal-opened", {"n": 1, "session": 1, "hand": number, "rules": rules, "check": CHECK}),
        ("wall-raised", {"n": 1}),
        hand_started(1, NAMES, places, played.rules.walls.draws, **of_hand),
        *((str(event["type"]), {key: value for key, value in event.items() if key != "type"}) for event in written),
        ("payments-proposed", entered),
    ]


def hand_closed(entered: list[Line]) -> list[Line]:
    """A hand that is won and whose score is entered, with its confirmation and its record."""
    scores = entered[-1][1]["payments"]
    return [
        *entered,
        ("payments-confirmed", {"seat": "N"}),
        ("settled", {"payments": scores}),
        ("hand-ended", {"reason": "won", "scores": scores}),
        ("hand-closed", {"n": 1}),
    ]
