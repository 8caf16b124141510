"""Renders the violations that await a ruling: what happened, which rule it breaks, and the place where a camera saw it; and what
the table itself calls about, with the place.

A false win has the tiles of the hand that was shown. Not all violations have a picture: what a gate, a key, a sensor or a clock reported
has none, nor has what lies where hands stand.
"""

from collections.abc import Iterator

from markupsafe import Markup

from dashboard.access.viewer_scope import TableScope
from dashboard.i18n.words import Words
from dashboard.pages.common_pieces import common
from dashboard.pages.rendering import Fragment, Renderer
from dashboard.pages.table.board_picture import tiles_of
from dashboard.pages.table.presentation import log_row, table_call
from dashboard.projections.table_view import SHOWN_CALLS


def pieces(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """The violations and the table's own calls with their pictures; a sentence where there are none."""
    yield from common(render, scope, words)

    def violations() -> Markup:
        reported, calls = tuple(_reported_violations(scope, words)), tuple(_own_calls(scope, words))
        return render("rulings/violations.html", words, violations=reported, calls=calls)

    yield render.part("violations", words, violations)


def _own_calls(scope: TableScope, words: Words) -> Iterator[tuple[str, bytes | None]]:
    """What the table itself calls about, in words, and the picture of the place; None where the table has sent none."""
    view = scope.play().view
    for about in view.called_by_table:
        if about in SHOWN_CALLS:
            shown = scope.picture_of_call(view.deal_at_table or 0, about)
            yield words("alarm.called.by-table", about=table_call(about, words)), None if shown is None else shown.picture


def _reported_violations(scope: TableScope, words: Words) -> Iterator[dict[str, object]]:
    """The violations of the hand at the table that await a ruling, each with the shown hand that does not win; None where there is none.

    The pictures are of the last one of a seat and a kind.
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
