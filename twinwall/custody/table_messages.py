"""Messages of a vault to one table: challenges, questions for lines, sealed deals, journal keys; and notices about it to the server."""

from __future__ import annotations

from twinwall.custody.key_shares import HolderShares
from twinwall.custody.vault_outputs import Publish
from twinwall.game.documents import canonical_json
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.commands import Command, CommandWriter
from twinwall.wire.messages.notice import write_notice
from twinwall.wire.messages.sealing import Recipient, seal_deal, vault_sealing_key
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.challenge import write_challenge
from twinwall.wire.messages.vaults.journal_key import give_journal_key, open_kept
from twinwall.wire.mqtt.topics import Channel, Topic


class TableMessages:
    """Signs and seals what one holder's vault sends to the tables of its event."""

    def __init__(self, signer: Signer, commands: CommandWriter, shares: HolderShares) -> None:
        """``commands`` asks tables for what is missing."""
        self._signer, self._commands, self._shares = signer, commands, shares
        self._event = shares.plan.event

    def challenge(self, table: str, challenge: str) -> Publish:
        """Random bytes that the table's next statements carry."""
        return self._to(table, Channel.CHALLENGE, write_challenge(self._signer, self._event, table, challenge))

    def command(self, table: str, command: Command) -> Publish:
        """A command, such as to send lines again."""
        return self._to(table, Channel.COMMAND, self._commands.write(table, command))

    def deal(self, table: str, n: int, key: bytes) -> Publish:
        """This holder's share of deal ``n``, sealed to the table's ``key``."""
        share = canonical_json(self._shares.share(n).to_json())
        return self._to(table, Channel.DEAL, seal_deal(self._signer, Recipient(self._event, table, self._shares.root), n, share, key))

    def journal_key(self, table: str, keys: BootKeys, kept: str, known: LedgerPosition | None) -> Publish:
        """This holder's piece of the table's journal key, opened from what the table has ``kept`` and sealed to its boot keys;
        ``known`` is the last line that this vault has of it. Raises JournalKeyError."""
        key = open_kept(kept, vault_sealing_key(self._signer), self._event, table)
        return self._to(table, Channel.JOURNAL_KEY, give_journal_key(self._signer, self._event, table, key, to=keys.sealing, known=known))

    def notice(self, table: str, sentence: str) -> Publish:
        """What is wrong with the table, to the hall's server."""
        return self._to(table, Channel.NOTICE, write_notice(sentence))

    def _to(self, table: str, channel: Channel, payload: bytes) -> Publish:
        return Publish(str(Topic(self._event, table, channel)), payload)
