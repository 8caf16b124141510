"""The settings of a PostgreSQL database: where it may be in clear, and what its address does not hold."""

import pytest

from config.connections import DatabaseSection


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://twinwall@127.0.0.1/hall",
        "postgresql:///hall",
        "postgresql://twinwall@/hall?host=/run/postgresql",
        "postgresql://twinwall@db.example/hall?sslmode=verify-full",
    ],
)
def test_a_database_of_this_machine_or_behind_tls_is_taken(url: str) -> None:
    assert DatabaseSection(url).in_clear is None


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://twinwall@db.example/hall",
        "postgresql://twinwall@db.example/hall?sslmode=require",
        "postgresql://twinwall@127.0.0.1/hall?host=db.example",
        "postgresql://twinwall@localhost/hall?hostaddr=192.0.2.7",
    ],
)
def test_another_machine_in_clear_or_unproved_is_refused_unless_it_is_allowed(url: str) -> None:
    with pytest.raises(ValueError, match="write sslmode=verify-full into url"):
        DatabaseSection(url)
    assert DatabaseSection(url, allow_clear_text=True).in_clear == f"url {url}"


@pytest.mark.parametrize("url", ["postgresql://twinwall:secret@127.0.0.1/hall", "postgresql://127.0.0.1/hall?password=secret"])
def test_a_password_has_its_own_file(url: str) -> None:
    with pytest.raises(ValueError, match="write it into password_file"):
        DatabaseSection(url)
