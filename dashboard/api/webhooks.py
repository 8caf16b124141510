"""News about results that everybody may know, and the webhooks of an event: addresses that receive it. News is computed from the event's
state, so that a restart loses and repeats none. Each piece is noted once. It is delivered to each webhook registered at that time, with
growing intervals for about a day, until the receiver answers with 2xx. Webhooks and pending deliveries are in the staff file."""

import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from urllib.parse import urlsplit

import msgspec

from config.connections import is_loopback
from dashboard.access.staff_file import StaffFile
from dashboard.access.viewer_scope import ViewerScope
from twinwall.event.management.changes import ResultsReleased
from twinwall.event.store.store_contents import ManagementStep
from twinwall.values import FrozenStruct, frozen


class NewsKind(Enum):
    """What has happened."""

    DEAL_OPENED = "deal-opened"
    """Everybody can see a deal's results."""
    SESSION_ENDED = "session-ended"
    RESULTS_CORRECTED = "results-corrected"
    """A ruling changed public results."""
    RESULTS_RELEASED = "results-released"
    """A director released a session's held-back results."""


class News(FrozenStruct, omit_defaults=True):
    """One piece of news; it names what to read, without results and players' names.

    Attributes:
        key: identifies the piece for good.
        read: the address of what has changed.
    """

    key: str
    kind: NewsKind
    read: str
    session: int
    deal: int = 0
    hand: int = 0


def news_of(scope: ViewerScope, steps: Sequence[ManagementStep]) -> Iterator[News]:
    """All news of an event, in no order; ``scope`` is that of everybody, ``steps`` are the event's changes."""
    for deal in scope.results.deals():
        if not deal.held:
            yield News(f"deal {deal.n}", NewsKind.DEAL_OPENED, f"/api/v1/deals/{deal.n}", deal.session, deal.n, deal.hand)
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


