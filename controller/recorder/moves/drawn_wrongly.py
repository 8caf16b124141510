"""Moves of violations at the draw gates: a tile drawn that was not to be drawn, and put back; a drawn tile put back.

A gate tells that a tile passed, and not whose hand it was: the seat of such a violation is that of the wall. What is certain by the
gates alone is cheap here; which kind it was follows from when the discard before it was seen to lie.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.dues import draws_next
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.turns import laid_later
from controller.recorder.signals import GateEdge
from controller.recorder.violations import RULES, PathViolation, ViolationKind
from twinwall.game.play import Phase
from twinwall.game.rule_set import Permissions
from twinwall.game.tiles import Seat


def drawn_wrongly(table: TableContext, path: Hypothesis, allowed: Permissions) -> Iterator[Hypothesis]:
    """What the edges at the gates tell beside lawful draws. No seat draws, discards and draws again within ``costs.DELAY_MS``."""
    if path.in_gate is not None:
        again = next((edge for edge in path.edges if edge.place == path.in_gate and not edge.back), None)
        if again is not None:
            yield replace(_without(path, again), in_gate=None, clock_ms=max(path.clock_ms, again.at_ms))
        return
    back = next((edge for edge in path.edges if edge.back), None)
    if back is None:
        return
    seat = table.places.seats[back.place]
    out = next((edge for edge in reversed(path.edges) if edge.place == back.place and not edge.back and edge.at_ms < back.at_ms), None)
    if out is not None and out is not path.edges[0]:
        return  # a draw before it is still to be explained, and with that whose turn it was
    if out is not None:
        kind = _kind(table, path, seat, allowed)
        if kind is not None:
            drew = PathViolation(kind, seat, RULES[kind], out.at_ms, back_ms=back.at_ms)
            rarer = costs.COMMON if kind is ViolationKind.DREW_OUT_OF_TURN else 0.0
            after = _without(path, out, back).violated(drew, costs.RARE + rarer)
            too_soon = path.play.phase is Phase.CLAIMS and path.play.turn is seat and out.at_ms < path.clock_ms + costs.DELAY_MS
            yield after.costing(costs.AGAINST_SIGHT) if too_soon or laid_later(table, path, out.at_ms + costs.DELAY_MS) else after
    elif path.play.phase is Phase.DISCARD and path.play.drew and path.play.turn is seat and back.at_ms > path.clock_ms:
        put_back = PathViolation(ViolationKind.PUT_BACK, seat, RULES[ViolationKind.PUT_BACK], back.at_ms)
        yield replace(_without(path, back).violated(put_back, costs.RARE), in_gate=back.place)


def _kind(table: TableContext, path: Hypothesis, seat: Seat, allowed: Permissions) -> ViolationKind | None:
    """What a draw from this seat's wall is now; None where it would be lawful."""
    turn, phase = path.play.turn, path.play.phase
    if seat is draws_next(table, path):
        return None
    if phase is Phase.DISCARD and seat is turn:
        return ViolationKind.DREW_TWICE if path.play.drew else ViolationKind.DREW_OUT_OF_TURN
    early = phase is Phase.DISCARD and seat is allowed.following(turn)
    return ViolationKind.DREW_EARLY if early else ViolationKind.DREW_OUT_OF_TURN


def _without(path: Hypothesis, *gone: GateEdge) -> Hypothesis:
    return replace(path, edges=tuple(edge for edge in path.edges if edge not in gone))
