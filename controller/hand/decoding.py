"""Decoding of the hand in play: what the decoders are told of the table's record.

The decoders run beside the table's thread (``controller.adapters.decoding_thread``).
"""

from __future__ import annotations

from controller.state.decoding import HandToDecode
from controller.state.playing import PlayStage
from controller.state.setup import Setup
from controller.state.table_state import TableState
from controller.state.watches import AwaitedDiscard, Watch

_DECODED = (PlayStage.PLAYING, PlayStage.SETTLING, PlayStage.CLOSED)


def hand_to_decode(setup: Setup, state: TableState, watch: Watch | None) -> HandToDecode | None:
    """The hand that is to be decoded now, while the table looks for ``watch``; None where the settings want no decoder."""
    playing, deal = state.playing, state.playing.deal
    if not setup.decodes or deal is None or playing.stage not in _DECODED:
        return None
    awaited = watch if watch is not None and isinstance(watch.awaited, AwaitedDiscard) else None
    return HandToDecode(deal, playing.back, playing.hand.events, awaited, playing.stage is PlayStage.CLOSED)
