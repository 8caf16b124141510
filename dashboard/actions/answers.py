"""A referee's answers to a table: which tile it cannot read, and what happened in a doubted record. An answer takes effect when the table
has written it into its ledger; it arrives with the table's other events."""

from collections.abc import Iterator

from dashboard.access.viewer_scope import TableScope
from dashboard.actions.rulings import Send
from dashboard.projections.table_view import HandView
from twinwall.art.mat import Area, Slot
from twinwall.event.hands import HandSummary
from twinwall.game.answers import NO_MELD, against_rules
from twinwall.game.rule_set import Illegal
from twinwall.game.tiles import parse_tile, seat_at
from twinwall.wire.events.hand_events import RecordAnswered, RecordQuestioned, RecordVerdict
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile
from twinwall.wire.messages.tile_question import AskedTile

SENT, OVER, CHOOSE, BARRED, NO_KONG, OFFLINE = "sent", "over", "choose", "barred", "no-kong", "offline"
"""Results of an answer; each word ends the message key of a page's sentence."""


def give_answer(opened: TableScope, answer: AnswerTile, send: Send) -> str:
    """Send a referee's answer about the tile that the opened table asks about; return ``SENT``, or the word why nothing was sent."""
    asked = opened.question
    if asked is None or (answer.n, answer.number, answer.where) != (asked.n, asked.number, asked.where):
        return OVER
    if answer.tile not in {kind.text for kind in asked.tiles}:
        return CHOOSE
    against = _against_rules(asked, opened.play().view.hand, answer.tile)
    if against is not None:
        return BARRED if asked.area == "river" else NO_MELD if against.reason == NO_MELD else NO_KONG
    if not opened.connected or not send(opened.channel.table, answer):
        return OFFLINE
    return SENT


def _against_rules(asked: AskedTile, hand: HandView | None, tile: str) -> Illegal | None:
    """Why the rules forbid an answer, so that the table would refuse it too; None also if the page could not follow the hand."""
    if hand is None or hand.play is None or hand.rules is None:
        return None
    slot, seat = Slot(asked.place, Area(asked.area), asked.slot), seat_at(asked.place, hand.number)
    in_river = slot.area is Area.RIVER
    return against_rules(hand.rules, hand.play, parse_tile(tile), seat=seat, in_river=in_river, fourth_of=slot.fourth_of)


def give_record_answer(opened: TableScope, answer: AnswerRecord, send: Send) -> str:
    """Send a referee's answer about a record that the opened table asks about; return ``SENT``, or the word why nothing was sent."""
    hand = opened.hand(answer.n)
    due = () if hand is None else [asked for _, asked, answered in doubts(hand) if answered is None]
    asked = next((asked for asked in due if (asked.number, asked.seat) == (answer.number, answer.seat)), None)
    if asked is None:
        return OVER
    happened = asked.seat is not None and answer.right is RecordVerdict.DECODER
    if (answer.violation in (asked.violations or {})) is not happened or (answer.violation is not None) is not happened:
        return OVER
    if not opened.connected or not send(opened.channel.table, answer):
        return OFFLINE
    return SENT


def doubts(hand: HandSummary) -> Iterator[tuple[PublicEvent, RecordQuestioned, PublicEvent | None]]:
    """Yield the table's questions about a hand's record: the event, its question, and the answering event or None."""
    answers = {(event.body.number, event.body.seat): event for event in hand.events if isinstance(event.body, RecordAnswered)}
    for event in hand.events:
        if isinstance(asked := event.body, RecordQuestioned):
            yield event, asked, answers.get((asked.number, asked.seat))
