"""The routes of the API: they identify the token, and answer in JSON or with a problem; no cookies. The modules in ``OPERATIONS`` declare
what each operation does. Answers are stored for a while under their request's key, so that a repeated request has one effect. They are in
the staff file and survive a restart. Requests without effect are not stored: they may be repeated with the same key."""

import hashlib
import hmac
import logging
from collections.abc import Callable
from functools import cache, partial

import msgspec
from flask import Blueprint, Flask, Response, abort, g, request
from werkzeug.exceptions import HTTPException

from dashboard.access.api_tokens import ApiToken, token_sent
from dashboard.access.director_desk import NamesNotKeptError
from dashboard.access.login import API
from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_schema import StaffFileError
from dashboard.api import (
    change_operations,
    deal_operations,
    event_operations,
    result_operations,
    table_operations,
    webhook_operations,
)
from dashboard.api.openapi import PREFIX, openapi_file
from dashboard.api.operations import PROBLEM_TYPE, ApiHall, ApiRequest, Operation, Problem, ProblemError, ProblemKind, not_found
from dashboard.i18n.words import Words, accepted_language
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.names import plain_number

_LOG = logging.getLogger(__name__)
KEPT_S = 2 * 86_400
LONGEST_KEY = 200
WITHOUT_EFFECT = (ProblemError, StoreError, StaffFileError, NamesNotKeptError)
"""Errors by which an operation says that nothing was done."""


Answered = tuple[bytes, int]
"""The answer of a request that had its effect, and the version of the event then."""


def request_digest(secret: bytes, *parts: bytes) -> bytes:
    """A digest that reveals nothing of a request to a reader of the file; ``secret`` is the key of the dashboard's cookies."""
    return hmac.digest(secret, b"".join(hashlib.sha256(part).digest() for part in parts), "sha256")


def _answered_once(
    staff: StaffFile, run: str, now_s: Callable[[], int], *, token: int, key: str, digest: bytes, carry_out: Callable[[], Answered]
) -> tuple[Answered, bool]:
    """Carry a token's request of this content out, or return its earlier answer; then whether it is the earlier one. ``run`` names this run
    of the dashboard. Raises ProblemError for a key of another request, and for one with a request that began but has no answer."""
    with staff.transaction() as execute:
        execute("DELETE FROM api_answers WHERE at < ?", (now_s() - KEPT_S,))
        row = execute("SELECT request, boot, version, answer FROM api_answers WHERE token = ? AND key = ?", (token, key)).fetchone()
        if row is None:
            begun = (token, key, digest, now_s(), run)
            execute("INSERT INTO api_answers (token, key, request, at, boot) VALUES (?, ?, ?, ?, ?)", begun)
    if row is not None:
        return _earlier_answer(row, run, digest), True
    try:
        answer = carry_out()
    except WITHOUT_EFFECT:
        with staff.transaction() as execute:
            execute("DELETE FROM api_answers WHERE token = ? AND key = ?", (token, key))
        raise
    except Exception:  # a defect: whether anything was done is as unknown as after the end of a run
        with staff.transaction() as execute:
            execute("UPDATE api_answers SET boot = '' WHERE token = ? AND key = ?", (token, key))
        raise
    try:
        with staff.transaction() as execute:
            content, version = answer
            execute("UPDATE api_answers SET version = ?, answer = ? WHERE token = ? AND key = ?", (version, content, token, key))
    except StaffFileError as error:
        _LOG.error("the answer of a request with a key is not kept: %s", error)
    return answer, False


def _earlier_answer(row: tuple[bytes, str, int, bytes | None], run: str, digest: bytes) -> Answered:
    stored, boot, version, content = row
    if not hmac.compare_digest(stored, digest):
        raise ProblemError(ProblemKind.KEY_REUSED, "This Idempotency-Key came with another request before: take a new key for this one.")
    if content is not None:
        return content, version
    if boot == run:
        raise ProblemError(ProblemKind.KEY_IN_USE, "The request with this Idempotency-Key is being worked on: send it again in a second.")
    detail = "The server failed or ended in the request with this Idempotency-Key. Read what came of it; then take a new key."
    raise ProblemError(ProblemKind.KEY_IN_USE, detail, reason="interrupted")


