"""What a player's card shows: the hands played, what each brought, and the best and the worst of them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from dashboard.access.shown_players import HandOfPlayer, PlayerCard, ShownPlayers
from dashboard.i18n.exact_numbers import exact
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.pages.deals.charts import swing_chart
from twinwall.game.tiles import SEATS

LEAST_SWING = Fraction(8)


def card_values(players: ShownPlayers, card: PlayerCard, words: Words) -> dict[str, object]:
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
    """The wind that a place holds in the first hand of a session."""
    return words.wind(SEATS[place])


def _row(played: HandOfPlayer, words: Words) -> dict[str, object]:
    """A hand as the card lists it, with what it brought: the points or, in a team event, where a player has none, the score."""
    score = "–" if played.score is None else signed(played.score)
    points = "" if played.points is None else exact(played.points, plus=True)
    wind = WIND_CHARACTERS[played.seat]
    return {"played": played, "hand": words.hand(played.hand), "wind": wind, "score": score, "points": points, "gain": points or score}


def _gains(card: PlayerCard) -> list[tuple[HandOfPlayer, Fraction]]:
    """What each hand brought: the points, or in a team event the score."""
    gains = [(hand, hand.score if card.team else hand.points) for hand in card.hands]
    return [(hand, Fraction(gain)) for hand, gain in gains if gain is not None]


def _ends(card: PlayerCard, words: Words) -> tuple[dict[str, object] | None, dict[str, object] | None]:
    """The best and the worst hand; None where there are fewer than two."""
    gains = sorted(_gains(card), key=lambda each: each[1])
    return (_row(gains[-1][0], words), _row(gains[0][0], words)) if len(gains) > 1 else (None, None)


def _chart(card: PlayerCard) -> dict[str, object] | None:
    gains = [gain for _, gain in _gains(card)]
    return swing_chart(gains, max(map(abs, [*gains, LEAST_SWING])), len(gains)) if gains else None
