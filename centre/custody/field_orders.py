"""Orders of two persons over a field of venues: withdraw a venue, annul a deal. Each signs with a key of his own.

The second person signs what the first has signed, reason included; before that nothing follows. A reader of signed orders (the
comparison, the centre's vaults) checks both signatures under the keys in his own settings, so neither the store nor a broker can order
anything. An order is for one start of the event, and both signatures are made within an hour. A person who signs another reason replaces
what he has signed before, whatever a clock shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Struct

from centre.custody.field_rules import EVERYWHERE, AnnulDeal, WithdrawVenue
from twinwall.game.deals import StartedPlan
from twinwall.game.documents import DocumentError, read_time, write_time
from twinwall.game.typed_json import Text
from twinwall.values import frozen
from twinwall.wire.messages.signing import SignatureError, Signer, open_named_document, sign_document
from twinwall.wire.names import name_key

NO_START = ""
"""The start of an event that has no plan."""
TOGETHER = timedelta(hours=1)
"""The longest time between the signatures of two persons, by their clocks: an order that one person alone has signed is void afterwards."""
LONGEST_REASON = 200
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_REASON, pattern=r"^\S([^\n\r]*\S)?\Z")]
"""Why, in a line of text that every page shows."""


class WithdrawVenueOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="order", tag="withdraw-venue"):
    """The venue plays no more and keeps its results; no one waits for it."""

    venue: Text
    reason: Reason

    @property
    def what(self) -> str:
        """The order in words, for people."""
        return f"venue {self.venue!r} is withdrawn"


class AnnulDealOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="order", tag="annul-deal"):
    """The deal does not count at the venue, or ``EVERYWHERE``."""

    n: Annotated[int, msgspec.Meta(ge=1)]
    reason: Reason
    venue: str = EVERYWHERE

    @property
    def what(self) -> str:
        """The order in words, for people."""
        return f"deal {self.n} is annulled " + (f"at venue {self.venue!r}" if self.venue else "everywhere")


AnyFieldOrder: TypeAlias = WithdrawVenueOrder | AnnulDealOrder


class FieldOrder(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag="twinwall-field-order-2"):
    """The document that one person signs: the start of the event, the time, and the order."""

    start: str
    at: Text
    field: AnyFieldOrder


@frozen
class PersonsOrder:
    """An order, who signed it, and when by his clock."""

    person: str
    order: AnyFieldOrder
    at: datetime


def write_field_order(signer: Signer, event: str, order: AnyFieldOrder, started: StartedPlan | None, at: datetime) -> bytes:
    """An order as one person signs it; ``signer`` has the person's name."""
    return sign_document(signer, FieldOrder(_start_of(started), write_time(at), order), event)


def read_field_order(payload: bytes, event: str, persons: Mapping[str, bytes], started: StartedPlan | None) -> PersonsOrder:
    """Read what one of the persons signed for this start; raises DocumentError."""
    try:
        by, signed = open_named_document(payload, FieldOrder, persons, event)
        at = read_time(signed.at)
    except SignatureError as error:
        raise SignatureError(f"an order over the field is {error}") from None
    except DocumentError as error:
        raise DocumentError(f"an order over the field cannot be read: {error}") from None
    if signed.start != _start_of(started):
        raise SignatureError(f"{by} has signed that {signed.field.what} for another start of the event: it does not count")
    return PersonsOrder(by, signed.field, at)


