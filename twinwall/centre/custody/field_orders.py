"""Orders of two persons over a field of venues: withdraw a venue, annul a deal. Each signs with a key of his own.

The second person signs what the first one has signed, reason included; before that nothing follows. Whoever reads signed orders
(the comparison, the centre's vaults) checks both signatures under the keys that his own settings name, so neither the store nor a broker
can order anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Struct

from twinwall.centre.custody.field_state import EVERYWHERE, AnnulDeal, WithdrawVenue
from twinwall.wire.canonical_json import FormError, Text
from twinwall.wire.messages.signing import SignatureError, Signer, open_named_document, sign_document
from twinwall.wire.messages.withdrawal import person_key

PURPOSE = "twinwall-field-order-1"
NO_TABLE = ""
LONGEST_REASON = 200
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_REASON, pattern=r"^\S([^\n\r]*\S)?\Z")]
"""Why, in a line of text that every page shows."""


class WithdrawVenueOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="order", tag="withdraw-venue"):
    """The venue plays no more and keeps what it has; nobody waits for it."""

    venue: Text
    reason: Reason

    @property
    def what(self) -> str:
        """What it orders, for people."""
        return f"venue {self.venue!r} is withdrawn"


class AnnulDealOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="order", tag="annul-deal"):
    """The deal does not count at the venue, or ``EVERYWHERE``."""

    n: Annotated[int, msgspec.Meta(ge=1)]
    reason: Reason
    venue: str = EVERYWHERE

    @property
    def what(self) -> str:
        """What it orders, for people."""
        return f"deal {self.n} is annulled " + (f"at venue {self.venue!r}" if self.venue else "everywhere")


AnyFieldOrder: TypeAlias = WithdrawVenueOrder | AnnulDealOrder


class FieldOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=PURPOSE):
    """What one person signs."""

    field: AnyFieldOrder


@dataclass(frozen=True, slots=True)
class PersonsOrder:
    """An order and who has signed it."""

    person: str
    order: AnyFieldOrder


@dataclass(frozen=True, slots=True)
class RefusedFieldOrder:
    """An order that nobody takes, and why, for people."""

    sentence: str


def write_field_order(signer: Signer, event: str, order: AnyFieldOrder) -> bytes:
    """An order as one person signs it; ``signer`` has the person's name."""
    return sign_document(signer, PURPOSE, event, NO_TABLE, FieldOrder(order))


def read_field_order(payload: bytes, event: str, persons: Mapping[str, bytes]) -> PersonsOrder:
    """Read what one of the persons has signed; raises FormError and SignatureError."""
    try:
        by, signed = open_named_document(PURPOSE, event, NO_TABLE, payload, persons, shape=FieldOrder)
    except FormError as error:
        raise FormError(f"an order over the field cannot be read: {error}") from None
    except SignatureError as error:
        raise SignatureError(f"an order over the field is {error}") from None
    return PersonsOrder(by, signed.field)


@dataclass(frozen=True, slots=True)
class FieldOrders:
    """The orders that were signed, in the order in which they came."""

    signed: tuple[PersonsOrder, ...] = ()

    def waiting(self, wanted: AnyFieldOrder) -> PersonsOrder | None:
        """Who has ordered the same last, whatever the reason, alone so far."""
        same = [each for each in self.signed if _target(each.order) == _target(wanted)]
        return same[-1] if same and not any(self._two(each.order) for each in same) else None

    @property
    def in_effect(self) -> tuple[AnyFieldOrder, ...]:
        """The orders that two persons have signed."""
        return tuple(order for order in dict.fromkeys(each.order for each in self.signed) if self._two(order))

    @property
    def withdrawn(self) -> dict[str, str]:
        """The reason of each venue that is withdrawn."""
        return {order.venue: order.reason for order in self.in_effect if isinstance(order, WithdrawVenueOrder)}

    @property
    def annulled(self) -> dict[tuple[int, str], str]:
        """The reason for each deal that is annulled, by its number and the venue, or ``EVERYWHERE``."""
        return {(order.n, order.venue): order.reason for order in self.in_effect if isinstance(order, AnnulDealOrder)}

    @property
    def commands(self) -> tuple[WithdrawVenue | AnnulDeal, ...]:
        """What the centre's vaults do about them."""
        return tuple(
            WithdrawVenue(order.venue, self.persons(order))
            if isinstance(order, WithdrawVenueOrder)
            else AnnulDeal(order.n, order.venue, self.persons(order))
            for order in self.in_effect
        )

    def persons(self, order: AnyFieldOrder) -> tuple[str, ...]:
        """Who has signed exactly this, each person once."""
        return tuple({person_key(each.person): each.person for each in self.signed if each.order == order}.values())

    def add(self, signed: PersonsOrder) -> FieldOrders:
        """With one more."""
        return FieldOrders((*self.signed, signed))

    def _two(self, order: AnyFieldOrder) -> bool:
        return len(self.persons(order)) >= 2


def field_order_problem(orders: FieldOrders, signed: PersonsOrder, venues: Iterable[str], deals: int | None) -> RefusedFieldOrder | None:
    """Why an order is not taken; ``deals`` is how many the plan has, None where no plan is known."""
    order, person = signed.order, signed.person
    if order.venue not in (EVERYWHERE, *venues):
        return RefusedFieldOrder(f"there is no venue {order.venue!r}: write its name as [centre] venues of the settings does")
    if isinstance(order, AnnulDealOrder) and deals is not None and order.n > deals:
        return RefusedFieldOrder(f"there is no deal {order.n}: the plan has deals 1 to {deals}")
    for known in orders.in_effect:
        if _target(known) == _target(order):
            by = " and ".join(orders.persons(known))
            return RefusedFieldOrder(f"{known.what} already: {by} have ordered it ({known.reason})")
    waits = orders.waiting(order)
    if waits is None:
        return None
    is_same = person_key(waits.person) == person_key(person)
    if waits.order == order and is_same:
        return RefusedFieldOrder(f"{person} has signed already that {order.what}: another person has to sign it too")
    if waits.order != order and not is_same:
        return RefusedFieldOrder(
            f"{waits.person} has ordered that {waits.order.what} with another reason ({waits.order.reason}): sign the same one, without "
            "--reason"
        )
    return None


def read_field_orders(
    payloads: Iterable[bytes], event: str, persons: Mapping[str, bytes], venues: Iterable[str], deals: int | None
) -> tuple[FieldOrders, list[str]]:
    """The orders of these documents, and a sentence for each that is not taken."""
    orders, named, sentences = FieldOrders(), tuple(venues), list[str]()
    for payload in payloads:
        try:
            signed = read_field_order(payload, event, persons)
        except (FormError, SignatureError) as error:
            sentences.append(str(error))
            continue
        problem = field_order_problem(orders, signed, named, deals)
        if problem is None:
            orders = orders.add(signed)
        else:
            sentences.append(problem.sentence)
    return orders, sentences


def _target(order: AnyFieldOrder) -> tuple[int, str]:
    """What an order is about; 0 stands for the venue as a whole."""
    return (order.n if isinstance(order, AnnulDealOrder) else 0), order.venue
