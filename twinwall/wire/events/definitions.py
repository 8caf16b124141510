"""The public events: every type and every field, with the class that says who may see it.

This table is the only place where a field is made public. ``project`` keeps of a private journal
event what anybody at that table could see (P and T); ``public_only`` keeps what everybody may see
at once (P). Whatever is not listed stays private: to forget a field here is to keep it secret.
The lines that carry events are made in ``twinwall.wire.ledger``; ``docs/reference/events.md`` and
the schemas beside it are generated from this table (``python -m twinwall.wire.events.reference``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from twinwall.wire.events import value_kinds
from twinwall.wire.events.value_kinds import ValueKind


class Secrecy(Enum):
    """Who may know: a class of the contracts, given to each event type and to each of its fields."""

    PUBLIC = "P"
    """Everybody, at once."""
    TABLE = "T"
    """That table and its referee; everybody else once all tables have finished the deal."""
    CONCEALED = "C"
    """Nobody before release: it never leaves the table."""


@dataclass(frozen=True, slots=True)
class FieldDefinition:
    """One field of an event type. ``nullable`` allows JSON null; ``optional`` allows it to be left out."""

    name: str
    kind: ValueKind
    secrecy: Secrecy
    meaning: str
    nullable: bool = False
    optional: bool = False

    def problem(self, value: object) -> str | None:
        """Why the value is not what this field holds; None when it is."""
        if (value is None and self.nullable) or (value is not None and self.kind.check(value)):
            return None
        return f"{self.name}: {value!r} is not {self.kind.written}"


@dataclass(frozen=True, slots=True)
class EventType:
    """One event type. ``secrecy`` is that of its happening at all; the fields have their own."""

    name: str
    secrecy: Secrecy
    meaning: str
    fields: tuple[FieldDefinition, ...] = ()

    def visible(self, to: frozenset[Secrecy]) -> tuple[FieldDefinition, ...]:
        """The fields of the given classes."""
        return tuple(field for field in self.fields if field.secrecy in to)


class EventError(ValueError):
    """An event that its type does not allow; the message names type, field and what is expected."""


P, T, C = Secrecy.PUBLIC, Secrecy.TABLE, Secrecy.CONCEALED
AT_THE_TABLE = frozenset({P, T})
EVERYWHERE = frozenset({P})

_SEAT = FieldDefinition("seat", value_kinds.SEAT, T, "the seat that did it")
_N = FieldDefinition("n", value_kinds.COUNT, P, "number of the deal in the plan")
_SESSION = FieldDefinition("session", value_kinds.COUNT, P, "session of the event, from 1")
_HAND = FieldDefinition("hand", value_kinds.COUNT, P, "hand of the session, from 1: 1 to 4 are East 1 to East 4")
_RULES = FieldDefinition("rules", value_kinds.TEXT, P, "name of the rule set")
_CHECK = FieldDefinition("check", value_kinds.DIGEST, P, "check of the deal, equal at every table that has it")
_PAYMENTS = FieldDefinition("payments", value_kinds.AMOUNTS, T, "what each seat receives (or pays, when negative)")
_SENTENCE = FieldDefinition("sentence", value_kinds.TEXT, T, "what happened and what to do, for people")

PREPARING = (
    EventType(
        "controller-started",
        P,
        "the table's controller is running",
        (
            FieldDefinition("version", value_kinds.TEXT, P, "version of the program"),
            FieldDefinition("resumed", value_kinds.FLAG, P, "whether it went on from an earlier journal"),
        ),
    ),
    EventType("deal-opened", P, "the sealed deal was opened and agrees with its commitment", (_N, _SESSION, _HAND, _RULES, _CHECK)),
    EventType(
        "deal-refused",
        P,
        "a deal was refused before any tile moved",
        (
            _N,
            FieldDefinition(
                "reason",
                value_kinds.TEXT,
                P,
                "stable word: `format`, `missing`, `signature`, `seal`, or the part of the deal that is not the committed one",
            ),
            _SENTENCE,
        ),
    ),
    EventType(
        "building",
        P,
        "how far the wall is built; batched",
        (
            FieldDefinition("placed", value_kinds.COUNT, P, "tiles in their places"),
            FieldDefinition("of", value_kinds.COUNT, P, "tiles of the whole wall"),
        ),
    ),
    EventType(
        "wall-ready",
        P,
        "every place is filled, every kind counts four",
        (_N, _CHECK, FieldDefinition("digest", value_kinds.DIGEST, C, "digest of the walls built")),
    ),
    EventType(
        "clearing-began",
        T,
        "what lies in the magazines drops into the drum, and players push everything else into the well",
        (_N, FieldDefinition("dropped", value_kinds.COUNT, T, "tiles that lay in the magazines")),
    ),
    EventType(
        "well-counted",
        T,
        "tiles fell into the well",
        (
            FieldDefinition("counted", value_kinds.COUNT, T, "tiles of the set in the drum by now"),
            FieldDefinition("of", value_kinds.COUNT, T, "tiles of the whole set"),
        ),
    ),
    EventType("cleared", T, "the well is shut", (_N, FieldDefinition("counted", value_kinds.COUNT, T, "tiles of the set in the drum"))),
    EventType(
        "tiles-worn",
        T,
        "kinds of a tile set are read less surely than they were; told between hands, of walls that were played",
        (
            FieldDefinition("set", value_kinds.TEXT, T, "what people call the set"),
            FieldDefinition("tiles", value_kinds.TILES, T, "the kinds; null where there is none any more", nullable=True),
            FieldDefinition(
                "looks", value_kinds.COUNT, T, "how many looks the gate took at them in the last three walls; twelve a kind at least"
            ),
        ),
    ),
    EventType(
        "wall-checked",
        T,
        "positions of the wall were read once more in spare time, while the hand before was played",
        (
            _N,
            FieldDefinition("read_again", value_kinds.COUNT, T, "how many"),
            FieldDefinition("differ", value_kinds.COUNT, T, "how many of these looks found another kind, which was mended"),
        ),
    ),
    EventType("wall-raised", P, "the walls stand at the seats; each player takes the thirteen hand tiles", (_N,)),
    EventType("hands-taken", P, "every seat's hand places read empty", (_N,)),
)

PLAYING = (
    EventType(
        "hand-started",
        P,
        "play of the hand begins",
        (
            _N,
            _SESSION,
            _HAND,
            _RULES,
            FieldDefinition("options", value_kinds.OPTIONS, P, "options of the rule set that are not its defaults", optional=True),
            FieldDefinition("round", value_kinds.SEAT, P, "wind of the round"),
            FieldDefinition("seats", value_kinds.NAMES, P, "who sits where"),
            FieldDefinition("places", value_kinds.COUNTS, P, "physical place of each seat, 0 to 3 counter-clockwise"),
            FieldDefinition("draws", value_kinds.COUNTS, P, "draws behind each seat's gate"),
        ),
    ),
    EventType("gate-unlocked", T, "a seat may take its next tile", (_SEAT,)),
    EventType(
        "tile-drawn",
        T,
        "a seat took its next tile",
        (
            _SEAT,
            FieldDefinition("tile", value_kinds.TILE, C, "the tile, known from the deal", optional=True),
            FieldDefinition(
                "from_end", value_kinds.FLAG, T, "true where it is the last of the wall, the replacement of a kong", optional=True
            ),
        ),
    ),
    EventType(
        "tile-discarded",
        T,
        "a seat laid a tile into its river",
        (
            _SEAT,
            FieldDefinition("tile", value_kinds.TILE, T, "the tile"),
            FieldDefinition("riichi", value_kinds.FLAG, T, "true where it lies sideways and declares riichi", optional=True),
        ),
    ),
    EventType(
        "claims-opened",
        T,
        "the others may call the last discard, or win on a tile added to a kong",
        (
            FieldDefinition("seat", value_kinds.SEAT, T, "the seat that laid the tile"),
            FieldDefinition("tile", value_kinds.TILE, T, "the tile"),
            FieldDefinition("window_s", value_kinds.SECONDS, T, "length of the window, always the same"),
        ),
    ),
    EventType(
        "claim-bound",
        T,
        "a seat called (aloud and by its key) and is bound by it",
        (_SEAT, FieldDefinition("call", value_kinds.CALL, T, "what it called")),
    ),
    EventType("claim-refused", T, "the exposed tiles do not make the claimed meld; the next claim stands", (_SEAT,)),
    EventType("claims-closed", T, "the claim window is over"),
    EventType("passed", T, "nobody claimed the tile"),
    EventType(
        "claimed",
        T,
        "a seat exposed a meld made with the last discard",
        (
            _SEAT,
            FieldDefinition("meld", value_kinds.MELD, T, "how it was made"),
            FieldDefinition("tiles", value_kinds.TILES, T, "its tiles, the claimed one included"),
            FieldDefinition("from", value_kinds.SEAT, T, "the seat whose discard was taken"),
        ),
    ),
    EventType("kong-called", T, "a seat called a kong at its own turn (aloud and by its key) and is to lay it", (_SEAT,)),
    EventType("kong-refused", T, "what was laid does not make the kong; the seat takes it back and discards", (_SEAT,)),
    EventType(
        "win-called",
        T,
        "a seat called a win at its own turn, where play goes on after it, and is to lay the tile that it drew face up",
        (_SEAT,),
    ),
    EventType(
        "riichi-called",
        T,
        "a seat called riichi at its own turn (aloud and by its key): its next discard declares it",
        (_SEAT,),
    ),
    EventType(
        "claim-called",
        T,
        "a seat called a discard at its own turn, where discards wait for it, and is to expose the meld; a draw takes the call back",
        (_SEAT, FieldDefinition("call", value_kinds.CALL, T, "what it called")),
    ),
    EventType(
        "shared-tile-lifted",
        T,
        "a seat took the shared tile that is to be turned up out of its rear gate",
        (_SEAT,),
    ),
    EventType(
        "tile-taken-again",
        T,
        "the tile that a seat had put back into its draw gate was given out again, after the referee's ruling",
        (_SEAT,),
    ),
    EventType("win-call-refused", T, "what was laid is not the tile drawn at this turn; the seat takes it back and discards", (_SEAT,)),
    EventType(
        "kong-declared",
        T,
        "a seat laid a kong at its own turn and draws the replacement; what is added to a pung may first be won on",
        (
            _SEAT,
            FieldDefinition("meld", value_kinds.MELD, T, "`added_kong` or `concealed_kong`"),
            FieldDefinition("tiles", value_kinds.TILES, T, "its tiles; null while it lies face down", nullable=True),
            FieldDefinition(
                "late",
                value_kinds.FLAG,
                T,
                "true where the tile added was not the one drawn at this turn, and the rules ask",
                optional=True,
            ),
        ),
    ),
    EventType(
        "win-declared",
        T,
        "a seat declared a win",
        (
            _SEAT,
            FieldDefinition("from", value_kinds.SEAT, T, "the seat whose discard it takes; null when self-drawn", nullable=True),
            FieldDefinition("tile", value_kinds.TILE, T, "the winning tile; null until it is shown", nullable=True),
        ),
    ),
    EventType(
        "hand-shown",
        T,
        "the declared winner laid its tiles open",
        (
            _SEAT,
            FieldDefinition("concealed", value_kinds.TILES, T, "the shown tiles without the winning one"),
            FieldDefinition("winning", value_kinds.TILE, T, "the winning tile"),
            FieldDefinition(
                "kongs", value_kinds.TILES, T, "the kind of each concealed kong that it turned up, in the order made", optional=True
            ),
        ),
    ),
    EventType(
        "hand-laid-open",
        T,
        "a seat that has not won laid its tiles open at the end of the hand",
        (_SEAT, FieldDefinition("concealed", value_kinds.TILES, T, "the tiles")),
    ),
    EventType(
        "shared-tile-turned",
        T,
        "a tile that belongs to no seat was turned up, such as a dora indicator",
        (
            FieldDefinition("place", value_kinds.COUNT, T, "its place among the shared tiles, from 0"),
            FieldDefinition("tile", value_kinds.TILE, T, "the tile"),
        ),
    ),
    EventType(
        "win-refused",
        T,
        "the shown hand does not win",
        (_SEAT, FieldDefinition("reason", value_kinds.TEXT, T, "reason of the contracts' scoring")),
    ),
)

CLOSING = (
    EventType(
        "payments-proposed",
        T,
        "a seat entered what the hand is worth",
        (
            _SEAT,
            FieldDefinition("fans", value_kinds.FANS, T, "scoring elements"),
            FieldDefinition("total", value_kinds.COUNT, T, "their total"),
            _PAYMENTS,
        ),
    ),
    EventType("payments-confirmed", T, "another seat confirmed the payments", (_SEAT,)),
    EventType("settled", T, "the payments stand", (_PAYMENTS,)),
    EventType(
        "hand-ended",
        T,
        "the hand is over",
        (
            FieldDefinition("reason", value_kinds.END, T, "how it ended"),
            FieldDefinition("scores", value_kinds.AMOUNTS, T, "score of each seat"),
        ),
    ),
    EventType("hand-closed", T, "the hand is recorded and the table goes on", (_N,)),
    EventType("deal-released", P, "every table has finished the deal, and its slip is out", (_N,)),
)

_RULING = FieldDefinition("ruling", value_kinds.TEXT, T, "the ruling's id")

RULINGS = (
    EventType(
        "play-halted",
        T,
        "nobody draws, no claims close and nothing is settled until the referee has ruled",
        (FieldDefinition("reason", value_kinds.TEXT, T, "stable word: `referee` (a seat called), or that of the violation"),),
    ),
    EventType(
        "ruling",
        P,
        "the referee ruled on a deal; what follows for the hand in play stands in the events after it",
        (
            _RULING,
            _N,
            FieldDefinition("by", value_kinds.TEXT, T, "the referee's name"),
            FieldDefinition("texts", value_kinds.TEXTS, T, "the ruling as announced"),
            FieldDefinition(
                "effects", value_kinds.EFFECTS, T, "what it does; nothing: play goes on. Of a hand that was over: what it counts for"
            ),
        ),
    ),
    EventType(
        "ruling-refused",
        T,
        "a ruling reached the table and has no effect",
        (_RULING, FieldDefinition("reason", value_kinds.TEXT, T, "stable word"), _SENTENCE),
    ),
    EventType("hand-ruled-dead", T, "a hand may not claim, make a kong or win any more", (_SEAT,)),
    EventType(
        "penalty-ruled",
        T,
        "an offence has its price",
        (
            _SEAT,
            FieldDefinition("offence", value_kinds.OFFENCE, T, "what it was"),
            FieldDefinition("imp", value_kinds.COUNT, T, "IMP taken from the entrant in the comparison"),
            FieldDefinition("points", value_kinds.COUNT, T, "points paid to each of the three others at the table"),
        ),
    ),
    EventType("result-excluded", T, "the result of this table is left out of the comparison; its players get the average"),
)

TROUBLE = (
    EventType(
        "violation",
        T,
        "something happened that the rules do not allow",
        (_SEAT, FieldDefinition("what", value_kinds.TEXT, T, "stable word"), _SENTENCE),
    ),
    EventType("referee-called", P, "a seat called the referee", (FieldDefinition("seat", value_kinds.SEAT, T, "the seat that called"),)),
    EventType("deal-fouled", T, "this table's wall was not the deal", (FieldDefinition("reason", value_kinds.TEXT, T, "why, for people"),)),
    EventType(
        "link-lost",
        P,
        "the controller does not hear a part of the table",
        (
            FieldDefinition(
                "what",
                value_kinds.TEXT,
                P,
                "`feeder`, `gate-camera` (further gates: `gate-camera-1`, …), `table-camera`, `panel`, `broker`",
            ),
        ),
    ),
    EventType(
        "camera-trouble",
        P,
        "what is wrong with a camera that is not heard",
        (
            FieldDefinition("what", value_kinds.TEXT, P, "`gate-camera` (further gates: `gate-camera-1`, …) or `table-camera`"),
            FieldDefinition(
                "why",
                value_kinds.TEXT,
                P,
                "stable word: `absent`, `silent`, `broken`, `stale`, `frozen`, `size`, `dark`, `glare`, `no-mat`, `failed`",
            ),
        ),
    ),
    EventType("link-restored", P, "the part is heard again", (FieldDefinition("what", value_kinds.TEXT, P, "as in `link-lost`"),)),
    EventType(
        "fault",
        T,
        "a part of the table needs a person",
        (
            FieldDefinition("code", value_kinds.TEXT, T, "stable word"),
            FieldDefinition("where", value_kinds.TEXT, T, "the part and place"),
            _SENTENCE,
        ),
    ),
    EventType("fault-cleared", T, "the fault is gone", (FieldDefinition("code", value_kinds.TEXT, T, "as in `fault`"),)),
)

GROUPS: Mapping[str, tuple[EventType, ...]] = {
    "Preparing the wall": PREPARING,
    "Playing": PLAYING,
    "Closing the hand": CLOSING,
    "Rulings": RULINGS,
    "Trouble": TROUBLE,
}
EVENT_TYPES: Mapping[str, EventType] = {event.name: event for group in GROUPS.values() for event in group}


def project(event_type: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """What of a private event may be seen at the table; None when the type is not public at all.

    Raises EventError when a public field is missing or is not what its kind allows.
    """
    return _keep(event_type, fields, AT_THE_TABLE)


def public_only(event_type: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """What of an event everybody may see at once; None when even its happening is not public."""
    return _keep(event_type, fields, EVERYWHERE)


def problem(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy] = AT_THE_TABLE) -> str | None:
    """Why the fields are not those that the given classes leave of this type, in one sentence; None when they are."""
    known = EVENT_TYPES.get(event_type)
    if known is None:
        return f"event type {event_type!r} is not known"
    visible = known.visible(classes)
    unknown = sorted(set(fields) - {field.name for field in visible})
    if unknown:
        return f"{event_type} has no public field {unknown[0]!r}"
    return next(_problems(known, visible, fields), None)


def _keep(event_type: str, fields: Mapping[str, object], classes: frozenset[Secrecy]) -> dict[str, object] | None:
    known = EVENT_TYPES.get(event_type)
    if known is None or known.secrecy not in classes:
        return None
    visible = known.visible(classes)
    for sentence in _problems(known, visible, fields):
        raise EventError(sentence)
    return {field.name: fields[field.name] for field in visible if field.name in fields}


def _problems(known: EventType, visible: tuple[FieldDefinition, ...], fields: Mapping[str, object]) -> Iterator[str]:
    for field in visible:
        if field.name not in fields:
            if not field.optional:
                yield f"{known.name} lacks the field {field.name!r}"
        elif (sentence := field.problem(fields[field.name])) is not None:
            yield f"{known.name} {sentence}"
