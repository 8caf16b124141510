"""A program before the API: tokens by scope, requests in JSON, and the answers read."""

import json
from dataclasses import dataclass, field

from werkzeug.test import TestResponse

from dashboard.access.api_tokens import TokenScope, make_token
from dashboard.access.staff_file import StaffOrder
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.staff import NAME

PREFIX = "/api/v1"


def api_token(hall: Hall, scope: TokenScope, label: str = "") -> str:
    """A token of the hall's event, made by the director of the tests."""
    return make_token(hall.staff, hall.settings.event, label or scope.value, scope, StaffOrder(0, NAME))


@dataclass
class Program:
    """A program with one token; it sends the version of the event that it has seen last."""

    hall: Hall
    scope: TokenScope = TokenScope.DIRECTOR
    token: str = ""
    seen: str = "0"
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.token = self.token or api_token(self.hall, self.scope)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> TestResponse:
        sent = {"Authorization": f"Bearer {self.token}", "Event-Version": self.seen, **self.headers}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = None if body is None else json.dumps(body)
        answer = self.hall.new_client().open(f"{PREFIX}{path}", method=method, data=content, headers=sent)
        if answer.status_code == 200:
            self.seen = answer.headers.get("Event-Version", self.seen)
        return answer

    def read(self, path: str) -> dict[str, object]:
        answer = self.ask("GET", path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        document: dict[str, object] = json.loads(answer.data)
        return document

    def do(self, path: str, body: object, **headers: str) -> dict[str, object]:
        answer = self.ask("POST", path, body, **headers)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        document: dict[str, object] = json.loads(answer.data)
        return document

    def change(self, type_: str, **fields: object) -> dict[str, object]:
        return self.do("/changes", {"change": {"type": type_, **fields}})

    def refused(self, path: str, body: object, method: str = "POST", **headers: str) -> dict[str, object]:
        """The problem of an order that is not carried out."""
        answer = self.ask(method, path, body, **headers)
        assert answer.mimetype == "application/problem+json", (path, answer.status_code, answer.text)
        problem: dict[str, object] = json.loads(answer.data)
        assert problem["status"] == answer.status_code
        return problem
