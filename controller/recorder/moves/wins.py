"""Moves that end a hand or a seat's part in it: a win declared by key or voice, and hands laid open."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import median

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole, meld_role
from controller.recorder.moves.candidates import Priced, against, as_read, assigned, fewest_open, kinds_of, near
from controller.recorder.moves.melds import call_cost
from controller.recorder.moves.turns import draws, passed, turned_up, without_keys
from controller.recorder.pending_tiles import draws_next
from controller.recorder.shared_tiles import with_shared_tiles
from controller.recorder.tracks import Track
from controller.recorder.violations import ViolationKind
from controller.recorder.winning import calls_a_win, kongs_held, may_have_won, score, would_win
from twinwall.game.play import Phase
from twinwall.game.play_events import Claim, ClaimsPassed, HandLaidOpen, HandShown, TileDiscarded, WinDeclared, WinRefused
from twinwall.game.rule_set import Win
from twinwall.game.tiles import COPIES, Seat, Tile
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key
from vision.mat import MELD_SLOTS, Area

_HAND = 13
"""Tiles of a concealed hand."""
_HALF_TILE_MM = 18.0
"""A tile further from its seat than another by more than this is in another row."""
_IN_ROW_MM = 33.0
"""The last of fourteen tiles in a row, 27 mm from its neighbour, is about where a drawn tile would be, 39 mm from the last of thirteen."""
_KINDS = 10
"""Most kinds tried for a winning tile in doubt; a look that allows more says nothing."""


def wins(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield a win on the last tile or on a seat's own draw."""
    allowed = path.permissions(table)
    for seat, may in (allowed.claims or {}).items():
        if Claim.WIN in may and path.play.last_discard is not None and _in_order(path, seat):
            yield from _declared(table, path, WinDeclared(seat, path.play.turn, path.play.last_discard), ())
    if allowed.win is None:
        return
    if not allowed.face_up:
        yield from _declared(table, path, WinDeclared(allowed.win, None, None), ())
        return
    seat = allowed.win
    drawn = None if path.held is None else (path.held.of[seat][-1],)
    for _, track in near(table, path, lambda track: table.places.from_win_slot(seat, track), most=60.0)[:1]:
        readable = drawn is not None or track.evidence.frames > 0
        for number, kind in enumerate(kinds_of(track, drawn)[: _KINDS * readable]):
            if number > 1 and against(track, kind) > costs.ASK:  # of a tile in doubt more are tried: the hand, once shown, decides
                break
            yield from _declared(table, path, WinDeclared(seat, None, kind), (track,))
    if drawn is not None:
        yield from _laid_unseen(table, path, WinDeclared(seat, None, drawn[0]))


def _laid_unseen(table: TableContext, path: Hypothesis, event: WinDeclared) -> Iterator[Hypothesis]:
    """Yield a self-drawn win whose tile is laid apart unseen: the seat has pressed its key, and wins by the deal."""
    apart = {TileRole(event.seat.index, Area.WIN, 0): Missing(event.tile, *table.places.spot(event.seat, Area.WIN, 0), table.now_ms)}
    for after in _declared(table, path, event, ()) if path.pressed(table, event.seat, Key.WIN) else ():
        if not after.grounds[-1].has(costs.CostReason.NOT_WON):
            yield replace(after, missing={**after.missing, **apart}).costing(costs.RARE, "laid unseen")


def _in_order(path: Hypothesis, seat: Seat) -> bool:
    """Whether a seat's win may follow those already declared on the tile: they stand in turn order, whichever seat called first."""
    for event in reversed(path.events):
        match event:
            case WinDeclared(before, Seat() as source):
                return source.turns_until(before) < source.turns_until(seat)
            case HandShown() | WinRefused():
                continue
            case _:
                break
    return True


