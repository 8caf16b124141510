"""The page of a seat, which a player opens by the QR code on the table's card: who sits here, and two who swap seats.

Nobody needs an account or JavaScript for it. What players say goes to the table as a signed command; the table's events say what came
of it. Answers are taken until the hand starts, and so many a minute from one address about one table.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from flask import Flask, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import require_token, viewer
from dashboard.access.login_attempts import network_of
from dashboard.access.seats_shown import SeatsShown, Sitting
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.rulings.ruling_routes import Send
from twinwall.event.player_names import NUMBER_PATTERN
from twinwall.wire.messages.commands import SwapSeats, TakeSeat

ANSWERS_A_MINUTE = 20
"""From one address about one table: four players who each answer a few times."""
MOST_COUNTED = 4096
TEXT_SIZES = 3
_TEXT = "text"
_SAID = frozenset({"sent", "offline", "invalid", "too-many", "begun"})


class SeatAnswers:
    """How many answers came of late from each address about each table."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._answered: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def allow(self, address: str, table: str) -> bool:
        """Whether one more is taken; it is counted then."""
        key, now_s = (network_of(address), table), self._monotonic_s()
        with self._lock:
            answered = self._answered.setdefault(key, deque())
            self._answered.move_to_end(key)
            while len(self._answered) > MOST_COUNTED:
                self._answered.popitem(last=False)
            while answered and now_s - answered[0] >= 60.0:
                answered.popleft()
            if len(answered) >= ANSWERS_A_MINUTE:
                return False
            answered.append(now_s)
            return True


@dataclass(frozen=True, slots=True)
class SeatPages:
    """What the pages of the seats need."""

    policy: AccessPolicy
    send: Send
    answers: SeatAnswers
    words: Callable[[], Words]


def add_seats(app: Flask, pages: SeatPages) -> None:
    """Add ``/seat/<table>/<place>``."""

    @app.get("/seat/<path:table>/<int(max=3):place>")
    def seat(table: str, place: int) -> str | tuple[str, int]:
        scope = pages.policy.scope(viewer())
        if scope.table(table) is None:
            return render_template("missing.html", sentence=pages.words()("error.table", name=table)), 404
        if (asked := request.args.get(_TEXT, "")) in {str(size) for size in range(TEXT_SIZES)}:
            session[_TEXT] = int(asked)
        size = int(session.get(_TEXT, 0))
        check, said = scope.seat_check(table), request.args.get("said", "")
        return render_template(
            "seat.html",
            table=table,
            place=place,
            check=check,
            silent=check is None or check.silent or not scope.connected,
            again=request.args.get("again") == "1",
            said=said if said in _SAID else "",
            pattern=NUMBER_PATTERN,
            size=size,
            next_size=(size + 1) % TEXT_SIZES,
        )

    @app.post("/seat/<path:table>/<int(max=3):place>")
    def answer_seat(table: str, place: int) -> AnyResponse:
        require_token()
        said = _answer(pages, pages.policy.scope(viewer()), table, place)
        return redirect(url_for("seat", table=table, place=place, said=said or None), 303)


def _answer(pages: SeatPages, scope: ViewerScope, table: str, place: int) -> str:
    """Send what a player says to the table; a word for the page, empty where the table has answered."""
    check = scope.seat_check(table)
    if check is None or not check.open:
        return "begun"
    if not pages.answers.allow(request.remote_addr or "", table):
        return "too-many"
    command = _swap(check, place) if "swap" in request.form else _taken(request.form.get("player", "").strip(), place)
    if command is None:
        return "invalid"
    if not scope.connected or not pages.send(table, command):
        return "offline"
    return "" if scope.seat_check_after(table, check) != check else "sent"


def _taken(player: str, place: int) -> TakeSeat | None:
    return TakeSeat(place, player) if re.fullmatch(NUMBER_PATTERN, player, re.ASCII) else None


def _swap(check: SeatsShown, place: int) -> SwapSeats | None:
    """The player at this place goes to the own one at the same table; None where that is not wanted any more."""
    here = check.seats[place]
    own = here.belongs
    return SwapSeats((place, own.place)) if here.sitting is Sitting.WRONG and own is not None and own.table == check.table else None
