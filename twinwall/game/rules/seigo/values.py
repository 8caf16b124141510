"""The value of a riichi hand in han and fu, found by the ``mahjong`` package. The library decides which yaku there are, how the hand
divides and which division counts most. It knows no turns, so circumstances are arguments. It refuses the last discard together with a
robbed kong; in Seigo every win on a discard of the last turn is one on the last discard, so that yaku is added here."""

from collections.abc import Iterable
from functools import lru_cache

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, HandConstants, OptionalRules
from mahjong.meld import Meld as LibraryMeld

from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import Fan
from twinwall.game.rules.fan_list import FanKind, fan_list
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.tiles import COPIES, Seat, Tile, parse_tiles
from twinwall.values import frozen

YAKUMAN = 13  # han
DOUBLE_RIICHI = "double-riichi"
LAST_DISCARD_WIN = "last-turn-discard"
DORA, URA_DORA, RED_FIVE = "dora", "ura-dora", "red-five"
BONUSES = frozenset({DORA, URA_DORA, RED_FIVE})
"""Dora add han and are not yaku."""

FAN_KINDS = fan_list("seigo")
"""All yaku, then the dora."""
BY_ID = {kind.id: kind for kind in FAN_KINDS}


_OURS = parse_tiles("123456789m 123456789p 123456789s ESWN PFC")
_CODE = {tile: code for code, tile in enumerate(_OURS)}
"""The library's number of a kind: its dragons are in the order white, green, red."""

_WIND = {seat: _CODE[Tile(Tile.EAST + seat.index)] for seat in Seat}
_FIVES = frozenset({Tile.M5, Tile.P5, Tile.S5})
_MELDS = {
    MeldType.CHOW: LibraryMeld.CHI,
    MeldType.PUNG: LibraryMeld.PON,
    MeldType.KONG: LibraryMeld.KAN,
    MeldType.ADDED_KONG: LibraryMeld.SHOUMINKAN,
    MeldType.CONCEALED_KONG: LibraryMeld.KAN,
}
_NO_YAKU = HandCalculator.ERR_NO_YAKU


@frozen
class Circumstances:
    """How the winning tile came, as far as yaku depend on it."""

    seat: Seat
    round: Seat
    self_drawn: bool
    riichi: bool = False
    double_riichi: bool = False
    ippatsu: bool = False
    last_turn: bool = False
    robbing: bool = False
    heavenly: bool = False
    earthly: bool = False


@frozen
class Value:
    """The value of a complete hand; ``han`` is the sum of the fans. No fans: it has no yaku."""

    fans: tuple[Fan, ...]
    han: int
    fu: int

    @property
    def is_yakuman(self) -> bool:
        return any(BY_ID[fan.id].value >= YAKUMAN for fan in self.fans)


def value_of(
    concealed: Iterable[Tile],
    winning: Tile,
    melds: Iterable[Meld],
    how: Circumstances,
    options: SeigoOptions,
    *,
    dora: Iterable[Tile] = (),
    ura: Iterable[Tile] = (),
    red: frozenset[Tile] = frozenset(),
) -> Value:
    """The value of a complete hand. ``concealed`` is without the winning tile; ``dora`` and ``ura`` are the indicators; ``red`` are the
    fives that the hand holds in red."""
    copies = _Copies(red, options.red_fives > 0)
    own = [copies.take(tile) for tile in concealed]
    won = copies.take(winning)
    laid = [_library_meld(meld, copies) for meld in melds]
    tiles = [*own, won, *(tile for meld in laid for tile in meld.tiles)]
    found = HandCalculator.estimate_hand_value(
        tiles,
        won,
        melds=laid,
        dora_indicators=[COPIES * _CODE[tile] for tile in dora],
        ura_dora_indicators=[COPIES * _CODE[tile] for tile in ura],
        config=_config(how, options),
    )
    if found.error is not None:
        assert found.error == _NO_YAKU, f"the library refused a complete hand: {found.error}"
        return Value((), 0, 0)
    assert found.yaku is not None
    assert found.han is not None
    assert found.fu is not None
    is_open = any(meld.opened for meld in laid)
    ids = [_IDS[yaku.yaku_id] for yaku in found.yaku]
    bonuses = _bonuses(tiles, dora, ura, copies) if BONUSES.intersection(ids) else {}
    counts = {fan_id: bonuses.get(fan_id, 1) for fan_id in ids}
    if how.robbing and how.last_turn and BY_ID[ids[0]].value < YAKUMAN:
        counts[LAST_DISCARD_WIN] = 1
    fans = tuple(_fan(fan_id, count, is_open, options.double_yakuman) for fan_id, count in counts.items())
    return Value(fans, sum([fan.value * fan.count for fan in fans]), found.fu)