def _declared(table: TableContext, path: Hypothesis, event: WinDeclared, apart: tuple[Track, ...]) -> Iterator[Hypothesis]:
    seat, place = event.seat, table.places.places[event.seat]
    then = path.then(table, event)
    if then is None:
        return
    pressed = path.pressed(table, seat, Key.WIN)
    shown = sum(table.places.hand(seat, track) < costs.REACH for track in table.face_up(path.loose))
    silent, turned = then.show is not seat, then.turn_up is not None and bool(turned_up(table, path, then.turn_up, costs.USUAL_PLACE))
    opened = shown >= min(costs.A_HAND, _HAND - 3 * path.melds(seat))
    if not (pressed or apart or opened or turned or (silent and (path.edges or path.loose))):
        return
    after = path.happened(table, event, 0.0, tuple(track.id for track in apart), at_ms=None if apart else table.now_ms)
    assert after is not None
    after = after.costing(*call_cost(table, path, seat, Claim.WIN))
    late = event.source is not None and _drawn_before(table, path, after)
    after = after.costing(late * costs.RARE, "called after a draw")
    if silent and not (pressed or apart or shown >= costs.A_HAND or table.breaks_duty(path.play, path.held, ClaimsPassed())):
        after = after.costing(costs.WAITING if table.gates else costs.RARE, costs.CostReason.NOTHING_LAID)
    if path.held is not None and not any(would_win(table, after, event, held) for held in _possible_hands(table, after, event)):
        after = after.costing(costs.RARE, costs.CostReason.NOT_WON)
    if apart:
        assert event.tile is not None
        after = after.explains({apart[0].id: (TileRole(seat.index, Area.WIN, 0), event.tile)})
    used = (place, Key.WIN)
    after = after.without([key for key in after.keys if (key.place, key.key) == used]) if silent else without_keys(after, used=used)
    yield after
    if silent and not table.gates:
        yield from draws(table, after)


def _drawn_before(table: TableContext, path: Hypothesis, after: Hypothesis) -> bool:
    """Whether the seat that draws next after a win on the last discard has, on this path, drawn out of turn since that discard."""
    laid_ms = next((grounds.at_ms for event, grounds in path.latest_first if isinstance(event, TileDiscarded)), table.now_ms)
    drawn = (each.seat for each in path.violations if each.kind is ViolationKind.DREW_OUT_OF_TURN and each.at_ms > laid_ms)
    return draws_next(table, after) in set(drawn)


def _possible_hands(table: TableContext, path: Hypothesis, event: WinDeclared) -> Iterator[tuple[Tile, ...]]:
    """Yield the seat's hand by the deal; if the kind of its discard is a guess, also its hand with each other tile discarded."""
    assert path.held is not None
    held = path.held.of[event.seat]
    yield held
    for discard, grounds in path.history:
        if isinstance(discard, TileDiscarded) and discard.seat is event.seat and table.guessed(grounds):
            kept = held[: len(held) - (event.source is None)]
            yield from ((*held[:at], discard.tile, *held[at + 1 :]) for at, kind in enumerate(kept) if kind not in kept[:at])


@frozen
class _Showing:
    """A seat that must show its hand, its win (None: it has not won), the tiles before it with their costs, and its number of melds."""

    seat: Seat
    declared: WinDeclared | None
    found: Priced
    melds: int

    @property
    def needed(self) -> int:
        """How many tiles it must show, without a discard that it won on."""
        return _HAND - 3 * self.melds + self.drawn_unseen

    @property
    def self_drawn(self) -> bool:
        return self.declared is not None and self.declared.source is None

    @property
    def won_with(self) -> tuple[Tile, ...]:
        """The kind of its winning tile, if it has won and that is known."""
        return () if self.declared is None or self.declared.tile is None else (self.declared.tile,)

    @property
    def drawn_unseen(self) -> bool:
        """Whether the winning tile was drawn and is still unknown."""
        return self.self_drawn and not self.won_with

    @property
    def taken(self) -> tuple[Tile, ...]:
        """The discard that it won on, which may be laid to the hand."""
        return () if self.self_drawn else self.won_with


