"""Operations on webhooks: directors register addresses, see what was delivered to them, and withdraw them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Struct

from dashboard.access.access_policy import SPECTATOR
from dashboard.api.news import News, NewsKind, news_of
from dashboard.api.operations import DIRECTORS, ApiHall, ApiRequest, Declared, Nothing, Operation, offer
from dashboard.api.problems import ProblemError, ProblemKind
from dashboard.api.webhooks import LONGEST_ADDRESS, Webhook, WebhookRefusedError


class WebhookOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Where news is sent to: an https address; http on the server's own machine alone."""

    address: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_ADDRESS)]


class WebhookAnswer(Struct, frozen=True):
    """A registered address; ``waiting`` is how many deliveries are still tried."""

    number: int
    address: str
    by: str
    since: datetime
    waiting: int


class NewWebhook(Struct, frozen=True):
    """A webhook that was just registered, with the secret by which its receiver checks signatures; it is shown once."""

    number: int
    address: str
    secret: str


class WebhooksAnswer(Struct, frozen=True):
    """All webhooks of the event."""

    webhooks: tuple[WebhookAnswer, ...]


class DeliveryAnswer(Struct, frozen=True):
    """A delivery: ``delivered`` is when the receiver took it; ``due`` the next try, null when there is none.

    ``problem`` is why the last try failed.
    """

    number: int
    kind: NewsKind
    at: datetime
    tries: int
    due: datetime | None
    delivered: datetime | None
    problem: str


class DeliveriesAnswer(Struct, frozen=True):
    """The last deliveries of a webhook, the latest first; those of more than 30 days ago are forgotten."""

    deliveries: tuple[DeliveryAnswer, ...]


class OneWebhook(Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook by its number."""

    webhook: Annotated[int, msgspec.Meta(ge=1)]


def news_now(hall: ApiHall) -> Iterable[News]:
    """All news of the event until now, as everybody may know it."""
    return news_of(hall.policy.results(SPECTATOR), hall.desk.steps)


def register_webhook(asked: ApiRequest[Nothing, WebhookOrder]) -> NewWebhook:
    """Register an address for news from now on."""
    try:
        made = asked.hall.webhooks.register(asked.body.address, asked.viewer.name, news_now(asked.hall))
    except WebhookRefusedError as refused:
        raise ProblemError(ProblemKind.REFUSED, str(refused), reason="address") from None
    return NewWebhook(made.number, made.address, made.secret)


def read_webhooks(asked: ApiRequest[Nothing, Nothing]) -> WebhooksAnswer:
    """The webhooks of the event."""
    webhooks = asked.hall.webhooks
    return WebhooksAnswer(tuple(_webhook(each, webhooks.waiting(each.number)) for each in webhooks.registered()))


def read_deliveries(asked: ApiRequest[OneWebhook, Nothing]) -> DeliveriesAnswer:
    """What was sent to a webhook."""
    number = asked.parameters.webhook
    if all(each.number != number for each in asked.hall.webhooks.registered()):
        raise _unknown(number)
    return DeliveriesAnswer(
        tuple(
            DeliveryAnswer(each.number, NewsKind(each.kind), _time(each.at), each.tries, _maybe(each.due), _maybe(each.done), each.problem)
            for each in asked.hall.webhooks.deliveries(number)
        )
    )


def withdraw_webhook(asked: ApiRequest[OneWebhook, Nothing]) -> WebhooksAnswer:
    """Withdraw a webhook; the webhooks that are left."""
    if not asked.hall.webhooks.withdraw(asked.parameters.webhook):
        raise _unknown(asked.parameters.webhook)
    return read_webhooks(asked.bare)


def _unknown(number: int) -> ProblemError:
    return ProblemError(ProblemKind.NOT_FOUND, f"There is no webhook {number}; GET /webhooks lists them.")


def _webhook(webhook: Webhook, waiting: int) -> WebhookAnswer:
    return WebhookAnswer(webhook.number, webhook.address, webhook.by, _time(webhook.since), waiting)


def _time(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def _maybe(second: int | None) -> datetime | None:
    return None if second is None else _time(second)


OPERATIONS: tuple[Operation, ...] = (
    offer(Declared("readWebhooks", "GET", "/webhooks", "Read the webhooks.", DIRECTORS), Nothing, Nothing, WebhooksAnswer, read_webhooks),
    offer(
        Declared("registerWebhook", "POST", "/webhooks", "Register an address for news.", DIRECTORS, (ProblemKind.REFUSED,)),
        Nothing,
        WebhookOrder,
        NewWebhook,
        register_webhook,
    ),
    offer(
        Declared("withdrawWebhook", "DELETE", "/webhooks/{webhook}", "Withdraw a webhook.", DIRECTORS),
        OneWebhook,
        Nothing,
        WebhooksAnswer,
        withdraw_webhook,
    ),
    offer(
        Declared("readDeliveries", "GET", "/webhooks/{webhook}/deliveries", "Read what was sent to a webhook.", DIRECTORS),
        OneWebhook,
        Nothing,
        DeliveriesAnswer,
        read_deliveries,
    ),
)
