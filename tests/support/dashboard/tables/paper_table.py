"""The lines of a table without cameras, as its controller writes them, for the pages of seats."""

from tests.support.dashboard.example import play
from tests.support.wire.streams import Line
from twinwall.wire.messages.commands import BeginHand, Command, ConfirmScore, EnterResult

PAYMENTS = {"E": -8, "S": 48, "W": -32, "N": -8}
SHEETS: list[Line] = [
    ("controller-started", {"version": "0.1.0", "resumed": False}),
    ("sheets-due", {"n": 1, "session": 1, "hand": 1, "rules": "mcr-duplicate"}),
]
STARTED: list[Line] = [*SHEETS, next(iter(play("")))]


def entered(seat: str, payments: dict[str, int] = PAYMENTS) -> list[Line]:
    """A player enters the result: South off West, 24 fan."""
    return [
        ("result-entered", {"seat": seat, "winner": "S", "source": "W", "total": 24, "payments": payments}),
        ("payments-proposed", {"seat": seat, "fans": [], "total": 24, "payments": payments}),
    ]


def answers(command: Command) -> list[Line]:
    """What the table says when a player at place 1 enters that result and another one confirms it."""
    match command:
        case BeginHand():
            return STARTED[len(SHEETS) :]
        case EnterResult():
            return entered("S")
        case ConfirmScore():
            return [
                ("payments-confirmed", {"seat": "W"}),
                ("settled", {"payments": PAYMENTS}),
                ("hand-ended", {"reason": "entered", "scores": PAYMENTS}),
                ("hand-closed", {"n": 1}),
            ]
        case _:
            return []
