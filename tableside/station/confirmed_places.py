"""What lies where, as people have confirmed it. A station has no sensors, so this is kept on disk for the next start.

The file is replaced as a whole and on disk before the firmware hears of the change.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably

Four = tuple[int, int, int, int]
NOTHING: Four = (0, 0, 0, 0)


class PlacesFileDamagedError(ValueError):
    """The file cannot be what a station wrote; the message says what to do."""


@frozen
class ConfirmedPlaces:
    """Bit masks of the tiles that lie in ``trays`` and ``magazines`` by seat, and in ``cells``.

    ``in_hand`` tells that something was on its way: to or from the places ``asked`` (seat, position), to or from the ``spots``
    (bit mask of cells), or to the heap. ``raised`` counts the walls that have been set before the players: it says whose turn the
    two sets are. ``fallen`` counts what went back from the walls that were played from since then.
    """

    trays: Four = NOTHING
    magazines: Four = NOTHING
    cells: int = 0
    door_open: bool = False
    raised: int = 0
    fallen: int = 0
    in_hand: bool = False
    asked: tuple[tuple[int, int], ...] = ()
    spots: int = 0

    @property
    def placed(self) -> int:
        """Tiles in the walls that are being built."""
        return sum(mask.bit_count() for mask in self.trays)

    def hand_tiles(self, hand_places: int) -> int:
        """Tiles of hands that are not yet taken."""
        hands = (1 << hand_places) - 1
        return sum((mask & hands).bit_count() for mask in self.magazines)

    def with_tray_place(self, seat: int, place: int, *, level: bool) -> "ConfirmedPlaces":
        """With a place of a wall in the making taken, or free."""
        mask = self.trays[seat] | 1 << place if level else self.trays[seat] & ~(1 << place)
        return replace(self, trays=_with(self.trays, seat, mask))

    def without_played(self, seat: int, place: int) -> "ConfirmedPlaces":
        """Without a tile of the wall that is played from."""
        return replace(self, magazines=_with(self.magazines, seat, self.magazines[seat] & ~(1 << place)))

    def without_wall(self, seat: int) -> "ConfirmedPlaces":
        """Without a wall in the making."""
        return replace(self, trays=_with(self.trays, seat, 0))

    def without_rest(self, seat: int) -> "ConfirmedPlaces":
        """Without what is left of a wall that was played from."""
        fallen = self.fallen + self.magazines[seat].bit_count()
        return replace(self, magazines=_with(self.magazines, seat, 0), fallen=fallen)

    def with_spots(self, count: int) -> "ConfirmedPlaces":
        """With what lies on spots that the table has no more on its way to the heap."""
        gone = self.cells >> count << count
        return replace(self, cells=self.cells ^ gone, spots=self.spots | gone, in_hand=self.in_hand or gone > 0)

    def with_walls_raised(self, wall_places: int) -> "ConfirmedPlaces":
        """With the new walls before the players; spare tiles stay."""
        wall = (1 << wall_places) - 1
        raised, rest = (mask & wall for mask in self.trays), (mask & ~wall for mask in self.trays)
        return replace(self, trays=_four(rest), magazines=_four(raised), raised=self.raised + 1, fallen=0)


@frozen
class ConfirmedPlacesFile:
    """Where a station's memory is kept."""

    path: Path

    def load(self) -> ConfirmedPlaces:
        """What was kept last; an empty table where nothing was. Raises PlacesFileDamagedError."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ConfirmedPlaces()
        try:
            record = json.loads(text)
            trays, magazines = (_four(record.pop(name)) for name in ("trays", "magazines"))
            asked = tuple((int(seat), int(place)) for seat, place in record.pop("asked"))
            return ConfirmedPlaces(trays, magazines, asked=asked, **record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise PlacesFileDamagedError(
                f"{self.path} cannot be read ({error}): put all tiles on the heap, then take the file away and begin again"
            ) from None

    def keep(self, memory: ConfirmedPlaces) -> None:
        """Put it on disk before returning."""
        write_durably(self.path, json.dumps(asdict(memory)).encode())


def _with(masks: Four, seat: int, mask: int) -> Four:
    return _four(mask if each == seat else masks[each] for each in range(len(masks)))


def _four(masks: Iterable[int]) -> Four:
    first, second, third, fourth = (int(mask) for mask in masks)
    return first, second, third, fourth
