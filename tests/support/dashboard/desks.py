"""Fake desk: keeps everything in memory, and releases need no slip."""

import json
from datetime import datetime
from functools import reduce
from pathlib import Path

from tests.support.dashboard.example import CHECK
from tests.support.wire.streams import START
from twinwall.event.field import EventField, field_of
from twinwall.event.management.change_checks import ChangeRefusedError, refusal
from twinwall.event.management.managed_event import ManagedEvent, apply
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.hall import Hall, Released
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import (
    Acknowledgement,
    ManagementStep,
    Note,
    RefereeLook,
    ReplacementStep,
    RulingGiven,
    StaffChange,
    WithdrawalStep,
)
from twinwall.event.store.store_records import Record
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import Deal, Slip, StartedPlan
from twinwall.game.deals.encoding import Sha256
from twinwall.game.deals.keys import DealKey
from twinwall.game.tiles import SEATS, parse_tiles
from twinwall.game.walls import SeatWall

EXAMPLE = json.loads((Path(__file__).parents[1] / "game" / "worked-example.json").read_text(encoding="utf-8"))["walls"]


class MemoryDesk(StoreWriter):
    """The event's desk for tests: what is written down stands in lists; while it is ``full`` its disk takes nothing."""

    steps: tuple[ManagementStep, ...] = ()
    lost: tuple[Record, ...] = ()

    def __init__(self, field: EventField | None = None, points: Points = Points.IMP, custody: StartedPlan | None = None) -> None:
        event = "Autumn" if custody is None else custody.plan.event
        self.hall = Hall(Programme(event, field or field_of(EntrantKind.INDIVIDUAL, ()), custody, points=points))
        self.looks: list[RefereeLook] = []
        self.rulings: list[RulingGiven] = []
        self.withdrawals: list[WithdrawalStep] = []
        self.replacements: list[ReplacementStep] = []
        self.staff_changes: list[StaffChange] = []
        self.full = False

    def give_up_lost(self, by: str, at: datetime) -> None:
        self._write()
        self.lost = ()

    def back_up(self, to: Path) -> None:
        self._write()
        to.write_bytes(b"a copy of the store")

    def manage(self, step: ManagementStep, seen: int | None, *further: ManagementStep) -> ManagedEvent:
        steps = step, *further
        changes = [each.change for each in steps]
        refused = refusal(self.event, *changes, seen=seen)
        if refused is not None:
            raise ChangeRefusedError(refused)
        self._write()
        self.steps += steps
        self.hall.manage(reduce(apply, changes, self.event))
        return self.event

    def acknowledge(self, acknowledgement: Acknowledgement) -> bool:
        self._write()
        return self.hall.acknowledge(acknowledgement)

    def note(self, note: Note) -> None:
        self._write()
        if isinstance(note, RefereeLook):
            self.looks.append(note)
        elif isinstance(note, WithdrawalStep):
            self.withdrawals.append(note)
        elif isinstance(note, ReplacementStep):
            self.replacements.append(note)
        elif isinstance(note, StaffChange):
            self.staff_changes.append(note)
        elif isinstance(note, RulingGiven):
            self.rulings.append(note)

    def _write(self) -> None:
        if self.full:
            raise StoreError("the disk is full")


def teams_of_four() -> EventField:
    return field_of(EntrantKind.TEAM, "1234", ("Plum", "Orchid", "Bamboo", "Chrysanthemum"))


def released(n: int = 1, at: datetime = START, session: int = 1, hand: int | None = None) -> Released:
    """The example deal, as if its slip had been checked; hand ``n`` of session 1 unless it is said otherwise."""
    walls = {seat: SeatWall(parse_tiles(EXAMPLE[seat.value]["hand"]), parse_tiles(EXAMPLE[seat.value]["draws"])) for seat in SEATS}
    digest, check, root = Sha256(b"\x01" * 32), Sha256.fromhex(CHECK), Sha256(b"\x02" * 32)
    deal = Deal(n, "Autumn", session, hand or n, "mcr-duplicate", walls, (), digest, check, root, "in the test")
    return Released(Slip(n, "in the test", (DealKey(b"\x03" * 80),), (), digest, check), deal, at)
