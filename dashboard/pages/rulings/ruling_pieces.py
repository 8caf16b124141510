"""Renders the live parts of the referee's form: the present choices, and the rulings given. The form's element stays while its choices
change, so that the page changes under a referee's finger only when there is something else to rule on. ``ruling_routes`` has the form's
route. There is no picture of what a gate, a key, a sensor or a clock reported, and none of hands."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby

from markupsafe import Markup

from dashboard.access.viewer_scope import TableScope
from dashboard.actions.rulings import RulingChoice, RulingForm, RulingOffer, RulingSituation, past_situation, price, situation, texts_in_all
from dashboard.i18n.words import Values, Words
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.table.board_picture import tiles_of
from dashboard.pages.table.log_rows import log_row
from dashboard.pages.table.presentation import place_name, table_call
from dashboard.projections.table_view import SHOWN_CALLS, TableView, fault_asked_about
from twinwall.event.hands import HandSummary
from twinwall.event.results import result_after_rulings, revoked_among, rulings_of
from twinwall.game.documents import write_time
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.hand_events import RulingRefused
from twinwall.wire.messages.ruling import Ruling


def pieces(render: Renderer, scope: TableScope, words: Words) -> Fragments:
    """The present choices, the rulings given, and links to finished hands."""
    view = scope.play().view
    now = situation(view)
    here = view.deal_at_table
    names = view.hand.names if view.hand is not None and view.hand.n == here else {} if now is None else scope.seated(now.number)
    yield render.part("ruling", lambda: choices(render, now, names, words), version=("ruling", now, tuple(names.items())))

    def rulings() -> Markup:
        given = [*_given(view, words)]
        closed = [hand for hand in scope.closed_hands() if hand.n != here]
        earlier = [(session, list(hands)) for session, hands in groupby(closed, lambda hand: scope.session_of(hand.n))]
        return render("rulings/rulings.html", given=given, earlier=earlier, table=view.table)

    yield render.part("rulings", rulings)


def earlier_hand(render: Renderer, scope: TableScope, words: Words, *, n: int) -> Fragments:
    """A finished hand: what it counts for, the remaining choices, and its rulings."""
    hand = scope.earlier_hand(n)
    if hand is None:
        return
    name = words.hand(hand.hand)
    yield render.part("counted", lambda: render("rulings/counted.html", counted=result_after_rulings(hand), hand=hand, name=name))
    now = past_situation(hand)
    yield render.part("ruling", lambda: choices(render, now, hand.names, words), version=("ruling", now))
    rulings = {"earlier": (), "table": hand.table}
    yield render.part("rulings", lambda: render("rulings/rulings.html", given=given_on(hand, words)[::-1], **rulings))


def choices(render: Renderer, now: RulingSituation | None, names: Mapping[Seat, str], words: Words) -> Markup:
    """The choices of the form; ``names`` are the players by seat."""
    lines = () if now is None else tuple(_line(offer, words) for offer in now.offers)
    hand = None if now is None else words.hand(now.number)
    return render("rulings/ruling.html", now=now, hand=hand, lines=lines, names=names)


def given_on(hand: HandSummary, words: Words) -> list[Values]:
    """The rulings on a hand, in order; ``revoked`` if a later one revokes it."""
    given = rulings_of(hand)
    revoked = revoked_among(given)
    return [_ruling_row(each.at, each.ruling, each.ruling.identity in revoked, words) for each in given]


def _ruling_row(at: datetime, ruling: Ruling, revoked: bool, words: Words) -> Values:
    return {"at": write_time(at), "by": ruling.by, "text": words.announced(ruling.texts), "revoked": revoked, "refused": False}


def _line(offer: RulingOffer, words: Words) -> Values:
    """One choice of the form: the numbers that it asks for, and the table's text for a ruling about a seat (None: any), by language."""
    entry = offer.entry
    scores = None if entry is None else entry.payments
    asked = [RulingForm(offer, seat, "", imp=offer.imp, points=offer.points, scores=scores) for seat in SEATS]
    seat = "" if entry is None else words.seat(entry.seat)
    label = words(f"rule.label.{offer.choice}", price=price(asked[0], words), seat=seat)
    line = {"value": offer.value, "label": label, "amounts": "", "readings": ()}
    amounts = {RulingChoice.PENALTY: "penalty", RulingChoice.ADJUSTED: "scores", RulingChoice.EXCHANGED: "other"}.get(offer.choice)
    if amounts is not None:
        return {**line, "amounts": amounts}
    if offer.choice in (RulingChoice.WARNING, RulingChoice.DEAD_HAND, RulingChoice.FALSE_WIN):
        return {**line, "readings": [(each.seat, texts_in_all(each)) for each in asked]}
    return {**line, "readings": [(None, texts_in_all(RulingForm(offer, Seat.EAST, "") if offer.revoked is not None else asked[0]))]}


