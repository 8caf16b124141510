"""Renders the seat check of a table for director and referee, to be put into any of their pages."""

from markupsafe import Markup

from dashboard.access.seats_shown import SeatsShown, Sitting
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.rendering import Fragment, Renderer


def seat_check(render: Renderer, scope: ViewerScope, table: str) -> Fragment:
    """The four seats of a table while they are checked, up to the start of the hand; an empty section at other times."""

    def piece() -> Markup:
        found = scope.seat_check(table)
        check = found if found is not None and found.open else None
        return render("table/seat_check.html", check=check, right=0 if check is None else _right(check))

    return render.part("seat-check", piece)


def seats_awaited(scope: ViewerScope, table: str, words: Words) -> str | None:
    """How many sit right at a table that waits for its players, in one line; None where it waits for no player."""
    check = scope.seat_check(table)
    if check is None or check.confirmed or not check.open:
        return None
    return f"{words('sit.check')}: {words('sit.waits', count=_right(check))}"


def _right(check: SeatsShown) -> int:
    return sum(seat.sitting is Sitting.RIGHT for seat in check.seats)
