"""A hand in the terminal, step by step: what each moment looks like, and which key goes where."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import msgspec

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
from twinwall.game.session import hand_name
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen

_PICTURES = {
    **{f"{rank}m": chr(0x1F007 + rank - 1) for rank in range(1, 10)},
    **{f"{rank}s": chr(0x1F010 + rank - 1) for rank in range(1, 10)},
    **{f"{rank}p": chr(0x1F019 + rank - 1) for rank in range(1, 10)},
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
    did = None if moment.step is None else _did(moment.step, view)
    return json.dumps({"step": moment.number, "did": did, "seats": seats}, ensure_ascii=False)


def _did(step: AnyStep, view: StepView) -> dict[str, object]:
    """A step as the replay's document writes it, without what concerns hands that the view does not show."""
    written: dict[str, object] = msgspec.to_builtins(step)
    if view.seat is not None:
        written.pop("chances", None)
        written.pop("barred", None)
        if step.seat != view.seat.value:
            written.pop("ready", None)
            if isinstance(step, ReplayDraw) or (isinstance(step, ReplayMeld) and step.down):
                written.pop("tile", None)
                written.pop("tiles", None)
                written.pop("own", None)
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
    show(f"{screen(all_moments[place], document, table, view)}\n\n{KEYS}")
    for key in keys:
        if key == "q":
            return
        place = _place(key, place, all_moments)
        view = _view(key, view)
        show(f"{screen(all_moments[place], document, table, view)}\n\n{KEYS}")


def _place(key: str, place: int, all_moments: Sequence[ReplayMoment]) -> int:
    last = len(all_moments) - 1
    match key:
        case "right" | " ":
            return min(place + 1, last)
        case "left":
            return max(place - 1, 0)
        case "home":
            return 0
        case "end":
            return last
        case "c":
            return next((at for at in range(place + 1, last + 1) if isinstance(all_moments[at].step, ReplayMeld | ReplayWin)), place)
        case "down":
            return next((at for at in range(place + 1, last + 1) if isinstance(all_moments[at].step, ReplayDiscard)), last)
        case "up":
            return next((at for at in range(place - 1, 0, -1) if isinstance(all_moments[at].step, ReplayDiscard)), 0)
        case _:
            return place


def _view(key: str, view: StepView) -> StepView:
    if key == "a":
        return replace(view, seat=None)
    if key == "u":
        return replace(view, pictures=not view.pictures)
    seat = next((seat for seat in SEATS if seat.value.lower() == key), None)
    return view if seat is None else replace(view, seat=seat)
