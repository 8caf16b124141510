"""Key slips: brings the requests of tables without network to the vaults, and keeps what the vaults answer for a referee's phone.

Requests and answers are signed and sealed by tables and vaults. The dashboard carries them and can read, change or use neither.
"""

import threading
from collections.abc import Callable

from twinwall.game.documents import DocumentError, parse_object
from twinwall.wire.messages.vaults.key_codes import RequestCode, slip_texts
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, parse_topic

MOST_TABLES = 512
MOST_ANSWERS = 8
"""This many vaults' answers to one table are kept, the latest."""


class KeySlips:
    """The answers of late, table by table; its methods may be called from any thread."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._lock = threading.Lock()
        self._answers: dict[str, dict[tuple[str, str], bytes]] = {}
        """By table, and then by the vault and the sealing key that opens the answer."""
        self.publish: Callable[[str, bytes], int | None] = lambda _topic, _payload: None
        """Sends to the broker; None where it cannot now. The listener puts its own here."""

    def ask(self, request: RequestCode) -> bool:
        """Bring a request to the vaults; False where the broker does not take it now. A vault answers each time that it is asked."""
        return self.publish(str(Topic(self._event, request.table, Channel.KEY_REQUEST)), request.message) is not None

    def hear(self, topic: str, payload: bytes) -> None:
        """A vault's answer, or what claims to be one: the table finds out."""
        try:
            table, read = parse_topic(topic).table, parse_object(payload)
        except (TopicError, DocumentError):
            return
        place = str(read.get("by")), str(read.get("to"))
        with self._lock:
            answers = self._answers.setdefault(table, {})
            answers.pop(place, None)
            answers[place] = payload
            while len(answers) > MOST_ANSWERS:
                del answers[next(iter(answers))]
            while len(self._answers) > MOST_TABLES:
                del self._answers[next(iter(self._answers))]

    def codes(self, request: RequestCode) -> dict[str, tuple[str, ...]]:
        """The texts of the codes that answer a request, by vault; those of vaults that have not answered are missing."""
        with self._lock:
            answers = dict(self._answers.get(request.table, {}))
        found: dict[str, tuple[str, ...]] = {}
        for vault in request.kept:
            answer = answers.get((vault, request.sealing_key.hex()))
            try:
                found |= {} if answer is None else {vault: slip_texts(answer, request.table)}
            except DocumentError:
                continue
        return found