class _Copies:
    """Numbers the copies of each kind; the library takes the first copy of a five for the red one."""

    def __init__(self, red: frozenset[Tile], has_red: bool) -> None:
        self.has_red = has_red
        self._taken = [1 if has_red and tile in _FIVES and tile not in red else 0 for tile in Tile]

    def take(self, tile: Tile) -> int:
        """The number of the next copy of a kind. If all four are taken, one of them is the red one."""
        copy = self._taken[tile]
        self._taken[tile] += 1
        return COPIES * _CODE[tile] + copy % COPIES


def _library_meld(meld: Meld, copies: _Copies) -> LibraryMeld:
    opened = meld.type is not MeldType.CONCEALED_KONG
    return LibraryMeld(_MELDS[meld.type], [copies.take(tile) for tile in sorted(meld.tiles)], opened)


def _library_ids() -> dict[int, str]:
    known = HandConfig().yaku
    return {getattr(known, name).yaku_id: kind.id for kind in FAN_KINDS for name in kind.library}


_IDS = _library_ids()
"""Our ids by the library's numbers of yaku."""


@lru_cache(maxsize=1024)
def _config(how: Circumstances, options: SeigoOptions) -> HandConfig:
    """The library's settings, cached because they are slow to make."""
    return HandConfig(
        is_tsumo=how.self_drawn,
        is_riichi=how.riichi or how.double_riichi,
        is_daburu_riichi=how.double_riichi,
        is_ippatsu=how.ippatsu,
        is_chankan=how.robbing,
        is_haitei=how.last_turn and how.self_drawn,
        is_houtei=how.last_turn and not how.self_drawn and not how.robbing,
        is_tenhou=how.heavenly,
        is_chiihou=how.earthly,
        player_wind=_WIND[how.seat],
        round_wind=_WIND[how.round],
        options=OptionalRules(
            has_open_tanyao=options.open_tanyao,
            has_aka_dora=options.red_fives > 0,
            has_double_yakuman=options.double_yakuman,
            kazoe_limit=HandConstants.KAZOE_LIMITED if options.counted_yakuman else HandConstants.KAZOE_SANBAIMAN,
            kiriage=options.kiriage,
        ),
    )


def _bonuses(tiles: list[int], dora: Iterable[Tile], ura: Iterable[Tile], copies: _Copies) -> dict[str, int]:
    """The number of dora of each sort. Counted here, because the library stores it in objects that hands share."""
    codes = [tile // COPIES for tile in tiles]
    return {
        DORA: sum(codes.count(_CODE[indicated(tile)]) for tile in dora),
        URA_DORA: sum(codes.count(_CODE[indicated(tile)]) for tile in ura),
        RED_FIVE: sum(COPIES * _CODE[tile] in tiles for tile in _FIVES) if copies.has_red else 0,
    }


def indicated(indicator: Tile) -> Tile:
    """The dora of an indicator: the next in its suit, in E S W N, or in white, green, red."""
    if indicator.is_honour:
        circle = _WINDS if indicator in _WINDS else _DRAGONS
        return circle[(circle.index(indicator) + 1) % len(circle)]
    return Tile(indicator - 8 if indicator.rank == 9 else indicator + 1)


_WINDS = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH)
_DRAGONS = (Tile.WHITE, Tile.GREEN, Tile.RED)


@lru_cache(maxsize=512)
def _fan(fan_id: str, count: int, is_open: bool, double_yakuman: bool) -> Fan:
    kind = BY_ID[fan_id]
    return Fan(kind.id, kind.japanese, _han(kind, is_open, double_yakuman), count)


def _han(kind: FanKind, is_open: bool, double_yakuman: bool) -> int:
    if kind.double and double_yakuman:
        return 2 * kind.value
    return kind.value if not is_open or kind.open_value is None else kind.open_value
