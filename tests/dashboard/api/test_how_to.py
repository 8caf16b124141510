"""The OpenAPI document, as it is committed and true to the routes; and ``docs/how-to/api.md``: its examples work as they stand."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.access.api_tokens import TokenScope, make_token
from dashboard.access.staff_file import StaffOrder
from dashboard.api.webhooks import signature
from dashboard.serving import StoredEvent
from tests.support.dashboard.api import PREFIX
from tests.support.dashboard.hall import OPEN, SETTINGS, Hall, must_say
from tests.support.dashboard.served import Served
from tests.support.dashboard.staff import NAME, new_staff
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import free_port
from tools.api_page import written_documents
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme

HOW_TO = (Path(__file__).parents[3] / "docs" / "how-to" / "api.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", HOW_TO, re.DOTALL | re.MULTILINE)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Served, str]]:
    settings = replace(SETTINGS, staff=tmp_path / "staff.sqlite", names=tmp_path / "names.json", port=free_port())
    staff = new_staff(settings.staff)
    token = make_token(staff, settings.event, "examples", TokenScope.DIRECTOR, StaffOrder(0, NAME))
    staff.close()
    programme = Programme(settings.event, field_of(EntrantKind.INDIVIDUAL, ()))
    server = Served(settings, StoredEvent(tmp_path / "event.sqlite", programme))
    server.start()
    try:
        yield server, token
    finally:
        server.stop()


@pytest.mark.nightly
def test_the_commands_of_the_page_work_as_they_stand(served: tuple[Served, str]) -> None:
    server, token = served
    environment = {**os.environ, "TWINWALL": f"http://127.0.0.1:{server.port}", "TOKEN": token}
    script = "set -eu\n" + "\n".join(f"{block}\necho" for block in blocks("sh"))
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr)
    must_say(
        done.stdout, '"name":"Ada Okafor"', '"stage":"described"', '"secret":"whsec_', "twinwall_tables{", "deal,table,seat,score,player"
    )
    assert done.stdout.count('"version":4') == 2, "the second request with the key had no effect"


def test_the_receiver_of_the_page_knows_a_genuine_delivery() -> None:
    (program,) = blocks("python")
    known: dict[str, object] = {}
    exec(program, known)
    is_genuine = known["is_genuine"]
    assert callable(is_genuine)
    header = signature("whsec_x", 1000, b"{}")
    assert is_genuine("whsec_x", header, b"{}", 1100)
    assert not is_genuine("whsec_y", header, b"{}", 1100)
    assert not is_genuine("whsec_x", header, b"{ }", 1100)
    assert not is_genuine("whsec_x", header, b"{}", 1301)


COMMITTED = Path(__file__).parents[3] / "docs" / "reference" / "openapi.json"


def test_the_documents_are_as_the_command_writes_them() -> None:
    for path, content in written_documents().items():
        assert path.read_bytes() == content, f"{path.name}: run `python -m tools.api_page`"


def test_the_document_is_served_to_anybody_as_it_is_committed() -> None:
    answer = Hall(settings=OPEN).client.get(f"{PREFIX}/openapi.json")
    assert (answer.mimetype, answer.data) == ("application/json", COMMITTED.read_bytes())


def test_every_operation_has_a_name_of_its_own_an_address_of_the_application_and_schemas_that_are_there() -> None:
    document = json.loads(COMMITTED.read_bytes())
    documented = {(method.upper(), path): each["operationId"] for path, of in document["paths"].items() for method, each in of.items()}
    assert len(set(documented.values())) == len(documented)
    assert documented.keys() == {
        (method, rule.rule.removeprefix(PREFIX).replace("<", "{").replace(">", "}"))
        for rule in Hall(settings=OPEN).app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.endpoint.startswith("api.") and rule.endpoint not in ("api.openapi", "api.nothing")
    }
    named = set(re.findall(r'#/components/schemas/([^"]+)"', COMMITTED.read_text(encoding="utf-8")))
    assert named == set(document["components"]["schemas"])
