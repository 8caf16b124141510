"""The page of a seat, which a player opens by the QR code on the table's card: who sits here, then the player's own table. It needs no
account and no JavaScript. A press becomes a signed command to the table, and the table's events have the result. Everybody is asked who
sits where until the hand starts. Table, score and call for the referee need a browser that has shown the seat's code. Presses per minute
from one address about one table are limited, and handled one at a time: the next one waits for the table's answer, or two seconds, so that
a button pressed twice sends one command."""

import hmac
import re
import threading
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial

from flask import Flask, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue

from dashboard.access.login import missing, reader_words, viewer
from dashboard.access.seat_codes import SeatCode, hold_seat, holds_seat, say_player, stated_player
from dashboard.access.seat_scope import SeatScope, SeatTask, TableAtSeat
from dashboard.access.seats_shown import SeatsShown, Sitting
from dashboard.access.viewer_scope import ViewerScope
from dashboard.actions.rulings import Send, odd_in_words
from dashboard.pages.page_routes import Pages, show_live
from dashboard.pages.people.my_table import as_typed, entered_before, pressed_value, result_command, result_form, scores_typed
from dashboard.web_app import see_other
from twinwall.event.player_names import NUMBER_PATTERN
from twinwall.game.tiles import SEATS
from twinwall.game.typed_scores import odd_scores
from twinwall.web.visitor_limits import network_of
from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.messages.commands import BeginHand, CallReferee, ConfirmScore, EnterResult, SwapSeats, TakeSeat

ANSWERS_A_MINUTE = 20
"""From one address about one table: four players with a few answers each."""
MOST_COUNTED = 4096
TURN_S = 2.0
"""About as long as a page waits for the table's answer."""
TEXT_SIZES = 3
_TEXT = "text"
_ASKED_AGAIN = ("impossible", "below", "own-discard", "incomplete", "sum", "odd")
"""Problems of a typed result: the form is shown again as it was filled in."""
_NOTICES = frozenset({"sent", "offline", "invalid", "too-many", "begun", "moved", "no-code", "impossible", "incomplete"})


class SeatPages:
    """What the seats' pages need, and the number of recent answers by address and table."""

    def __init__(self, pages: Pages, send: Send, event: str, code: SeatCode, monotonic_s: Callable[[], float]) -> None:
        """``code`` makes the code of a table's place at the event."""
        self.pages, self.send, self.event, self.code = pages, send, event, code
        self.policy = pages.policy
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._answered: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self.last_named: dict[tuple[str, int, int], str] = {}
        """By table, session and place: the player last named by a browser that has shown the code there."""

    def allow(self, address: str, table: str) -> bool:
        """Whether one more is allowed; counts it if so."""
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

    def in_turn(self, table: str, send: Callable[[], str]) -> str:
        """What ``send`` says, which looks at a table and sends it something; a word for the page if this address has sent too many. No
        request waits longer than for one answer, so that endless presses about a table do not block its players."""
        if not self.allow(request.remote_addr or "", table):
            return "too-many"
        with self._lock:
            turn = self._turns[table]
        held = turn.acquire(timeout=TURN_S)
        try:
            return send()
        finally:
            if held:
                turn.release()


