"""Waits of a table: what it waits for, on whom, how long at most, and the fault that then calls staff.

This is the one list; ``controller.core.waits`` says which of them stand in a state. Waits that end by themselves or with their own call
(claim window, empty drum, well, exposure, turn, hand) are timers (``controller.state.messages``).
"""

from collections.abc import Mapping
from enum import StrEnum

from controller.state.table_state import Setup
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import TablePart


class Wait(StrEnum):
    OPERATION = "operation-unanswered"
    SENSORS = "sensors-silent"
    TILE = "drum-blocked"
    READING = "gate-unread"
    WALL = "wall-still"
    HANDS = "hands-untaken"
    PLAY = "play-still"
    SCORE = "score-unconfirmed"
    SHEETS = "paper-still"
    SEATS = "seats-awaited"
    DEAL = "deal-awaited"


class Party(StrEnum):
    MACHINE = "machine"
    CAMERA = "camera"
    PERSON = "person"
    NETWORK = "network"


@frozen
class WaitRow:
    """On whom; what is awaited, and the sentence of the fault; at which part; ``times``: multiple of that party's limit."""

    on: Party
    what: str
    sentence: str
    part: TablePart = TablePart.TABLE
    times: int = 1

    def limit_s(self, setup: Setup) -> float:
        """Return the longest wait in seconds of wall time; at a table built by hand, the time of people."""
        machine = self.on in (Party.MACHINE, Party.CAMERA) and setup.senses_draws
        return self.times * (setup.machine_patience_s if machine else PEOPLE_S)


PEOPLE_S = 600.0
"""How long the table waits for people and for the network before it calls."""

_CONFIRM = "then press CONFIRM"
_HOUR = 6
"""A hand that people build and play by themselves may take this multiple of the time of people."""
WAITS: Mapping[Wait, WaitRow] = {
    Wait.OPERATION: WaitRow(
        Party.MACHINE,
        "the end of an operation of the feeder",
        f"The feeder does not end an operation: free what is stuck at this part, or switch the feeder off and on, {_CONFIRM}",
    ),
    Wait.SENSORS: WaitRow(
        Party.MACHINE,
        "the sensors' account of trays and magazines",
        f"The feeder does not say what its sensors feel: switch it off and on, {_CONFIRM}",
    ),
    Wait.TILE: WaitRow(
        Party.MACHINE,
        "the next tile from the drum",
        f"No tile comes from the drum, and it is not empty: open the lid, free what blocks drum or gate, shut the lid, {_CONFIRM}",
        TablePart.DRUM,
    ),
    Wait.READING: WaitRow(
        Party.CAMERA,
        "a reading of the tile in a gate",
        f"The gate's camera does not answer about the tile in the gate: look at its cable and its lamp, {_CONFIRM}",
        TablePart.GATE,
    ),
    Wait.WALL: WaitRow(
        Party.MACHINE,
        "a step of the wall in the making, whatever the feeder does meanwhile",
        f"The feeder works, and the wall does not grow: look which part repeats itself, free it, {_CONFIRM}",
        times=3,
    ),
    Wait.HANDS: WaitRow(
        Party.PERSON,
        "the players, who take their first tiles",
        "Not every player has taken 13 tiles: take what still stands there; where none does, put a tile back and take it again",
    ),
    Wait.PLAY: WaitRow(
        Party.PERSON,
        "the next event of the hand",
        "Nothing has happened in this hand for ten minutes: play on; a player who cannot go on calls the referee",
    ),
    Wait.SCORE: WaitRow(
        Party.PERSON,
        "the score of a hand that is over, which one player enters and another confirms",
        "The score of the hand is not confirmed: one player enters it, and another one confirms it",
    ),
    Wait.SHEETS: WaitRow(
        Party.PERSON,
        "the start or the result of a hand at a table without cameras",
        "For an hour nobody has started the hand that is due here, or entered its result: ask the players",
        times=_HOUR,
    ),
    Wait.SEATS: WaitRow(
        Party.PERSON,
        "the players who have not said where they sit, once one has",
        "Not all players have said that they sit here: ask those who are missing, or seat them on the hall's page",
    ),
    Wait.DEAL: WaitRow(
        Party.NETWORK,
        "the next deal",
        "The next deal has not come: see on the hall's page whether a vault waits for its passphrase",
    ),
}


@frozen
class Waiting:
    """A wait in progress. Another ``mark`` is another wait, with its own time."""

    wait: Wait
    mark: str
    part: TablePart
    place: int | None = None
    number: int | None = None


def stands(wait: Wait, mark: object = "", part: TablePart | None = None, place: int | None = None, number: int | None = None) -> Waiting:
    """Return a wait, at the part of its kind unless another is given."""
    part = part or WAITS[wait].part
    return Waiting(wait, f"{part} {mark}".strip(), part, place, number)
