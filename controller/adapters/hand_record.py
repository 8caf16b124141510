"""Hand record that a table writes: what was seen of one hand, without the walls until the deal is released.

The walls of an imported deal, without a commitment, are public, so its record has them at once.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from controller.state.sides import PlayStage
from controller.state.table_state import Setup, TableState
from twinwall.game.deals.uncommitted import is_imported
from twinwall.game.documents import pretty_json
from twinwall.game.play_events import HandEnded
from twinwall.game.record import HandRecord
from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.events.wall_events import DealOpened


@frozen
class RecordFolder:
    """Writes the record of each closed hand into a folder, readable only by the table's user: until release it is the table's secret."""

    folder: Path
    event: str
    options: Mapping[str, object]

    def path(self, session: int, hand: int) -> Path:
        return self.folder / f"session-{session:02d}-hand-{hand:02d}.json"

    def keep(self, setup: Setup, state: TableState) -> Path | None:
        """Write the record of the hand that was just closed; None if none was, and at a table without cameras (the server records its hands
        with the released deal)."""
        deal, hand = state.playing.deal, state.playing.hand
        if state.playing.stage is not PlayStage.CLOSED or deal is None or not hand.events or not deal.walls:
            return None
        ended = hand.events[-1]
        assert isinstance(ended, HandEnded)
        record = HandRecord(
            event=self.event,
            session=deal.session,
            hand=deal.hand,
            n=deal.n,
            table=setup.table,
            rules=deal.rules,
            options=self.options,
            players=hand.players,
            check=bytes.fromhex(deal.check),
            events=hand.events,
            scores=ended.scores,
        )
        digest = bytes.fromhex(deal.digest)
        if is_imported(deal.n, record.check, digest):
            record = replace(record, walls=deal.walls, rest=deal.rest or None, digest=digest)
        path = self.path(deal.session, deal.hand)
        self._write(path, record)
        return path

    def complete(self, opened: DealOpened) -> Path | None:
        """Add a released deal's walls to the record of its hand; None if it has them, or if there is no record."""
        path = self.path(opened.session, opened.hand)
        try:
            record = HandRecord.from_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if record.walls is not None:
            return None
        self._write(path, replace(record, walls=opened.walls, rest=opened.rest or None, digest=bytes.fromhex(opened.digest)))
        return path

    @staticmethod
    def _write(path: Path, record: HandRecord) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, pretty_json(record.to_json()), 0o600)