def add_seats(app: Flask, pages: SeatPages) -> None:

    @app.get("/seat/<path:table>/<int(max=3):place>")
    def seat(table: str, place: int) -> ResponseReturnValue:
        scope = pages.policy.scope(viewer())
        if scope.table(table) is None:
            return missing("error.table", name=table)
        if hmac.compare_digest(request.args.get("code", "").encode(), pages.code(table, place).encode()):
            hold_seat(pages.event, table, place)
            return redirect(url_for("seat", table=table, place=place))
        if (changed := _changed_chair(pages, scope.seat_check(table), place)) is not None:
            hold_seat(pages.event, table, changed)
            return redirect(url_for("seat", table=table, place=changed, said=request.args.get("said")))
        return _page(pages, scope, table, place)

    @app.post("/seat/<path:table>/<int(max=3):place>")
    def answer_seat(table: str, place: int) -> ResponseReturnValue:
        asked = bool({"begin", "result", "enter", "confirm", "call"} & set(request.form))
        notice = _press(pages, table, place) if asked else _answer(pages, pages.policy.scope(viewer()), table, place)
        if notice in _ASKED_AGAIN and holds_seat(pages.event, table, place):
            return _result_page(pages, table, place, notice) or see_other("seat", table=table, place=place, said="moved")
        return see_other("seat", table=table, place=place, said=notice or None)

    @app.get("/seat/<path:table>/<int(max=3):place>/events")
    def seat_events(table: str, place: int) -> ResponseReturnValue:
        page = pages.pages.seat(table, place) if holds_seat(pages.event, table, place) else None
        if page is None:
            return "no such page", 404
        return pages.pages.stream(page)


def _page(pages: SeatPages, scope: ViewerScope, table: str, place: int) -> str:
    """The seat check while it is open; then, for a browser that has shown the seat's code, the table."""
    holds, check = holds_seat(pages.event, table, place), scope.seat_check(table)
    notice = request.args.get("said", "")
    common = {"table": table, "place": place, "said": notice if notice in _NOTICES else "", "size": _text_size(), "sizes": TEXT_SIZES}
    again = request.args.get("again") == "1"
    asked = check is not None and check.open and (again or check.seats[place].sitting is not Sitting.RIGHT)
    live = pages.pages.seat(table, place) if holds and not asked else None
    if live is not None:
        if request.args.get("call") == "1":
            return render_template("people/seat_call.html", subjects=tuple(CallSubject), **common)
        if request.args.get("result") == "1" and (form := _result_page(pages, table, place, "")) is not None:
            return form
        return show_live(live, url_for("seat_events", table=table, place=place), **common)
    silent = check is None or check.silent or not scope.connected
    page = url_for("seat", table=table, place=place, again=1 if again else None)
    values = {"check": check, "silent": silent, "again": again, "holds": holds, "page": page}
    return render_template("people/seat.html", **values, **common)


def _changed_chair(pages: SeatPages, check: SeatsShown | None, place: int) -> int | None:
    """The new place of this browser's person: two have swapped, and each is right where the other's browser showed the code and named its
    person. One browser alone cannot take another person's seat."""
    if check is None or not holds_seat(pages.event, check.table, place):
        return None
    right = {seat.player: seat.here.place for seat in check.seats if seat.sitting is Sitting.RIGHT}
    own = right.get(stated_player(pages.event, check.table), place)
    other = pages.last_named.get((check.table, check.session, own), "")
    return own if own != place and right.get(other) == place else None


def _result_page(pages: SeatPages, table: str, place: int, notice: str) -> str | None:
    """The form for a hand's result at a table without cameras, as it was filled in; None if none is entered now."""
    scope = pages.policy.at_seat(table, place)
    now = None if scope is None else scope.at_seat()
    form = None if now is None else result_form(now)
    if form is None:
        return None
    values = {"table": table, "place": place, "size": _text_size(), "said": notice, "form": form}
    values |= {"typed": request.form, "odd": (), "sure": ""}
    scores = scores_typed(request.form) if notice in ("sum", "odd") else None
    hand = None if now is None else now.hand
    if scores is not None and hand is not None and hand.rules is not None:
        odd = odd_in_words(odd_scores(hand.rules, scores), reader_words())
        values |= {"odd": odd, "sure": as_typed(scores) if notice == "odd" else ""}
    return render_template("people/seat_result.html", **values)


def _text_size() -> int:
    if (asked := request.args.get(_TEXT, "")) in {str(size) for size in range(TEXT_SIZES)}:
        session[_TEXT] = int(asked)
    return int(session.get(_TEXT, 0))


