"""Seat check of a table for its own screen, read from the ledger that the controller writes beside it."""

from __future__ import annotations

from pathlib import Path

from controller.hand.seat_check import SeatEvent, apply_to_seats
from controller.ledger.assignment_folder import playing_folder
from controller.state.seats import PLACES, Seats, SeatStage
from tableside.station.screen_page import ShownSeat
from twinwall.wire.ledger import LineError, parse

LEDGER = "events.jsonl"


class LedgerSeats:
    """Who is missing and who sits wrong, as far as the table's ledger says; only lines that are new are read."""

    def __init__(self, ledger: Path) -> None:
        """``ledger`` is the folder of the settings; its files may be there later."""
        self._folder = ledger
        self._begin(ledger)

    def shown(self) -> list[ShownSeat] | None:
        """The four places while they are checked; None at other times."""
        folder = playing_folder(self._folder)
        if folder != self._read_from:
            self._begin(folder)
        self._read_on()
        seats = self._seats
        if seats.stage is not SeatStage.AWAITED:
            return None
        says = {place: seats.taken.get(place, "") for place in PLACES}
        return [{"seat": place, "player": seats.players[place], "says": says[place]} for place in PLACES]

    def _begin(self, folder: Path) -> None:
        self._read_from, self._offset, self._seats = folder, 0, Seats()

    def _read_on(self) -> None:
        try:
            with (self._read_from / LEDGER).open("rb") as file:
                file.seek(self._offset)
                fresh = file.read()
        except OSError:
            return
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines(keepends=True):
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            event = parse(line).body
        except LineError:
            return
        if isinstance(event, SeatEvent):
            self._seats = apply_to_seats(self._seats, event)
