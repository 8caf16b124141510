"""Fixtures of the tests of the other rooms, for those of the centre."""

from tests.conftest import browser, postgres_store, postgres_url

__all__ = ["browser", "postgres_store", "postgres_url"]
