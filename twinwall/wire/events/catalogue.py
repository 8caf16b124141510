"""Every published event in the order of the reference page, and the secrecy classes of play events. Events of play and rulings are classes
of the game and of the messages, so their fields are described here."""

from collections.abc import Mapping
from typing import get_args

from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    PenaltyRuled,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.wire.events.definitions import (
    ACTED,
    DEFINED,
    EFFECTS,
    IN_PLAN,
    MELD,
    SEAT,
    TEXT,
    TEXTS,
    TILE,
    TILES,
    C,
    EventType,
    FieldDefinition,
    P,
    T,
    describe,
)
from twinwall.wire.events.hand_events import (
    ClaimBound,
    ClaimCalled,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    DealReleased,
    GateUnlocked,
    HandClosed,
    HandNoticed,
    HandOverdue,
    HandStarted,
    HeadsNoted,
    KongCalled,
    KongRefused,
    PaymentsConfirmed,
    PaymentsProposed,
    PlayHalted,
    RecordAnswered,
    RecordQuestioned,
    ResultEntered,
    RiichiCalled,
    RulingRefused,
    Settled,
    SharedTileLifted,
    TileAnswered,
    TileTakenAgain,
    TurnNoticed,
    WinCalled,
    WinCallRefused,
)
from twinwall.wire.events.seat_events import Clocks, SeatChecked
from twinwall.wire.events.trouble_events import Trouble
from twinwall.wire.events.wall_events import Preparing
from twinwall.wire.messages.ruling import Ruling

Playing = (
    HandStarted
    | GateUnlocked
    | TileDrawn
    | TileDiscarded
    | ClaimsOpened
    | ClaimBound
    | ClaimRefused
    | ClaimsClosed
    | ClaimsPassed
    | Claimed
    | KongCalled
    | KongRefused
    | WinCalled
    | RiichiCalled
    | ClaimCalled
    | SharedTileLifted
    | TileTakenAgain
    | TurnNoticed
    | HandNoticed
    | HandOverdue
    | WinCallRefused
    | KongDeclared
    | WinDeclared
    | HandShown
    | HandLaidOpen
    | SharedTileTurned
    | WinRefused
)
Closing = ResultEntered | PaymentsProposed | PaymentsConfirmed | Settled | HandEnded | HandClosed | DealReleased | HeadsNoted
Ruled = (
    PlayHalted | TileAnswered | RecordQuestioned | RecordAnswered | Ruling | RulingRefused | HandRuledDead | PenaltyRuled | ResultExcluded
)
PublishedEvent = Preparing | SeatChecked | Clocks | Playing | Closing | Ruled | Trouble

_OF_PLAY: tuple[tuple[type, str, Mapping[str, FieldDefinition]], ...] = (
    (
        TileDrawn,
        "a seat took its next tile",
        {
            "seat": ACTED,
            "tile": C("the tile, known from the deal", TILE, optional=True),
            "from_end": T("true for the last tile of the wall, replacing a kong"),
        },
    ),
    (
        TileDiscarded,
        "a seat discarded a tile",
        {"seat": ACTED, "tile": T("the tile"), "riichi": T("true when laid sideways to declare riichi")},
    ),
    (
        Claimed,
        "a seat exposed a meld made with the last discard",
        {
            "seat": ACTED,
            "meld": T("how it was made", MELD),
            "tiles": T("its tiles, the claimed one included", TILES),
            "from": T("the seat whose discard was taken", SEAT),
        },
    ),
    (
        KongDeclared,
        "a seat declared a kong at its own turn and draws the replacement; a tile added to a pung may first be won on",
        {
            "seat": ACTED,
            "meld": T("`added_kong` or `concealed_kong`", MELD),
            "tiles": T("its tiles; null while face down", TILES, nullable=True),
            "late": T("true when the added tile was not drawn at this turn"),
        },
    ),
    (
        WinDeclared,
        "a seat declared a win",
        {
            "seat": ACTED,
            "from": T("the seat whose discard it takes; null when self-drawn", SEAT, nullable=True),
            "tile": T("the winning tile; null until it is shown"),
        },
    ),
    (
        HandShown,
        "the declared winner showed its tiles",
        {
            "seat": ACTED,
            "concealed": T("the shown tiles without the winning one"),
            "winning": T("the winning tile"),
            "kongs": T("the kind of each concealed kong that it turned up, in the order made"),
        },
    ),
    (HandLaidOpen, "a seat that has not won showed its tiles at the end of the hand", {"seat": ACTED, "concealed": T("the tiles")}),
    (
        SharedTileTurned,
        "a tile that belongs to no seat was turned up, such as a dora indicator",
        {"place": T("its place among the shared tiles, from 0"), "tile": T("the tile")},
    ),
    (WinRefused, "the shown hand does not win", {"seat": ACTED, "reason": T("reason of the contracts' scoring")}),
    (HandEnded, "the hand is over", {"reason": T("how it ended"), "scores": T("score of each seat")}),
    (HandRuledDead, "a hand may not claim, make a kong or win any more", {"seat": ACTED}),
    (
        PenaltyRuled,
        "a seat got a penalty",
        {
            "seat": ACTED,
            "offence": T("what it is for"),
            "imp": T("IMP subtracted from the entrant in the comparison"),
            "points": T("points paid to each of the three others at the table"),
        },
    ),
    (ResultExcluded, "the result of this table is left out of the comparison; its players get the average", {}),
)
for _cls, _meaning, _said in _OF_PLAY:
    describe(_cls, T, _meaning, _said)
describe(ClaimsPassed, T, "the tile was not claimed", {}, "passed")
describe(
    Ruling,
    P,
    "the referee ruled on a deal; the events after it have the consequences for the hand in play",
    {
        "ruling": T("the ruling's id", TEXT),
        "n": IN_PLAN,
        "by": T("the referee's name"),
        "texts": T("the ruling as announced", TEXTS),
        "effects": T("what it does; empty: play goes on. Of a finished hand: what it counts for", EFFECTS, optional=False),
        "revokes": T("the id of the earlier ruling on the hand that it revokes, if any", TEXT),
    },
)

GROUPS: Mapping[str, tuple[EventType, ...]] = {
    heading: tuple(DEFINED[cls] for cls in get_args(group))
    for heading, group in {
        "Preparing the wall": Preparing,
        "Checking the seats": SeatChecked,
        "Pausing the clocks": Clocks,
        "Playing": Playing,
        "Closing the hand": Closing,
        "Rulings": Ruled,
        "Trouble": Trouble,
    }.items()
}
EVENT_TYPES: Mapping[str, EventType] = {event.name: event for group in GROUPS.values() for event in group}
