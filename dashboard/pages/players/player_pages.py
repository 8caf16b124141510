"""The pages of players: a session's seats, and each player's card with hands, gains, and the best and the worst. Both are public."""

from fractions import Fraction
from functools import partial

from flask import Flask, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import missing, reader_words, viewer
from dashboard.access.shown_names import HandOfPlayer, PlayerCard, SeatOfPlayer, ShownPlayers
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Values, Words, exact, signed
from dashboard.pages.deals.charts import swing_chart
from twinwall.game.tiles import SEATS
from twinwall.wire.names import name_key, plain_number

LEAST_SWING = Fraction(8)


def card_values(players: ShownPlayers, card: PlayerCard, words: Words) -> Values:
    """The values of the piece ``players/card.html``."""
    best, worst = _ends(card, words)
    return {
        "card": card,
        "met": players.met(card.number),
        "rows": [_row(played, words) for played in card.hands],
        "chart": _chart(card),
        "best": best,
        "worst": worst,
        "total": "" if card.total is None else exact(card.total, plus=True),
        "winds": partial(first_wind, words),
    }


def first_wind(words: Words, place: int) -> str:
    """The wind of a place in the first hand of a session."""
    return words.wind(SEATS[place])


def _row(played: HandOfPlayer, words: Words) -> Values:
    """A hand in the card's list with its gain: the points or, if a team's player has none, the score."""
    score = "–" if played.score is None else signed(played.score)
    points = "" if played.points is None else exact(played.points, plus=True)
    wind = WIND_CHARACTERS[played.seat]
    return {"played": played, "hand": words.hand(played.hand), "wind": wind, "score": score, "points": points, "gain": points or score}


def _gains(card: PlayerCard) -> list[tuple[HandOfPlayer, Fraction]]:
    """Each hand's gain: the points, or in a team event the score."""
    gains = [(hand, hand.score if card.team else hand.points) for hand in card.hands]
    return [(hand, Fraction(gain)) for hand, gain in gains if gain is not None]


def _ends(card: PlayerCard, words: Words) -> tuple[Values | None, Values | None]:
    gains = sorted(_gains(card), key=lambda each: each[1])
    return (_row(gains[-1][0], words), _row(gains[0][0], words)) if len(gains) > 1 else (None, None)


def _chart(card: PlayerCard) -> Values | None:
    gains = [gain for _, gain in _gains(card)]
    return swing_chart(gains, max(map(abs, [*gains, LEAST_SWING])), len(gains)) if gains else None


def add_players(app: Flask, policy: AccessPolicy) -> None:

    @app.get("/seats")
    def seats() -> str:
        scope = policy.results(viewer())
        session = _session(scope, request.args.get("session", ""))
        asked = name_key(request.args.get("name", ""))
        listed, written = scope.players.seats(session), request.args.get("name", "")
        found = [seat for seat in listed if not asked or any(asked in name_key(text) for text in (seat.name, seat.number, seat.team))]
        return render_template(
            "people/seats.html",
            seats=found,
            session=session,
            sessions=sorted(scope.event.seatings),
            asked=written,
            winds=partial(first_wind, reader_words()),
            drawn=bool(listed),
        )

    @app.get("/player/<number>")
    def player(number: str) -> ResponseReturnValue:
        scope = policy.results(viewer())
        card = scope.players.card(number)
        if card is None:
            return missing("refusal.unknown-player", name=number)
        return render_template("player.html", coming=_coming(scope, card), **card_values(scope.players, card, reader_words()))


def _session(scope: ViewerScope, asked: str) -> int:
    """The requested session; otherwise the one in play, or the next drawn one."""
    if (session := plain_number(asked)) is not None:
        return session
    event = scope.event
    if event.in_play or event.next_session not in event.seatings:
        return max(len(event.sessions), 1)
    return event.next_session


def _coming(scope: ViewerScope, card: PlayerCard) -> SeatOfPlayer | None:
    session = _session(scope, "")
    return next((seat for seat in card.seats if seat.session == session), None)
