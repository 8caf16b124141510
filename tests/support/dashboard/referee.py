"""A referee at the pages of one table, and who is no referee there."""

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence

from flask.testing import FlaskClient

from dashboard.access.staff_schema import Role
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.wire.streams import Line
from twinwall.wire.messages.commands import Command

BY = "Abe"


class Referee:
    """A referee, ``BY``, who has logged in at a hall whose one table has told ``script``, and looks at the page ``page_path``."""

    def __init__(self, page_path: str, script: Sequence[Line] = ()) -> None:
        self.page_path, self.hall = page_path, Hall(settings=OPEN, reached=True)
        enrol(self.hall.staff, BY, roles={Role.REFEREE})
        assert self.hall.log_in(BY).status_code == 303
        self.hall.feed(script)

    @property
    def sent(self) -> list[Command]:
        return [command for _, command in self.hall.sent]

    def page(self, language: str = "en", path: str = "") -> str:
        answer = self.hall.client.get(f"{path or self.page_path}?lang={language}")
        assert answer.status_code == 200
        return answer.text

    def pictures(self, language: str = "en") -> list[bytes]:
        return [b64decode(found) for found in re.findall(r'data:image/jpeg;base64,([^"]+)', self.page(language).replace("&#43;", "+"))]

    def answer(self, **form: object) -> str:
        """How it went to send the page's form."""
        sent = self.hall.submit(self.page_path, form)
        assert sent.status_code == 303
        return sent.headers["Location"].rpartition("answered=")[2]

    def first(self, stream: str) -> str:
        """The address under which a stream goes on from what it tells at its beginning."""
        text = self.hall.stream(stream)
        (boot, *_), since = re.findall(r"^data: (boot-1\S*)", text, re.MULTILINE), re.findall(r"^id: (\d+)", text, re.MULTILINE)[-1]
        return f"{stream}&boot={boot}&since={since}"


def others(hall: Hall) -> Iterator[FlaskClient]:
    """A spectator, a director and a scorer."""
    yield hall.new_client()
    for role in (Role.DIRECTOR, Role.SCORER):
        enrol(hall.staff, role.value, roles={role})
        client = hall.new_client()
        assert hall.log_in(role.value, client=client).status_code == 303
        yield client
