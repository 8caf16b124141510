"""Operations of the API: each is declared once, with its address, its types and who may ask for it.

Routes (``api_routes``) and the OpenAPI document (``openapi``) are made of the same declarations, so that neither can say what the other
does not. What an operation does is a function of what was asked (``ApiRequest``) over the hall (``ApiHall``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from dashboard.access.access_policy import AccessPolicy, Desk, Viewer
from dashboard.access.api_tokens import ApiToken, TokenScope
from dashboard.access.director_desk import DirectorDesk
from dashboard.api.problems import ProblemError, ProblemKind
from dashboard.api.webhooks import Webhooks
from dashboard.assignments import HallTable
from dashboard.custody.tile_draw import TileDraw
from dashboard.i18n.words import Words
from dashboard.pages.events.deal_routes import DealMaker
from dashboard.pages.rulings.ruling_routes import Send
from dashboard.session_control import SessionControl
from twinwall.game import typed_json
from twinwall.wire.canonical_json import FormError
from twinwall.wire.names import composed

Method: TypeAlias = Literal["GET", "POST", "DELETE"]
Scopes: TypeAlias = frozenset[TokenScope]
EVERYBODY: Scopes = frozenset(TokenScope)
STAFF: Scopes = EVERYBODY - {TokenScope.VIEWER}
DIRECTORS: Scopes = frozenset({TokenScope.DIRECTOR})
REFEREES: Scopes = frozenset({TokenScope.REFEREE})


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters, no body, or no answer."""


@dataclass(frozen=True, slots=True)
class ApiHall:
    """What operations work on: what the pages work on too.

    ``control`` tells tables and vaults of a session, None where their settings name it; ``deals`` are the hall's vaults, None where
    it has none that takes orders; ``joined`` are the tables that have joined the hall; ``draw`` are those whose cameras read drawn tiles.
    """

    policy: AccessPolicy
    desk: Desk
    send: Send
    webhooks: Webhooks
    rehearsal: bool = False
    control: SessionControl | None = None
    deals: DealMaker | None = None
    joined: Callable[[], tuple[HallTable, ...]] = tuple
    draw: TileDraw = field(default_factory=TileDraw)


_P = TypeVar("_P", bound=Struct)
_B = TypeVar("_B")
_A = TypeVar("_A")


@dataclass(frozen=True, slots=True)
class ApiRequest(Generic[_P, _B]):
    """A request that was read: by which token, with what, and the version of the event that its program saw."""

    hall: ApiHall
    token: ApiToken
    words: Words
    parameters: _P
    body: _B
    seen: int | None = None

    @property
    def bare(self) -> ApiRequest[Nothing, Nothing]:
        """The request without its parameters and body, for an order that is answered with what can be read afterwards."""
        return ApiRequest(self.hall, self.token, self.words, Nothing(), Nothing())

    @property
    def viewer(self) -> Viewer:
        """Who asks."""
        return self.token.viewer

    @property
    def version(self) -> int:
        """The version of the event that the program saw; an operation without it is answered 428."""
        if self.seen is None:
            raise ProblemError(
                ProblemKind.NO_VERSION, "Send the header Event-Version with the number of the last answer that you read, and ask again."
            )
        return self.seen

    def desk(self) -> DirectorDesk:
        """The event as a director may change it."""
        desk = self.hall.policy.director_desk(self.viewer)
        if desk is None:
            raise ProblemError(ProblemKind.FORBIDDEN, "Only a director's token changes the event.")
        return desk


class Form(Enum):
    """What the body of an answer is."""

    JSON = "application/json"
    CSV = "text/csv"


@dataclass(frozen=True, slots=True)
class Declared:
    """An operation as it is declared.

    Attributes:
        name: the operation's id.
        path: below ``/api/v1``; the fields of ``parameters`` that it does not name are the query.
        scopes: the tokens that may ask for it.
        problems: the kinds that it may answer besides those of every operation.
        takes_version: whether it changes the event and therefore needs ``Event-Version``.
        secret: whether its body has a secret, of which nothing is kept.
    """

    name: str
    method: Method
    path: str
    summary: str
    scopes: Scopes
    problems: tuple[ProblemKind, ...] = ()
    takes_version: bool = False
    secret: bool = False
    form: Form = Form.JSON

    @property
    def in_path(self) -> tuple[str, ...]:
        """The parameters that the path names."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request before its parameters and body are read."""

    hall: ApiHall
    token: ApiToken
    words: Words
    parameters: Mapping[str, str]
    body: bytes
    seen: int | None


@dataclass(frozen=True, slots=True)
class Operation:
    """A declared operation with its types, and what carries it out: the answer's body."""

    declared: Declared
    parameters: type[Struct]
    body: object
    """The body's type; ``Nothing`` for none."""
    answer: object
    carry_out: Callable[[RawRequest], bytes]


def offer(
    declared: Declared, parameters: type[_P], body: type[_B], answer: type[_A], carry_out: Callable[[ApiRequest[_P, _B]], _A]
) -> Operation:
    """An operation of which nothing but its types and its function is said; what does not fit the types is answered as a problem."""
    for shape in (parameters, body):
        msgspec.json.Decoder(shape)  # before there are threads: the first use of a type in two threads at once ends the process

    def run(raw: RawRequest) -> bytes:
        asked = ApiRequest(
            raw.hall, raw.token, raw.words, _read_parameters(raw.parameters, parameters), _read_body(raw.body, body), raw.seen
        )
        found = carry_out(asked)
        return found if isinstance(found, bytes) else msgspec.json.encode(found)

    return Operation(declared, parameters, body, answer, run)


def _read_parameters(given: Mapping[str, str], shape: type[_P]) -> _P:
    try:
        return msgspec.convert(given, shape, strict=False)
    except msgspec.ValidationError as error:
        raise ProblemError(ProblemKind.INVALID, f"The address: {error}. The OpenAPI document says what each parameter can be.") from None


def _read_body(content: bytes, shape: type[_B]) -> _B:
    try:
        return msgspec.convert(composed(typed_json.decode(content or b"{}", object)), shape)
    except (msgspec.MsgspecError, FormError, RecursionError) as error:
        raise ProblemError(ProblemKind.INVALID, f"The body: {error}. The OpenAPI document says what the body can be.") from None
