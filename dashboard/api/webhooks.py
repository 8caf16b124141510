"""Webhooks of an event: addresses that receive news about results, and what is to be delivered to them, kept in the staff file.

A piece of news is noted once. It is delivered to each webhook that was registered then, again and again until the receiver answers with
2xx, further and further apart, for about a day.

News about results: what everybody may know since a moment, from the state of the event, so that a restart loses and repeats none.

Looks for news whenever results may have changed, and sends what is due: each receiver has a thread of its own while something is due.

A receiver that is slow or never answers holds up no other. There are no more threads than webhooks (``MOST_WEBHOOKS``).
"""

import hmac
import http.client
import logging
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_schema import StaffFileError
from dashboard.access.viewer_scope import ViewerScope
from twinwall.event.management.changes import ResultsReleased
from twinwall.event.store.store_contents import ManagementStep
from twinwall.values import FrozenStruct, frozen

MOST_WEBHOOKS = 10
LONGEST_ADDRESS = 500
BACK_OFF_S = (5, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""The wait after each failed try; after the last one the delivery is given up."""
FORGOTTEN_S = 30 * 86_400
"""Deliveries that are done or given up are kept for so long."""
MOST_LISTED = 200
SECRET_BYTES = 32


class WebhookRefusedError(ValueError):
    """A webhook that is not registered; the message says what to do."""


class Webhook(FrozenStruct):
    """A registered address; ``waiting`` is how many deliveries are still tried."""

    number: int
    address: str
    by: str
    since: datetime
    waiting: int


class NewWebhook(FrozenStruct):
    """A webhook that was just registered, with the secret by which its receiver checks signatures; it is shown once."""

    number: int
    address: str
    secret: str


class Delivery(FrozenStruct):
    """A delivery: ``delivered`` is when the receiver took it; ``due`` the next try, null when there is none.

    ``problem`` is why the last try failed.
    """

    number: int
    kind: "NewsKind"
    at: datetime
    tries: int
    due: datetime | None
    delivered: datetime | None
    problem: str


@frozen
class DueDelivery:
    """A delivery that is to be tried now: its number, where its ``body`` is sent, and how often that was tried."""

    number: int
    webhook: int
    address: str
    secret: str
    body: bytes
    tries: int


class NewsBody(FrozenStruct):
    """What a receiver is sent; ``id`` is that of the piece of news, the same in every try and for every webhook."""

    id: str
    event: str
    at: datetime
    news: "News"


def signature(secret: str, at: int, body: bytes) -> str:
    """The header that proves to a receiver when the dashboard sent a body: HMAC-SHA256 over the time, a dot and the body."""
    return f"t={at},v1={hmac.digest(secret.encode(), f'{at}.'.encode() + body, 'sha256').hex()}"


def check_address(address: str) -> None:
    """Raise WebhookRefusedError for an address that nothing is sent to: beyond this machine only https."""
    parts = urlsplit(address)
    try:
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        raise WebhookRefusedError(f"{address!r} is no address: send one like https://club.example/twinwall.") from None
    if len(address) > LONGEST_ADDRESS or parts.scheme not in ("https", "http") or not host or not address.isascii() or " " in address:
        raise WebhookRefusedError(f"{address!r} is no address: send one like https://club.example/twinwall.")
    if parts.username is not None or parts.fragment:
        raise WebhookRefusedError("An address has no user, password or fragment: the signature proves who sends.")
    if parts.scheme == "http" and not _is_loopback(host):
        raise WebhookRefusedError(f"{host} is another machine: give it an https address; http is taken on this machine alone.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Webhooks:
    """The webhooks of one event."""

    def __init__(self, staff: StaffFile, event: str, now_s: Callable[[], int]) -> None:
        self._staff, self._event, self._now_s = staff, event, now_s

    def register(self, address: str, by: str, known: "Iterable[News]") -> NewWebhook:
        """Register an address for what comes from now on; ``known`` is all news until now. Raises WebhookRefusedError."""
        check_address(address)
        secret, now = f"whsec_{secrets.token_urlsafe(SECRET_BYTES)}", self._now_s()
        self.note(known)
        with self._staff.transaction() as execute:
            if execute("SELECT count(*) FROM webhooks WHERE event = ?", (self._event,)).fetchone()[0] >= MOST_WEBHOOKS:
                raise WebhookRefusedError(f"There are {MOST_WEBHOOKS} webhooks: withdraw one first.")
            number = execute(
                "INSERT INTO webhooks (event, address, secret, by, since) VALUES (?, ?, ?, ?, ?) RETURNING id",
                (self._event, address, secret, by, now),
            ).fetchone()[0]
        return NewWebhook(number, address, secret)

    def withdraw(self, number: int) -> bool:
        """Withdraw a webhook with all its deliveries; False where there is none of that number."""
        with self._staff.transaction() as execute:
            return execute("DELETE FROM webhooks WHERE id = ? AND event = ?", (number, self._event)).rowcount > 0

    def registered(self) -> tuple[Webhook, ...]:
        """All webhooks."""
        with self._staff.reading() as execute:
            waiting = "SELECT count(due) FROM deliveries WHERE webhook = webhooks.id"
            rows = execute(f"SELECT id, address, by, since, ({waiting}) FROM webhooks WHERE event = ? ORDER BY id", (self._event,))  # noqa: S608
            return tuple(Webhook(number, address, by, _time(since), left) for number, address, by, since, left in rows)

    def note(self, news: "Iterable[News]") -> None:
        """Note news, each piece once; what is new is due to every webhook now."""
        found, webhooks, now = tuple(news), self.registered(), self._now_s()
        with self._staff.transaction() as execute:
            noted = {key for (key,) in execute("SELECT key FROM news WHERE event = ?", (self._event,))}
            fresh = [each for each in found if each.key not in noted]
            for each in fresh:
                execute("INSERT INTO news (event, key, at) VALUES (?, ?, ?)", (self._event, each.key, now))
                body = msgspec.json.encode(NewsBody(each.key, self._event, _time(now), each))
                for webhook in webhooks:
                    execute(
                        "INSERT INTO deliveries (webhook, kind, body, at, due) VALUES (?, ?, ?, ?, ?)",
                        (webhook.number, each.kind.value, body, now, now),
                    )
            execute("DELETE FROM deliveries WHERE due IS NULL AND at < ?", (now - FORGOTTEN_S,))

    def deliveries(self, webhook: int) -> tuple[Delivery, ...]:
        """The last deliveries of a webhook, the latest first."""
        with self._staff.reading() as execute:
            rows = execute(
                "SELECT deliveries.id, kind, at, tries, due, done, problem FROM deliveries JOIN webhooks ON webhook = webhooks.id"
                " WHERE event = ? AND webhook = ? ORDER BY deliveries.id DESC LIMIT ?",
                (self._event, webhook, MOST_LISTED),
            )
            return tuple(
                Delivery(number, NewsKind(kind), _time(at), tries, due and _time(due), done and _time(done), problem)
                for number, kind, at, tries, due, done, problem in rows
            )

    def waiting(self) -> int:
        """How many deliveries are still tried."""
        return sum(webhook.waiting for webhook in self.registered())

    def due(self) -> tuple[DueDelivery, ...]:
        """The deliveries that are to be tried now, the oldest first."""
        with self._staff.reading() as execute:
            rows = execute(
                "SELECT deliveries.id, webhook, address, secret, body, tries FROM deliveries JOIN webhooks ON webhook = webhooks.id"
                " WHERE event = ? AND due <= ? ORDER BY deliveries.id",
                (self._event, self._now_s()),
            )
            return tuple(DueDelivery(*row) for row in rows)

    def delivered(self, delivery: DueDelivery) -> None:
        """The receiver has taken it."""
        with self._staff.transaction() as execute:
            execute(
                "UPDATE deliveries SET tries = tries + 1, due = NULL, done = ?, problem = '' WHERE id = ?", (self._now_s(), delivery.number)
            )

    def failed(self, delivery: DueDelivery, problem: str) -> None:
        """A try has failed: the next one is later, or it is given up."""
        due = self._now_s() + BACK_OFF_S[delivery.tries] if delivery.tries < len(BACK_OFF_S) else None
        with self._staff.transaction() as execute:
            execute("UPDATE deliveries SET tries = tries + 1, due = ?, problem = ? WHERE id = ?", (due, problem, delivery.number))


def _time(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


class NewsKind(Enum):
    """What has happened."""

    DEAL_OPENED = "deal-opened"
    """Results of a deal are open to everybody."""
    SESSION_ENDED = "session-ended"
    RESULTS_CORRECTED = "results-corrected"
    """A ruling changed results that were open."""
    RESULTS_RELEASED = "results-released"
    """A director released the results of a session that were held back."""


class News(FrozenStruct, omit_defaults=True):
    """One piece of news; it names what to read and has no result and no name of a player.

    Attributes:
        key: names the piece for good.
        read: the address of what has changed.
    """

    key: str
    kind: NewsKind
    read: str
    session: int
    deal: int = 0
    hand: int = 0


def news_of(scope: ViewerScope, steps: Sequence[ManagementStep]) -> Iterator[News]:
    """All news of an event, in no order; ``scope`` is what everybody may see, ``steps`` the event's changes."""
    for n in scope.released():
        deal = scope.deal(n)
        if isinstance(deal, ReleasedDeal) and not deal.held:
            yield News(f"deal {n}", NewsKind.DEAL_OPENED, f"/api/v1/deals/{n}", deal.session, n, deal.hand)
    for session in scope.event.sessions:
        if session.over:
            read = f"/api/v1/standings?session={session.number}"
            yield News(f"session {session.number}", NewsKind.SESSION_ENDED, read, session.number)
    for each in scope.results.standings().corrections:
        key = f"correction {each.given.ruling.identity} of deal {each.n} at table {each.table}"
        yield News(key, NewsKind.RESULTS_CORRECTED, f"/api/v1/deals/{each.n}", each.session, each.n)
    for version, step in enumerate(steps, 1):
        if isinstance(step.change, ResultsReleased):
            of = step.change.session
            yield News(f"release {version}", NewsKind.RESULTS_RELEASED, f"/api/v1/standings?session={of}", of)


_LOG = logging.getLogger(__name__)
TIMEOUT_S = 5.0
"""A receiver that is silent for longer is tried again later."""
LOOK_EVERY_S = 1.0

Post = Callable[[str, bytes, dict[str, str]], int]
"""Sends a body to an address with headers; the status of the answer. Raises OSError and http.client.HTTPException."""


def post(address: str, body: bytes, headers: dict[str, str]) -> int:
    """Send a body; a redirection is not followed."""
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
        """``news`` gives all news until now; it is asked when ``hall`` has changed."""
        self._webhooks, self._hall, self._news, self._now_s, self._send = webhooks, hall, news, now_s, send
        self._looked: int | None = None
        """The number of the hall's change at which was looked for news last."""
        self._closing = threading.Event()
        self._sending: dict[int, threading.Thread] = {}
        """The thread of each webhook to which something is sent."""
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Deliver from now on."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what is not delivered is tried again after the next start."""
        self._closing.set()
        self._thread.join(TIMEOUT_S + 2 * LOOK_EVERY_S)
        self.settle(TIMEOUT_S)

    def settle(self, patience_s: float) -> None:
        """Wait until everything that was due has been tried, for so long at most."""
        until_s = time.monotonic() + patience_s
        for thread in self._sending.values():
            thread.join(max(0.0, until_s - time.monotonic()))

    def tick(self) -> None:
        """Note what is new, and begin to send what is due; nothing is looked for while there is no webhook."""
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
        """Try what is due to one webhook, the oldest first, until nothing is."""
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
        except (OSError, http.client.HTTPException) as error:
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
