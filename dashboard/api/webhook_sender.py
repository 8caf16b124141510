"""Finds news when results may have changed, and sends it: each receiver has a thread while something is due. A slow receiver delays no
other. There are at most ``MOST_WEBHOOKS`` threads."""

import http.client
import logging
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from dashboard.access.staff_schema import StaffFileError
from dashboard.access.viewer_scope import ViewerScope
from dashboard.api.webhooks import DueDelivery, News, Webhooks, signature

_LOG = logging.getLogger(__name__)
TIMEOUT_S = 5.0
"""A receiver that is silent for longer is tried again later."""
LOOK_EVERY_S = 1.0
Post = Callable[[str, bytes, dict[str, str]], int]
"""Sends a body to an address with headers; returns the answer's status. Raises OSError and http.client.HTTPException."""


def post(address: str, body: bytes, headers: dict[str, str]) -> int:
    """Send a body, without following redirections."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    connection = (
        http.client.HTTPSConnection(host, parts.port, timeout=TIMEOUT_S, context=ssl.create_default_context())
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, parts.port, timeout=TIMEOUT_S)
    )
    try:
        connection.request("POST", f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}", body, headers)
        with connection.getresponse() as answer:
            return answer.status
    finally:
        connection.close()


class WebhookSender:
    """Delivers news of one event until it is closed."""

    def __init__(
        self, webhooks: Webhooks, hall: ViewerScope, news: Callable[[], Iterable[News]], now_s: Callable[[], int], send: Post = post
    ) -> None:
        """``news`` returns all news until now; it is called when ``hall`` has changed."""
        self._webhooks, self._hall, self._news, self._now_s, self._send = webhooks, hall, news, now_s, send
        self._looked: int | None = None
        """The number of the hall's change at the last search for news."""
        self._closing = threading.Event()
        self._sending: dict[int, threading.Thread] = {}
        """By webhook, the thread that sends to it."""
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop; what is not delivered is tried again after the next start."""
        self._closing.set()
        self._thread.join(TIMEOUT_S + 2 * LOOK_EVERY_S)
        self.settle(TIMEOUT_S)

    def settle(self, patience_s: float) -> None:
        """Wait until everything due has been tried, at most ``patience_s``."""
        until_s = time.monotonic() + patience_s
        for thread in self._sending.values():
            thread.join(max(0.0, until_s - time.monotonic()))

    def tick(self) -> None:
        """Note what is new, and begin to send what is due; without webhooks nothing is searched."""
        if self._webhooks.registered():
            changed = self._hall.sequence
            if changed != self._looked:
                self._webhooks.note(self._news())
                self._looked = changed
            self._sending = {webhook: thread for webhook, thread in self._sending.items() if thread.is_alive()}
            for webhook in sorted({delivery.webhook for delivery in self._webhooks.due()} - set(self._sending)):
                self._sending[webhook] = threading.Thread(target=self._send_to, args=(webhook,), name=f"webhook {webhook}", daemon=True)
                self._sending[webhook].start()

    def _send_to(self, webhook: int) -> None:
        """Try what is due to one webhook, the oldest first, until nothing is left."""
        try:
            while not self._closing.is_set():
                delivery = next((each for each in self._webhooks.due() if each.webhook == webhook), None)
                if delivery is None:
                    return
                self._try(delivery)
        except StaffFileError as error:
            _LOG.error("webhook %d waits: %s", webhook, error)

    def _try(self, delivery: DueDelivery) -> None:
        at = self._now_s()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Twinwall",
            "Twinwall-Delivery": str(delivery.number),
            "Twinwall-Signature": signature(delivery.secret, at, delivery.body),
        }
        try:
            status = self._send(delivery.address, delivery.body, headers)
        except (OSError, ValueError, http.client.HTTPException) as error:
            self._webhooks.failed(delivery, str(error) or type(error).__name__)
            return
        if 200 <= status < 300:
            self._webhooks.delivered(delivery)
        else:
            self._webhooks.failed(delivery, f"the receiver answered {status}")

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self.tick()
            except StaffFileError as error:
                _LOG.error("webhooks wait: %s", error)
            self._hall.wait_beyond(self._hall.sequence, LOOK_EVERY_S)
