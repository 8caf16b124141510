"""The pages of players: the list of seats of a session, and a card for each player. Everybody may see both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Flask, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.shown_players import PlayerCard, SeatOfPlayer
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.players.player_pieces import card_values, first_wind
from twinwall.event.management.managed_event import EventStage
from twinwall.wire.names import name_key


def add_players(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/seats`` and ``/player/<number>``."""

    @app.get("/seats")
    def seats() -> str:
        scope = policy.results(viewer())
        session = _session(scope, request.args.get("session", ""))
        asked = name_key(request.args.get("name", ""))
        listed, written = scope.players.seats(session), request.args.get("name", "")
        found = [seat for seat in listed if not asked or any(asked in name_key(text) for text in (seat.name, seat.number, seat.team))]
        sessions = sorted(scope.event.seatings)
        return render_template(
            "people/seats.html",
            seats=found,
            session=session,
            sessions=sessions,
            asked=written,
            winds=partial(first_wind, words()),
            drawn=bool(listed),
        )

    @app.get("/player/<number>")
    def player(number: str) -> str | tuple[str, int]:
        scope = policy.results(viewer())
        card = scope.players.card(number)
        if card is None:
            return render_template("missing.html", sentence=words()("refusal.unknown-player", name=number)), 404
        coming = _coming(scope, card)
        return render_template("player.html", coming=coming, **card_values(scope.players, card, words()))


def _session(scope: ViewerScope, asked: str) -> int:
    """The session that was asked for; otherwise the one in play, or the next one that is drawn."""
    if asked.isascii() and asked.isdigit() and len(asked) < 4:
        return int(asked)
    event = scope.event
    if event.stage is EventStage.PLAYING or event.next_session not in event.seatings:
        return max(len(event.sessions), 1)
    return event.next_session


def _coming(scope: ViewerScope, card: PlayerCard) -> SeatOfPlayer | None:
    """The player's seat in the session that is played or comes next."""
    session = _session(scope, "")
    return next((seat for seat in card.seats if seat.session == session), None)
