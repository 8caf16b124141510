"""The deal of a record that came from another program: its walls as a deal file, without a commitment.

Such a deal is for rehearsals. Its root is zero, so no start of an event can have it.
"""

from __future__ import annotations

from twinwall.event.forms.moves import UnreleasedRecordError
from twinwall.game.deals import Deal, walls_digest
from twinwall.game.deals.encoding import Sha256
from twinwall.game.deals.uncommitted import IMPORTED, NOT_COMMITTED
from twinwall.game.record import HandRecord


def deal_of(record: HandRecord) -> Deal:
    """The deal of a record with walls; raises UnreleasedRecordError."""
    if record.walls is None:
        raise UnreleasedRecordError(f"the record of deal {record.n} at table {record.table} has no walls")
    rest = record.rest or ()
    return Deal(
        n=record.n,
        event=record.event,
        session=record.session,
        hand=record.hand,
        rules=record.rules,
        walls=record.walls,
        rest=rest,
        digest=walls_digest(record.walls, rest),
        check=Sha256(record.check),
        root=NOT_COMMITTED,
        public=IMPORTED,
    )
