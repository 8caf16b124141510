"""Leak scan: everything that the dashboard gives each viewer, searched for what is secret to that viewer."""

import logging
from collections.abc import Iterable

import pytest

import dashboard.access.access_policy
from dashboard.access.api_tokens import TokenScope, tokens_of
from dashboard.access.staff_schema import Role
from dashboard.api.api_routes import OPERATIONS
from tests.support.dashboard.api import Program, api_token
from tests.support.dashboard.custody.vaults import (
    ASKING,
    CALL,
    CALLED,
    TABLES,
    VIOLATED,
    VIOLATION,
    plays,
    second_deal,
    secrets_of,
    walls_of_second_deal,
)
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.dashboard.tables.tables_in_play import question, unread
from tests.support.leak_scanner import Leak, Secret, find_leaks, played
from tests.support.tiers import pairs
from twinwall.art.names import LANGUAGES
from twinwall.game.documents import canonical_json
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.ledger import project

HALL_PAGES = (
    "/",
    "/projector",
    "/projector?session=1",
    "/standings",
    "/standings?session=1",
    "/standings?session=1&group=1",
    "/calls",
    "/staff",
    "/seat/1/0",
    "/deal/1",
    "/deal/2",
    "/deal/3",
    "/deal/2/slip.json",
    "/login",
    "/nothing",
    "/alive",
    "/metrics",
)
STREAMS = (
    "/events",
    "/events?page=standings",
    "/events?page=standings&session=1",
    "/events?page=calls",
    "/events?deal=1",
    "/events?deal=2",
)
API_VALUES = tuple({"deal": str(n), "session": "1", "webhook": "1", "delivery": "1"} for n in (1, 2, 3))


def busy_hall() -> Hall:
    hall = Hall(desk=MemoryDesk(teams_of_four()), settings=OPEN)
    for table in TABLES:
        script = [*closed_hand(table), *(second_deal(table) if table != ASKING else [*second_deal(table)[:60], CALLED, VIOLATED, unread()])]
        hall.feed([*script, ("referee-called", {"seat": "S"})], table)
        hall.heartbeat(table)
    hall.views.ask(ASKING, question(n=2))
    for shown in (VIOLATION, CALL):
        hall.views.ask(ASKING, shown)
    hall.release(1)
    return hall


def outputs(hall: Hall, paths: Iterable[str], streams: Iterable[str]) -> dict[str, bytes]:
    """Every page and stream in one language, or in each in ``make nightly``, as the hall's client gets them, headers included."""
    found: dict[str, bytes] = {}
    pages, texts = pairs(paths, LANGUAGES), pairs(streams, LANGUAGES)
    for language in LANGUAGES:
        for path in (page for page, asked in pages if asked == language):
            answer = hall.client.get(f"{path}?lang={language}")
            found[f"{path} {language}"] = answer.data + str(answer.headers).encode()
            answer.close()
        for path in (stream for stream, asked in texts if asked == language):
            hall.turns_left = 1
            answer = hall.client.get(path)
            found[f"{path} {language}"] = answer.data
            answer.close()
    return found


def api_outputs(hall: Hall, scope: TokenScope, *, opened: str = "") -> dict[str, bytes]:
    """Every answer of the API to a token of a scope, and to what it orders in vain; ``opened`` is the table that a referee opens."""
    program = Program(hall, scope, api_token(hall, scope, f"{scope.value} {len(tokens_of(hall.staff, hall.settings.event))}"))
    found: dict[str, bytes] = {}
    for operation in OPERATIONS:
        for values in API_VALUES:
            path = operation.path.format(**{"table": opened, "player": "1", **values})
            if "{table}" in operation.path and not opened:
                continue
            answer = program.ask(operation.method, path, {} if operation.method == "POST" else None)
            found[f"{operation.method} {path} {scope.value}"] = answer.data
            found[f"headers of {path} {scope.value}"] = str(answer.headers).encode()
    return found


def leaks(found: dict[str, bytes], secrets: list[Secret]) -> dict[str, list[Leak]]:
    return {name: leak for name, content in found.items() if (leak := find_leaks(content, secrets))}


def tables_of(tables: str) -> list[str]:
    return [f"/table/{table}{page}" for table in tables for page in ("", "/which-tile", "/violations")]


