"""Messages that several venues have sent and that wait to be taken: one of each venue in turn.

So a venue that has sent thousands delays another's message by no more than one message of each. The connections put messages in, each on
its own thread; one thread takes them. A broker limits how many unsettled messages it sends, but not those that are never settled (QoS 0),
so these are limited here.
"""

import threading
from collections import deque
from collections.abc import Set as AbstractSet

from twinwall.values import frozen
from twinwall.wire.mqtt.link import Unsettled

MOST_OF_THE_MOMENT = 1024
"""While this many messages of a venue wait, further ones that are never settled are dropped: heartbeats, which the next replaces, and a
flood. Lines come at QoS 1."""


@frozen
class VenueMessage:
    """A message, and the venue over whose connection it came."""

    venue: str
    message: Unsettled


class VenueTurns:
    """Messages by venue, and whose turn it is."""

    def __init__(self) -> None:
        self._came = threading.Condition()
        self._waiting: dict[str, deque[Unsettled]] = {}
        """Only venues that have sent something, the next one first."""

    def put(self, venue: str, message: Unsettled) -> None:
        """Add a message of a venue."""
        with self._came:
            waiting = self._waiting.setdefault(venue, deque())
            if message.qos or len(waiting) < MOST_OF_THE_MOMENT:
                waiting.append(message)
                self._came.notify()

    def take(self, timeout_s: float = 0.0, without: AbstractSet[str] = frozenset()) -> VenueMessage | None:
        """The oldest message of the venue whose turn it is, ``without`` these venues, after waiting up to ``timeout_s``; None if there is
        none."""
        with self._came:
            if not self._came.wait_for(lambda: not self._waiting.keys() <= without, timeout_s):
                return None
            venue = next(each for each in self._waiting if each not in without)
            messages = self._waiting.pop(venue)
            message = messages.popleft()
            if messages:
                self._waiting[venue] = messages
            return VenueMessage(venue, message)
