"""Decoding of the hand in play: what the decoders are told of the table's record, and what is written down where they doubt it.

The decoders run beside the table's thread (``controller.adapters.cameras.decoding_thread``).
"""

from __future__ import annotations

import json

from controller.ledger.journal_events import RecordDisputed
from controller.state.decoding import HandToDecode
from controller.state.messages import Decision, RecordDoubted, Refused
from controller.state.playing import PlayStage
from controller.state.setup import Setup
from controller.state.table_state import TableState
from controller.state.watches import AwaitedDiscard, Watch
from twinwall.game.play_events import PlayEvent
from twinwall.game.play_json import to_json

_DECODED = (PlayStage.PLAYING, PlayStage.SETTLING, PlayStage.CLOSED)


def hand_to_decode(setup: Setup, state: TableState, watch: Watch | None) -> HandToDecode | None:
    """The hand that is to be decoded now, while the table looks for ``watch``; None where the settings want no decoder."""
    playing, deal = state.playing, state.playing.deal
    if not setup.decodes or deal is None or playing.stage not in _DECODED:
        return None
    awaited = watch if watch is not None and isinstance(watch.awaited, AwaitedDiscard) else None
    return HandToDecode(deal, playing.back, playing.hand.events, awaited, playing.stage is PlayStage.CLOSED)


def disputed(state: TableState, doubt: RecordDoubted) -> Decision:
    """The decoder that knows the deal reads a hand's record otherwise. Nothing follows at the table: only the journal tells of it."""
    if doubt.n not in state.closed:
        return Refused(f"the record of deal {doubt.n} is doubted, which has not been played here")
    return (RecordDisputed(doubt.n, doubt.number, _written(doubt.held), _written(doubt.read), doubt.margin),)


def _written(event: PlayEvent | None) -> str:
    return "" if event is None else json.dumps(to_json(event), ensure_ascii=False)
