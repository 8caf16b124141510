"""``twinwall centre withdraw`` and ``annul``: what two persons order together, each with his own key.

The first person gives the reason. The second one says the same without it within an hour, and signs what the first has signed.
"""

import argparse
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from centre.commands.consume import centre_programme, centre_store
from centre.custody.field_orders import (
    AnnulDealOrder,
    AnyFieldOrder,
    PersonsOrder,
    WithdrawVenueOrder,
    field_order_problem,
    read_field_order,
    read_field_orders,
    write_field_order,
)
from centre.custody.field_rules import EVERYWHERE
from centre.store.order_rows import OrderRows
from cli.run_settings import load_to_run
from cli.usage import EXIT_GOOD, EXIT_NO, UsageError, argument, settings_file, takes
from config import CentreSettings
from config.centre import CentreSection
from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import DocumentError, write_time
from twinwall.wire.messages.signing import Signer, read_signer
from twinwall.wire.names import name_key

_UNSAID = "-"
"""Stands for a reason that was not given, until the waiting order's is known."""


class SignedOrders(Protocol):
    """Where signed orders are kept."""

    def signed(self) -> list[bytes]:
        """All signed orders so far."""

    def add(self, signed: bytes, at: datetime) -> None:
        """Store one more."""


_SIGNING = (
    settings_file("a consumer's"),
    argument("--by", required=True, metavar="NAME", help="who signs, as [centre] directors names him"),
    argument("--key", type=Path, required=True, metavar="FILE", help="his signing key"),
    argument("--reason", metavar="TEXT", help="why, for every page; left out by the second person"),
)


@takes(argument("venue", metavar="VENUE", help="the venue's name, as the settings have it"), *_SIGNING, about=__doc__)
def withdraw(arguments: argparse.Namespace) -> int:
    """Sign that a venue is withdrawn."""
    return _sign(arguments, WithdrawVenueOrder(arguments.venue, arguments.reason or _UNSAID))


@takes(
    argument("deal", metavar="DEAL", type=int, help="the deal's number in the plan"),
    argument("--venue", default=EVERYWHERE, help="at this venue alone"),
    *_SIGNING,
    about=__doc__,
)
def annul(arguments: argparse.Namespace) -> int:
    """Sign that a deal counts nowhere, or not at one venue."""
    return _sign(arguments, AnnulDealOrder(arguments.deal, arguments.reason or _UNSAID, arguments.venue))


def _sign(arguments: argparse.Namespace, order: AnyFieldOrder) -> int:
    settings = load_to_run(arguments.settings, CentreSettings)
    signer = director(settings.centre, arguments.by, arguments.key)
    try:
        with closing(OrderRows(centre_store(settings), settings.centre.name)) as rows:
            sentence = sign_order(rows, settings.centre, signer, order, datetime.now(UTC))
    except StoreError as error:
        print(f"nothing was signed: {error}")
        return EXIT_NO
    print(sentence)
    return EXIT_GOOD


def director(section: CentreSection, name: str, key_file: Path) -> Signer:
    """The person who signs; raises UsageError if the settings do not name him, or the key is not his."""
    persons = section.persons
    name = next((person for person in persons if name_key(person) == name_key(name)), name)
    if len(persons) < 2:
        raise UsageError("[centre] directors names fewer than two persons: add each one's name and key to the settings of every process")
    if name not in persons:
        raise UsageError(f"{name} is not in [centre] directors of the settings ({', '.join(persons)})")
    try:
        signer = read_signer(name, key_file)
    except (OSError, DocumentError) as error:
        raise UsageError(f"--key {key_file}: {error}") from None
    if signer.public != persons[name]:
        raise UsageError(f"--key {key_file} is not the key that [centre] directors has for {name}: give his own")
    return signer


def sign_order(rows: SignedOrders, section: CentreSection, signer: Signer, wanted: AnyFieldOrder, at: datetime) -> str:
    """Sign an order and store it; returns a sentence on what follows. Raises UsageError if the order is not accepted."""
    started = centre_programme(section).custody
    deals, venues = None if started is None else len(started.plan.deals), tuple(name for _, name, _ in section.named)
    orders, _ = read_field_orders(rows.signed(), section.name, section.persons, venues, started)
    order = wanted
    if wanted.reason == _UNSAID:
        waits = orders.waiting(wanted, at)
        order = wanted if waits is None else waits.order
    problem = field_order_problem(orders, PersonsOrder(signer.by, order, at), venues, deals)
    if problem is not None:
        raise UsageError(problem)
    if order.reason == _UNSAID:
        problem = f"nobody has ordered within the last hour that {order.what}: say with --reason why; every page shows it"
        raise UsageError(problem + "".join(_other_clock(each, at) for each in orders.standing(order)[-1:]))
    signed = write_field_order(signer, section.name, order, started, at)
    orders = orders.add(read_field_order(signed, section.name, section.persons, started))
    rows.add(signed, at)
    return _order_sentence(order, orders.persons(order))


def _other_clock(before: PersonsOrder, at: datetime) -> str:
    """A hint for a signature that seems more than an hour away, perhaps because one of two clocks is wrong."""
    ordered = f"{before.person} has ordered it ({before.order.reason}) at {write_time(before.at)} by the clock there"
    return f". {ordered}, and here it is {write_time(at)}: compare the clocks"


def _order_sentence(order: AnyFieldOrder, persons: Sequence[str]) -> str:
    if len(persons) < 2:
        return (
            f"{persons[0]} has signed that {order.what} ({order.reason}). Nothing follows before another person has said the same command "
            "within an hour, with his own --by and --key, and without --reason"
        )
    return f"{order.what} ({order.reason}), by order of {' and '.join(persons)}. Rankings are computed anew, and every page says it"
