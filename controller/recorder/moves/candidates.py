"""Candidates: the unexplained tiles that a move may take, and their possible kinds."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.kind_evidence import most_against
from controller.recorder.tracks import Track
from twinwall.game.play import visible_tiles
from twinwall.game.tiles import ALL_TILES, COPIES, Tile

Priced = list[tuple[float, Track]]
"""Tiles with the cost of each, the cheapest first."""


def near(table: TableContext, path: Hypothesis, cost: Callable[[Track], float], *, most: float, face_up: bool = True) -> Priced:
    """Return the unexplained tiles whose ``cost`` is at most ``most``, the cheapest first."""
    tracks = (table.track(track) for track in path.loose)
    found = [(cost(track), track) for track in tracks if track.face_up is face_up]
    return sorted(((price, track) for price, track in found if price <= most), key=lambda pair: (pair[0], pair[1].id))


def kinds_of(track: Track, allowed: Iterable[Tile] | None = None) -> list[Tile]:
    """Return the allowed kinds that the camera does not rule out, the likeliest first."""
    logs = track.evidence.logs
    among = ALL_TILES if allowed is None else set(allowed)
    return sorted((kind for kind in among if logs[kind] > costs.LEAST_KIND), key=lambda kind: -logs[kind])


def likeliest(track: Track) -> Tile:
    return max(ALL_TILES, key=track.evidence.logs.__getitem__)


def kinds_worth_trying(track: Track, allowed: Iterable[Tile] | None, most: int) -> list[Tile]:
    """Return the likeliest allowed kind and others that some frame supports. If all frames are sure of one kind, the others are alike:
    following a few of them would only fill the beam; margins count all of them."""
    kinds = kinds_of(track, allowed)[:most]
    alike = most_against() - 0.5  # about the most evidence of frames against a kind
    return [*kinds[:1], *(kind for kind in kinds[1:] if against(track, kind) < alike)]


def against(track: Track, kind: Tile) -> float:
    return -track.evidence.logs[kind]


def fitted(found: Priced, kinds: Sequence[Tile]) -> tuple[float, tuple[Track, ...]] | None:
    """Return the tiles, one for each kind in order, whose places and looks cost least; None if the camera rules out every choice."""
    best: tuple[float, tuple[Track, ...]] | None = None
    looks = ((price, track, [against(track, kind) for kind in kinds]) for price, track in found)
    possible = [one for one in looks if min(one[2]) < -costs.LEAST_KIND][: costs.FEW]
    for chosen in permutations(possible, len(kinds)):
        looked = [said[number] for number, (_, _, said) in enumerate(chosen)]
        if max(looked) >= -costs.LEAST_KIND:
            continue
        total = sum(looked) + sum(price for price, _, _ in chosen)
        if best is None or total < best[0]:
            best = total, tuple(track for _, track, _ in chosen)
    return best


def assigned(tracks: Sequence[Track], kinds: Sequence[Tile]) -> dict[int, Tile]:
    """Give each tile a kind at little cost: the most certain tiles take their likeliest kind while it is left; the rest is tried out."""
    left = list(kinds)
    given: dict[int, Tile] = {}
    open_tracks: list[Track] = []
    for track in sorted(tracks, key=lambda track: -track.evidence.margin):
        kind = likeliest(track)
        if kind in left:
            left.remove(kind)
            given[track.id] = kind
        else:
            open_tracks.append(track)
    if len(open_tracks) > costs.FEW:
        return {}
    if open_tracks:
        choices = permutations(left, len(open_tracks))
        best = min(choices, key=lambda chosen: sum(against(track, kind) for track, kind in zip(open_tracks, chosen, strict=True)))
        given.update({track.id: kind for track, kind in zip(open_tracks, best, strict=True)})
    return given


def open_kinds(path: Hypothesis) -> Counter[Tile]:
    """Return how many tiles of each kind rivers, melds and shown hands show, as a path explains them."""
    hands = (tile for seat in path.play.seats for tile in seat.shown or ())
    return Counter(visible_tiles(path.play, concealed_kongs=True)) + Counter(hands)


def fewest_open(table: TableContext, path: Hypothesis) -> list[Tile]:
    """Return all kinds of the rules, those with the fewest open tiles first: a guess at an unseen tile."""
    shown = open_kinds(path)
    return sorted(set(table.rules.tiles), key=lambda kind: (shown[kind], kind))


def as_read(table: TableContext, path: Hypothesis, tracks: Sequence[Track], taken: Iterable[Tile] = ()) -> dict[int, Tile]:
    """Return the likeliest kind of each tile of a shown hand; tiles in doubt, the surest first, take one that is left of its four.
    ``taken``: discards that were laid to the hand."""
    found, kinds = dict[int, Tile](), fewest_open(table, path)
    counted = open_kinds(path) - Counter(taken)
    for track in sorted(tracks, key=lambda track: -track.evidence.margin):
        in_doubt = track.evidence.margin < costs.ASK
        left = [kind for kind in kinds if counted[kind] < COPIES] if in_doubt else []
        kind = max(left, key=track.evidence.logs.__getitem__, default=likeliest(track))
        found[track.id] = kind
        counted[kind] += 1
    return {track.id: found[track.id] for track in tracks}
