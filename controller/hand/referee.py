"""Referee calls and rulings at the table: when play halts, and what a ruling changes (``ruled``).

A call lights the lamp and does not halt play by itself. Play halts only before a step that cannot be undone: when a player calls, when a
drawn tile can no longer be proved, when a shown hand does not win. Then no gate opens, no claim window opens or closes, and nothing is paid
until the ruling; claims already made still take effect. A ruling takes effect as a whole or not at all, and once; the ledger has the
answer.
"""

from collections.abc import Mapping

from controller.ledger.journal_events import Events
from controller.state.broken_rules import BROKEN_RULES
from controller.state.messages import Refused, ViolationDecoded
from controller.state.sides import PlayStage
from controller.state.table_state import Setup, TableState, issue
from firmware_bridge.messages import ALL_SEATS, Lock
from twinwall.game.play_events import HandEnded, HandRuledDead, SeatsExchanged
from twinwall.game.rule_set import Illegal
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import HandClosed, PlayHalted, RulingRefused
from twinwall.wire.events.trouble_events import CallSubject, RefereeCalled, TableSubject, Violation
from twinwall.wire.messages.ruling import Ruling

CALLED = "referee"
"""Play is halted because a player called."""
DIFFERS = "magazine-differs"
"""A seat's magazine holds other tiles than play has left in it."""
PUT_BACK = "put-back"
"""A drawn tile is in its gate again: it may be another one."""
CLAIMED_LATE = "claimed-late"
"""A seat called a tile after the time for it."""
SLOW_PLAY = "slow-play"
"""A seat has not drawn or discarded within the limit."""
LAID_WRONGLY: Mapping[str, str] = {
    "discarded-out-of-turn": "laid a tile into its river while it was not to discard",
    "discarded-twice": "laid a second tile into its river",
    "exposed-tiles": "leaves tiles of its hand face up on the table",
}
"""What a seat did, for violations that only the decoder sees: tiles where the table awaits none."""
_DID: Mapping[str, str] = {
    **LAID_WRONGLY,
    "drew-early": "drew before the discard before its turn lay there and was free",
    "drew-out-of-turn": "drew while it was not to draw",
    "drew-twice": "drew a second tile in its turn",
    "put-back": "put a drawn tile back into its draw gate",
    "false-discard": "discarded a tile that the rules bar",
    "false-claim": "laid tiles open that make no meld it could claim",
    "false-win": "declared a win on a hand that does not win",
    "exposed-tiles": "left tiles of its hand face up on the table",
}
"""What a seat did, by the stable words of the decoder's violations."""
NO_SUCH_DEAL, NO_SUCH_RULING, NOT_NOW = "no-such-deal", "no-such-ruling", "not-now"


def call(state: TableState, seat: Seat, about: CallSubject | None = None) -> Events:
    """Call the referee for a seat, once."""
    return () if any(each.seat is seat for each in state.playing.referee) else (RefereeCalled(seat, about),)


def call_by_table(state: TableState, about: TableSubject) -> Events:
    """Call the referee without accusing a seat, once for each subject."""
    by_table = RefereeCalled(about=about)
    return () if by_table in state.playing.referee else (by_table,)


def doubt_answer(state: TableState) -> Events:
    """Call the referee and wait, instead of accusing a seat by a tile that he named. His ruling drops the answers."""
    return *call_by_table(state, TableSubject.ANSWER_DOUBTED), *halt(state, CALLED)


def halt(state: TableState, reason: str) -> Events:
    return () if state.playing.halted else (PlayHalted(reason),)


def violated(state: TableState, seat: Seat, what: str, sentence: str, *, rule: str = "", halts: bool = False) -> Events:
    """A seat did what the rules do not allow: call the referee, and wait for him if it ``halts``. ``rule``: the broken rule, if more
    precise than in ``BROKEN_RULES``."""
    return Violation(seat, what, sentence, rule or BROKEN_RULES[what]), *call(state, seat), *(halt(state, what) if halts else ())


