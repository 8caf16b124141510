"""The pieces of the referee's form that follow the table live: the choices of the moment, and the rulings that were given.

The form's own element stays as it is while its choices follow the table: a page that changes under his
finger only does so when there is something else to rule on. The route that takes it is in ``ruling_pages``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard import rulings
from dashboard.fragments import Fragment
from dashboard.rendering import Renderer
from dashboard.rulings import Asked, Choice, Offer
from dashboard.view import TableView
from dashboard.words import WIND_CHARACTERS, Words, hand_name
from twinwall.art.names import LANGUAGES
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


def pieces(render: Renderer, view: TableView, words: Words) -> Iterator[Fragment]:
    """The choices that there are now, and the rulings that were given."""
    now = rulings.situation(view)
    lines = () if now is None else tuple(_line(offer, words) for offer in now.offers)
    hand = None if now is None else hand_name(now.number)
    names = {} if view.hand is None else view.hand.names
    html = render("ruling.html", words, now=now, hand=hand, lines=lines, names=names, winds=WIND_CHARACTERS, seats=SEATS)
    yield Fragment("ruling", html, version=("ruling", now))
    yield Fragment("rulings", render("rulings.html", words, given=[_given(event, words) for event in reversed(view.rulings)]))


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
