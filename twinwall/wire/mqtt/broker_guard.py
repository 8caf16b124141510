"""The embedded broker's amqtt plug-in that checks accounts and topics by the files of ``twinwall.wire.mqtt.access``. Unlike amqtt's own
plug-ins it refuses a client id of another user (amqtt would hand over that session), and a last will on a topic to which the user may not
publish. Each refusal is logged once."""

import logging
from dataclasses import dataclass
from pathlib import Path

from amqtt.contexts import Action, BaseContext
from amqtt.plugins.base import BaseAuthPlugin, BaseTopicPlugin
from amqtt.session import Session

from twinwall.wire.mqtt.access import Access, Right, may_use_topic, password_matches, read_passwords, read_rights

MOST_REFUSALS = 1024
"""Refusals remembered so that each is logged once; after these, nothing more is logged."""

log = logging.getLogger(__name__)


@dataclass
class GuardPaths:
    """Paths of the password and access files, as text for amqtt."""

    passwords: str
    rights: str


class BrokerGuard(BaseAuthPlugin, BaseTopicPlugin):
    """Admits the users of the password file to the topics of the access file."""

    Config = GuardPaths
    """amqtt's name for a plug-in's settings."""

    def __init__(self, context: BaseContext) -> None:
        super().__init__(context)
        config = context.config
        assert isinstance(config, GuardPaths)
        self._hashes = read_passwords(Path(config.passwords))
        self._rights: dict[tuple[str, Access], list[Right]] = {}
        """By user and access: a large hall has some thousand rights, and each message needs two or more look-ups."""
        for right in read_rights(Path(config.rights)):
            self._rights.setdefault((right.user, right.access), []).append(right)
        self._refused: set[str] = set()

    async def authenticate(self, *, session: Session) -> bool:
        """Whether user and password are right, and client id and will are the user's own."""
        user = session.username
        # Also hash an unknown user's password, so that the time does not show which users exist.
        hashed = self._hashes.get(user or "") or next(iter(self._hashes.values()), "")
        if not password_matches(session.password or "", hashed) or user is None or user not in self._hashes:
            return self._refuse(f"{user or 'somebody without a name'!r} gave no password that fits")
        own_name = session.client_id == user or (session.client_id or "").startswith(f"{user}/")
        own_will = not session.will_flag or self._may(user, Access.WRITE, session.will_topic or "")
        if not own_name:
            return self._refuse(f"{user!r} claimed the client id {session.client_id!r}, which is another's")
        return own_will or self._refuse(f"{user!r} may not leave a last will on {session.will_topic!r}")

    async def topic_filtering(self, *, session: Session | None = None, topic: str | None = None, action: Action | None = None) -> bool:
        """Whether the user may do this with the topic."""
        if session is None or session.username is None or topic is None:
            return False
        access = Access.WRITE if action is Action.PUBLISH else Access.READ
        if self._may(session.username, access, topic):
            return True
        return self._refuse(f"{session.username!r} may not {'publish to' if access is Access.WRITE else 'hear'} {topic!r}")

    def _may(self, user: str, access: Access, topic: str) -> bool:
        return may_use_topic(self._rights.get((user, access), ()), user, access, topic)

    def _refuse(self, sentence: str) -> bool:
        """Return False; log each sentence once."""
        if sentence not in self._refused and len(self._refused) < MOST_REFUSALS:
            self._refused.add(sentence)
            log.warning("refused: %s", sentence)
        return False