def streams_of(tables: str) -> list[str]:
    return [f"/events?table={table}{page}" for table in tables for page in ("", "&page=which-tile", "&page=violations")]


@pytest.mark.parametrize("role", [None, Role.DIRECTOR, Role.SCORER], ids=["spectator", "director", "scorer"])
def test_nobody_but_a_referee_is_given_anything_of_a_sealed_deal(role: Role | None, caplog: pytest.LogCaptureFixture) -> None:
    hall = busy_hall()
    if role is not None:
        enrol(hall.staff, "Abe", roles={role})
        assert hall.log_in("Abe").status_code == 303
    with caplog.at_level(logging.DEBUG):
        found = outputs(hall, [*HALL_PAGES, *tables_of(TABLES)], [*STREAMS, *streams_of(TABLES)])
    assert leaks({**found, "log": caplog.text.encode()}, secrets_of(hall)) == {}
    assert any(b"+75" in found.get(f"/deal/1 {language}", b"") for language in LANGUAGES), "what is released is there"


def test_a_referee_is_given_the_play_of_the_table_that_he_opens_and_of_no_other() -> None:
    hall = busy_hall()
    enrol(hall.staff, "Abe", roles={Role.REFEREE})
    assert hall.log_in("Abe").status_code == 303
    assert leaks(outputs(hall, HALL_PAGES, STREAMS), secrets_of(hall)) == {}
    for table in TABLES:
        found = outputs(hall, tables_of(table), streams_of(table))
        assert leaks(found, secrets_of(hall, but=table)) == {}
        assert leaks(found, [played(plays(hall, 2)[table])]) != {}, "he does see his own"
        for what, page in (("in doubt", "which-tile"), ("a violation", "violations")):
            pictures = [secret for secret in secrets_of(hall) if what in secret.name]
            assert set(leaks(found, pictures)) == {name for name in found if table == ASKING and page in name}


@pytest.mark.parametrize("scope", list(TokenScope))
def test_no_token_is_given_anything_of_a_sealed_deal(scope: TokenScope, caplog: pytest.LogCaptureFixture) -> None:
    hall = busy_hall()
    with caplog.at_level(logging.DEBUG):
        found = api_outputs(hall, scope)
    assert leaks({**found, "log": caplog.text.encode()}, secrets_of(hall)) == {}
    assert b"75" in found[f"GET /deals/1 {scope.value}"], "what is released is there"


def test_a_referee_s_token_is_given_the_play_of_the_table_that_it_opens_and_of_no_other() -> None:
    hall = busy_hall()
    for table in TABLES:
        found = api_outputs(hall, TokenScope.REFEREE, opened=table)
        assert leaks(found, secrets_of(hall, but=table)) == {}
        assert leaks(found, [played(plays(hall, 2)[table])]) != {}, "it does see its own"
        assert hall.desk.looks[-1].table == table
    for scope in (TokenScope.DIRECTOR, TokenScope.SCORER, TokenScope.VIEWER):
        assert leaks(api_outputs(hall, scope, opened="1"), secrets_of(hall)) == {}


def test_the_canary_sings_when_the_gate_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard.access.access_policy, "may_see", lambda *_viewer, **_how: True)
    hall = busy_hall()
    found = leaks(outputs(hall, tables_of(TABLES), []), secrets_of(hall))
    shown = [f"/table/{table}" for table in TABLES]
    assert set(found) == {f"{path} {language}" for path, language in pairs(tables_of(TABLES), LANGUAGES) if path in shown}


def test_the_canary_sings_when_a_page_is_given_a_sealed_hand() -> None:
    hall = busy_hall()
    wall = next(iter(walls_of_second_deal().walls.values()))
    page = hall.client.get("/").data + "".join(f'<use href="/tiles.svg#t-{tile.text}"/>' for tile in sorted(wall.hand)).encode()
    assert find_leaks(page, secrets_of(hall)) != []


def test_public_messages_hold_nothing_of_the_play() -> None:
    """The open ledger's lines are made of these fields alone."""
    hall = busy_hall()
    for table in TABLES:
        lines = [canonical_json(fields) for name, values in second_deal(table) if (fields := project(name, values, EVERYWHERE)) is not None]
        assert find_leaks(b"".join(lines), secrets_of(hall)) == []