@frozen
class FieldOrders:
    """Signed orders, in the order in which they arrived."""

    signed: tuple[PersonsOrder, ...] = ()

    def waiting(self, wanted: AnyFieldOrder, at: datetime) -> PersonsOrder | None:
        """The last person who ordered the same, whatever the reason, if he is alone so far and the order has not expired."""
        same = self.standing(wanted)
        within = [each for each in same if abs(at - each.at) <= TOGETHER]
        return within[-1] if within and not any(self._two(each.order) for each in same) else None

    def standing(self, wanted: AnyFieldOrder) -> list[PersonsOrder]:
        """All who ordered the same, whatever the reason, except orders whose signer has replaced the reason since."""
        same = [each for each in self.signed if _target(each.order) == _target(wanted)]
        last = {name_key(each.person): each.order for each in same}
        return [each for each in same if last[name_key(each.person)] == each.order]

    @property
    def in_effect(self) -> tuple[AnyFieldOrder, ...]:
        """Orders that two persons have signed."""
        return tuple(order for order in dict.fromkeys(each.order for each in self.signed) if self._two(order))

    @property
    def withdrawn(self) -> dict[str, str]:
        """The reason for each venue that is withdrawn."""
        return {order.venue: order.reason for order in self.in_effect if isinstance(order, WithdrawVenueOrder)}

    @property
    def annulled(self) -> dict[tuple[int, str], str]:
        """The reason for each deal that is annulled, by its number and the venue or ``EVERYWHERE``."""
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
        """Who has signed exactly this together, each person once: the first two, or else the last to sign."""
        same = [each for each in self.standing(order) if each.order == order]
        together = [
            tuple({name_key(each.person): each.person for each in same[:number] if abs(last.at - each.at) <= TOGETHER}.values())
            for number, last in enumerate(same, 1)
        ]
        return next((persons for persons in together if len(persons) > 1), together[-1] if together else ())

    def add(self, signed: PersonsOrder) -> FieldOrders:
        """These orders and one more."""
        return FieldOrders((*self.signed, signed))

    def _two(self, order: AnyFieldOrder) -> bool:
        return len(self.persons(order)) >= 2


def field_order_problem(orders: FieldOrders, signed: PersonsOrder, venues: Iterable[str], deals: int | None) -> str | None:
    """Why an order is not accepted, for people; ``deals`` is the number of deals in the plan, None if no plan is known."""
    order, person = signed.order, signed.person
    if order.venue not in (EVERYWHERE, *venues):
        return f"there is no venue {order.venue!r}: write its name as [centre] venues of the settings does"
    if isinstance(order, AnnulDealOrder) and deals is not None and order.n > deals:
        return f"there is no deal {order.n}: the plan has deals 1 to {deals}"
    for known in orders.in_effect:
        if _target(known) == _target(order):
            by = " and ".join(orders.persons(known))
            return f"{known.what} already: {by} have ordered it ({known.reason})"
    waits = orders.waiting(order, signed.at)
    is_same = waits is not None and name_key(waits.person) == name_key(person)
    if signed in orders.signed or (waits is not None and waits.order == order and is_same):
        return f"{person} has signed already that {order.what}: another person has to sign it too"
    if waits is not None and waits.order != order and not is_same:
        return (
            f"{waits.person} has ordered that {waits.order.what} with another reason ({waits.order.reason}): sign the same one, without "
            "--reason"
        )
    return None


def read_field_orders(
    payloads: Iterable[bytes], event: str, persons: Mapping[str, bytes], venues: Iterable[str], started: StartedPlan | None
) -> tuple[FieldOrders, list[str]]:
    """The orders in these documents, and a sentence for each that is not accepted; ``started`` is None for an event without a plan."""
    orders, named, sentences = FieldOrders(), tuple(venues), list[str]()
    deals = None if started is None else len(started.plan.deals)
    for payload in payloads:
        try:
            signed = read_field_order(payload, event, persons, started)
        except DocumentError as error:
            sentences.append(str(error))
            continue
        problem = field_order_problem(orders, signed, named, deals)
        if problem is None:
            orders = orders.add(signed)
        else:
            sentences.append(problem)
    return orders, sentences


def _start_of(started: StartedPlan | None) -> str:
    return NO_START if started is None else started.start.code.hex()


def _target(order: AnyFieldOrder) -> tuple[int, str]:
    """What an order is about; 0 stands for the venue as a whole."""
    return (order.n if isinstance(order, AnnulDealOrder) else 0), order.venue
