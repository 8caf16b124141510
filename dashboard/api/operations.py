"""Operations of the API: each is a function that declares its address, its types and who may use it; and problems (RFC 9457). Routes
(``api_routes``) and the OpenAPI document (``openapi``) come from the same functions, so they always agree. An operation's first argument is
what every request has (``ApiRequest``), ``body`` is the request's body, and the others are parameters of path and query. A problem says why
a request had no effect and what to do."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from fractions import Fraction
from typing import Literal, TypeVar, get_type_hints

import msgspec
from msgspec import Struct

from dashboard.access.access_policy import AccessPolicy, Viewer
from dashboard.access.api_tokens import ApiToken, TokenScope
from dashboard.access.director_desk import DirectorDesk
from dashboard.access.viewer_scope import ViewerScope
from dashboard.actions.event_changes import Answer
from dashboard.actions.rulings import Send
from dashboard.api.webhooks import Webhooks
from dashboard.assignments import HallTable
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.tile_draw import TileDraw
from dashboard.i18n.words import Words
from dashboard.session_control import SessionControl
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import DocumentError, parse_object
from twinwall.values import FrozenStruct, Shape, frozen
from twinwall.wire.names import composed

Method = Literal["GET", "POST", "DELETE"]
Scopes = frozenset[TokenScope]
EVERYBODY: Scopes = frozenset(TokenScope)
STAFF: Scopes = EVERYBODY - {TokenScope.VIEWER}
DIRECTORS: Scopes = frozenset({TokenScope.DIRECTOR})
REFEREES: Scopes = frozenset({TokenScope.REFEREE})
_Function = TypeVar("_Function", bound=Callable[..., object])


PROBLEM_TYPE = "application/problem+json"


class ProblemKind(Enum):
    """A problem's word, status and title; programs should use the word, which is the same in every language."""

    INVALID = ("invalid", 400, "The request cannot be read")
    NO_TOKEN = ("no-token", 401, "A token is needed")
    FORBIDDEN = ("forbidden", 403, "The token may not do this")
    NOT_FOUND = ("not-found", 404, "There is no such thing")
    CHANGED = ("changed", 409, "The event has changed")
    REFUSED = ("refused", 409, "The event cannot take this")
    KEY_IN_USE = ("key-in-use", 409, "A request with this key was begun")
    TOO_LONG = ("too-long", 413, "The request is too long")
    LIST = ("list", 422, "Lines of the list cannot be entered")
    KEY_REUSED = ("key-reused", 422, "The key belongs to another request")
    NO_VERSION = ("no-version", 428, "The version of the event is missing")
    UNAVAILABLE = ("unavailable", 503, "This cannot be done now")

    def __init__(self, word: str, status: int, title: str) -> None:
        self.word, self.status, self.title = word, status, title


class ChangeMade(FrozenStruct):
    """Who has changed something since, and what, in words."""

    by: str
    change: str


class RefusedLine(FrozenStruct):
    """A line of a list, from 1, that cannot be entered, with the reason."""

    line: int
    reason: str


class Problem(FrozenStruct, omit_defaults=True):
    """Why a request had no effect.

    Attributes:
        type: ``urn:twinwall:problem:`` and the problem's word.
        detail: what happened and what to do, in the language of ``Accept-Language`` if the pages have that sentence.
        reason: the stable word of a refusal, such as ``already-played``.
        event_version: the event's present version, if the program saw another; ``changes`` are those since.
        lines: of a list, those that cannot be entered.
    """

    type: str
    title: str
    status: int
    detail: str
    reason: str = ""
    event_version: int | None = None
    changes: tuple[ChangeMade, ...] = ()
    lines: tuple[RefusedLine, ...] = ()


class ProblemError(Exception):
    """A request without effect, with the reason."""

    def __init__(
        self,
        kind: ProblemKind,
        detail: str,
        *,
        reason: str = "",
        event_version: int | None = None,
        changes: Sequence[ChangeMade] = (),
        lines: Sequence[RefusedLine] = (),
    ) -> None:
        super().__init__(detail)
        name = f"urn:twinwall:problem:{kind.word}"
        self.kind = kind
        self.problem = Problem(name, kind.title, kind.status, detail, reason, event_version, tuple(changes), tuple(lines))


def not_found(detail: str) -> ProblemError:
    """The problem that something does not exist."""
    return ProblemError(ProblemKind.NOT_FOUND, detail)


@frozen
class ApiHall:
    """What operations work on, like the pages.

    - control: informs tables and vaults of a session; None if their settings name it.
    - deals: the hall's vaults; None if none takes orders.
    - joined: the tables that have joined the hall.
    - draw: the tables with cameras that read drawn tiles.
    """

    policy: AccessPolicy
    desk: StoreWriter
    send: Send
    webhooks: Webhooks
    rehearsal: bool = False
    control: SessionControl | None = None
    deals: DealMaking | None = None
    joined: Callable[[], tuple[HallTable, ...]] = tuple
    draw: TileDraw = field(default_factory=TileDraw)


