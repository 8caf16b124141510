"""Operations on webhooks: directors register addresses, see deliveries, and withdraw them."""

from typing import Annotated

import msgspec

from dashboard.access.access_policy import SPECTATOR
from dashboard.api.operations import DIRECTORS, ApiRequest, OperationList, ProblemError, ProblemKind, not_found
from dashboard.api.webhooks import LONGEST_ADDRESS, Delivery, NewWebhook, Webhook, WebhookRefusedError, news_of
from twinwall.game.typed_json import Number
from twinwall.values import FrozenStruct, Shape

OPERATIONS = OperationList()


class WebhookOrder(Shape):
    """The address for news: https, or http on the server's own machine."""

    address: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_ADDRESS)]


class WebhooksAnswer(FrozenStruct):
    """All webhooks of the event."""

    webhooks: tuple[Webhook, ...]


class DeliveriesAnswer(FrozenStruct):
    """The last deliveries of a webhook, the latest first; after 30 days they are deleted."""

    deliveries: tuple[Delivery, ...]


@OPERATIONS.offer("GET", "/webhooks", DIRECTORS)
def read_webhooks(asked: ApiRequest) -> WebhooksAnswer:
    """Read the webhooks."""
    return WebhooksAnswer(asked.hall.webhooks.registered())


@OPERATIONS.offer("POST", "/webhooks", DIRECTORS, ProblemKind.REFUSED)
def register_webhook(asked: ApiRequest, body: WebhookOrder) -> NewWebhook:
    """Register an address for news."""
    hall = asked.hall
    try:
        return hall.webhooks.register(body.address, asked.viewer.name, news_of(hall.policy.results(SPECTATOR), hall.desk.steps))
    except WebhookRefusedError as refused:
        raise ProblemError(ProblemKind.REFUSED, str(refused), reason="address") from None


@OPERATIONS.offer("DELETE", "/webhooks/{webhook}", DIRECTORS)
def withdraw_webhook(asked: ApiRequest, webhook: Number) -> WebhooksAnswer:
    """Withdraw a webhook."""
    _check_known(asked, webhook)
    asked.hall.webhooks.withdraw(webhook)
    return read_webhooks(asked)


@OPERATIONS.offer("GET", "/webhooks/{webhook}/deliveries", DIRECTORS)
def read_deliveries(asked: ApiRequest, webhook: Number) -> DeliveriesAnswer:
    """Read what was sent to a webhook."""
    _check_known(asked, webhook)
    return DeliveriesAnswer(asked.hall.webhooks.deliveries(webhook))


def _check_known(asked: ApiRequest, number: int) -> None:
    if all(each.number != number for each in asked.hall.webhooks.registered()):
        raise not_found(f"There is no webhook {number}; GET /webhooks lists them.")