def shows(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the hand laid open by the seat that must show; if all must show at the end, the last discard is not claimed first. With the
    deal, two tiles may be unseen; more if the hand is over, or if it does not win and so may be picked up under a cover."""
    if path.play.phase is Phase.CLAIMS and len(path.loose) >= costs.A_HAND:
        after = passed(table, path)
        if after is not None and after.permissions(table).show is not None:
            yield after.costing(calls_a_win(table, path) * costs.RARE, costs.CostReason.WIN_NOT_TAKEN)
        return
    allowed = path.permissions(table)
    seat = allowed.show
    if seat is None:
        return
    if allowed.turn_up is not None:
        path = with_shared_tiles(table, path).costing(costs.AGAINST_SIGHT, costs.CostReason.NOT_SEEN_TURNED)
    declared = next((event for event in reversed(path.events) if isinstance(event, WinDeclared) and event.seat is seat), None)

    def place(track: Track) -> float:
        hand = table.places.hand(seat, track)
        return hand if declared is None else min(hand, costs.about(table.places.from_win_slot(seat, track), costs.LAID))

    showing = _Showing(seat, declared, near(table, path, place, most=costs.REACH), path.melds(seat))
    needed = showing.needed
    if path.held is None:
        if len(showing.found) >= needed:
            yield from _shown_by_looks(table, path, showing)
        elif table.over and not showing.self_drawn and len(showing.found) == needed - 1 >= costs.A_HAND:
            yield from _shown_but_one(table, path, showing)
    elif len(showing.found) >= min(needed - costs.SEVERAL, costs.A_HAND if table.over or _does_not_win(path, declared) else needed):
        yield from _shown_by_deal(table, path, showing)


def _does_not_win(path: Hypothesis, declared: WinDeclared | None) -> bool:
    return any(event is declared and grounds.has(costs.CostReason.NOT_WON) for event, grounds in path.latest_first)


def _shown_by_deal(table: TableContext, path: Hypothesis, showing: _Showing) -> Iterator[Hypothesis]:
    """Yield the hand that the deal gives, matched with the tiles before the seat, also without a tile of a meld found among them."""
    assert path.held is not None
    seat, declared = showing.seat, showing.declared
    held = path.held.of[seat]
    kongs = kongs_held(path, seat, held)
    if kongs is None:
        return
    rest = Counter(held) - Counter(dict.fromkeys(kongs, COPIES))
    if showing.self_drawn:
        rest -= Counter(showing.won_with)
    laid = sorted(rest.elements())
    event: HandShown | HandLaidOpen = HandLaidOpen(seat, tuple(laid))
    if declared is not None:
        winning = declared.tile if declared.tile is not None else held[-1]
        concealed = rest - Counter((winning,) if showing.drawn_unseen else ())
        event = HandShown(seat, tuple(sorted(concealed.elements())), winning, kongs)
    kinds = [*laid, *showing.taken]
    of_melds = [gone.kind for role, gone in path.missing.items() if role.area is Area.MELD and gone.kind is not None]
    own = [(price, track) for price, track in showing.found if _may_be(track, kinds) or not _may_be(track, of_melds)]
    without_strays = [own[: len(kinds)]] if len(laid) <= len(own) < len(showing.found) else []
    for found in (showing.found[: len(kinds)], *without_strays):
        given = assigned([track for _, track in found], kinds)
        if len(given) == len(found):
            yield from _laid_open(table, path, event, (sum(price for price, _ in found), given), laid)


def _may_be(track: Track, kinds: Iterable[Tile]) -> bool:
    return any(against(track, kind) < costs.ASK for kind in kinds)


def _shown_but_one(table: TableContext, path: Hypothesis, showing: _Showing) -> Iterator[Hypothesis]:
    """Yield the hand with one tile unseen to the end; after a win on a discard, each kind with which the hand wins."""
    for kind in fewest_open(table, path)[: None if showing.declared else 1]:
        for after in _shown_by_looks(table, path, showing, (kind,)):
            if showing.declared is None or showing.seat in after.wins:
                yield after.noted(costs.CostReason.NEVER_SEEN)


def _shown_by_looks(table: TableContext, path: Hypothesis, showing: _Showing, unseen: tuple[Tile, ...] = ()) -> Iterator[Hypothesis]:
    """Yield the unknown hand as the camera reads it; if that does not win, with each kind of one doubtful tile with which it wins."""
    shown_ms = median(track.appeared_ms for _, track in showing.found)
    at_once = sorted(showing.found, key=lambda pair: (pair[0], abs(pair[1].appeared_ms - shown_ms)))
    found = at_once[: showing.needed + len(showing.taken)]
    taken = showing.taken if len(found) > showing.needed else ()
    price, given = sum(price for price, _ in found), as_read(table, path, [track for _, track in found], taken)
    likely = list(_shown_as(table, path, showing, (price, given), unseen))
    yield from likely
    if showing.declared is None or any(showing.seat in after.wins for after in likely):
        return
    for track in (track for _, track in found if track.evidence.margin < costs.ASK):
        for kind in (kind for kind in kinds_of(track) if kind is not given[track.id]):
            others = _shown_as(table, path, showing, (price, {**given, track.id: kind}), unseen)
            yield from (after for after in others if showing.seat in after.wins)


def _shown_as(
    table: TableContext, path: Hypothesis, showing: _Showing, tiles: tuple[float, dict[int, Tile]], unseen: tuple[Tile, ...]
) -> Iterator[Hypothesis]:
    """Yield the hand of these tiles (see ``_laid_open``); a self-drawn tile is the one laid apart."""
    seat, declared, given = showing.seat, showing.declared, tiles[1]
    laid = [*given.values(), *unseen]
    if declared is None:
        yield from _laid_open(table, path, HandLaidOpen(seat, tuple(sorted(laid))), tiles, laid)
        return
    kongs = tuple(_turned_kongs(table, path, seat))
    if len(kongs) < sum(meld.face_down for meld in path.play.seat(seat).melds):
        return
    taken = 0.0
    if len(laid) > showing.needed:
        laid.remove(declared.tile if declared.tile is not None and declared.tile in laid else laid[-1])
        taken = costs.AGAINST_SIGHT if _lies_in_river(table, path, declared) else costs.SOMETIMES
    if declared.tile is not None:
        for after in _laid_open(table, path, HandShown(seat, tuple(sorted(laid)), declared.tile, kongs), tiles, laid):
            yield after.costing(taken, "the discard is shown too")
        return
    for winning, dearer in _which_won(table, seat, given, laid).items():
        concealed = Counter(laid) - Counter((winning,))
        shown = HandShown(seat, tuple(sorted(concealed.elements())), winning, kongs)
        for after in _laid_open(table, path, shown, tiles, laid):
            yield after.costing(dearer, "not apart")


def _which_won(table: TableContext, seat: Seat, given: Mapping[int, Tile], laid: Sequence[Tile]) -> dict[Tile, float]:
    """Return each kind that a seat may have drawn to win, with its cost: nothing for a tile laid apart; less for one that keeps the row
    from being in order, as a drawn tile put among the others does."""
    tracks = [table.track(track) for track in given]
    distance, apart = min((table.places.from_win_slot(seat, track), track.id) for track in tracks)
    at = table.track(apart)
    beside_mm = min((math.dist((at.x_mm, at.y_mm), (track.x_mm, track.y_mm)) for track in tracks if track is not at), default=math.inf)
    lies_apart = distance < costs.ASIDE_MM and beside_mm > _IN_ROW_MM
    spots = sorted((*table.places.own_side(seat, track), given[track.id]) for track in tracks)
    middle_mm = min(away for _, away, _ in spots) + _HALF_TILE_MM
    far, near_by = [kind for _, away, kind in spots if away > middle_mm], [kind for _, away, kind in spots if away <= middle_mm]
    orders = near_by + far, far + near_by, [kind for _, _, kind in spots]  # two rows, or a curved one
    put_in = {kind: chance for order in orders for kind, chance in _out_of_order(order).items()}
    kinds = sorted(set(laid))
    among = math.log(len(kinds)) + costs.COMMON + costs.SELDOM * lies_apart + max(put_in.values(), default=0.0)
    return {kind: 0.0 if lies_apart and kind is given[apart] else among - put_in.get(kind, 0.0) for kind in kinds}


def _lies_in_river(table: TableContext, path: Hypothesis, declared: WinDeclared) -> bool:
    if declared.source is None:
        return False
    track = path.track_of(path.last_discard(declared.source))
    lying = None if track is None else table.track(track)
    return lying is not None and lying.gone_ms is None and not table.tracks.is_covered(lying.x_mm, lying.y_mm)


def _out_of_order(row: list[Tile]) -> dict[Tile, float]:
    """Return the kinds of which one tile keeps a row from being in order, as a drawn tile put among the others does. The value says how
    much likelier that is than a row in any order that is one tile off by chance, or another misplaced tile."""
    without = ((kind, row[:at] + row[at + 1 :]) for at, kind in enumerate(row))
    suits = len({kind.suit for kind in row})
    chance = math.lgamma(len(row) - 1) - math.log(2 * math.factorial(suits)) if len(row) > costs.SEVERAL else 0.0
    alone = {kind for kind, others in without if _row_in_order(others)}
    return {} if chance <= 0 or _row_in_order(row) else dict.fromkeys(alone, min(chance, costs.RARE))


def _row_in_order(row: Sequence[Tile]) -> bool:
    """Whether the suits are separate, and the tiles of all suits rise or all fall."""
    suits = [list(tiles) for _, tiles in groupby(row, key=lambda kind: kind.suit)]
    together = len(suits) == len({kind.suit for kind in row})
    return together and any(all(tiles == sorted(tiles, reverse=falls) for tiles in suits) for falls in (False, True))


def _turned_kongs(table: TableContext, path: Hypothesis, seat: Seat) -> Iterator[Tile]:
    for group, meld in enumerate(path.play.seat(seat).melds):
        of_meld = [meld_role(seat, group, number) for number in range(MELD_SLOTS)]
        up = table.face_up(track for track, role in path.roles.items() if role in of_meld)
        if meld.face_down and len(up) >= COPIES - 1:
            yield min(Tile, key=lambda kind: sum(against(track, kind) for track in up))


def _laid_open(
    table: TableContext, path: Hypothesis, event: HandShown | HandLaidOpen, tiles: tuple[float, dict[int, Tile]], laid: list[Tile]
) -> Iterator[Hypothesis]:
    """Yield the path with the hand open: ``tiles`` are the cost of places and the kind of each track, ``laid`` the whole hand."""
    seat, (price, given) = event.seat, tiles
    after = path.happened(table, event, price, tuple(given))
    if after is None:
        return
    after = after.costing(_shown_early(table, seat, given) * costs.SELDOM, "before the rest of the hand")
    after = after.costing(_discarded_among(table, path, seat, given) * costs.SOMETIMES, "discarded among the hand")
    after = after.explains({track: (TileRole(seat.index, Area.HAND, number), kind) for number, (track, kind) in enumerate(given.items())})
    spot, unseen = table.places.spot(seat, Area.RIVER, 0), (Counter(laid) - Counter(given.values())).elements()
    lacking = {
        TileRole(seat.index, Area.HAND, number): Missing(kind, *spot, table.now_ms) for number, kind in enumerate(unseen, len(given))
    }
    after = replace(after, missing={**after.missing, **lacking})
    if isinstance(event, HandLaidOpen):
        let_pass = not table.gates and may_have_won(table, path.events, event)
        yield after.costing(let_pass * costs.RARE, costs.CostReason.WIN_NOT_TAKEN)
        return
    outcome = score(table, after.play, event)
    if isinstance(outcome, Win):
        yield replace(after, wins={**after.wins, seat: outcome})
        return
    refused = after.happened(table, WinRefused(seat, outcome.reason), costs.RARE)
    if refused is not None:
        yield _taken_up(refused, seat)


def _shown_early(table: TableContext, seat: Seat, given: Iterable[int]) -> int:
    """Return how many of these shown tiles appeared well before half of them, except at the place of a winning tile. A tile whose place was
    not seen bare before is not known to be later."""
    tracks = [table.track(track) for track in given]
    half_ms = median(track.bare_before_ms or 0 for track in tracks) if tracks else 0
    early = (track for track in tracks if track.appeared_ms < half_ms - costs.AT_ONCE_MS)
    return sum(table.places.from_win_slot(seat, track) > costs.ASIDE_MM for track in early)


def _discarded_among(table: TableContext, path: Hypothesis, seat: Seat, given: Iterable[int]) -> int:
    """Return how many discards appeared with these shown tiles and among them: they may belong to the hand."""
    shown = [table.track(track).appeared_ms for track in given]
    shown_ms = median(shown) if shown else table.now_ms
    laid = (table.track(track) for track, role in path.roles.items() if role.area is Area.RIVER)
    return sum(abs(track.appeared_ms - shown_ms) < costs.MOMENT_MS and table.places.hand(seat, track) < costs.HAND_PLACE for track in laid)


def _taken_up(path: Hypothesis, seat: Seat) -> Hypothesis:
    """Return the path whose seat picks up its shown hand: its tiles no longer mean anything."""
    shown = {track: role for track, role in path.roles.items() if role.seat == seat.index and role.area in (Area.HAND, Area.WIN)}
    return replace(
        path,
        roles={track: role for track, role in path.roles.items() if track not in shown},
        missing={role: gone for role, gone in path.missing.items() if (role.seat, role.area) != (seat.index, Area.HAND)},
        aside={**path.aside, **dict.fromkeys(shown, seat)},
    )
