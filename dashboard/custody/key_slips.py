"""Key slips: carries requests of tables without network to the vaults, and stores the vaults' answers for a referee's phone. Tables and
vaults sign and seal requests and answers. The dashboard can neither read, change nor use them."""

import threading
from collections.abc import Callable

from twinwall.game.documents import DocumentError, parse_object
from twinwall.wire.messages.vaults.key_codes import RequestCode, slip_texts
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, parse_topic

MOST_TABLES = 512
MOST_ANSWERS = 8
"""Most stored vault answers per table, the latest."""


class KeySlips:
    """Recent answers by table; any thread may call."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._lock = threading.Lock()
        self._answers: dict[str, dict[tuple[str, str], bytes]] = {}
        """By table, then by vault and the sealing key that opens the answer."""
        self.publish: Callable[[str, bytes], int | None] = lambda _topic, _payload: None
        """Sends to the broker; None without a connection. The listener sets it."""

    def ask(self, request: RequestCode) -> bool:
        """Send a request to the vaults; False if the broker does not take it. A vault answers each time."""
        return self.publish(str(Topic(self._event, request.table, Channel.KEY_REQUEST)), request.message) is not None

    def hear(self, topic: str, payload: bytes) -> None:
        """Store a message on the vaults' answer topic; the table checks it."""
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
        """The code texts that answer a request, by vault; without vaults that have not answered."""
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
