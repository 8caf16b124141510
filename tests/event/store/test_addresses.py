"""Where a store is, as a person writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from twinwall.event.store.databases.addresses import PostgresAddress, StoreAddress, StoreAddressError, read_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("event.sqlite", Path("event.sqlite")),
        ("sqlite:///var/lib/club%20evening.sqlite", Path("/var/lib/club evening.sqlite")),
        ("postgresql://a@b/c", PostgresAddress("postgresql://a@b/c")),
        (
            "postgres://a@b:5433/c?sslmode=verify-full&schema=event_0002",
            PostgresAddress("postgresql://a@b:5433/c?sslmode=verify-full", "event_0002"),
        ),
    ],
)
def test_an_address_is_a_path_or_a_url(text: str, address: StoreAddress) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize("text", ["mysql://a@b/c", "sqlite://event.sqlite", "postgresql://a@b/c?schema=Drop;Table"])
def test_what_is_no_address_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(StoreAddressError, match=r"write"):
        read_address(text)


def test_an_address_is_shown_without_its_password() -> None:
    address = PostgresAddress("postgresql://a:secret@b/c?password=secret", "hall", "secret")
    assert str(address) == "postgresql://a@b/c?schema=hall"
    assert "secret" not in str(address)
