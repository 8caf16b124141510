"""Renders the seat check of a table for any page of directors and referees."""

from markupsafe import Markup

from dashboard.access.seats_shown import SeatsShown, Sitting
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.rendering import Fragment, Renderer


def seat_check(render: Renderer, scope: ViewerScope, table: str) -> Fragment:
    """The four seats of a table during the check, until the hand starts; otherwise an empty section."""

    def piece() -> Markup:
        found = scope.seat_check(table)
        check = found if found is not None and found.open else None
        return render("table/seat_check.html", check=check, right=0 if check is None else _right(check))

    return render.part("seat-check", piece)


def seats_awaited(scope: ViewerScope, table: str, words: Words) -> str | None:
    """The number of right players at a waiting table, in one line; None if it waits for no player."""
    check = scope.seat_check(table)
    if check is None or check.confirmed or not check.open:
        return None
    return f"{words('sit.check')}: {words('sit.waits', count=_right(check))}"


def _right(check: SeatsShown) -> int:
    return sum(seat.sitting is Sitting.RIGHT for seat in check.seats)