def confirmed(seat: Seat, what: str, rule: str, *, n: int, number: int, by: str) -> Violation:
    """After the hand of deal ``n`` the referee confirms a violation before event ``number``; nothing follows at the table."""
    return Violation(seat, what, f"{seat.name.title()} {_DID[what]}", rule, n, number, by)


def decoded(state: TableState, act: ViolationDecoded) -> Events | Refused:
    """The decoder is certain of a violation: call the referee; play continues. The table itself reports gates and awaited slots."""
    playing = state.playing
    if playing.deal is None or playing.deal.n != act.n or playing.stage is not PlayStage.PLAYING or playing.fouled:
        return Refused(f"a violation was decoded in deal {act.n}, which is not in play")
    did = LAID_WRONGLY.get(act.what)
    if did is None:
        return Refused(f"the table sees by itself whether {act.seat.name.title()} did this: {act.what}")
    return violated(state, act.seat, act.what, f"{act.seat.name.title()} {did}: the referee rules", rule=act.rule)


def key_pressed(state: TableState, seat: Seat, about: CallSubject | None = None) -> Events:
    """A player calls by key or page: during a hand, nothing irrevocable happens before the ruling."""
    playing = state.playing.stage in (PlayStage.PLAYING, PlayStage.SETTLING)
    return *call(state, seat, about), *(halt(state, CALLED) if playing else ())


def ruled(setup: Setup, state: TableState, ruling: Ruling) -> Events | Refused:
    """Return what follows from a ruling: the ruling with its effects, or its refusal with the reason."""
    if ruling.identity in state.rulings:
        return Refused(f"ruling {ruling.identity} has come before; the ledger holds the answer")
    deal = state.playing.deal
    if ruling.revokes and ruling.revokes not in state.rulings:
        return (RulingRefused(ruling.identity, NO_SUCH_RULING, "The ruling to be revoked has not come to this table"),)
    if deal is not None and deal.n == ruling.n and ruling.n not in state.closed:
        return _on_play(setup, state, ruling)
    if ruling.n in state.closed:
        return _on_result(setup, ruling)
    return (RulingRefused(ruling.identity, NO_SUCH_DEAL, f"Deal {ruling.n} is not in play at this table and has not been played here"),)


def _on_play(setup: Setup, state: TableState, ruling: Ruling) -> Events:
    play, deal = state.playing.hand.play, state.playing.deal
    assert deal is not None
    if ruling.revokes:
        return (RulingRefused(ruling.identity, NOT_NOW, "A ruling is revoked when its hand is over: during the hand, rule again"),)
    if play is None:
        if not ruling.effects:
            return (ruling,)
        return (RulingRefused(ruling.identity, NOT_NOW, "The hand has not begun: rule when all players have taken their tiles"),)
    events: Events = (ruling,)
    for effect in ruling.effects:
        if isinstance(effect, SeatsExchanged):
            sentence = "The hand is in play: seats are exchanged when it is over"
            return (RulingRefused(ruling.identity, NOT_NOW, sentence),)
        illegal = setup.rules.illegal(play, effect)
        if illegal is not None:
            return (_refused(ruling, illegal),)
        play = setup.rules.apply(play, effect)
        events = (*events, effect)
        if isinstance(effect, HandEnded):
            shut = () if state.playing.hand.unlock is None else issue(state, Lock(ALL_SEATS))  # nothing more is drawn
            events = (*events, HandClosed(deal.n), *shut)
    return events


def _on_result(setup: Setup, ruling: Ruling) -> Events:
    """Return a ruling on a finished hand, if its result can have each of the effects."""
    start = setup.rules.start()
    for effect in ruling.effects:
        illegal = None if isinstance(effect, SeatsExchanged) else setup.rules.illegal(start, effect)
        if illegal is None and isinstance(effect, HandRuledDead):
            illegal = Illegal(NOT_NOW, "the hand is over: none can be ruled dead")
        if illegal is not None:
            return (_refused(ruling, illegal),)
    return (ruling,)


def _refused(ruling: Ruling, illegal: Illegal) -> RulingRefused:
    return RulingRefused(ruling.identity, illegal.reason, f"{illegal.sentence[0].upper()}{illegal.sentence[1:]}")
