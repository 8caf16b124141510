"""The pieces of the referee's form that follow the table live: the choices of the moment, and the rulings that were given.

The form's own element stays as it is while its choices follow the table: a page that changes under his
finger only does so when there is something else to rule on. The route that takes it is in ``ruling_pages``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from dashboard import rulings
from dashboard.fragments import Fragment
from dashboard.rendering import Renderer
from dashboard.rulings import Asked, Choice, Offer, Situation
from dashboard.sight import TableSight
from dashboard.words import WIND_CHARACTERS, Words, hand_name
from twinwall.art.names import LANGUAGES
from twinwall.event.hands import HandSummary
from twinwall.event.rulings import rulings_of
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.form import write_time
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.rulings import texts_of


@dataclass(frozen=True, slots=True)
class Reading:
    """What the table will read when this is ruled about ``seat`` (None: about whomever), by language."""

    seat: Seat | None
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One choice of the form; ``amounts`` says which numbers it asks for besides: ``penalty``, ``scores`` or nothing."""

    value: str
    label: str
    amounts: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A ruling at this table, or its refusal of one, as the history tells it."""

    at: str
    by: str
    text: str
    refused: bool


def pieces(render: Renderer, sight: TableSight, words: Words) -> Iterator[Fragment]:
    """The choices that there are now, the rulings that were given, and the way to hands that are over."""
    view = sight.play().view
    now = rulings.situation(view)
    names = {} if view.hand is None else view.hand.names
    yield Fragment("ruling", choices(render, now, names, words), version=("ruling", now))
    given = [_given(event, words) for event in reversed(view.rulings)]
    earlier = [(hand.n, hand_name(hand.hand)) for hand in sight.closed_hands() if view.hand is None or hand.n != view.hand.n]
    yield Fragment("rulings", render("rulings.html", words, given=given, earlier=earlier, table=view.table))


def choices(render: Renderer, now: Situation | None, names: Mapping[Seat, str], words: Words) -> Markup:
    """The choices of the form; ``names`` are the players by seat."""
    lines = () if now is None else tuple(_line(offer, words) for offer in now.offers)
    hand = None if now is None else hand_name(now.number)
    return render("ruling.html", words, now=now, hand=hand, lines=lines, names=names, winds=WIND_CHARACTERS, seats=SEATS)


def given_on(hand: HandSummary, words: Words) -> tuple[Given, ...]:
    """The rulings on a hand, in order."""
    return tuple(Given(write_time(each.at), each.ruling.by, words.announced(each.ruling.texts), refused=False) for each in rulings_of(hand))


def _line(offer: Offer, words: Words) -> Line:
    asked = [Asked(offer, seat, "", False, offer.imp, offer.points) for seat in SEATS]
    label = words(f"rule.label.{offer.choice}", price=rulings.price(asked[0], words))
    match offer.choice:
        case Choice.PENALTY:
            return Line(offer.value, label, "penalty", ())
        case Choice.ADJUSTED:
            return Line(offer.value, label, "scores", ())
        case Choice.WARNING | Choice.DEAD_HAND | Choice.FALSE_WIN:
            return Line(offer.value, label, "", tuple(Reading(each.seat, _texts(each)) for each in asked))
        case _:
            return Line(offer.value, label, "", (Reading(None, _texts(asked[0])),))


def _texts(asked: Asked) -> tuple[tuple[str, str], ...]:
    return tuple((language, rulings.announced(asked, Words(language))) for language in LANGUAGES)


def _given(event: PublicEvent, words: Words) -> Given:
    at = write_time(event.at)
    if event.type == "ruling-refused":
        return Given(at, "", words("log.ruling-refused", sentence=event.fields["sentence"]), refused=True)
    return Given(at, str(event.fields["by"]), words.announced(texts_of(event.fields["texts"])), refused=False)
