"""Sends the open question of a table to the server, with what the camera has seen there, again with each heartbeat until it is answered.

Pictures are in memory alone: those of the last doubted places, until a question is settled. They are signed like heads and go to the
server's topic, which no other account of the broker hears.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping

from controller.ledger.publisher import Link
from controller.state.questions import DoubtedPlace, SlotQuestion
from twinwall.game.tiles import Tile, format_tiles
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_question import AskedArea, AskedTile, write_tile_question
from twinwall.wire.mqtt.topics import Channel, Topic
from vision.mat import Area

_AREAS: Mapping[Area, AskedArea] = {Area.RIVER: "river", Area.MELD: "meld", Area.HAND: "hand", Area.WIN: "win"}


class SlotQuestions:
    """The open question and the pictures for it, from two threads: the camera's and the table's."""

    def __init__(self, event: str, table: str, kinds: Collection[Tile], signer: Signer | None) -> None:
        """``kinds`` are those of the rules; ``signer`` holds the boot signing key, None in a rehearsal where nobody signs."""
        self._event, self._table, self._kinds, self._signer = event, table, frozenset(kinds), signer
        self._topic = str(Topic(event, table, Channel.QUESTION))
        self._lock = threading.Lock()
        self._question: SlotQuestion | None = None
        self._doubted: dict[SlotQuestion, DoubtedPlace] = {}
        self.link: Link | None = None

    def keep(self, doubted: DoubtedPlace) -> None:
        """The camera cannot tell what lies there; called again while it goes on looking."""
        with self._lock:
            of_hand = doubted.question.n, doubted.question.number
            self._doubted = {asked: kept for asked, kept in self._doubted.items() if (asked.n, asked.number) == of_hand}
            self._doubted[doubted.question] = doubted

    def ask(self, question: SlotQuestion | None) -> None:
        """This question is open now; None: it is settled, and its pictures are discarded."""
        with self._lock:
            self._question = question
            if question is None:
                self._doubted = {}
        self.beat()

    def beat(self) -> None:
        """Send the open question: it may have been lost."""
        with self._lock:
            asked, doubted = self._question, None if self._question is None else self._doubted.get(self._question)
        if self.link is not None and asked is not None and doubted is not None:
            self.link.publish(self._topic, self._written(asked, doubted))

    def _written(self, asked: SlotQuestion, doubted: DoubtedPlace) -> bytes:
        kinds = tuple(tile for tile in doubted.kinds if tile in self._kinds)
        slot = asked.slot
        where = slot.place, _AREAS[slot.area], slot.index
        document = AskedTile(asked.n, asked.number, *where, format_tiles(kinds), doubted.after, doubted.before)
        return write_tile_question(self._signer, self._event, self._table, document)
