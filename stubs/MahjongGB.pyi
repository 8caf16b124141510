from typing import Literal, TypeAlias, overload

# ("CHI" | "PENG" | "GANG", tile, offer): for a chow the tile is the middle one and the offer (1 to 3) says which
# of the three was claimed; else the offer is the seat it came from, counted from oneself (0: concealed).
Pack: TypeAlias = tuple[str, str, int]

@overload
def MahjongFanCalculator(
    pack: tuple[Pack, ...],
    hand: tuple[str, ...],
    winTile: str,
    flowerCount: int,
    isSelfDrawn: bool,
    is4thTile: bool,
    isAboutKong: bool,
    isWallLast: bool,
    seatWind: int,
    prevalentWind: int,
    verbose: Literal[False] = False,
) -> tuple[tuple[int, str], ...]: ...
@overload
def MahjongFanCalculator(
    pack: tuple[Pack, ...],
    hand: tuple[str, ...],
    winTile: str,
    flowerCount: int,
    isSelfDrawn: bool,
    is4thTile: bool,
    isAboutKong: bool,
    isWallLast: bool,
    seatWind: int,
    prevalentWind: int,
    verbose: Literal[True],
) -> tuple[tuple[int, int, str, str], ...]: ...
def MahjongShanten(pack: tuple[Pack, ...], hand: tuple[str, ...]) -> int: ...
def RegularShanten(hand: tuple[str, ...]) -> tuple[int, tuple[str, ...]]: ...
def SevenPairsShanten(hand: tuple[str, ...]) -> tuple[int, tuple[str, ...]]: ...
def ThirteenOrphansShanten(hand: tuple[str, ...]) -> tuple[int, tuple[str, ...]]: ...
def KnittedStraightShanten(hand: tuple[str, ...]) -> tuple[int, tuple[str, ...]]: ...
def HonorsAndKnittedTilesShanten(hand: tuple[str, ...]) -> tuple[int, tuple[str, ...]]: ...
