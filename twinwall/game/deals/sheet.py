"""Building sheets (``building_sheets``), from which people build walls at tables without a feeder: their lines, and the check after the
release. The cover shows a code that anybody can compute from the published commitments; it reveals no tile. The sheet inside has the wall
in one line, which the released slip confirms."""

from collections.abc import Iterator, Sequence

from twinwall.game.deals.deal import Deal
from twinwall.game.deals.encoding import DealError, encode_parts, sha256
from twinwall.game.deals.keys import Commitments
from twinwall.game.deals.start import words_of_code
from twinwall.game.tiles import SEATS, NotationError, Seat, TileRow, format_tiles, parse_tiles
from twinwall.values import frozen

SHEET_FORMAT = "twinwall-sheet-1"
CODE_GROUPS = 2
"""Groups of four symbols on a cover: 40 bits, enough to tell an event's deals apart."""
_APART = " | "


@frozen
class BuildingSheet:
    """One seat's wall: hand tiles, draws in order, and the shared tiles behind it; ``code`` is on the cover."""

    n: int
    hand_number: int
    seat: Seat
    code: str
    hand: TileRow
    draws: TileRow
    shared: TileRow = ()

    def __repr__(self) -> str:
        return f"BuildingSheet(n={self.n}, seat={self.seat.value})"

    @property
    def line(self) -> str:
        """The printed line: ``7 S``, then the tiles."""
        parts = [self.hand, self.draws, *([self.shared] if self.shared else [])]
        return f"{self.n} {self.seat.value} {_APART.join(map(format_tiles, parts))}"


def cover_code(commitments: Commitments, n: int) -> str:
    """The code on the covers of a deal's sheets."""
    leaf = commitments.leaves[n - 1]
    words = words_of_code(sha256(encode_parts(SHEET_FORMAT, commitments.root, n, leaf)))
    return "-".join(words.split("-")[:CODE_GROUPS])


def building_sheets(deal: Deal, commitments: Commitments, rows: Sequence[Sequence[int]]) -> Iterator[BuildingSheet]:
    """A deal's four sheets, East first; ``rows`` are the shared tiles behind each wall (``RuleSet.shared_rows``)."""
    for seat in SEATS:
        wall, shared = deal.walls[seat], tuple(deal.rest[place] for place in rows[seat.index])
        yield BuildingSheet(deal.n, deal.hand, seat, cover_code(commitments, deal.n), wall.hand, wall.draws, shared)


def named_deal(line: str) -> int:
    """The number of the deal in a sheet's line; raises DealError."""
    n = line.split(maxsplit=1)[0] if line.strip() else ""
    if not n.isascii() or not n.isdecimal():
        raise DealError(f"{line!r} is no line of a building sheet: it begins with the number of the deal, then the seat")
    return int(n)


def sheet_difference(deal: Deal, line: str, rows: Sequence[Sequence[int]]) -> str | None:
    """The first difference between a sheet's line and the released deal, in a sentence; None when there is none. Raises DealError."""
    words = line.split(maxsplit=2)
    winds = {seat.value: seat for seat in SEATS}
    if len(words) < 3 or words[1] not in winds or named_deal(line) != deal.n:
        raise DealError(f"{line!r} is no line of a building sheet of deal {deal.n}: write it as {deal.n} S and the tiles, as printed")
    seat = winds[words[1]]
    try:
        parts = [parse_tiles(part) for part in words[2].split("|")]
    except NotationError as error:
        raise DealError(f"the sheet of {seat.value}: {error}") from None
    wall, shared = deal.walls[seat], tuple(deal.rest[place] for place in rows[seat.index])
    wanted = [wall.hand, wall.draws, *([shared] if shared else [])]
    if parts == wanted:
        return None
    for name, printed, committed in zip(("hand", "draws", "shared tiles"), parts, wanted, strict=False):
        place = next((place for place, pair in enumerate(zip(printed, committed, strict=False), 1) if pair[0] is not pair[1]), None)
        if place is not None:
            at = committed[place - 1].text
            return f"tile {place} of the {name} is {printed[place - 1].text} on the sheet, and {at} was committed to"
    return "the sheet has more or fewer tiles than the wall that was committed to"