MOST_WEBHOOKS = 10
LONGEST_ADDRESS = 500
_PLAIN = re.compile("[!-~]+")
BACK_OFF_S = (5, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""The wait after each failed try; after the last one the delivery is given up."""
FORGOTTEN_S = 30 * 86_400
"""How long finished or abandoned deliveries are stored."""
MOST_LISTED = 200
SECRET_BYTES = 32


class WebhookRefusedError(ValueError):
    """A refused webhook; the message says what to do."""


class Webhook(FrozenStruct):
    """A registered address; ``waiting`` is the number of pending deliveries."""

    number: int
    address: str
    by: str
    since: datetime
    waiting: int


class NewWebhook(FrozenStruct):
    """A new webhook, with the secret by which its receiver checks signatures; it is shown once."""

    number: int
    address: str
    secret: str


class Delivery(FrozenStruct):
    """A delivery: ``delivered`` is when the receiver took it; ``due`` the next try, null if there is none; ``problem`` why the last try
    failed."""

    number: int
    kind: NewsKind
    at: datetime
    tries: int
    due: datetime | None
    delivered: datetime | None
    problem: str


@frozen
class DueDelivery:
    """A delivery to try now: its number, the receiver, its ``body``, and the number of tries."""

    number: int
    webhook: int
    address: str
    secret: str
    body: bytes
    tries: int


class NewsBody(FrozenStruct):
    """The body of a delivery; ``id`` is that of the news, the same in every try and for every webhook."""

    id: str
    event: str
    at: datetime
    news: News


def signature(secret: str, at: int, body: bytes) -> str:
    """The header that proves when the dashboard sent a body: HMAC-SHA256 over the time, a dot and the body."""
    return f"t={at},v1={hmac.digest(secret.encode(), f'{at}.'.encode() + body, 'sha256').hex()}"


def check_address(address: str) -> None:
    """Raise WebhookRefusedError for a forbidden address: beyond this machine only https is allowed."""
    parts = urlsplit(address)
    try:
        host, _port = parts.hostname or "", parts.port
        host.encode("idna")  # a name that no server can have is refused here, since each delivery would fail by it
    except ValueError:
        raise WebhookRefusedError(f"{address!r} is no address: send one like https://club.example/twinwall.") from None
    if len(address) > LONGEST_ADDRESS or parts.scheme not in ("https", "http") or not host or not _PLAIN.fullmatch(address):
        raise WebhookRefusedError(f"{address!r} is no address: send one like https://club.example/twinwall.")
    if parts.username is not None or parts.fragment:
        raise WebhookRefusedError("An address has no user, password or fragment: the signature proves who sends.")
    if parts.scheme == "http" and not is_loopback(host):
        raise WebhookRefusedError(f"{host} is another machine: give it an https address; http is taken on this machine alone.")


@frozen
class Webhooks:
    """The webhooks of one event."""

    staff: StaffFile
    event: str
    now_s: Callable[[], int]

    def register(self, address: str, by: str, known: Iterable[News]) -> NewWebhook:
        """Register an address for future news; ``known`` is all news until now. Raises WebhookRefusedError."""
        check_address(address)
        secret, now = f"whsec_{secrets.token_urlsafe(SECRET_BYTES)}", self.now_s()
        self.note(known)
        with self.staff.transaction() as execute:
            if execute("SELECT count(*) FROM webhooks WHERE event = ?", (self.event,)).fetchone()[0] >= MOST_WEBHOOKS:
                raise WebhookRefusedError(f"There are {MOST_WEBHOOKS} webhooks: withdraw one first.")
            number = execute(
                "INSERT INTO webhooks (event, address, secret, by, since) VALUES (?, ?, ?, ?, ?) RETURNING id",
                (self.event, address, secret, by, now),
            ).fetchone()[0]
        return NewWebhook(number, address, secret)

    def withdraw(self, number: int) -> None:
        """Withdraw a webhook with all its deliveries."""
        with self.staff.transaction() as execute:
            execute("DELETE FROM webhooks WHERE id = ? AND event = ?", (number, self.event))

    def registered(self) -> tuple[Webhook, ...]:
        with self.staff.reading() as execute:
            waiting = "SELECT count(due) FROM deliveries WHERE webhook = webhooks.id"
            rows = execute(f"SELECT id, address, by, since, ({waiting}) FROM webhooks WHERE event = ? ORDER BY id", (self.event,))  # noqa: S608
            return tuple(Webhook(number, address, by, _time(since), left) for number, address, by, since, left in rows)

    def note(self, news: Iterable[News]) -> None:
        """Note news, each piece once; new pieces are due to every webhook now."""
        found, webhooks, now = tuple(news), self.registered(), self.now_s()
        with self.staff.transaction() as execute:
            noted = {key for (key,) in execute("SELECT key FROM news WHERE event = ?", (self.event,))}
            fresh = [each for each in found if each.key not in noted]
            for each in fresh:
                execute("INSERT INTO news (event, key, at) VALUES (?, ?, ?)", (self.event, each.key, now))
                body = msgspec.json.encode(NewsBody(each.key, self.event, _time(now), each))
                for webhook in webhooks:
                    execute(
                        "INSERT INTO deliveries (webhook, kind, body, at, due) VALUES (?, ?, ?, ?, ?)",
                        (webhook.number, each.kind.value, body, now, now),
                    )
            execute("DELETE FROM deliveries WHERE due IS NULL AND at < ?", (now - FORGOTTEN_S,))

    def deliveries(self, webhook: int) -> tuple[Delivery, ...]:
        """The last deliveries of a webhook, the latest first."""
        with self.staff.reading() as execute:
            rows = execute(
                "SELECT deliveries.id, kind, at, tries, due, done, problem FROM deliveries JOIN webhooks ON webhook = webhooks.id"
                " WHERE event = ? AND webhook = ? ORDER BY deliveries.id DESC LIMIT ?",
                (self.event, webhook, MOST_LISTED),
            )
            return tuple(
                Delivery(number, NewsKind(kind), _time(at), tries, due and _time(due), done and _time(done), problem)
                for number, kind, at, tries, due, done, problem in rows
            )

    def waiting(self) -> int:
        """The number of pending deliveries."""
        return sum(webhook.waiting for webhook in self.registered())

    def due(self) -> tuple[DueDelivery, ...]:
        """The deliveries to try now, the oldest first."""
        with self.staff.reading() as execute:
            rows = execute(
                "SELECT deliveries.id, webhook, address, secret, body, tries FROM deliveries JOIN webhooks ON webhook = webhooks.id"
                " WHERE event = ? AND due <= ? ORDER BY deliveries.id",
                (self.event, self.now_s()),
            )
            return tuple(DueDelivery(*row) for row in rows)

    def delivered(self, delivery: DueDelivery) -> None:
        """Note that the receiver has taken it."""
        with self.staff.transaction() as execute:
            execute(
                "UPDATE deliveries SET tries = tries + 1, due = NULL, done = ?, problem = '' WHERE id = ?", (self.now_s(), delivery.number)
            )

    def failed(self, delivery: DueDelivery, problem: str) -> None:
        """Note a failed try: the next one is later, or it is given up."""
        due = self.now_s() + BACK_OFF_S[delivery.tries] if delivery.tries < len(BACK_OFF_S) else None
        with self.staff.transaction() as execute:
            execute("UPDATE deliveries SET tries = tries + 1, due = ?, problem = ? WHERE id = ?", (due, problem, delivery.number))


def _time(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)
