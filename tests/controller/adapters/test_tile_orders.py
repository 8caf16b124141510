"""Tiles that a table reads by an order of the hall: nothing is told of them once a hand may lie there."""

import queue
from pathlib import Path

import pytest

from controller.adapters.hall_member import TileOrders
from controller.ledger.assignment_folder import AssignmentFolder
from tests.support.patience import PATIENCE_S
from tests.support.wire.assignments import HALL_SERVER
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, write_tile_reading

TABLE = Signer("1", b"\x07" * 32)
ORDER = TileOrder("Autumn", "ab" * 32, 5_000)
PLAYS = "a hand lies here"


@pytest.mark.parametrize(
    ("hindrances", "answer"),
    [
        (("", ""), TileReading(ORDER, "5p 3s")),
        ((PLAYS,), TileReading(ORDER, refused=PLAYS)),
        (("", PLAYS), TileReading(ORDER, refused=PLAYS)),
    ],
    ids=["free", "hand before", "hand while it reads"],
)
def test_no_tile_is_told_once_a_hand_may_lie_there(tmp_path: Path, hindrances: tuple[str, ...], answer: TileReading) -> None:
    said, published = iter(hindrances), queue.Queue[bytes]()
    kept = AssignmentFolder(tmp_path, "1", HALL_SERVER.public)
    orders = TileOrders(
        TABLE, HALL_SERVER.public, kept, hindrance=lambda: next(said), read=lambda order: TileReading(order, "5p 3s"), publish=published.put
    )
    orders.take(sign_document(HALL_SERVER, ORDER, table="1"))
    assert published.get(timeout=PATIENCE_S) == write_tile_reading(TABLE, answer)
