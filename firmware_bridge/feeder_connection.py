"""The feeder's serial port in a thread of its own.

This module decides nothing about the protocol: it carries bytes between a device and ``link``,
opens the port again when it goes away, and hands every event to the caller's function.
"""

import contextlib
import os
import queue
import secrets
import select
import threading
import time
from collections.abc import Callable, Sequence

from firmware_bridge.link.events import FeederEvent, OperationRequest
from firmware_bridge.link.session import FeederLink, KnownBoot, LinkSettings
from firmware_bridge.link.statistics import LinkStatistics
from firmware_bridge.messages import DeviceEvent
from firmware_bridge.serial_port import SerialPort
from firmware_bridge.wakeup import Wakeup

_REOPEN_AFTER_S = 0.25
_STATISTICS_EVERY_S = 1.0

_Request = Callable[[FeederLink, float], None]


class FeederConnection(threading.Thread):
    """A feeder on a serial port.

    ``post`` is called from the port's thread, once per event, in order. With ``auto_acknowledge`` an event counts as taken over once
    ``post`` has returned; without it the firmware keeps each event until ``acknowledge`` is called with its number, which is what a user
    wants who writes events to a disk first. ``known`` is what the user remembers from before: it makes ``LinkUp.same_boot`` true across
    restarts and keeps events from coming twice. Where the settings name a uid, ``search`` gives the devices at which that feeder may be
    found when it is not at ``path``: it is looked for at one after the other.
    """

    def __init__(
        self,
        path: str,
        baud: int,
        post: Callable[[FeederEvent], None],
        *,
        known: KnownBoot | None = None,
        auto_acknowledge: bool = True,
        settings: LinkSettings | None = None,
        search: Callable[[], Sequence[str]] = tuple,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name="feeder-port", daemon=True)
        self._path = path
        self._search = search
        self._searching = settings is not None and settings.uid is not None
        self._turn = 0
        """Which of the devices is tried; it stays where the feeder was found."""
        self._baud = baud
        self._post = post
        self._auto_acknowledge = auto_acknowledge
        self._clock = clock
        self._link = FeederLink(settings or LinkSettings(), secrets.randbits(32), known)
        self._statistics = self._link.statistics()
        self._statistics_at_s = clock()
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._wakeup = Wakeup()
        self._stopping = threading.Event()
        self._serial: SerialPort | None = None

    def submit(self, request: OperationRequest) -> None:
        """Send an operation, now or as soon as the link is up; the same number again is safe."""
        self._ask(lambda link, now_s: link.submit(request, now_s))

    def request_status(self) -> None:
        """Ask for a ``Status``; it comes as an event."""
        self._ask(lambda link, now_s: link.request_status(now_s))

    def acknowledge(self, number: int) -> None:
        """Every device event up to and including this number need not be kept any longer."""
        self._ask(lambda link, now_s: link.acknowledge(number, now_s))

    def statistics(self) -> LinkStatistics:
        """What the link has been through, as of a moment ago; may be called from any thread."""
        return self._statistics

    def stop(self) -> None:
        self._stopping.set()
        self._wakeup.wake()
        if self.ident is not None:
            self.join()
        self._wakeup.close()

    def _ask(self, request: _Request) -> None:
        self._requests.put(request)
        self._wakeup.wake()

    # In the port's thread -----------------------------------------------------------------------------

    def run(self) -> None:
        """Open the port, begin the handshake, and carry what comes and goes; the outcome comes as an event."""
        try:
            while not self._stopping.is_set():
                if self._serial is None and not self._open():
                    self._sleep(_REOPEN_AFTER_S)
                    continue
                try:
                    self._carry()
                except OSError as error:
                    self._close()
                    self._link.disconnect(f"{self._path} has gone: {error}")
                self._hand_over()
                if self._link.wrong_port:
                    self._try_next()
        finally:
            self._statistics = self._link.statistics()
            self._close()

    def _devices(self) -> tuple[str, ...]:
        """Where the feeder may be: at its path, and elsewhere when it is known by its uid."""
        if not self._searching:
            return (self._path,)
        here = os.path.realpath(self._path)
        return (self._path, *(path for path in self._search() if os.path.realpath(path) != here))

    def _open(self) -> bool:
        devices = self._devices()
        reason = ""
        for offset in range(len(devices)):
            turn = (self._turn + offset) % len(devices)
            try:
                self._serial = SerialPort(devices[turn], self._baud)
            except OSError as error:
                reason = reason or f"{devices[turn]} cannot be opened: {error.strerror}"
                continue
            self._turn = turn
            self._link.connect(self._clock(), another=self._searching)
            return True
        self._link.disconnect(reason)
        self._hand_over()
        return False

    def _try_next(self) -> None:
        """No feeder is at this device, or another: go on to the next one."""
        devices = self._devices()
        if len(devices) > 1:
            self._close()
            self._link.leave()
            self._turn = (self._turn + 1) % len(devices)

    def _close(self) -> None:
        port, self._serial = self._serial, None
        if port is not None:
            port.close()

    def _carry(self) -> None:
        """One round: send, sleep until something happens, take bytes, requests and timers."""
        port, link = self._serial, self._link
        assert port is not None
        waiting = link.data_to_send()
        if waiting:
            port.write(waiting)
        due_s = link.next_timer()
        wait_s = None if due_s is None else max(due_s - self._clock(), 0.0)
        ready, _, _ = select.select([port.fileno(), self._wakeup.fileno()], [], [], wait_s)
        if port.fileno() in ready:
            link.receive(port.take(), self._clock())
        if self._wakeup.fileno() in ready:
            self._wakeup.drain()
        self._take_requests()
        link.handle_timer(self._clock())
        if self._clock() >= self._statistics_at_s:
            self._statistics_at_s = self._clock() + _STATISTICS_EVERY_S
            self._statistics = link.statistics()

    def _take_requests(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._requests.get_nowait()(self._link, self._clock())

    def _hand_over(self) -> None:
        last = 0
        while (event := self._link.next_event()) is not None:
            self._post(event)
            if isinstance(event, DeviceEvent):
                last = event.number
        if last and self._auto_acknowledge:
            self._link.acknowledge(last, self._clock())

    def _sleep(self, seconds: float) -> None:
        select.select([self._wakeup.fileno()], [], [], seconds)
        self._wakeup.drain()
        self._take_requests()
