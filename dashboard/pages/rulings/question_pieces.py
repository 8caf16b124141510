"""Renders the page on which a referee says which tile a table cannot read: pictures from before and after, and the kinds to choose from.

The choice stays on the page while newer pictures arrive, so that nothing changes under a finger.
"""

from collections.abc import Iterator

from dashboard.access.viewer_scope import TableScope
from dashboard.i18n.words import Words
from dashboard.pages.common_pieces import common
from dashboard.pages.rendering import Fragment, Renderer
from dashboard.pages.table.troubles import place_name
from dashboard.projections.table_view import fault_asked_about

LARGE = 2
"""This many of the likeliest kinds have large buttons."""


def pieces(render: Renderer, scope: TableScope, words: Words) -> Iterator[Fragment]:
    """The pictures and the choice; a sentence where nothing is asked."""
    yield from common(render, scope, words)
    view, asked = scope.play().view, scope.question
    fault = None if asked is None else fault_asked_about(view, asked)
    discarded = asked is not None and asked.area == "river"
    seat = None if view.hand is None or view.hand.play is None or not discarded else view.hand.play.turn
    where = None if fault is None else place_name(fault, words)
    yield render.part("pictures", words, lambda: render("rulings/question_pictures.html", words, asked=asked, seat=seat, where=where))
    version = ("question", None if asked is None else (asked.n, asked.number, asked.where))
    yield render.part("kinds", words, lambda: render("rulings/question_kinds.html", words, asked=asked, large=LARGE), version=version)
