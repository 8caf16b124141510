"""Keys of a table, and when one counts as pressed. Pins are in ``controller.adapters.panel``, which exists only with GPIO."""

from twinwall.game.rule_set import RuleSet
from twinwall.values import frozen
from twinwall.wire.shapes.panel import KEYS, Key


def keys_of(rules: RuleSet) -> tuple[Key, ...]:
    """Return the keys that these rules use."""
    without = {Key.CHOW: not rules.chows, Key.RIICHI: not rules.declares_riichi}
    return tuple(key for key in KEYS if not without.get(key, False))


@frozen
class KeyPressed:
    """A key at a place (0–3) was held long enough to count; it counts once until released."""

    place: int
    key: Key


class Debouncer:
    """A key counts once when it has been closed for ``hold_s``, and again only after being open as long."""

    def __init__(self, hold_s: float) -> None:
        """``hold_s`` in seconds; common switches stop bouncing within 5 ms."""
        self._hold_s = hold_s
        self._changed: dict[tuple[int, Key], float] = {}
        self._down: set[tuple[int, Key]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a key is down or was just released."""
        return bool(self._down or self._changed)

    def scanned(self, closed: frozenset[tuple[int, Key]], now: float) -> tuple[KeyPressed, ...]:
        """Take one scan of the matrix (the closed keys) at ``now`` seconds; return the new presses."""
        pressed = []
        for key in closed ^ self._down:
            since = self._changed.setdefault(key, now)
            if now - since >= self._hold_s:
                del self._changed[key]
                self._down ^= {key}
                if key in closed:
                    pressed.append(KeyPressed(*key))
        for key in list(self._changed):
            if (key in closed) == (key in self._down):
                del self._changed[key]
        return tuple(sorted(pressed, key=lambda press: (press.place, KEYS.index(press.key))))
