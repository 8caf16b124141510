"""Sentences of a vault: each is said once to the person who keeps it, and sent to the hall's server for as long as its cause comes back."""

from __future__ import annotations

from collections.abc import Collection

from twinwall.custody.key_shares import HolderShares
from twinwall.custody.table_messages import TableMessages
from twinwall.custody.vault_outputs import TOLD_AGAIN_S, Output, Say


class VaultNotices:
    """What was said, and what was sent to the server lately."""

    def __init__(self, shares: HolderShares, tables: Collection[str], messages: TableMessages) -> None:
        """``tables`` are those of the event; a sentence names the holder where there are several."""
        self._by = f"(vault of {shares.holder!r}) " if len(shares.plan.holders) > 1 else ""
        self._tables, self._messages = tables, messages
        self._said: set[str] = set()
        self._noticed: dict[tuple[str, str], float] = {}

    def about(self, table: str, sentence: str, now_s: float) -> list[Output]:
        """Something is wrong with a table."""
        sentence = f"{self._by}{sentence}"
        outputs = self.say(sentence)
        self._noticed = {known: at_s for known, at_s in self._noticed.items() if now_s - at_s < TOLD_AGAIN_S}
        if table in self._tables and (table, sentence) not in self._noticed:
            self._noticed[table, sentence] = now_s
            outputs.append(self._messages.notice(table, sentence))
        return outputs

    def say(self, sentence: str) -> list[Output]:
        """A sentence is said once, however often its cause comes back."""
        if sentence in self._said:
            return []
        self._said.add(sentence)
        return [Say(sentence)]
