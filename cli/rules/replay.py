"""``twinwall record replay``: replays hand records by the rules and says whether they hold, or steps through one. Of several sources each
hand is replayed once, and a hand on which they differ once for each version."""

import json
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import msgspec

from cli.event.sign import SIGNER, signers
from cli.event.stores import is_store, store_address
from cli.record_files import RecordVersion, is_list, legal_record, print_contradictions, read_versions
from cli.rules.score import seat_scores
from cli.terminal import pressed_keys
from cli.usage import JSON, DoesNotHoldError, UsageError, argument, takes, visible, wrong_use
from twinwall.event.replay.moments import ReplayMoment, SeatMoment, moments
from twinwall.event.replay.replay_form import (
    AnyStep,
    ReplayDiscard,
    ReplayDocument,
    ReplayDraw,
    ReplayEnd,
    ReplayMeld,
    ReplayShow,
    ReplayWin,
)
from twinwall.event.replay.steps import NoWallsError, replay_document
from twinwall.event.store.databases.port import StoreAddress
from twinwall.game.deals.uncommitted import is_imported
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.rules import RuleSetError
from twinwall.game.tiles import SEATS, Seat, hand_name
from twinwall.given_files import limited_text
from twinwall.values import frozen

_CLEAR = "\x1b[2J\x1b[H"
"""Empties the terminal."""


@takes(
    argument(
        "records",
        "hand records (twinwall-hand-1), one or a list as export writes it, or an event's store; several are compared",
        type=store_address,
        nargs="+",
        metavar="FILE",
    ),
    argument("--steps", "step through a hand with keys; with --json one state per line", action="store_true"),
    argument("--number", "the hand of the list to step through, from 1 (1)", type=int, default=1),
    argument("--seat", "show the hand of this seat alone", choices=[seat.value for seat in SEATS]),
    argument("--tiles", "tiles as notation, or as Unicode's pictures (text)", choices=("text", "unicode"), default="text"),
    argument("--lenient", "step through a hand with an illegal event up to there", action="store_true"),
    JSON,
    SIGNER,
)
def run(arguments: Namespace) -> bool:
    """0 when every record holds, 1 when one does not or sources differ, 2 when one cannot be read."""
    hands = read_versions(arguments.records, signers(arguments))
    differ = print_contradictions(hands)
    versions = [version for versions in hands for version in versions]
    if arguments.steps:
        _step(arguments, versions)
        return not differ
    replayed = [(version, _replayed(version)) for version in versions]
    several = len(arguments.records) > 1
    if arguments.json:
        documents = [_document(*each, several) for each in replayed]
        print(json.dumps(documents if several or _is_list(arguments.records[0]) else documents[0], ensure_ascii=False))
    else:
        print(visible("\n\n".join(_words(*each, several) for each in replayed)))
    return not differ and all(_holds(version.record, played) for version, played in replayed)


def _replayed(version: RecordVersion) -> Replay:
    with wrong_use(version.source.address, RuleSetError):
        return replay(version.record)


def _holds(record: HandRecord, played: Replay) -> bool:
    """Whether the record says what the rules say, to the end of the hand."""
    return played.legal and played.state.ended is not None and dict(played.scores) == dict(record.scores)


def _is_list(address: StoreAddress) -> bool:
    """Whether a source is more than one record by its form."""
    return not isinstance(address, Path) or is_store(address) or is_list(limited_text(address))


def _step(arguments: Namespace, versions: Sequence[RecordVersion]) -> None:
    """Show the steps; raises DoesNotHoldError for a deal that is not released or an illegal event."""
    if not 1 <= arguments.number <= len(versions):
        named = ", ".join(map(str, arguments.records))
        raise UsageError(f"{named} has {len(versions)} hands: there is no hand {arguments.number}")
    chosen = versions[arguments.number - 1]
    record, where = chosen.record, chosen.source.address
    with wrong_use(where, NoWallsError, DoesNotHoldError, raising=DoesNotHoldError), wrong_use(where, RuleSetError):
        document = replay_document([record if record.walls is None else legal_record(record, lenient=arguments.lenient)])
    view = StepView(None if arguments.seat is None else Seat(arguments.seat), arguments.tiles == "unicode")
    if arguments.json:
        for moment in moments(document):
            print(state_line(moment, view))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        step_through(document, 0, view, pressed_keys(), lambda text: print(f"{_CLEAR}{visible(text)}", flush=True))
    else:
        print(visible("\n\n".join(screen(moment, document, 0, view) for moment in moments(document))))


