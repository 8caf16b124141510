"""Renders the parts of the referee's form that follow the table live: the choices now, and the rulings given.

The form's element stays while its choices change, so that the page changes under a referee's finger only
when there is something else to rule on. The route that takes the form is in ``ruling_routes``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from dashboard.access.viewer_scope import TableScope
from dashboard.actions.rulings import RulingChoice, RulingForm, RulingOffer, RulingSituation, past_situation, price, situation, texts_in_all
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.pages.common_pieces import common
from dashboard.pages.fragments import Fragment
from dashboard.pages.rendering import Renderer
from dashboard.projections.table_view import TableView
from twinwall.event.hands import HandSummary
from twinwall.event.result_rulings import revoked_among, rulings_of, verdict
from twinwall.game.documents import write_time
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.hand_events import RulingRefused
from twinwall.wire.messages.ruling import Ruling


@dataclass(frozen=True, slots=True)
class RulingAnnouncement:
    """What the table will read when this is ruled about ``seat`` (None: about whomever), by language."""

    seat: Seat | None
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RulingOption:
    """One choice of the form; ``amounts`` says which numbers it asks for besides: ``penalty``, ``scores``, ``other`` or nothing."""

    value: str
    label: str
    amounts: str
    readings: tuple[RulingAnnouncement, ...]


@dataclass(frozen=True, slots=True)
class RulingRow:
    """A ruling at this table, or its refusal of one, as the history tells it."""

    at: str
    by: str
    text: str
    refused: bool
    revoked: bool = False
    """Whether a later one revokes it."""


def pieces(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """The choices that there are now, the rulings that were given, and the way to hands that are over."""
    view = scope.play().view
    now = situation(view)
    here = view.deal_at_table
    names = view.hand.names if view.hand is not None and view.hand.n == here else {}
    yield render.part("ruling", words, lambda: choices(render, now, names, words), version=("ruling", now))

    def rulings() -> Markup:
        given = [*_given(view, words)]
        closed = [hand for hand in scope.closed_hands() if hand.n != here]
        earlier = [(session, list(hands)) for session, hands in groupby(closed, lambda hand: scope.session_of(hand.n))]
        return render("rulings/rulings.html", words, given=given, earlier=earlier, table=view.table)

    yield render.part("rulings", words, rulings)


def earlier_hand(render: Renderer, scope: TableScope, words: Words, *, n: int) -> Iterator[Fragment]:
    """A hand that is over: what it counts for, the choices that are left, and the rulings on it."""
    yield from common(render, scope, words)
    hand = scope.earlier_hand(n)
    if hand is None:
        return
    values = {"hand": hand, "name": words.hand(hand.hand), **_shared()}
    yield render.part("counted", words, lambda: render("rulings/counted.html", words, counted=verdict(hand), **values))
    now = past_situation(hand)
    yield render.part("ruling", words, lambda: choices(render, now, hand.names, words), version=("ruling", now))
    rulings = {"earlier": (), "table": hand.table}
    yield render.part("rulings", words, lambda: render("rulings/rulings.html", words, given=given_on(hand, words)[::-1], **rulings))


def _shared() -> dict[str, object]:
    return {"winds": WIND_CHARACTERS, "signed": signed}


def choices(render: Renderer, now: RulingSituation | None, names: Mapping[Seat, str], words: Words) -> Markup:
    """The choices of the form; ``names`` are the players by seat."""
    lines = () if now is None else tuple(_line(offer, words) for offer in now.offers)
    hand = None if now is None else words.hand(now.number)
    return render("rulings/ruling.html", words, now=now, hand=hand, lines=lines, names=names, winds=WIND_CHARACTERS, seats=SEATS)


def given_on(hand: HandSummary, words: Words) -> tuple[RulingRow, ...]:
    """The rulings on a hand, in order."""
    given = rulings_of(hand)
    revoked = revoked_among(given)
    return tuple(
        RulingRow(write_time(each.at), each.ruling.by, words.announced(each.ruling.texts), False, each.ruling.identity in revoked)
        for each in given
    )


def _line(offer: RulingOffer, words: Words) -> RulingOption:
    entry = offer.entry
    scores = None if entry is None else entry.payments
    asked = [RulingForm(offer, seat, "", imp=offer.imp, points=offer.points, scores=scores) for seat in SEATS]
    seat = "" if entry is None else words.seat(entry.seat)
    label = words(f"rule.label.{offer.choice}", price=price(asked[0], words), seat=seat)
    if offer.revoked is not None:
        asked = [RulingForm(offer, Seat.EAST, "")]
    match offer.choice:
        case RulingChoice.PENALTY:
            return RulingOption(offer.value, label, "penalty", ())
        case RulingChoice.ADJUSTED:
            return RulingOption(offer.value, label, "scores", ())
        case RulingChoice.EXCHANGED:
            return RulingOption(offer.value, label, "other", ())
        case RulingChoice.WARNING | RulingChoice.DEAD_HAND | RulingChoice.FALSE_WIN:
            return RulingOption(offer.value, label, "", tuple(RulingAnnouncement(each.seat, texts_in_all(each)) for each in asked))
        case _:
            return RulingOption(offer.value, label, "", (RulingAnnouncement(None, texts_in_all(asked[0])),))


def _given(view: TableView, words: Words) -> Iterator[RulingRow]:
    revoked = {event.body.revokes for event in view.rulings if isinstance(event.body, Ruling)}
    for event in reversed(view.rulings):
        match event.body:
            case Ruling(identity, by=by, texts=texts):
                yield RulingRow(write_time(event.at), by, words.announced(texts), refused=False, revoked=identity in revoked)
            case RulingRefused(sentence=sentence):
                yield RulingRow(write_time(event.at), "", words("log.ruling-refused", sentence=sentence), refused=True)
