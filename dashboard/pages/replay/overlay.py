"""The overlay for broadcasters: a page of 1920 × 1080 with a transparent background, and the document that it plays, a table's play of its
newest released deal.

A deal is shown once it is released, so no table that has still to play it can learn anything from a broadcast.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

import msgspec
from flask import Flask, Response, abort, render_template, request

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.pages.deals.deal_pieces import has_play
from dashboard.pages.replay.replay_pieces import GEOMETRY, OVERLAY_SCRIPTS, document_of, fans_named, in_page
from dashboard.pages.replay.replay_words import script_words
from dashboard.pages.table.board_picture import VIEW_BOX
from twinwall.event.hands import HandSummary
from twinwall.event.result_rulings import verdict
from twinwall.game.tiles import SEATS, Seat

FORMAT = "twinwall-overlay-1"
_LONGEST_MIN = 24 * 60


def overlay_of(scope: ViewerScope, table: str, until: datetime | None, words: Words) -> dict[str, object] | None:
    """The newest deal that was released by ``until``, where it is given, and that the table has played; None where there is none.

    ``hand``, ``replay`` and ``texts`` are what the page shows beside the ``document``. Without ``until`` no clock is asked, so a deal stays
    shown where the server's clock was set back after its release.
    """
    played = [found for found in map(scope.deal, scope.released()) if isinstance(found, ReleasedDeal)]
    hands = [(found, hand) for found in played for hand in found.hands if hand.table == table and has_play(hand)]
    hands = [(found, hand) for found, hand in hands if until is None or found.opening.at <= until]
    if not hands:
        return None
    deal, hand = max(hands, key=lambda each: (each[0].session, each[0].hand))
    earlier = [before for found, before in hands if found.session == deal.session and found.hand < deal.hand]
    replay = document_of(deal, [hand])
    document = {
        "event": scope.event_name,
        "table": table,
        "n": deal.n,
        "session": deal.session,
        "hand": deal.hand,
        "rules": deal.rules,
        "players": [_player(seat, hand, earlier) for seat in SEATS],
        "replay": replay,
        "format": FORMAT,
    }
    texts = script_words(words, deal.hand) | {"fans": fans_named(replay, words)}
    return {"overlay": document, "hand": words.hand(deal.hand), "document": in_page(document), "texts": in_page(texts)}


def _player(seat: Seat, hand: HandSummary, earlier: Iterable[HandSummary]) -> dict[str, object]:
    """Who held a seat: ``before`` sums the scores of its place in the session's earlier released hands, ``after`` with this hand.

    A place, not a name: names that are shown as initials may be alike, and a substitute plays for the same place.
    """
    before = sum(_score(each, held) for each in earlier for held, place in each.places.items() if place == hand.places[seat])
    return {"seat": seat, "name": hand.names[seat], "before": before, "after": before + _score(hand, seat)}


def _score(hand: HandSummary, seat: Seat) -> int:
    counted = verdict(hand)
    return 0 if counted is None else counted.scores[seat]


def add_overlays(app: Flask, policy: AccessPolicy, words: Callable[[], Words], now: Callable[[], datetime]) -> None:
    """Add ``/overlay/<table>`` and ``/overlay/<table>.json``: they show what all may see, to every viewer.

    ``?minutes=`` is how long after its release a deal is shown.
    """

    def shown(table: str) -> dict[str, object] | None:
        delay = _delay()
        return overlay_of(policy.results(SPECTATOR), table, now() - delay if delay else None, words())

    @app.get("/overlay/<table>")
    def overlay(table: str) -> str:
        values = shown(table) or {"overlay": None}
        geometry = msgspec.json.encode(GEOMETRY).decode()
        place = {"geometry": geometry, "view_box": VIEW_BOX, "winds": WIND_CHARACTERS}
        return render_template("overlay.html", table=table, minutes=request.args.get("minutes"), scripts=OVERLAY_SCRIPTS, **place, **values)

    @app.get("/overlay/<table>.json")
    def overlay_feed(table: str) -> Response:
        document = (shown(table) or {}).get("overlay")
        headers = {"Cache-Control": "no-cache"}
        return Response(msgspec.json.encode(document), 200 if document is not None else 404, headers, mimetype="application/json")


def _delay() -> timedelta:
    """How long after its release a deal may be shown, by the address; ends the request where that is no such time."""
    asked = request.args.get("minutes", "0")
    try:
        minutes = float(asked)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= _LONGEST_MIN:
        abort(Response(f"minutes={asked[:20]} is no delay: give 0 to {_LONGEST_MIN} minutes\n", 400, mimetype="text/plain"))
    return timedelta(minutes=minutes)
