"""The deal: four walls made from the committed keys (``deal_from_keys``), with digest, check value and root, and the deal file. A ``Deal``
is a claim; ``slip.verify_deal`` checks it. Reading refuses wrong numbers of tiles and unknown keys.

The unbiased shuffle: SHAKE-256 words give shuffled tiles, four walls and their digest. ``WallLayout`` says which tiles and how many.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

from twinwall.game.deals.encoding import DealError, Sha256, encode_parts, sha256
from twinwall.game.deals.keys import Seed, commit, deal_keys
from twinwall.game.deals.plan import HandNumber, Plan
from twinwall.game.deals.start import check_public
from twinwall.game.rules import wall_layout
from twinwall.game.tiles import SEATS, Seat, TileRow, format_tiles
from twinwall.game.typed_json import BySeat, Number, Tiles, Words, plain, read_document
from twinwall.game.walls import HAND_SIZE, SeatWall
from twinwall.values import frozen

_WORD_SIZE = 4
_WORDS = 2**32
_FIRST_WORDS = 136
"""Words for a full set when none is skipped."""


def shuffled(tiles: TileRow, words: Iterator[int]) -> TileRow:
    """Shuffle with 32-bit words. Words that would favour an order are skipped, so all orders are equally likely."""
    order = list(tiles)
    for last in range(len(order) - 1, 0, -1):
        span = last + 1
        limit = _WORDS - _WORDS % span
        chosen = next(word for word in words if word < limit) % span
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def words_of(stream: bytes) -> Iterator[int]:
    """Endless 32-bit big-endian words of SHAKE-256 over ``stream``. ``digest`` always begins at the start, so each call asks for twice as
    much."""
    shake = hashlib.shake_256(stream)
    given, length = 0, _FIRST_WORDS * _WORD_SIZE
    while True:
        output = shake.digest(length)
        for position in range(given, length, _WORD_SIZE):
            yield int.from_bytes(output[position : position + _WORD_SIZE], "big")
        given, length = length, 2 * length


def deal_tiles(tiles: TileRow, wall_size: int) -> tuple[dict[Seat, SeatWall], TileRow]:
    """Deal shuffled tiles: E, S, W, N in turn take the next ``wall_size``; returns the walls and the shared tiles."""
    walls = {}
    for seat in SEATS:
        wall = tiles[seat.index * wall_size : (seat.index + 1) * wall_size]
        walls[seat] = SeatWall(wall[:HAND_SIZE], wall[HAND_SIZE:])
    return walls, tiles[len(SEATS) * wall_size :]


def walls_digest(walls: Mapping[Seat, SeatWall], rest: TileRow) -> Sha256:
    """The digest of a deal's tiles: one line per seat, and one for shared tiles if there are any."""
    lines = [f"{seat.value} {format_tiles(walls[seat].tiles)}\n" for seat in SEATS]
    if rest:
        lines.append(f"- {format_tiles(rest)}\n")
    return sha256("".join(lines).encode())


@frozen
class Deal:
    """The walls of one hand by seat wind, with number, rule set and proofs."""

    FORMAT: ClassVar = "twinwall-deal-1"

    n: Number
    event: Words
    session: Number
    hand: HandNumber
    rules: Words
    walls: BySeat[SeatWall]
    rest: Tiles
    digest: Sha256
    check: Sha256
    root: Sha256
    public: Words

    def to_json(self) -> dict[str, object]:
        return plain(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> "Deal":
        """Read a deal file; refuses unknown keys and walls that are not a whole set, divided as the rules say."""
        name = "the deal file"
        deal = read_document(text, cls, name)
        check_walls(deal.rules, deal.walls, deal.rest, name)
        return deal


def check_walls(rules: str, walls: Mapping[Seat, SeatWall], rest: TileRow, name: str) -> None:
    """Raise DealError or RuleSetError for walls that are not the rule set's whole tile set, divided as it says."""
    layout = wall_layout(rules)
    for seat in SEATS:
        hand, draws = len(walls[seat].hand), len(walls[seat].draws)
        if (hand, draws) != (HAND_SIZE, layout.draws):
            wanted = f"{HAND_SIZE} and {layout.draws}"
            raise DealError(f"the wall of {seat.value} in {name} has {hand} hand tiles and {draws} draws; {rules} deals {wanted}")
    if len(rest) != layout.rest_size:
        raise DealError(f"'rest' of {name} has {len(rest)} tiles; {rules} leaves {layout.rest_size}")
    found = Counter(tile for seat in SEATS for tile in walls[seat].tiles) + Counter(rest)
    wanted_count = Counter(layout.tiles)
    for tile in sorted(set(found) | set(wanted_count)):
        if found[tile] != wanted_count[tile]:
            raise DealError(f"{name} has {found[tile]} of {tile.text}, not {wanted_count[tile]}")


def deal_from_keys(plan: Plan, root: Sha256, public: str, n: int, keys: tuple[bytes, ...]) -> Deal:
    """Make the deal of these keys (in the plan's order of holders), root and public value."""
    check_public(public)
    planned = plan.deal(n)
    layout = wall_layout(planned.rules)
    stream = encode_parts("twinwall-deal-1", root, public, plan.event, planned.session, planned.hand, planned.rules, *keys)
    walls, rest = deal_tiles(shuffled(layout.tiles, words_of(stream)), layout.wall_size)
    digest = walls_digest(walls, rest)
    return Deal(
        n=n,
        event=plan.event,
        session=planned.session,
        hand=planned.hand,
        rules=planned.rules,
        walls=walls,
        rest=rest,
        digest=digest,
        check=deal_check(root, n, digest, keys),
        root=root,
        public=public,
    )


def deal_check(root: bytes, n: int, digest: bytes, keys: tuple[bytes, ...]) -> Sha256:
    """The value that tables compare before the release. It binds the digest, but needs the keys."""
    return sha256(encode_parts("twinwall-check-1", root, n, digest, *keys))


def make_deal(plan: Plan, seeds: Mapping[str, Seed], n: int, public: str, root: Sha256 | None = None) -> Deal:
    """Make deal ``n`` from every holder's seed; a known ``root`` saves computing it."""
    return deal_from_keys(plan, commit(plan, seeds).root if root is None else root, public, n, deal_keys(plan, seeds, n))
