"""The OpenAPI document: as the command writes it, served as it is committed, and true to the routes."""

import json
from pathlib import Path

from dashboard.api.api_routes import OPERATIONS
from tests.support.dashboard.api import PREFIX
from tests.support.dashboard.hall import OPEN, Hall
from tools.api_page import written_documents

COMMITTED = Path(__file__).parents[3] / "docs" / "reference" / "openapi.json"


def test_the_documents_are_as_the_command_writes_them() -> None:
    for path, content in written_documents().items():
        assert path.read_bytes() == content, f"{path.name}: run `python -m tools.api_page`"


def test_the_document_is_served_to_anybody_as_it_is_committed() -> None:
    answer = Hall(settings=OPEN).client.get(f"{PREFIX}/openapi.json")
    assert answer.mimetype == "application/json"
    assert answer.data == COMMITTED.read_bytes()


def test_every_operation_has_a_name_of_its_own_and_an_address_of_the_application() -> None:
    names = [each.name for each in OPERATIONS]
    assert len(names) == len(set(names))
    document = json.loads(COMMITTED.read_text(encoding="utf-8"))
    documented = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    rules = {
        (method, rule.rule.removeprefix(PREFIX).replace("<", "{").replace(">", "}"))
        for rule in Hall(settings=OPEN).app.url_map.iter_rules()
        for method in rule.methods or ()
        if rule.endpoint.startswith("api.") and rule.endpoint not in ("api.openapi", "api.nothing") and method not in ("HEAD", "OPTIONS")
    }
    assert documented == rules


def test_every_reference_of_the_document_leads_to_a_schema() -> None:
    text = COMMITTED.read_text(encoding="utf-8")
    document = json.loads(text)
    named = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named == set(document["components"]["schemas"])