def _document(version: RecordVersion, played: Replay, several: bool) -> dict[str, object]:
    """A hand as JSON; of several sources with the one that it comes from."""
    record = version.record
    scores = {seat.value: played.scores[seat] for seat in SEATS}
    source: dict[str, object] = {"source": str(version.source.address), "signer": version.source.signer} if several else {}
    return {
        **source,
        "table": record.table,
        "n": record.n,
        "hand": record.hand,
        "holds": _holds(record, played),
        "imported": _imported(record),
        "scores": scores,
        "events": played.verdicts_json(),
    }


def _words(version: RecordVersion, played: Replay, several: bool) -> str:
    record = version.record
    lines = [f"{version.source}:"] if several else []
    lines += [f"table {record.table}, deal {record.n} ({hand_name(record.hand)}), {record.rules}: {len(record.events)} events"]
    lines += played.illegal_sentences()
    if played.state.ended is None:
        lines.append("the hand is not over")
    lines += [f"scores by the rules    {seat_scores(played.scores)}", f"scores in the record   {seat_scores(record.scores)}"]
    lines.append(f"the record {'holds' if _holds(record, played) else 'does not hold'}, {_walls_words(record)}")
    if _imported(record):
        lines.append("the deal is imported, not committed: it proves nothing of who made its walls, and when")
    return "\n".join(lines)


def _walls_words(record: HandRecord) -> str:
    if record.walls is not None:
        return "with its walls"
    return f"without walls ({'the hand was recorded without its deal' if record.without_deal else 'they are added at release'})"


def _imported(record: HandRecord) -> bool:
    return is_imported(record.n, record.check, record.digest)


_PICTURES = {
    **{f"{rank}{suit}": chr(first + rank) for suit, first in (("m", 0x1F006), ("s", 0x1F00F), ("p", 0x1F018)) for rank in range(1, 10)},
    **dict(zip("ESWNCFP", (chr(0x1F000 + place) for place in range(7)), strict=True)),
}
_BACK, _NO_FACE = chr(0x1F02B), "##"
_TILE = re.compile(r"[1-9][mps]|\b[ESWNCFP]\b")
KEYS = "→ or space: on   ← back   Home, End   c: next claim or win   ↑ ↓ a turn   a: all hands   e s w n: one hand   u: pictures   q: end"


@frozen
class StepView:
    """How a hand is looked at."""

    seat: Seat | None = None
    """Whose hand is seen; None: all are."""
    pictures: bool = False
    """Tiles as Unicode's mahjong tiles instead of notation."""

    def tiles(self, text: str) -> str:
        """Tiles in notation as this view shows them."""
        return _TILE.sub(lambda found: _PICTURES[found[0]], text) if self.pictures else text

    def hand(self, seat: Seat, own: SeatMoment) -> str:
        """A seat's hand, in canonical order but for the tile drawn last, or backs."""
        if self.seat in (None, seat):
            return self.tiles(" ".join(own.hand))
        return (_BACK if self.pictures else _NO_FACE) + f" × {len(own.hand)}"

    def melds(self, seat: Seat, own: SeatMoment) -> tuple[str, ...]:
        """A seat's melds; one that lay face down has no faces for the others."""
        hidden = () if self.seat in (None, seat) else own.down
        return tuple(" ".join([_NO_FACE] * 4) if meld in hidden else meld for meld in own.melds)


def state_line(moment: ReplayMoment, view: StepView) -> str:
    """A moment as one line of JSON; hands that the view does not show are numbers of tiles."""
    seats = {
        seat.value: {
            "hand": " ".join(own.hand) if view.seat in (None, seat) else len(own.hand),
            "melds": list(view.melds(seat, own)),
            "river": list(own.river),
            "left": own.left,
        }
        for seat, own in moment.seats.items()
    }
    did = None if moment.step is None else _step_json(moment.step, view)
    return json.dumps({"step": moment.number, "did": did, "seats": seats}, ensure_ascii=False)


def _step_json(step: AnyStep, view: StepView) -> dict[str, object]:
    """A step as the replay's document writes it, without what concerns hands that the view does not show."""
    written: dict[str, object] = msgspec.to_builtins(step)
    if view.seat is not None:
        hidden = {"chances", "barred"}
        if step.seat != view.seat.value:
            hidden.add("ready")
            if isinstance(step, ReplayDraw) or (isinstance(step, ReplayMeld) and step.down):
                hidden |= {"tile", "tiles", "own"}
        return {name: value for name, value in written.items() if name not in hidden}
    return written


