"""Key presses: a key is held until the controller has read it, and released until the controller has read that too.

The controller decides what a press means; the lamps show the result.
"""

import threading
from collections.abc import Callable

from simulator.panel.panel_file import PanelFile
from simulator.tabletop import PLACES
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key

HELD_SCANS = 8
"""A key is held for at least this number of looks of the controller."""
MOST_HELD_S = 3.0
"""A key is held for so long at most (wall time)."""


@frozen
class Press:
    """What came of a press: whether the key was looked at, whether the call lamp was lit when it was let go, and
    whether the claim window in which it began (``in_window``) had gone dark by then."""

    seen: bool
    call: bool
    in_window: bool
    window_went_out: bool


class KeyPresses:
    """One hand a place: presses of a place come one after the other."""

    def __init__(self, panel: PanelFile) -> None:
        self._panel = panel
        self._hands = [threading.Lock() for _ in PLACES]

    def press(self, place: int, key: Key, check: Callable[[], object], stopped: Callable[[], bool]) -> Press:
        """Hold a key: CHOW, PUNG, KONG and WIN until the call lamp of the place is lit (or an open claim window goes dark),
        CONFIRM and REFEREE for ``HELD_SCANS`` looks.

        ``check`` is called once the hand is free, and raises when the press has lost its sense by then; nothing is
        held any longer once ``stopped`` holds.
        """
        panel = self._panel
        with self._hands[place]:
            check()
            in_window = panel.lamps().window
            before = panel.scans(place, key)

            def scanned() -> bool:
                return panel.scans(place, key)[1] - before[1] >= HELD_SCANS

            def answered() -> bool:
                lamps = panel.lamps()
                return scanned() and (place in lamps.call or (in_window and not lamps.window))

            def held_long_enough() -> bool:
                return stopped() or (scanned() if key in (Key.CONFIRM, Key.REFEREE) else answered())

            panel.press(place, key)
            panel.wait(held_long_enough, MOST_HELD_S)
            lamps, seen = panel.lamps(), scanned()
            panel.release(place, key)
            if seen:
                opened = panel.scans(place, key)[0]
                panel.wait(lambda: stopped() or panel.scans(place, key)[0] - opened >= HELD_SCANS, MOST_HELD_S)
        return Press(seen, place in lamps.call, in_window, in_window and not lamps.window)
