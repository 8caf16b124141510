"""A hand of the worked example at the moment when its score is entered and confirmed, for the pages of seats."""

from __future__ import annotations

import html
import re

from dashboard.access.seat_codes import seat_code
from tests.support.dashboard.example import BY_DISCARD, CHECK, NAMES, ON_A_DISCARD, SEATS, building, ending, play
from tests.support.dashboard.hall import SETTINGS
from tests.support.game.sichuan_tables import SichuanTable
from tests.support.wire.streams import Line
from twinwall.game.payments import totals
from twinwall.game.play_events import HandEnded
from twinwall.game.play_json import to_json

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
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", main[0]))).strip()


def seat_address(place: int, table: str = "1") -> str:
    """The address that the card of a table has for a place, at the event of the tests' settings."""
    return f"/seat/{table}/{place}?code={seat_code(SETTINGS.secret, SETTINGS.event, table, place)}"


def sichuan_entered(played: SichuanTable) -> list[Line]:
    """A hand of Sichuan that has been played, up to its score, which is entered and not confirmed."""
    payments = {seat.value: gain for seat, gain in totals(played.rules.payments(played.state, played.wins)).items()}
    fans = [{"id": fan.id, "name": fan.name, "value": fan.value, "count": fan.count} for win in played.wins.values() for fan in win.fans]
    entered = {
        "seat": next(iter(played.wins)).value,
        "fans": fans,
        "total": sum(win.total for win in played.wins.values()),
        "payments": payments,
    }
    written = [to_json(event) for event in played.events if not isinstance(event, HandEnded)]
    draws, places = dict.fromkeys(SEATS, 14), dict(zip(SEATS, range(4), strict=True))
    started: dict[str, object] = {"n": 1, "session": 1, "hand": 1, "rules": "sichuan", "round": "E", "seats": NAMES}
    return [
        ("controller-started", {"version": "0.1.0", "resumed": False}),
        ("deal-opened", {"n": 1, "session": 1, "hand": 1, "rules": "sichuan", "check": CHECK}),
        ("wall-raised", {"n": 1}),
        ("hand-started", {**started, "places": places, "draws": draws}),
        *((str(event["type"]), {key: value for key, value in event.items() if key != "type"}) for event in written),
        ("payments-proposed", entered),
    ]
