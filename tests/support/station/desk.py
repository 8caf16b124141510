"""A station with a host at the other end of its line, in memory and in simulated time; hands are function calls."""

from __future__ import annotations

from firmware_bridge.link.events import Done, FeederEvent, FeederStatus, LinkUp, OperationRefused, OperationRequest
from firmware_bridge.link.session import FeederLink
from firmware_bridge.link.settings import LinkSettings
from firmware_bridge.messages import Capabilities, Command, DeviceEvent, Feed, Place, TileAtGate
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.manual_feeder import ManualFeeder
from tableside.station.sizes import ManualFeederSizes
from tableside.station.station import boot_station
from tableside.station.tasks import Do, Task

STEP_S = 0.01


class Desk:
    """``kept`` is what lies on the station's disk; ``power_cut`` begins anew with it, and nothing else."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.kept = ConfirmedPlaces()
        self.boot = 0
        self.operation = 0
        self.events: list[FeederEvent] = []
        self.power_cut()
        self.host_begins()
        self.until(LinkUp)

    def power_cut(self) -> None:
        """The station's process ends and begins anew."""
        self.boot += 1
        self.person = ManualFeeder(ManualFeederSizes(), self.kept, (1, 2), self._keep, first_task=1000 * self.boot)
        self.firmware = boot_station(self.person, self.boot, self.now_s)

    def host_begins(self) -> None:
        """The controller's process begins anew."""
        self.link = FeederLink(LinkSettings(expected=Capabilities()), 42, None)
        self.link.connect(self.now_s)

    def _keep(self, memory: ConfirmedPlaces) -> None:
        self.kept = memory

    # The host -----------------------------------------------------------------------------------------

    def give(self, command: Command, operation: int | None = None) -> int:
        """Send an operation, under the next number if none is given."""
        if operation is None:
            self.operation += 1
            operation = self.operation
        self.link.submit(OperationRequest(operation, command), self.now_s)
        self.run(0.1)
        return operation

    def answer(self, operation: int) -> Done | OperationRefused | None:
        """The last answer to an operation so far."""
        answers = [event for event in self.events if isinstance(event, Done | OperationRefused) and event.operation == operation]
        return answers[-1] if answers else None

    def status(self) -> FeederStatus:
        """What the station says lies where."""
        self.link.request_status(self.now_s)
        found = self.until(FeederStatus)
        assert isinstance(found, FeederStatus)
        return found

    def run(self, seconds: float, *, host: bool = True) -> None:
        """Let time pass, with the host heard or not."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self._step(host=host)

    def until(self, kind: type[FeederEvent]) -> FeederEvent:
        """Run until an event of this kind comes."""
        seen = len(self.events)
        for _ in range(500):
            self._step()
            for event in self.events[seen:]:
                if isinstance(event, kind):
                    return event
        raise AssertionError(f"no {kind.__name__} came; the screen says {self.person.task}")

    def _step(self, *, host: bool = True) -> None:
        self.now_s += STEP_S
        if host:
            self.link.handle_timer(self.now_s)
            self.firmware.receive(self.link.data_to_send(), self.now_s)
        self.firmware.handle_timer(self.now_s)
        sent = self.firmware.data_to_send()
        if host:
            self.link.receive(sent, self.now_s)
        while (event := self.link.next_event()) is not None:
            self.events.append(event)
            if isinstance(event, DeviceEvent):
                self.link.acknowledge(event.number, self.now_s)

    # The hands ----------------------------------------------------------------------------------------

    def show(self) -> None:
        """Lay a tile into the empty frame."""
        self.person.shown(self.now_s)
        self.run(0.1)

    def take_away(self) -> None:
        """Take it out."""
        self.person.cleared(self.now_s)
        self.run(0.1)

    def doing(self) -> Do:
        """What the screen asks for."""
        return self.person.task.do

    def touch_done(self) -> bool:
        """Say that the task on the screen is done."""
        good = self.person.confirm(self.person.task.number, self.now_s)
        self.run(0.1)
        return good

    def beside(self, do: Do) -> Task:
        """What players are asked to do."""
        return next(task for task in self.person.beside if task.do is do)

    def fed(self) -> Desk:
        """With tiles wanted."""
        self.give(Feed())
        return self

    def place(self, seat: int, position: int) -> int:
        """Show a tile and let the host name its place; the tile is in hand then."""
        arrived = len([event for event in self.events if isinstance(event, TileAtGate)])
        self.show()
        assert len([event for event in self.events if isinstance(event, TileAtGate)]) == arrived + 1, self.person.task
        operation = self.give(Place(seat, position))
        self.take_away()
        return operation

    def build(self, walls: int = 34) -> None:
        """Fill the trays, what lies below first."""
        for position in reversed(range(walls)):
            for seat in range(4):
                self.place(seat, position)
        self.touch_done()
