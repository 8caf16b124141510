"""The assignment of a table that has joined a hall, and that table's heartbeat. The server signs assignments with rising numbers, so an
older one has no effect. The table signs heartbeats under its identity key and names the key, so the server learns it from the table. Both
use the hall's topics (``twinwall.wire.mqtt.topics``), because the table does not know the event yet. ``controller.assigning`` decides which
assignment a table accepts."""

from enum import StrEnum
from typing import Annotated

import msgspec

from twinwall.game.deals import DealError, Plan, Start, StartedPlan
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, Reading, parse_object
from twinwall.game.tiles import check_hands, hands_in_order
from twinwall.game.typed_json import Count, Digest, Number, Text, Time, read_as
from twinwall.values import Shape
from twinwall.wire.messages.signing import Signer, open_document, sign_document
from twinwall.wire.mqtt.access import SERVER_USER


class TableKind(StrEnum):  # an event may mix kinds and compare their results
    FEEDER = "feeder"
    """A machine builds the walls, and a camera above the mat records play."""
    GUIDED = "guided"
    """People build the walls as a screen says, with cameras that read each tile; a camera above the mat records play."""
    SIMULATED = "simulated"
    """A program plays, for a rehearsal; no event accepts it."""
    PAPER = "paper"
    """People build the walls from printed sheets and enter scores: no camera, no deal in a computer, no record of play."""


ASSIGNMENT = "twinwall-assignment-1"

PlayerNumber = Annotated[str, msgspec.Meta(pattern=r"^[1-9][0-9]{0,3}\Z")]
"""A player's number as text, as in settings and ledgers."""
_Session = Annotated[int, msgspec.Meta(ge=1, le=999)]
_Hand = Annotated[int, msgspec.Meta(ge=1, le=16)]
_RuleSetName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]*\Z")]


class AssignedStart(Shape):
    """The event's start without its plan, which is in the assignment."""

    root: Digest
    public: Text


class Assignment(Shape, tag_field="format", tag=ASSIGNMENT):
    """What a table plays: hands ``first`` to ``last`` of a session, from ``begins`` on and then from ``first`` (0: from ``first``).
    ``number`` rises with each assignment of a server. ``players``: numbers by place. ``plan``: the plan file's text. ``vault_keys``: public
    keys of the seed holders' vaults; empty if the deals are in a folder, as in a rehearsal. ``seat_check``: no hand starts before the
    players have said who they are."""

    event: Text
    session: _Session
    first: _Hand
    last: _Hand
    rules: _RuleSetName
    players: tuple[PlayerNumber, PlayerNumber, PlayerNumber, PlayerNumber]
    group: Text
    plan: Text
    start: AssignedStart
    number: Number = 1
    options: dict[str, bool | int | str] = {}  # noqa: RUF012 - msgspec copies it
    vault_keys: dict[str, Digest] = {}  # noqa: RUF012 - msgspec copies it
    seat_check: bool = False
    begins: Annotated[int, msgspec.Meta(ge=0, le=16)] = 0

    def __post_init__(self) -> None:
        check_hands(self.first, self.last, self.begins)
        if len(set(self.players)) != len(self.players):
            raise ValueError(f"players names one player for two places: {', '.join(self.players)}")

    @property
    def hands(self) -> tuple[int, ...]:
        return hands_in_order(self.first, self.last, self.begins)

    def started(self) -> StartedPlan:
        """Plan and start; raises DocumentError if they contradict each other, the event, the session or the rules."""
        try:
            plan = Plan.from_bytes(self.plan.encode())
            started = StartedPlan(plan, Start(plan.digest, Sha256.fromhex(self.start.root), self.start.public))
        except (DealError, DocumentError) as error:
            raise DocumentError(f"the plan of {self.event!r} cannot be used: {error}") from None
        if plan.event != self.event:
            raise DocumentError(f"the plan is of {plan.event!r}, and the assignment of {self.event!r}: assign the event's own plan")
        planned = {deal.hand: deal.rules for deal in plan.deals if deal.session == self.session}
        if missing := [hand for hand in self.hands if hand not in planned]:
            raise DocumentError(f"the plan has no deal for hand {missing[0]} of session {self.session}: assign hands of the plan")
        if others := {planned[hand] for hand in self.hands} - {self.rules}:
            raise DocumentError(f"the plan's session {self.session} is for {min(others)}, and the assignment says {self.rules}")
        return started


class HallStage(StrEnum):
    WAITING = "waiting"
    """It has no assignment."""
    STARTING = "starting"
    """It has one and does not play yet: it opens its journal or waits for a vault's journal key."""
    PLAYING = "playing"
    FINISHED = "finished"
    """All hands of its assignment are over; it waits for the next one."""


class JoinedTable(Shape, tag_field="format", tag="twinwall-joined-table-1"):
    """A table's heartbeat to the hall. ``identity_key``: the public key with which it signs. ``lacks``: missing parts (``feeder``,
    ``gate-camera``, ``table-camera``). ``number``: the newest accepted assignment, 0 before the first; with ``between_hands``, it takes
    effect after the hand in play. ``refused``: why the last assignment was refused."""

    table: Text
    at: Time
    version: Text
    identity_key: Digest
    stage: HallStage
    number: Count = 0
    event: str = ""
    session: Count = 0
    between_hands: bool = False
    lacks: tuple[str, ...] = ()
    refused: str = ""
    kind: TableKind = TableKind.FEEDER


def open_assignment(payload: bytes, table: str, server_key: bytes) -> Assignment:
    """Read an assignment for this table, signed by the server; raises DocumentError."""
    with Reading(f"an assignment for table {table} is refused"):
        return open_document(payload, Assignment, {SERVER_USER: server_key}, table=table)


def write_joined_table(identity: Signer, heartbeat: JoinedTable) -> bytes:
    return sign_document(identity, heartbeat, table=heartbeat.table)


def read_joined_table(payload: bytes, table: str) -> JoinedTable:
    """Read a heartbeat on this table's topic, signed under the key that it names; raises DocumentError."""
    with Reading(f"a heartbeat of table {table} is refused"):
        named = read_as(parse_object(payload).get("identity_key"), Digest)
        heartbeat = open_document(payload, JoinedTable, {table: bytes.fromhex(named)}, table=table)
    if heartbeat.table != table:
        raise DocumentError(f"table {table} sent a heartbeat in the name of table {heartbeat.table!r}")
    return heartbeat
