"""Margins of violations: how certain each violation of the best path is, and which are asked about.

What the camera is unsure of becomes a question, never an accusation: a violation is reported with a margin as large as an event's, limited
by the chance that something happened that no move describes.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from controller.recorder import costs
from controller.recorder.beam import Beam
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import against_sure_looks
from controller.recorder.margins.event_order import lost_ms
from controller.recorder.signals import Decoded, Question
from controller.recorder.tracks import Track
from controller.recorder.violations import RULES, FoundViolation, PathViolation, ViolationKind
from twinwall.game.play import Phase
from twinwall.game.play_events import TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.game.tiles import Seat

REPORT_WITHIN_MS = 60_000
"""A violation that becomes certain later than this after its act is asked about: the tiles of that moment can no longer be checked. Of
2,578 reported violations two were that late."""


def found_violations(
    table: TableContext,
    beam: Beam,
    events: Sequence[Decoded],
    *,
    reported: Container[int] = (),
) -> tuple[FoundViolation, ...]:
    """Return the violations of the best path (the first), each with its margin; ``events`` are the events of that path,
    ``reported`` the marks of violations reported before."""
    best = beam.best
    found, doubted_ms, doubted = [], lost_ms(table, best), set[Seat]()
    known_ms = best.grounds[0].at_ms if best.grounds else 0  # an anchored path does not know earlier turns
    for violation in sorted(best.violations, key=lambda each: each.at_ms):
        in_doubt = violation.at_ms >= doubted_ms or any(doubts(table, best, violation) for doubts in _DOUBTS)
        laid_in_doubt = bool(violation.tracks) and (violation.seat in doubted or violation.at_ms < known_ms)
        most = costs.LINGERING if in_doubt or laid_in_doubt else costs.ODD
        margin = min(most, _margin(violation, beam))
        found.append(FoundViolation(violation, margin))
        if violation.tracks and margin < table.publish and violation.mark not in reported:
            doubted.add(violation.seat)  # its tiles may be a meld, which shifts the places of its next melds
    for decoded in events:
        if isinstance(decoded.event, WinRefused):
            rule = f"{RULES[ViolationKind.FALSE_WIN]}: {decoded.event.reason}"
            shown, laid_open = best.grounds[decoded.number - 2], best.events[decoded.number - 2]
            false_win = PathViolation(ViolationKind.FALSE_WIN, decoded.event.seat, rule, shown.at_ms, shown.tracks)
            declared = max((each for each in events if _declares(each, decoded)), key=lambda each: each.number, default=None)
            most = costs.LINGERING if against_sure_looks(table, best, laid_open, shown) else costs.MOST
            found.append(FoundViolation(false_win, 0.0 if declared is None else min(decoded.margin, declared.margin, most)))
    in_time = (each if each.violation.mark in reported else _limited_when_late(table, each) for each in found)
    return tuple(sorted(in_time, key=lambda each: each.violation.at_ms))


def _limited_when_late(table: TableContext, found: FoundViolation) -> FoundViolation:
    """Return the violation with a margin below reporting if its act was too long ago."""
    late = table.now_ms - found.violation.at_ms > REPORT_WITHIN_MS
    return replace(found, margin=min(found.margin, costs.LINGERING)) if late else found


def _unexplained_since(table: TableContext, best: Hypothesis, violation: PathViolation) -> bool:
    """Whether a tile or draw since the violation is unexplained: play may have continued otherwise."""
    tiles_ms = (track.appeared_ms for track in table.face_up(best.loose))
    draws_ms = (edge.at_ms for edge in best.drawn)
    until_ms = table.now_ms - costs.LINGERING_MS
    return any(violation.at_ms <= at_ms <= until_ms for at_ms in (*tiles_ms, *draws_ms))


def _another_unexplained(table: TableContext, best: Hypothesis, violation: PathViolation) -> bool:
    """Whether another unexplained tile appeared about the same time: both may belong to something unseen."""
    others = (track for track in table.face_up(best.loose | best.departed) if track.lain_ms > costs.LINGERING_MS)
    return bool(violation.tracks) and any(abs(track.appeared_ms - violation.at_ms) < costs.ONE_ACT_MS for track in others)


def _may_be_meld(table: TableContext, best: Hypothesis, violation: PathViolation) -> bool:
    """Whether an open tile is nearer to a meld's place than to a hand's: it may belong to a false claim whose other tiles were not seen."""
    if violation.kind is not ViolationKind.EXPOSED_TILES:
        return False
    seat, places = violation.seat, table.places
    groups = range(best.melds(seat) + 1)
    laid = [table.track(number) for number in violation.tracks]
    return any(places.meld(seat, group, track) < places.hand(seat, track) for track in laid for group in groups)


def _may_be_older(table: TableContext, best: Hypothesis, violation: PathViolation) -> bool:
    """Whether the tiles of a false claim may have been covered before the last discard, and so belong to an earlier lawful claim."""
    if violation.kind is not ViolationKind.FALSE_CLAIM:
        return False
    before_ms = (at.at_ms for event, at in best.history if isinstance(event, TileDiscarded) and at.at_ms <= violation.at_ms)
    discard_ms = max(before_ms, default=0)
    return all((table.track(number).bare_before_ms or 0) < discard_ms for number in violation.tracks)


def _declares(each: Decoded, refused: Decoded) -> bool:
    """Whether an event declares the refused win: a seat that may not have declared it is not accused of a false win."""
    if not isinstance(each.event, WinDeclared) or not isinstance(refused.event, WinRefused):
        return False
    return each.number < refused.number and each.event.seat is refused.event.seat


def _margin(violation: PathViolation, beam: Beam) -> float:
    """Return the log-odds of a violation to the best path without it. If several violations explain tiles that appear in one moment, the
    tiles were more likely moved in a way that no move describes."""
    at_once = sum(bool(other.tracks) and abs(other.at_ms - violation.at_ms) < costs.MOMENT_MS for other in beam.best.violations)
    most = costs.LINGERING if violation.tracks and at_once > 1 else costs.ODD
    without = (apart for apart, path in beam.ranked if all(other.mark != violation.mark for other in path.violations))
    return round(min(most, beam.dropped_without.get(violation.mark, costs.MOST), *without), 2)


def _order_in_doubt(table: TableContext, path: Hypothesis, violation: PathViolation) -> bool:
    """Whether no frame shows if a discard preceded a draw. Gates report an early draw like a lawful draw that was put back."""
    drawn = _draws_of(path, violation.seat)
    match violation.kind:
        case ViolationKind.PUT_BACK:
            index, at_ms = _drawn_before(path, violation)
        case ViolationKind.DREW_EARLY:
            later = [index for index, at_ms in drawn if at_ms > violation.at_ms]
            if not later and path.play.phase is Phase.DISCARD:
                return table.tracks.watched_ms > violation.at_ms
            index, at_ms = min(later, default=len(path.grounds)), violation.at_ms
        case _:
            return False
    laid = next((each for each in reversed(path.grounds[:index]) if each.tracks), None)
    track = None if laid is None else table.track(laid.tracks[0])
    if track is None or track.appeared_ms <= at_ms + costs.DELAY_MS:
        return False
    return track.bare_before_ms is None or track.bare_before_ms <= at_ms


def _draws_of(path: Hypothesis, seat: Seat) -> list[tuple[int, int]]:
    events = enumerate(path.history)
    return [(index, grounds.at_ms) for index, (event, grounds) in events if isinstance(event, TileDrawn) and event.seat is seat]


def _drawn_before(path: Hypothesis, violation: PathViolation) -> tuple[int, int]:
    """Return the index and time of the seat's last draw before a violation; zeros without one."""
    return max((one for one in _draws_of(path, violation.seat) if one[1] <= violation.at_ms), default=(0, 0))


