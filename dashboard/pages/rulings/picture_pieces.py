"""Renders what a referee judges by pictures: violations that await a ruling, a table's own calls, and the tile that it cannot read.

A violation has what happened and the broken rule, and a false win the tiles of the shown hand. There is no picture of what a gate, a key, a
sensor or a clock reported, and none of hands. The choice of a tile stays on the page while newer pictures arrive, so that nothing changes
under a finger.
"""

from collections.abc import Iterator

from markupsafe import Markup

from dashboard.access.viewer_scope import TableScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.table.board_picture import tiles_of
from dashboard.pages.table.log_rows import log_row
from dashboard.pages.table.presentation import table_call
from dashboard.pages.table.troubles import place_name
from dashboard.projections.table_view import SHOWN_CALLS, fault_asked_about


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
    """The violations of the hand at the table that await a ruling, each with the shown hand that does not win, or None.

    The pictures are of the last violation of a seat and a kind.
    """
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
