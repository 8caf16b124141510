"""Decoding of the hand in play: what the decoders get of the table's record, and what follows from their doubts.

The decoders run beside the table's thread (``controller.adapters.cameras.decoding_thread``). A doubt depends on concealed tiles: it stays
in the private journal until its deal is released; then the referee is asked. The answer changes neither record nor result.
"""

from collections.abc import Iterator

from controller.hand import referee
from controller.ledger.journal_events import RecordDisputed
from controller.state.messages import Decision, Refused
from controller.state.questions import DoubtKey
from controller.state.sides import PlayStage
from controller.state.table_state import Setup, TableState
from controller.state.watches import Awaits, HandToDecode, Watch
from twinwall.wire.events.hand_events import RecordAnswered, RecordDoubt, RecordQuestioned, RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord

_DECODED = (PlayStage.PLAYING, PlayStage.SETTLING, PlayStage.CLOSED)


def hand_to_decode(setup: Setup, state: TableState, watch: Watch | None) -> HandToDecode | None:
    """Return the hand to decode now, while the table looks for ``watch``; None if the settings want no decoder."""
    playing, deal = state.playing, state.playing.deal
    if not setup.decodes or deal is None or playing.stage not in _DECODED:
        return None
    awaited = None if watch is None or watch.awaited.kind in (Awaits.SHARED, Awaits.LAST_DISCARD) else watch
    last_discard = watch if watch is not None and watch.awaited.kind is Awaits.LAST_DISCARD else None
    hand, closed = playing.hand, playing.stage is PlayStage.CLOSED
    return HandToDecode(deal, playing.back, hand.events, awaited, closed, hand.answers, len(state.rulings), last_discard, hand.violations)


def disputed(setup: Setup, state: TableState, doubt: RecordDoubt) -> Decision:
    """Journal a doubt by the decoder that knows the deal, and ask the referee at once if nothing of the deal is secret any more.

    A doubt of a hand that was not played here, or that is known already (compared before a restart), changes nothing. It is not refused,
    because refusals are logged.
    """
    if doubt.n not in state.closed:
        return ()
    dispute = RecordDisputed(doubt.n, doubt.number, doubt.held, doubt.read, doubt.margin, doubt.seat, doubt.violations)
    if any(known.key == dispute.key for known in state.disputes):
        return ()
    open_now = not setup.custody or doubt.n in state.released
    return (dispute, _question(dispute)) if open_now else (dispute,)


def questioned(state: TableState, n: int) -> tuple[RecordQuestioned, ...]:
    """Return what the referee is asked about the record of deal ``n`` when it is released."""
    return tuple(_question(dispute) for dispute in state.disputes if dispute.n == n)


def asked_about(setup: Setup, state: TableState) -> tuple[DoubtKey, ...]:
    """Return the doubts of records that the referee may answer: none of a deal that is still secret."""
    return tuple(dispute.key for dispute in _open(setup, state))


def answered(setup: Setup, state: TableState, command: AnswerRecord) -> Decision:
    """The referee says what happened where a record is doubted; a violation that he confirms is recorded for that hand."""
    of = f"event {command.number} of deal {command.n}"
    dispute = next((each for each in _open(setup, state) if each.key == (command.n, command.number, command.seat)), None)
    if dispute is None:
        return Refused(f"the referee's word on {of} answers a question that is not open")
    happened = dispute.seat is not None and command.right is RecordVerdict.DECODER
    if (command.violation is not None) is not happened:
        return Refused(f"the referee's word on {of} has to name a violation where one happened, and nowhere else")
    answer = RecordAnswered(command.n, command.number, command.right, command.referee, command.seat, command.violation)
    if dispute.seat is None or command.violation is None:
        return (answer,)
    rule = (dispute.violations or {}).get(command.violation)
    if rule is None:
        return Refused(f"the referee's word on {of} names {command.violation}, which is not what he was asked about")
    return answer, referee.confirmed(dispute.seat, command.violation, rule, n=command.n, number=command.number, by=command.referee)


def _open(setup: Setup, state: TableState) -> Iterator[RecordDisputed]:
    return (dispute for dispute in state.disputes if not setup.custody or dispute.n in state.released)


def _question(dispute: RecordDisputed) -> RecordQuestioned:
    return RecordQuestioned(dispute.n, dispute.number, dispute.held, dispute.read, dispute.margin, dispute.seat, dispute.violations)
