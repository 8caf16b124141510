"""The firmware on a board with no table around it: its floors turn and shut again, and every turn is noted.

What only the line can do to an operation is counted here, quickly: DUMP of one floor is one pulse at one pin.
"""

from collections import deque
from math import ceil

from firmware_bridge.board.library import CoreBoard
from firmware_bridge.board.table_record import TableRecord
from firmware_bridge.electrics.wiring import ALL_INPUT_BYTES, PLACES_A_SEAT, SEATS, Input, Output
from firmware_bridge.messages import Container, Dump, ResetReason

_RECORD = TableRecord(b"TWSIM001", speed_percent=1000).encode()
_CARRIAGES = (0,) * 8
_MOST_STEPS = 2000
_OPENS_US, _SHUTS_US = 1_000, 16_000
"""When a floor's switch lets go and closes again, after its pulse has begun."""
_TAKEN_EVERY = 10
_TAKEN_US = 20_000
_LOOK_AHEAD_US = 100_000
_TURNS = {
    Output.PURGE: Input.PURGE_SHUT,
    **{Output.TRAY_FLOOR + seat: Input.TRAY_FLOOR_SHUT + seat for seat in range(SEATS)},
    **{Output.MAGAZINE_FLOOR + seat: Input.MAGAZINE_FLOOR_SHUT + seat for seat in range(SEATS)},
}
_PLUGGED = (*range(Input.HOME, Input.HOME + SEATS), *range(Input.AT_PLACE, Input.GRIPPER_UP + SEATS))
_AT_REST = (*_TURNS.values(), Input.LIFT_DOWN, Input.DOOR_IS_SHUT, Input.DRIVER_FAULT, *_PLUGGED)
_FLOORS = {
    output: Dump(container, seat)
    for container, first in ((Container.TRAY, Output.TRAY_FLOOR), (Container.MAGAZINE, Output.MAGAZINE_FLOOR))
    for seat, output in enumerate(range(first, first + SEATS))
}
FLOORS = tuple(_FLOORS.values())
"""The operations that are counted."""


class CountingBoard:
    """One boot of the firmware and the floors behind it; ``dumped`` is what they have done and nobody has accounted for."""

    def __init__(self, boot_id: int, now_s: float, turned: int = 0) -> None:
        """``turned`` is how many floors have turned before this boot."""
        self.dumped: deque[Dump] = deque()
        self.turned = turned
        self.taken = 0
        """Tiles that have been taken out of a magazine."""
        self._began_s, self._now_us = now_s, 0
        self._board = CoreBoard(_RECORD, boot_id, ResetReason.POWER_ON, _CARRIAGES, _MOST_STEPS)
        self._outputs = frozenset[int]()
        image = bytearray(ALL_INPUT_BYTES)
        for number in _AT_REST:
            image[number // 8] |= 1 << number % 8
        self._board.image(bytes(image))

    def receive(self, received: bytes, now_s: float) -> None:
        self.handle_timer(now_s)
        self._board.receive(received)

    def handle_timer(self, now_s: float) -> None:
        end_us = ceil((now_s - self._began_s) * 1_000_000 - 1e-3)
        while self._now_us < end_us:
            self._now_us, changed = self._board.run(end_us)
            if changed:
                self._look()

    def next_timer(self) -> float:
        return self._began_s + self._board.foresee(self._now_us + _LOOK_AHEAD_US) / 1_000_000

    def data_to_send(self) -> bytes:
        return self._board.take()

    def _look(self) -> None:
        """Turn what has got its pulse."""
        image = self._board.outputs()[0]
        self._board.plan(self._now_us, Input.DRIVER_FAULT, not image[Output.MOTOR_POWER // 8] >> Output.MOTOR_POWER % 8 & 1)
        outputs = frozenset(number for number in _TURNS if image[number // 8] >> number % 8 & 1)
        for number in sorted(outputs - self._outputs):
            self._board.plan(self._now_us + _OPENS_US, _TURNS[number], False)
            self._board.plan(self._now_us + _SHUTS_US, _TURNS[number], True)
            if number in _FLOORS:
                self._note(_FLOORS[number])
        self._outputs = outputs

    def _note(self, dump: Dump) -> None:
        self.dumped.append(dump)
        self.turned += 1
        if self.turned % _TAKEN_EVERY:
            return
        self.taken += 1
        place = Input.MAGAZINE + PLACES_A_SEAT * ((dump.seat + 1) % SEATS)  # whose floor does not move
        self._board.plan(self._now_us, place, True)
        self._board.plan(self._now_us + _TAKEN_US, place, False)
