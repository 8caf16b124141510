"""The confirmed places of tiles. A station has no sensors, so they are stored on disk for the next start. The whole file is replaced, and
on disk before the firmware hears of the change."""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably

Four = tuple[int, int, int, int]
NOTHING: Four = (0, 0, 0, 0)


class PlacesFileDamagedError(ValueError):
    """The file is not one that a station wrote; the message says what to do."""


@frozen
class ConfirmedPlaces:
    """Bit masks of the tiles in ``trays`` and ``magazines`` by seat, and in ``cells``.

    - in_hand: something was under way: to or from the places ``asked`` (seat, position), the ``spots`` (bit mask of cells), or the heap.
    - raised: the number of times that walls were raised; it decides the turn of the two sets.
    - fallen: tiles that went back since then from the walls in play.
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
        """Tiles in the walls being built."""
        return sum(mask.bit_count() for mask in self.trays)

    def hand_tiles(self, hand_places: int) -> int:
        """Hand tiles that are not yet taken."""
        hands = (1 << hand_places) - 1
        return sum((mask & hands).bit_count() for mask in self.magazines)

    def with_tray_place(self, seat: int, place: int, *, level: bool) -> "ConfirmedPlaces":
        """With a place of a wall being built taken, or free."""
        mask = self.trays[seat] | 1 << place if level else self.trays[seat] & ~(1 << place)
        return replace(self, trays=_with(self.trays, seat, mask))

    def without_played(self, seat: int, place: int) -> "ConfirmedPlaces":
        """Without a tile of a wall in play."""
        return replace(self, magazines=_with(self.magazines, seat, self.magazines[seat] & ~(1 << place)))

    def without_wall(self, seat: int) -> "ConfirmedPlaces":
        """Without a wall being built."""
        return replace(self, trays=_with(self.trays, seat, 0))

    def without_rest(self, seat: int) -> "ConfirmedPlaces":
        """Without the rest of a wall in play."""
        fallen = self.fallen + self.magazines[seat].bit_count()
        return replace(self, magazines=_with(self.magazines, seat, 0), fallen=fallen)

    def with_spots(self, count: int) -> "ConfirmedPlaces":
        """With tiles on spots that the table no longer has under way to the heap."""
        gone = self.cells >> count << count
        return replace(self, cells=self.cells ^ gone, spots=self.spots | gone, in_hand=self.in_hand or gone > 0)

    def with_walls_raised(self, wall_places: int) -> "ConfirmedPlaces":
        """With the new walls before the players; spare tiles stay."""
        wall = (1 << wall_places) - 1
        raised, rest = (mask & wall for mask in self.trays), (mask & ~wall for mask in self.trays)
        return replace(self, trays=_four(rest), magazines=_four(raised), raised=self.raised + 1, fallen=0)


@frozen
class ConfirmedPlacesFile:
    """The file of a station's memory."""

    path: Path

    def load(self) -> ConfirmedPlaces:
        """The stored memory; an empty table without a file. Raises PlacesFileDamagedError."""
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
        """Write it to disk before returning."""
        write_durably(self.path, json.dumps(asdict(memory)).encode())


def _with(masks: Four, seat: int, mask: int) -> Four:
    return _four(mask if each == seat else masks[each] for each in range(len(masks)))


def _four(masks: Iterable[int]) -> Four:
    first, second, third, fourth = (int(mask) for mask in masks)
    return first, second, third, fourth
