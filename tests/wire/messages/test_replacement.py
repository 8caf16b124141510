"""Order to replace a controller: for one event, and of two persons where a hand was in play."""

from __future__ import annotations

import pytest
from msgspec import structs

from twinwall.wire.canonical_json import FormError
from twinwall.wire.messages.replacement import ReplacementOrder, read_replacement, write_replacement
from twinwall.wire.messages.signing import SignatureError, Signer

SERVER = Signer("server", b"\x0a" * 32)
ORDER = ReplacementOrder("Autumn", "j1", 7, "ab" * 32, (1, 2), 3, "the disk is lost", "Ann", "Ben")


def read(order: ReplacementOrder, event: str = "Autumn") -> ReplacementOrder:
    return read_replacement(write_replacement(SERVER, event, "1", order), event, "1", SERVER.public)


@pytest.mark.parametrize("order", [ORDER, structs.replace(ORDER, n=0, confirmed="")], ids=["in a hand", "between hands"])
def test_an_order_of_enough_persons_is_read_as_it_was_written(order: ReplacementOrder) -> None:
    assert read(order) == order


@pytest.mark.parametrize("confirmed", ["", "Ann", "ANN", "\uff21nn"])
def test_one_person_replaces_no_controller_during_a_hand(confirmed: str) -> None:
    with pytest.raises(SignatureError, match="deal 3 was in play: another account has to confirm"):
        read(structs.replace(ORDER, confirmed=confirmed))


def test_an_order_of_another_event_is_refused() -> None:
    with pytest.raises(FormError, match="is of the event 'Autumn', not of 'Spring'"):
        read(ORDER, "Spring")