def screen(moment: ReplayMoment, document: ReplayDocument, table: int, view: StepView) -> str:
    """A moment as lines of text."""
    played = document.tables[table]
    head = f"deal {document.n} ({hand_name(document.hand)}), table {played.table}, step {moment.number} of {len(played.steps)}"
    lines = [f"{head}: {view.tiles(_sentence(moment.step, view))}", ""]
    for seat in SEATS:
        own = moment.seats[seat]
        lines.append(f"{seat.value}  {played.players[seat.value]}, {own.left} tiles in the wall")
        lines.append(f"   hand   {view.hand(seat, own)}")
        if own.melds:
            lines.append(f"   melds  {'   '.join(view.tiles(meld) for meld in view.melds(seat, own))}")
        lines.append(f"   river  {view.tiles(' '.join(own.river))}".rstrip())
    lines += [view.tiles(line) for line in _possible(moment.step, view)]
    return "\n".join(lines)


def _possible(step: AnyStep | None, view: StepView) -> Iterator[str]:
    """What else the seats that are seen could do after a step, and what they could not, with the rules' reason."""
    if step is None:
        return
    seen = [seat.value for seat in SEATS if view.seat in (None, seat)]
    for move in (move for move in step.chances if move.seat in seen):
        yield f"{move.seat} could: {move.act.replace('_', ' ')} {move.tiles}"
    for barred in (move for move in step.barred if move.seat in seen):
        yield f"{barred.seat} could not: {barred.act.replace('_', ' ')} {barred.tiles} ({barred.rule or barred.why})"


def _sentence(step: AnyStep | None, view: StepView) -> str:
    match step:
        case None:
            return "all hands are taken"
        case ReplayDraw(seat=seat, tile=tile):
            return f"{seat} draws {tile if view.seat in (None, Seat(seat)) else 'a tile'}"
        case ReplayDiscard(seat=seat, tile=tile):
            return f"{seat} discards {tile}" + (", the tile drawn" if step.drawn else "") + (" and declares riichi" if step.riichi else "")
        case ReplayMeld(seat=seat, tiles=tiles, source=source):
            hidden = step.down and view.seat not in (None, Seat(seat))
            return f"{seat} makes a {step.meld.replace('_', ' ')}: {'face down' if hidden else tiles}" + (
                f", from {source}" if source else ""
            )
        case ReplayWin(seat=seat, tile=tile, source=source):
            return f"{seat} declares a win on {tile}" + (f" of {source}" if source else ", self-drawn")
        case ReplayShow(seat=seat):
            return f"{seat} shows the hand" + (f", {step.total}: " + ", ".join(fan.name for fan in step.fans) if step.fans else "")
        case ReplayEnd(reason=reason):
            return f"the hand is {reason}: " + "  ".join(f"{seat} {score:+d}" for seat, score in step.scores.items())
        case _:
            return f"{step.seat} {step.kind}: {step.text or step.tile}".strip()


def step_through(document: ReplayDocument, table: int, view: StepView, keys: Iterator[str], show: Callable[[str], None]) -> None:
    """Show the first moment, and after each key the one that it goes to, until ``q`` or the end of the keys."""
    all_moments = list(moments(document, table))
    place = 0
    for key in chain([""], keys):
        if key == "q":
            return
        place = _place(key, place, all_moments)
        view = _view(key, view)
        show(f"{screen(all_moments[place], document, table, view)}\n\n{KEYS}")


def _place(key: str, place: int, all_moments: Sequence[ReplayMoment]) -> int:
    last = len(all_moments) - 1
    on = range(place + 1, last + 1)
    places, kinds, otherwise = {
        "right": (on, object, last),
        " ": (on, object, last),
        "left": (range(place - 1, 0, -1), object, 0),
        "home": ((), object, 0),
        "end": ((), object, last),
        "c": (on, ReplayMeld | ReplayWin, place),
        "down": (on, ReplayDiscard, last),
        "up": (range(place - 1, 0, -1), ReplayDiscard, 0),
    }.get(key, ((), object, place))
    return next((at for at in places if isinstance(all_moments[at].step, kinds)), otherwise)


def _view(key: str, view: StepView) -> StepView:
    if key == "a":
        return replace(view, seat=None)
    if key == "u":
        return replace(view, pictures=not view.pictures)
    seat = next((seat for seat in SEATS if seat.value.lower() == key), None)
    return view if seat is None else replace(view, seat=seat)
