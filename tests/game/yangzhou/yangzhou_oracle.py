"""Oracle for hands of Yangzhou: slow, written from the rule page alone, sharing no code with the rule set."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from twinwall.game.play_events import MeldType
from twinwall.game.rule_set import WinningHand

SUITED = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)]
HONOURS = list("ESWNCFP")
KINDS = SUITED + HONOURS
Set = tuple[str, ...]

CLASSES = {
    "L": ("一板",),
    "H": ("混一色", "一条龍", "三副同", "対対胡", "双飄", "双連双喜"),
    "D": ("双板板", "四副同"),
    "F": ("清一色", "鉄板", "双板双喜", "双板双連", "双板双飄"),
    "4F": ("風清",),
    "8F": ("鋼板",),
}
VALUES = {
    7: {"L": 7, "H": 10, "D": 20, "F": 40, "4F": 160, "8F": 320},
    13: {"L": 10, "H": 15, "D": 30, "F": 60, "4F": 240, "8F": 480},
    18: {"L": 15, "H": 20, "D": 50, "F": 80, "4F": 320, "8F": 640},
}
CONTAINED = {
    "一条龍": "老少 連副",
    "三副同": "斉相",
    "双飄": "老少 斉相 平胡",
    "双連双喜": "連副 斉相 平胡",
    "双板板": "一板 平胡",
    "四副同": "三副同 一板 斉相 平胡",
    "鉄板": "一板",
    "双板双喜": "斉相 一板 双板板 平胡",
    "双板双連": "一板 双板板 連副 平胡",
    "双板双飄": "一板 双板板 老少 平胡",
    "風清": "対対胡",
    "鋼板": "一板 鉄板 双板板 平胡",
}
"""What the rule page says of each fan under the general rule."""


def run(first: str) -> Set:
    return tuple(f"{int(first[0]) + step}{first[1]}" for step in range(3))


def divisions(tiles: Counter[str]) -> Iterator[tuple[list[Set], str]]:
    """Every way to see tiles as sets and a pair, some of them more than once."""
    for pair in KINDS:
        if tiles[pair] >= 2:
            left = tiles.copy()
            left[pair] -= 2
            for sets in taken_apart(left):
                yield sets, pair


def taken_apart(tiles: Counter[str]) -> Iterator[list[Set]]:
    first = next((kind for kind in KINDS if tiles[kind]), None)
    if first is None:
        yield []
        return
    ways: list[Set] = [(first,) * 3]
    if first in SUITED and int(first[0]) <= 7:
        ways.append(run(first))
    for way in ways:
        need = Counter(way)
        if all(tiles[kind] >= count for kind, count in need.items()):
            left = tiles.copy()
            left.subtract(need)
            for others in taken_apart(left):
                yield [way, *others]


def pairs_of(chows: list[Set], fits: str) -> int:
    """How many disjoint pairs of chows fit, tried in every way."""
    best = 0
    edges = [pair for pair in combinations(range(len(chows)), 2) if related(chows[pair[0]], chows[pair[1]]) == fits]
    for number in range(1, len(chows) // 2 + 1):
        for chosen in combinations(edges, number):
            if len({end for edge in chosen for end in edge}) == 2 * number:
                best = number
    return best


def related(one: Set, other: Set) -> str:
    """What two chows are to each other."""
    first, second = sorted((one[0], other[0]))
    if first == second:
        return "一板"
    if first[0] == second[0]:
        return "斉相"
    if first[1] == second[1]:
        return {("1", "7"): "老少"}.get((first[0], second[0]), "連副" if int(second[0]) - int(first[0]) == 3 else "")
    return ""


def fans_of(hand: WinningHand, sets: list[Set], pair: str, melds: list[Set]) -> Counter[str]:
    """The fans of the shape; ``sets`` are concealed, ``melds`` laid."""
    found = Counter[str]()
    whole = [*sets, *melds]
    chows = sorted(part for part in whole if part[0] != part[1])
    triplets = [part[0] for part in whole if part[0] == part[1]]
    tiles = {tile for part in whole for tile in part} | {pair}
    suits = {tile[1] for tile in tiles if tile in SUITED}
    honours = bool(tiles & set(HONOURS))
    found["門風"] = triplets.count(hand.seat.value)
    found["圏風"] = triplets.count(hand.round.value)
    found.update({name: triplets.count(letter) for name, letter in (("紅中", "C"), ("發財", "F"), ("白皮", "P"))})
    found["欠一"] = len(suits) == 2 and not honours
    found["断幺"] = not honours and not any(tile[0] in "19" for tile in tiles)
    found["幺頭"] = not honours and pair[0] in "19"
    found.update({name: pairs_of(chows, name) for name in ("一板", "斉相", "連副", "老少")})
    found["平胡"] = len(chows) == 4
    found["対対胡"] = len(triplets) == 4
    found["混一色"] = len(suits) == 1 and honours
    found["清一色"] = len(suits) == 1 and not honours
    found["風清"] = not suits
    firsts = Counter(chow[0] for chow in chows)
    found["一条龍"] = any({f"1{suit}", f"4{suit}", f"7{suit}"} <= set(firsts) for suit in "mps")
    numbers = {first[0] for first in firsts}
    found["三副同"] = any({f"{number}{suit}" for suit in "mps"} <= set(firsts) for number in numbers)
    found["四副同"] = found["三副同"] and len(chows) == 4 and len(numbers) == 1
    found["鉄板"] = any(count >= 3 for count in firsts.values())
    found["鋼板"] = 4 in firsts.values()
    found["双板板"] = sum(count // 2 for count in firsts.values()) == 2
    doubles = sorted(first for first, count in firsts.items() if count == 2)
    if len(doubles) == 2:
        relation = related(run(doubles[0]), run(doubles[1]))
        if relation:
            found[{"斉相": "双板双喜", "連副": "双板双連", "老少": "双板双飄"}[relation]] = 1
    if len(firsts) == 4 and len(numbers) == 2 and len({first[1] for first in firsts}) == 2:
        low, high = sorted(numbers)
        if all(f"{number}{suit}" in firsts for number in numbers for suit in {first[1] for first in firsts}):
            found["双飄"] = (low, high) == ("1", "7")
            found["双連双喜"] = int(high) - int(low) == 3
    return Counter({name: int(count) for name, count in found.items() if count})


def waits(concealed: Counter[str]) -> list[str]:
    return [kind for kind in KINDS if next(divisions(concealed + Counter([kind])), None) is not None]


def places(hand: WinningHand, sets: list[Set], pair: str, one_wait: bool) -> Iterator[Counter[str]]:
    """The wait and the concealed triplets for each place of the winning tile."""
    tile = hand.winning.text
    triplets = sum(part[0] == part[1] for part in sets)
    if tile == pair:
        yield Counter({"独吊": int(one_wait), "子格": triplets})
    for part in sets:
        if tile in part:
            if part[0] == part[1]:
                yield Counter({"子格": triplets - (hand.source is not None)})
                continue
            wait = "丫子" if tile == part[1] else "辺張" if (part[0][0], tile[0]) in (("1", "3"), ("7", "7")) else ""
            yield Counter({"子格": triplets, **({wait: int(one_wait)} if wait else {})})


def best(hand: WinningHand, minimum: int) -> tuple[int, list[Counter[str]]] | None:
    """The highest total, and all sets of fans that have it; None for no winning shape."""
    concealed = Counter(tile.text for tile in hand.concealed)
    one_wait = len(waits(concealed)) == 1
    melds = [tuple(sorted(tile.text for tile in meld.tiles))[:3] for meld in hand.melds]
    melds = [meld if meld[0] == meld[1] else run(meld[0]) for meld in melds]
    types = [meld.type for meld in hand.melds]
    hidden = types.count(MeldType.CONCEALED_KONG)
    circumstances = Counter(
        {
            "自摸": hand.source is None,
            "門清": len(types) == hidden,
            "暗槓": hidden,
            "明槓": types.count(MeldType.KONG) + types.count(MeldType.ADDED_KONG),
        }
    )
    values = {name: VALUES[minimum][cls] for cls, names in CLASSES.items() for name in names} | {"暗槓": 2}
    found: list[tuple[int, Counter[str]]] = []
    for sets, pair in divisions(concealed + Counter([hand.winning.text])):
        shape = fans_of(hand, sets, pair, melds)
        for placed in places(hand, sets, pair, one_wait):
            fans = +(shape + circumstances + placed)
            for higher in list(fans):
                for contained in CONTAINED.get(higher, "").split():
                    shape_only = {name: count for name, count in fans.items() if name != contained}
                    fans = Counter(shape_only)
            total = sum(values.get(name, 1) * count for name, count in fans.items()) + (bonus(fans) if minimum == 18 else 0)
            found.append((total, fans))
    if not found:
        return None
    highest = max(total for total, _ in found)
    return highest, [fans for total, fans in found if total == highest]


def bonus(fans: Counter[str]) -> int:
    """The composite totals less their parts."""
    together = {
        ("一板", "一条龍"): 15,
        ("混一色", "一条龍"): 10,
        ("混一色", "対対胡"): 10,
        ("清一色", "一条龍"): 30,
        ("清一色", "対対胡"): 30,
    }
    return sum(worth for (one, other), worth in together.items() if fans[one] and fans[other])