def _press(pages: SeatPages, table: str, place: int) -> str:
    """Send a player's press to the table; return a word for the page, empty if the table has answered, or had already."""
    scope = pages.policy.at_seat(table, place) if holds_seat(pages.event, table, place) else None
    return "no-code" if scope is None else pages.in_turn(table, partial(_sent, pages, scope))


def _sent(pages: SeatPages, scope: SeatScope) -> str:
    now = scope.at_seat()
    if now is None:
        return "no-code"
    if _done_before(now):
        return ""
    command = result_command(now, request.form) if "result" in request.form else _command(now)
    if isinstance(command, str):
        return command
    if command is None:
        return "moved"
    if isinstance(command, EnterResult) and entered_before(now, command):
        return ""
    if not scope.connected or not pages.send(now.table, command):
        return "offline"
    return "" if scope.at_seat_after(now) != now else "sent"


def _done_before(now: TableAtSeat) -> bool:
    """Whether the press has its effect already: it is a second press, or another phone was first."""
    if "call" in request.form:
        return now.called
    if "begin" in request.form:
        return now.task is SeatTask.RESULT and request.form["begin"] == str(now.deal)
    n = request.form.get("confirm", "").partition(" ")[0] or request.form.get("enter", "") or request.form.get("result", "")
    if "result" in request.form:
        return now.hand is not None and n == str(now.hand.n) and now.task is SeatTask.RECORDED
    later = (SeatTask.RECORDED,) if "confirm" in request.form else (SeatTask.RECORDED, SeatTask.ENTERED)
    return now.hand is not None and n == str(now.hand.n) and now.task in later


def _command(now: TableAtSeat) -> ConfirmScore | BeginHand | CallReferee | None:
    """The form's command; None if the table has moved on since the page was shown."""
    about = request.form.get("call", "")
    if about in set(CallSubject):
        return CallReferee(now.place, CallSubject(about)) if now.may_call else None
    if now.task is SeatTask.SHEETS and now.deal is not None and request.form.get("begin") == str(now.deal):
        return BeginHand(now.place, now.deal)
    if now.hand is None:
        return None
    if now.task is SeatTask.ENTER and request.form.get("enter") == str(now.hand.n):
        return ConfirmScore(now.place, now.hand.n)
    if now.task is not SeatTask.CONFIRM or now.hand.proposal is None or request.form.get("confirm") != pressed_value(now):
        return None
    east, south, west, north = (now.hand.proposal.payments[seat] for seat in SEATS)
    return ConfirmScore(now.place, now.hand.n, (east, south, west, north))


def _answer(pages: SeatPages, scope: ViewerScope, table: str, place: int) -> str:
    """Send a player's answer to the table, if it asks; return a word for the page, empty if the table has answered."""
    check = scope.seat_check(table)
    asks = check is not None and check.open
    return pages.in_turn(table, partial(_answered, pages, scope, table, place)) if asks else "begun"


def _answered(pages: SeatPages, scope: ViewerScope, table: str, place: int) -> str:
    """Look at the seat check again and send the answer."""
    check = scope.seat_check(table)
    if check is None or not check.open:
        return "begun"
    player = request.form.get("player", "").strip()
    taken = TakeSeat(place, player) if re.fullmatch(NUMBER_PATTERN, player, re.ASCII) else None
    command = _swap(check, place) if "swap" in request.form else taken
    if command is None:
        return "invalid"
    if not scope.connected or not pages.send(table, command):
        return "offline"
    if isinstance(command, TakeSeat) and holds_seat(pages.event, table, place):
        say_player(pages.event, table, command.player)
        pages.last_named[table, check.session, place] = command.player
    return "" if scope.seat_check_after(table, check) != check else "sent"


def _swap(check: SeatsShown, place: int) -> SwapSeats | None:
    """Moves the player at this place to the own place at the same table; None if that is not wanted any more."""
    here = check.seats[place]
    own = here.belongs
    return SwapSeats((place, own.place)) if here.sitting is Sitting.WRONG and own is not None and own.table == check.table else None
