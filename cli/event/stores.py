"""Access of commands to a store: recognise one, read it, and choose the deals that may leave it."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from cli.usage import DoesNotHoldError, UsageError, is_database, wrong_use
from twinwall.event.store.databases.port import StoreAddress, StoreAddressError, read_address
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_loading import DamagedStoreError, load
from twinwall.event.store.store_rows import read_store


def store_address(text: str) -> StoreAddress:
    """An argument that names a store, or another file by its path."""
    try:
        return read_address(text)
    except StoreAddressError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def is_store(address: StoreAddress) -> bool:
    """Whether it is a store rather than a file of text; raises OSError when there is no such file."""
    return not isinstance(address, Path) or is_database(address)


def hall_of(address: StoreAddress) -> Hall:
    """What a store amounts to; raises UsageError when it cannot be read, or is damaged."""
    with wrong_use(address, DamagedStoreError):
        return load(read_store(address)).hall


def released_deals(hall: Hall, asked: Sequence[int]) -> tuple[int, ...]:
    """The deals that may leave: those asked for, or all that are released.

    Raises:
        DoesNotHoldError: for one that may not.
        UsageError: for one that is none of the event's.
    """
    known = hall.deals()
    for n in asked:
        if n not in known:
            raise UsageError(f"deal {n} is not of this event")
        if hall.released(n) is None:
            raise DoesNotHoldError(
                f"deal {n} is not released: until every table has finished it, what was played is those tables' secret; "
                "the vault releases it by itself then"
            )
    return tuple(asked) or tuple(n for n in known if hall.released(n) is not None)
