"""The page of the accounts, for directors: who may log in, with which roles; invitations and withdrawals. The staff file carries an order
out, and keeps each change until a signed record of the event has it. So an account can be withdrawn while the event's disk is full, and
changes by ``twinwall hall staff``, which cannot write records, are recorded here."""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import segno
from flask import Flask, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.api_tokens import LONGEST_LABEL, TokenScope, make_token, tokens_of, withdraw_token
from dashboard.access.login import LoginRules, viewer
from dashboard.access.staff_file import INVITATION_HOURS, LONGEST_NAME, OrderRefusedError, StaffFile, StaffOrder
from dashboard.access.staff_schema import Role, StaffFileError
from dashboard.actions.event_changes import Answer
from dashboard.web_app import see_other, site_address
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.names import plain_number

_LOG = logging.getLogger(__name__)
DONE = {"withdraw": "staff.done.withdraw", "end": "staff.done.end"}
"""Messages after an order that gives no link."""
TOKEN_ORDERS = frozenset({"make-token", "withdraw-token"})


def _answer(key: str, about: str = "", *, refused: bool = False, link: str = "", token: str = "", longest: int = LONGEST_NAME) -> Answer:
    """The message at the top of the page. ``about``: the account or label. ``link`` of a new invitation and a new ``token`` are shown
    once. ``longest``: most characters of the entered text."""
    return Answer(key, {"about": about, "name": f"\u2068{about}\u2069", "link": link, "token": token, "longest": longest}, refused=refused)


_WRITING = threading.Lock()


def _write_records(policy: AccessPolicy, staff: StaffFile) -> bool:
    """Write the staff file's changes into the event's signed records, each once, in order; False if something has to wait."""
    with _WRITING:
        try:
            for change in staff.unrecorded():
                policy.note(change)
                staff.recorded(change)
        except (StoreError, StaffFileError) as error:
            _LOG.error("a change of an account is not in the event's records yet: %s", error)
            return False
    return True


def add_staff(app: Flask, policy: AccessPolicy, rules: LoginRules, event: str) -> None:
    """Add the page of the accounts and of the tokens of an event."""
    write = partial(_write_records, policy, rules.staff)
    write()

    def link(token: str) -> str:
        return site_address() + url_for("invitation", token=token)

    @app.get("/staff")
    def staff() -> str:
        return _page(rules, write, event, _answer(""))

    @app.post("/staff")
    def change_staff() -> ResponseReturnValue:
        orders_token = request.form.get("do") in TOKEN_ORDERS
        answer = _carry_out_token(rules, event) if orders_token else _carry_out(rules, link)
        if answer.key == DONE["withdraw"] and answer.values["about"] == viewer().name:
            write()
            return see_other("login")
        return _page(rules, write, event, answer), 409 if answer.refused else 200


def _page(rules: LoginRules, write: Callable[[], bool], event: str, answer: Answer) -> str:
    """The page after an order; missing records are written first."""
    return render_template(
        "people/staff.html",
        written=write(),
        entries=rules.staff.entries(rules.now_s()),
        answer=answer,
        picture=segno.make(link, error="m").svg_data_uri(scale=4, border=3, light="#fff") if (link := str(answer.values["link"])) else "",
        name=request.form.get("name", "") if answer.refused else "",
        tokens=tokens_of(rules.staff, event),
        label=request.form.get("label", "") if answer.refused else "",
        scopes=[scope.value for scope in TokenScope],
        longest_label=LONGEST_LABEL,
        roles=[role.value for role in Role],
        time=_time,
        hours=INVITATION_HOURS,
        longest=LONGEST_NAME,
    )


def _carry_out(rules: LoginRules, link: Callable[[str], str]) -> Answer:
    form = request.form
    name, what, seen = form.get("name", ""), form.get("do", ""), plain_number(form.get("seen"))
    if seen is None or what not in ("invite", *DONE):
        abort(400)
    order = StaffOrder(rules.now_s(), viewer().name, seen)
    try:
        match what:
            case "invite":
                roles = {role for role in Role if role.value in form.getlist("role")}
                token = rules.staff.invite(name, roles, order.at + 3600 * INVITATION_HOURS, order)
                return _answer("staff.done.invite", name, link=link(token))
            case "withdraw":
                rules.staff.revoke(name, order)
            case _:
                rules.staff.end_sessions(name, order)
    except OrderRefusedError as refused:
        return _answer(f"staff.problem.{refused.why}", name, refused=True)
    return _answer(DONE[what], name)


def _carry_out_token(rules: LoginRules, event: str) -> Answer:
    """Make or withdraw a token of the API; a refusal has changed nothing."""
    form = request.form
    order = StaffOrder(rules.now_s(), viewer().name)
    if form.get("do") == "withdraw-token":
        number = plain_number(form.get("number"))
        label = None if number is None else withdraw_token(rules.staff, event, number, order)
        return _answer("staff.token.gone", refused=True) if label is None else _answer("staff.token.withdrawn", label)
    scope, label = next((each for each in TokenScope if each.value == form.get("scope")), None), form.get("label", "")
    if scope is None:
        return _answer("staff.problem.scope", label, refused=True)
    try:
        return _answer("staff.token.made", label, token=make_token(rules.staff, event, label, scope, order))
    except OrderRefusedError as refused:
        return _answer(f"staff.problem.{refused.why}", label, refused=True, longest=LONGEST_LABEL)


def _time(second: int) -> str:
    """A time of the staff file by this machine's clock, to the minute."""
    return datetime.fromtimestamp(second, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