def _given(view: TableView, words: Words) -> Iterator[Values]:
    revoked = {event.body.revokes for event in view.rulings if isinstance(event.body, Ruling)}
    for event in reversed(view.rulings):
        match event.body:
            case Ruling() as ruling:
                yield _ruling_row(event.at, ruling, ruling.identity in revoked, words)
            case RulingRefused(sentence=sentence):
                text = words("log.ruling-refused", sentence=sentence)
                yield {"at": write_time(event.at), "by": "", "text": text, "revoked": False, "refused": True}


def violations(render: Renderer, scope: TableScope, words: Words) -> Fragments:
    """The violations and the table's own calls with their pictures, or a sentence."""

    def violations() -> Markup:
        reported, calls = tuple(_reported_violations(scope, words)), tuple(_own_calls(scope, words))
        return render("rulings/violations.html", violations=reported, calls=calls)

    yield render.part("violations", violations)


def _own_calls(scope: TableScope, words: Words) -> Iterator[tuple[str, bytes | None]]:
    """The table's own calls, in words, with the picture of the place or None."""
    view = scope.play().view
    for about in view.called_by_table:
        if about in SHOWN_CALLS:
            shown = scope.picture_of_call(view.deal_at_table or 0, about)
            yield words("alarm.called.by-table", about=table_call(about, words)), None if shown is None else shown.picture


def _reported_violations(scope: TableScope, words: Words) -> Iterator[Values]:
    """The violations of the hand at the table that await a ruling, each with the shown hand that does not win, or None. The pictures are of
    the last violation of a seat and a kind."""
    view = scope.play().view
    n = view.deal_at_table or 0
    violations = [((violation.seat.value, violation.what), event) for violation, event in zip(view.violated, view.violations, strict=True)]
    last = dict(violations)
    for of, event in violations:
        pictures = scope.pictures_of_violation(n, *of) if last[of] is event else None
        hand = next((each for each in view.refused_hands if each.violation == event), None)
        shown, melds = (None, ()) if hand is None else (hand.shown, tiles_of(hand.melds))
        yield {"reported": log_row(event, words), "pictures": pictures, "shown": shown, "melds": melds}


LARGE = 2
"""Number of likeliest kinds with large buttons."""


def which_tile(render: Renderer, scope: TableScope, words: Words) -> Fragments:
    """The pictures and the choice; a sentence if nothing is asked."""
    view, asked = scope.play().view, scope.question
    fault = None if asked is None else fault_asked_about(view, asked)
    discarded = asked is not None and asked.area == "river"
    seat = None if view.hand is None or view.hand.play is None or not discarded else view.hand.play.turn
    where = None if fault is None else place_name(fault, words)
    yield render.part("pictures", lambda: render("rulings/question_pictures.html", asked=asked, seat=seat, where=where))
    version = ("question", None if asked is None else (asked.n, asked.number, asked.where))
    yield render.part("kinds", lambda: render("rulings/question_kinds.html", asked=asked, large=LARGE), version=version)