_DOUBTS = (_order_in_doubt, _unexplained_since, _another_unexplained, _may_be_meld, _may_be_older)
"""Doubts that limit the margin of a violation to ``costs.LINGERING``."""


def _alternative(table: TableContext, path: Hypothesis, violation: PathViolation) -> PathViolation | None:
    """Return the other reading of a violation if the order of discard and draw is in doubt: an early draw put back, or a lawful draw put
    back."""
    if not _order_in_doubt(table, path, violation):
        return None
    back = violation.kind is ViolationKind.PUT_BACK
    at_ms = _drawn_before(path, violation)[1] if back else violation.back_ms
    kind = ViolationKind.DREW_EARLY if back else ViolationKind.PUT_BACK
    return PathViolation(kind, violation.seat, RULES[kind], at_ms, back_ms=violation.at_ms if back else 0) if at_ms else None


def violation_questions(table: TableContext, beam: Beam, found: Sequence[FoundViolation], asked_below: float) -> Iterator[Question]:
    """Yield a question for each doubtful violation: one of the best path not certain enough to be reported, or one of a path worse by less
    than ``asked_below``. A false win is also asked about below that margin."""
    asked = set[int]()
    for each in found:
        by_events = each.violation.kind is ViolationKind.FALSE_WIN and each.margin < asked_below
        if each.margin < table.publish and not by_events:
            for violation in (each.violation, _alternative(table, beam.best, each.violation)):
                if violation is not None:
                    asked.add(violation.mark)
                    yield _question(table, beam.best, violation, each.margin)
    asked |= {each.violation.mark for each in found}
    for apart, path in beam.ranked:
        for violation in path.violations:
            if apart < asked_below and violation.mark not in asked:
                asked.add(violation.mark)
                yield _question(table, path, violation, round(apart, 2))
    yield from _unexplained(table, beam.best)


def _unexplained(table: TableContext, best: Hypothesis) -> Iterator[Question]:
    """Yield a question for each time at which tiles stayed for long and are unexplained."""
    asked_ms = -costs.ONE_ACT_MS
    stayed = (track for track in map(table.track, best.departed) if track.lain_ms >= costs.STAYS_MS)
    for track in sorted(stayed, key=lambda track: track.appeared_ms):
        if track.appeared_ms - asked_ms > costs.ONE_ACT_MS:
            asked_ms = track.appeared_ms
            yield _at(table, best, asked_ms, track)


def _question(table: TableContext, path: Hypothesis, violation: PathViolation, margin: float) -> Question:
    track = table.track(violation.tracks[0]) if violation.tracks else None
    return replace(_at(table, path, violation.at_ms, track), margin=margin, violation=violation)


def _at(table: TableContext, path: Hypothesis, at_ms: int, track: Track | None) -> Question:
    """Return a question of what happened at a time, and with which tile."""
    return Question(
        number=sum(grounds.at_ms <= at_ms for grounds in path.grounds),
        x_mm=track.x_mm if track is not None else 0.0,
        y_mm=track.y_mm if track is not None else 0.0,
        before_ms=at_ms - costs.MOMENT_MS,
        after_ms=table.now_ms,
        kinds=(),
        track=None,
        paths=(None, None),
        margin=0.0,
    )
