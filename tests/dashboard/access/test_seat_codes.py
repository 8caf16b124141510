"""Codes of seats: each opens one seat of one table at one event."""

from __future__ import annotations

from itertools import product

from dashboard.access.seat_codes import seat_code


def test_no_two_seats_tables_events_or_servers_share_a_code() -> None:
    seats = [*product((b"one", b"two"), ("Autumn", "Autumn\x00 1"), ("1", "11"), range(4))]
    codes = {seat_code(*seat) for seat in seats}
    assert len(codes) == len(seats)
    assert {len(code) for code in codes} == {13}