@frozen
class ApiRequest:
    """What every request has: the hall, the token, the language, and the version of the event that its program saw."""

    hall: ApiHall
    token: ApiToken
    words: Words
    seen: int | None = None

    @property
    def viewer(self) -> Viewer:
        return self.token.viewer

    @property
    def version(self) -> int:
        """The version of the event that the program saw; raises a problem with status 428 without it."""
        if self.seen is None:
            detail = "Send the header Event-Version with the number of the last answer that you read, and ask again."
            raise ProblemError(ProblemKind.NO_VERSION, detail)
        return self.seen

    def problem(self, key: str, kind: ProblemKind = ProblemKind.REFUSED) -> ProblemError:
        """The problem of a catalogue's sentence; the reason is the last word of the key."""
        return ProblemError(kind, self.words(key), reason=key.rpartition(".")[2])

    def refused(self, answer: Answer) -> ProblemError:
        """The problem of an action's answer; the reason as in ``problem``."""
        detail = " ".join(filter(None, (self.words(answer.key, **answer.values), answer.sentence)))
        return ProblemError(ProblemKind.REFUSED, detail, reason=answer.key.rpartition(".")[2])

    @property
    def results(self) -> ViewerScope:
        """What the viewer may see of results."""
        return self.hall.policy.results(self.viewer)

    def desk(self) -> DirectorDesk:
        """The event for a director to change."""
        desk = self.hall.policy.director_desk(self.viewer)
        if desk is None:
            raise ProblemError(ProblemKind.FORBIDDEN, "Only a director's token changes the event.")
        return desk


class EmptyBody(Shape):
    """The empty body of a request."""


@frozen
class Operation:
    """An operation as its function declares it.

    Attributes:
        name: the operation's id, the function's name in camel case.
        path: below ``/api/v1``; parameters that it does not name are the query.
        scopes: the tokens that may use it.
        summary: the first paragraph of the function's docstring.
        parameters: a field each.
        answer: its type; bytes are a file of CSV, None is an empty object.
        problems: the kinds that it may answer besides those of every operation.
        takes_version: whether it changes the event and therefore needs ``Event-Version``.
        secret: whether its body has a secret, so that nothing of it is stored.
    """

    name: str
    method: Method
    path: str
    scopes: Scopes
    summary: str
    parameters: type[Struct]
    body: type
    answer: object
    function: Callable[..., object]
    problems: "tuple[ProblemKind, ...]"
    takes_version: bool
    secret: bool

    @property
    def media_type(self) -> str:
        """The media type of an answer."""
        return "text/csv" if self.answer is bytes else "application/json"

    def carry_out(self, asked: ApiRequest, parameters: Mapping[str, str], content: bytes) -> bytes:
        """The body of the answer; raises ProblemError for arguments of wrong types."""
        given = msgspec.structs.asdict(_read_parameters(parameters, self.parameters))
        body = _read_body(content, self.body)
        found = self.function(asked, **given) if isinstance(body, EmptyBody) else self.function(asked, **given, body=body)
        return found if isinstance(found, bytes) else encoded({} if found is None else found)


class OperationList(list[Operation]):
    """The operations of a module, in order."""

    def offer(
        self, method: Method, path: str, scopes: Scopes, *problems: "ProblemKind", takes_version: bool = False, secret: bool = False
    ) -> Callable[[_Function], _Function]:
        """Declare the decorated function as an operation."""

        def offered(function: _Function) -> _Function:
            types = get_type_hints(function, include_extras=True)
            answer, body = types.pop("return"), types.pop("body", EmptyBody)
            defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
            fields = [(name, of) if defaults[name] is inspect.Parameter.empty else (name, of, defaults[name]) for name, of in types.items()]
            parameters = msgspec.defstruct(function.__name__, fields[1:], frozen=True, forbid_unknown_fields=True)
            for shape in (parameters, body):
                msgspec.json.Decoder(shape)  # before there are threads: the first use of a type in two threads at once ends the process
            name = re.sub(r"_(\w)", lambda letter: letter[1].upper(), function.__name__)
            summary = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
            self.append(Operation(name, method, path, scopes, summary, parameters, body, answer, function, problems, takes_version, secret))
            return function

        return offered


def encoded(answer: object) -> bytes:
    """An answer in JSON; exact fractions are text, such as ``43/4``."""
    return msgspec.json.encode(answer, enc_hook=_exact)


def _exact(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in an answer")


def _read_parameters(given: Mapping[str, str], shape: type[Struct]) -> Struct:
    try:
        return msgspec.convert(given, shape, strict=False)
    except msgspec.ValidationError as error:
        raise ProblemError(ProblemKind.INVALID, f"The address: {error}. The OpenAPI document says what each parameter can be.") from None


def _read_body(content: bytes, shape: type) -> object:
    try:
        return msgspec.convert(composed(parse_object(content or b"{}", "it")), shape)
    except (msgspec.MsgspecError, DocumentError, RecursionError) as error:
        raise ProblemError(ProblemKind.INVALID, f"The body: {error}. The OpenAPI document says what the body can be.") from None