MOST_BODY_BYTES = 128 * 1024
"""Enough for an event's file, or a list of 256 entrants."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
EVENT_VERSION = "Event-Version"


@cache
def document() -> bytes:
    return openapi_file(OPERATIONS)


def add_api(app: Flask, hall: ApiHall, staff: StaffFile, event: str, now_s: Callable[[], int], *, secret: bytes, boot: str) -> None:
    """Add every operation, the OpenAPI document, and problems for all other addresses below ``/api``.

    ``staff`` has the tokens of the ``event``; ``secret`` is the key of cookies, ``boot`` the name of this run.
    """
    api = Blueprint(API, __name__, url_prefix=PREFIX)
    named = {f"{API}.{name}" for name in ("nothing", *(operation.name for operation in OPERATIONS))}

    @api.before_request
    def ask_whose_token() -> None:
        if request.endpoint != f"{API}.openapi":
            request.max_content_length = MOST_BODY_BYTES
            token = token_sent(staff, event, now_s())
            if token is None:
                detail = "Send the header Authorization: Bearer with a token of this event that is not withdrawn; "
                detail += "a director makes one at /staff."
                raise ProblemError(ProblemKind.NO_TOKEN, detail)
            g.api_token, g.viewer = token, token.viewer
            if request.endpoint not in named:
                abort(404)

    @api.get("/openapi.json", endpoint="openapi")
    def openapi() -> Response:
        return Response(document(), mimetype="application/json")

    once = partial(_answered_once, staff, boot, now_s)
    for operation in OPERATIONS:
        path = operation.path.replace("{", "<").replace("}", ">")
        api.add_url_rule(path, operation.name, _view(operation, hall, once, secret), methods=[operation.method])

    @api.route("/<path:_path>", endpoint="nothing", methods=METHODS)
    def nothing(_path: str) -> Response:
        raise not_found(f"{PREFIX}/openapi.json lists every address with its methods; {request.method} {request.path} is none.")

    @api.after_request
    def say_version(response: Response) -> Response:
        if "api_token" in g:
            response.headers.setdefault(EVENT_VERSION, str(hall.desk.event.version))
        return response

    _add_problems(api)
    app.register_blueprint(api)


def add_no_event(app: Flask) -> None:
    """Answer every address of the API with a problem, in a hall without an open event."""
    api = Blueprint(API, __name__, url_prefix=PREFIX)

    @api.route("/<path:_path>", endpoint="nothing", methods=METHODS)
    def nothing(_path: str) -> Response:
        detail = "No event is open in this hall: a director begins or opens one on its page, and tokens are of one event."
        raise ProblemError(ProblemKind.UNAVAILABLE, detail, reason="no-event")

    _add_problems(api)
    app.register_blueprint(api)


def _view(operation: Operation, hall: ApiHall, once: Callable[..., tuple[Answered, bool]], secret: bytes) -> Callable[..., Response]:
    def view(**in_path: str) -> Response:
        token: ApiToken = g.api_token
        if token.scope not in operation.scopes:
            may = " or ".join(scope.value for scope in sorted(operation.scopes, key=lambda each: each.value))
            raise ProblemError(ProblemKind.FORBIDDEN, f"The token's scope is {token.scope.value}; {operation.name} takes a token of {may}.")
        words = Words(accepted_language(request.headers.get("Accept-Language", "")))
        asked, content = ApiRequest(hall, token, words, _seen()), request.get_data()

        def carry_out() -> Answered:
            answer = operation.carry_out(asked, {**request.args.to_dict(), **in_path}, content)
            return answer, hall.desk.event.version

        key = None if operation.method == "GET" else _key()
        if key is None:
            (answer, version), again = carry_out(), False
        else:
            digest = request_digest(secret, request.method.encode(), request.full_path.encode(), b"" if operation.secret else content)
            (answer, version), again = once(token=token.number, key=key, digest=digest, carry_out=carry_out)
        response = Response(answer, mimetype=operation.media_type, headers={EVENT_VERSION: str(version)})
        if again:
            response.headers["Idempotency-Replayed"] = "true"
        return response

    return view


def _key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise ProblemError(ProblemKind.INVALID, f"An Idempotency-Key has 1 to {LONGEST_KEY} printable ASCII characters.")
    return key


def _seen() -> int | None:
    text = request.headers.get(EVENT_VERSION)
    if text is None:
        return None
    if (seen := plain_number(text)) is None:
        raise ProblemError(ProblemKind.INVALID, f"The header {EVENT_VERSION} is {text!r}: send the number that an answer had in it.")
    return seen


def _add_problems(api: Blueprint) -> None:
    @api.errorhandler(ProblemError)
    def problem(error: ProblemError) -> Response:
        answer = problem_answer(error.problem)
        if error.kind is ProblemKind.NO_TOKEN:
            answer.headers["WWW-Authenticate"] = 'Bearer realm="twinwall"'
        return answer

    @api.errorhandler(StoreError)
    @api.errorhandler(StaffFileError)
    @api.errorhandler(NamesNotKeptError)
    def not_stored(error: Exception) -> Response:
        _LOG.error("%s", error)
        detail = "The server's disk has refused this, and nothing was changed. Make room there, and ask again."
        return problem_answer(ProblemError(ProblemKind.UNAVAILABLE, detail).problem)

    def http_problem(error: HTTPException) -> Response:
        status, title = error.code or 500, error.name
        if status == ProblemKind.TOO_LONG.status:
            title, detail = ProblemKind.TOO_LONG.title, f"A body has at most {MOST_BODY_BYTES} bytes: send less at a time."
        elif status == ProblemKind.UNAVAILABLE.status:
            title, detail = ProblemKind.UNAVAILABLE.title, "The server is opening an event: ask again in a few seconds."
        else:
            detail = error.description or title
        return problem_answer(Problem("about:blank", title, status, detail))

    for code in (400, 404, 413, 500, 503):  # by code: the pages' handlers of a code go before one of all codes
        api.register_error_handler(code, http_problem)


def problem_answer(problem: Problem) -> Response:
    """The response for a problem."""
    return Response(msgspec.json.encode(problem), problem.status, mimetype=PROBLEM_TYPE)


OPERATIONS: tuple[Operation, ...] = (
    *event_operations.OPERATIONS,
    *change_operations.OPERATIONS,
    *deal_operations.OPERATIONS,
    *table_operations.OPERATIONS,
    *result_operations.OPERATIONS,
    *webhook_operations.OPERATIONS,
)
