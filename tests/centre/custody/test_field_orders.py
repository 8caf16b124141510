"""Orders over a field: nothing follows before two persons have signed the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.centre.custody.field_orders import (
    AnnulDealOrder,
    AnyFieldOrder,
    FieldOrders,
    PersonsOrder,
    WithdrawVenueOrder,
    field_order_problem,
    read_field_order,
    read_field_orders,
    write_field_order,
)
from twinwall.centre.custody.field_state import AnnulDeal, WithdrawVenue
from twinwall.wire.canonical_json import FormError
from twinwall.wire.messages.signing import SignatureError, Signer

EVENT, VENUES, DEALS = "Autumn", ("Kyoto", "Sendai"), 6
SIGNERS = {name: Signer(name, name.encode().ljust(32, b"-")) for name in ("Ann", "Ben", "Cleo")}
PERSONS = {name: signer.public for name, signer in SIGNERS.items()}
LEAK = AnnulDealOrder(4, "a sheet was photographed", "Kyoto")


def taken(*signed: tuple[str, AnyFieldOrder]) -> tuple[FieldOrders, list[str]]:
    """The orders after these, and what was said of those that were refused."""
    orders, said = FieldOrders(), list[str]()
    for person, order in signed:
        problem = field_order_problem(orders, PersonsOrder(person, order), VENUES, DEALS)
        if problem is None:
            orders = orders.add(PersonsOrder(person, order))
        else:
            said.append(problem.sentence)
    return orders, said


def test_an_order_counts_when_a_second_person_has_signed_the_same() -> None:
    alone, _ = taken(("Ann", LEAK))
    assert (alone.in_effect, alone.annulled, alone.waiting(LEAK)) == ((), {}, PersonsOrder("Ann", LEAK))
    both, said = taken(("Ann", LEAK), ("Ben", LEAK))
    assert (both.annulled, said) == ({(4, "Kyoto"): "a sheet was photographed"}, [])
    assert both.commands == (AnnulDeal(4, "Kyoto", ("Ann", "Ben")),)
    left, _ = taken(("Ann", WithdrawVenueOrder("Sendai", "fire alarm")), ("Cleo", WithdrawVenueOrder("Sendai", "fire alarm")))
    assert (left.withdrawn, left.commands) == ({"Sendai": "fire alarm"}, (WithdrawVenue("Sendai", ("Ann", "Cleo")),))


def test_a_person_may_give_another_reason_while_nobody_else_has_signed() -> None:
    other = AnnulDealOrder(4, "two sheets were photographed", "Kyoto")
    orders, said = taken(("Ann", LEAK), ("Ann", other), ("Ben", LEAK), ("Ben", other))
    assert (orders.in_effect, len(said)) == ((other,), 1)


@pytest.mark.parametrize(
    ("signed", "said"),
    [
        (
            [("Ann", LEAK), ("Ann", LEAK)],
            "Ann has signed already that deal 4 is annulled at venue 'Kyoto': another person has to sign it too",
        ),
        ([("Ann", LEAK), ("ANN", LEAK)], "ANN has signed already that deal 4 is annulled"),
        ([("Ann", LEAK), ("Ben", AnnulDealOrder(4, "heard of it", "Kyoto"))], "sign the same one, without --reason"),
        ([("Ann", LEAK), ("Ben", LEAK), ("Cleo", LEAK)], "is annulled at venue 'Kyoto' already: Ann and Ben have ordered it"),
        (
            [("Ann", WithdrawVenueOrder("Osaka", "flood"))],
            "there is no venue 'Osaka': write its name as [centre] venues of the settings does",
        ),
        ([("Ann", AnnulDealOrder(7, "leak"))], "there is no deal 7: the plan has deals 1 to 6"),
    ],
)
def test_an_order_that_is_not_taken_is_a_sentence_with_what_to_do(signed: list[tuple[str, AnyFieldOrder]], said: str) -> None:
    assert said in taken(*signed)[1][-1]


def test_an_order_counts_under_its_persons_key_and_for_its_event_alone() -> None:
    payload = write_field_order(SIGNERS["Ann"], EVENT, LEAK)
    assert read_field_order(payload, EVENT, PERSONS) == PersonsOrder("Ann", LEAK)
    with pytest.raises(SignatureError, match="an order over the field is not signed by 'Ann'"):
        read_field_order(payload, "Spring", PERSONS)
    with pytest.raises(SignatureError, match="who is not trusted here"):
        read_field_order(payload, EVENT, {"Ben": PERSONS["Ben"]})
    with pytest.raises(SignatureError, match="not signed by 'Ann'"):
        read_field_order(write_field_order(Signer("Ann", SIGNERS["Ben"].secret), EVENT, LEAK), EVENT, PERSONS)
    with pytest.raises(FormError, match="an order over the field cannot be read"):
        read_field_order(b"{}", EVENT, PERSONS)


def test_documents_are_read_in_their_order_and_those_that_do_not_count_are_named() -> None:
    documents = [write_field_order(SIGNERS[name], EVENT, LEAK) for name in ("Ann", "Ann", "Ben")] + [b"{}"]
    orders, said = read_field_orders(documents, EVENT, PERSONS, VENUES, DEALS)
    assert (orders.annulled, len(said)) == ({(4, "Kyoto"): "a sheet was photographed"}, 2)
    assert read_field_orders(documents, EVENT, {"Ann": PERSONS["Ann"]}, VENUES, DEALS)[0].in_effect == ()


@st.composite
def signed_orders(draw: st.DrawFn) -> tuple[str, AnyFieldOrder]:
    person, venue = draw(st.sampled_from([*PERSONS, "ann"])), draw(st.sampled_from([*VENUES, "Osaka", ""]))
    reason = draw(st.sampled_from(["leak", "fire"]))
    if venue and draw(st.booleans()):
        return person, WithdrawVenueOrder(venue, reason)
    return person, AnnulDealOrder(draw(st.integers(1, 7)), reason, venue)


@given(signed=st.lists(signed_orders(), max_size=20))
def test_whatever_is_signed_an_order_counts_only_with_two_persons_and_each_is_about_something_else(
    signed: list[tuple[str, AnyFieldOrder]],
) -> None:
    orders, _ = taken(*signed)
    for order in orders.in_effect:
        assert len({person.casefold() for person, each in signed if each == order}) >= 2
        assert order.venue in ("", *VENUES)
    targets = [(getattr(order, "n", 0), order.venue) for order in orders.in_effect]
    assert len(targets) == len(set(targets)) == len(orders.withdrawn) + len(orders.annulled)
