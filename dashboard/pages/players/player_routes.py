"""The pages of players: the list of seats of a session, and a card for each player. Everybody may see both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flask import Flask, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.shown_players import HandOfPlayer, PlayerCard, SeatOfPlayer
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.exact_numbers import exact
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.pages.deals.charts import SwingChart, swing_chart
from twinwall.event.management.managed_event import EventStage
from twinwall.game.tiles import SEATS

LEAST_SWING = Fraction(8)


@dataclass(frozen=True, slots=True)
class HandRow:
    """A hand as the card lists it; ``points`` are IMP or rank points as text, empty in a team event."""

    played: HandOfPlayer
    hand: str
    wind: str
    score: str
    points: str


def add_players(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/seats`` and ``/player/<number>``."""

    @app.get("/seats")
    def seats() -> str:
        scope = policy.results(viewer())
        session = _session(scope, request.args.get("session", ""))
        asked = " ".join(request.args.get("name", "").split()).casefold()
        listed, written = scope.players.seats(session), request.args.get("name", "")
        found = [seat for seat in listed if not asked or any(asked in text.casefold() for text in (seat.name, seat.number, seat.team))]
        sessions = sorted(scope.event.seatings)
        return render_template(
            "seats.html",
            seats=found,
            session=session,
            sessions=sessions,
            asked=written,
            winds=_winds,
            drawn=bool(listed),
        )

    @app.get("/player/<number>")
    def player(number: str) -> str | tuple[str, int]:
        scope = policy.results(viewer())
        card = scope.players.card(number)
        if card is None:
            return render_template("missing.html", sentence=words()("refusal.unknown-player", name=number)), 404
        return _card_page(scope, card, words())


def _card_page(scope: ViewerScope, card: PlayerCard, words: Words) -> str:
    best, worst = _ends(card)
    return render_template(
        "player.html",
        card=card,
        coming=_coming(scope, card),
        rows=[_row(played, words) for played in card.hands],
        chart=_chart(card),
        best=best,
        worst=worst,
        total="" if card.total is None else exact(card.total, plus=True),
        winds=_winds,
        hand_name=words.hand,
        signed=signed,
    )


def _winds(place: int) -> str:
    """The wind that a place holds in the first hand of a session."""
    return WIND_CHARACTERS[SEATS[place]]


def _session(scope: ViewerScope, asked: str) -> int:
    """The session that was asked for; otherwise the one in play, or the next one that is drawn."""
    if asked.isascii() and asked.isdigit() and len(asked) < 4:
        return int(asked)
    event = scope.event
    if event.stage is EventStage.PLAYING or event.next_session not in event.seatings:
        return max(len(event.sessions), 1)
    return event.next_session


def _coming(scope: ViewerScope, card: PlayerCard) -> tuple[int, SeatOfPlayer] | None:
    """The player's seat in the session that is played or comes next."""
    session = _session(scope, "")
    return next(((number, seat) for number, seat in card.seats if number == session), None)


def _row(played: HandOfPlayer, words: Words) -> HandRow:
    score = "–" if played.score is None else signed(played.score)
    points = "" if played.points is None else exact(played.points, plus=True)
    return HandRow(played, words.hand(played.hand), WIND_CHARACTERS[played.seat], score, points)


def _gains(card: PlayerCard) -> list[tuple[HandOfPlayer, Fraction]]:
    """What each hand brought: the points, or in a team event the score."""
    gains = [(hand, hand.points if hand.points is not None else hand.score) for hand in card.hands]
    return [(hand, Fraction(gain)) for hand, gain in gains if gain is not None]


def _ends(card: PlayerCard) -> tuple[HandOfPlayer | None, HandOfPlayer | None]:
    """The best and the worst hand; None where there are fewer than two."""
    gains = sorted(_gains(card), key=lambda each: each[1])
    return (gains[-1][0], gains[0][0]) if len(gains) > 1 else (None, None)


def _chart(card: PlayerCard) -> SwingChart | None:
    gains = [(hand.n, gain) for hand, gain in _gains(card)]
    if not gains:
        return None
    return swing_chart(gains, max([*(abs(gain) for _, gain in gains), LEAST_SWING]), len(gains))
