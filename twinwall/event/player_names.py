"""Names of players; ledgers, journals and records have only their numbers.

Only the names file has names, so a person is forgotten when the name is removed from it; the number stays in the ledgers, and no chain
breaks. Ledgers of earlier versions have names: a tag made from the name then replaces the number.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Struct

from twinwall.event.natural_order import natural
from twinwall.game.documents import DocumentError, parse_object, pretty_json
from twinwall.game.record import HandRecord
from twinwall.game.typed_json import read_as
from twinwall.values import frozen
from twinwall.wire.names import cleaned, name_key, name_problem, twins

NUMBER_PATTERN = "[1-9][0-9]{0,3}"
_NUMBER = re.compile(NUMBER_PATTERN, re.ASCII)
PlayerNumber = Annotated[str, msgspec.Meta(pattern=rf"^{NUMBER_PATTERN}\Z")]
PlayerName = Annotated[str, msgspec.Meta(pattern=r"^\S(.*\S)?\Z", max_length=80)]
_TAG_LENGTH = 6


class NamesShown(Enum):
    FULL = "full"
    INITIALS = "initials"
    NUMBER = "number"


class _NamesDocument(Struct, forbid_unknown_fields=True, tag_field="format", tag="twinwall-names-1"):
    players: dict[PlayerNumber, PlayerName]


@frozen
class PlayerNames:
    """Names by player number; all are different, so a name identifies a player."""

    by_number: Mapping[str, str] = field(default_factory=dict)

    def shown(self, player: str, how: NamesShown) -> str:
        """The shown text for a player, whom a ledger calls by number (or by name, if an earlier version wrote it)."""
        is_number = _NUMBER.fullmatch(player) is not None
        number = player if is_number else "#" + hashlib.sha256(player.encode()).hexdigest()[:_TAG_LENGTH]
        name = self.by_number.get(player) if is_number else player
        if name is None or how is NamesShown.NUMBER:
            return number
        return name if how is NamesShown.FULL else f"{' '.join(f'{word[0]}.' for word in name.split())} {number}"

    def named_in(self, text: str) -> bool:
        """Whether a text contains a player's name, or a part longer than an initial."""
        read = name_key(text)
        return any(_stands_in(part, read) for name in self.by_number.values() for part in (name_key(name), *name_key(name).split()))

    def named(self, record: HandRecord) -> HandRecord:
        """A hand record with names instead of numbers, for those who may see them."""
        return replace(record, players={seat: self.shown(player, NamesShown.FULL) for seat, player in record.players.items()})

    def with_name(self, number: str, name: str) -> "PlayerNames":
        name = cleaned(name)
        other = next((of for of, taken in self.by_number.items() if name_key(taken) == name_key(name) and of != number), None)
        if other is not None:
            raise DocumentError(f"player {other} is {name!r} already: add something that tells the two apart, such as a year of birth")
        changed = PlayerNames({**self.by_number, number: name})
        try:
            read_names(changed.document)
        except DocumentError as error:
            raise DocumentError(f"{error} (a number from 1 to 9999, a name of one line)") from None
        return changed

    def without(self, number: str) -> "PlayerNames":
        """The names without this player's; raises DocumentError if there is none."""
        if number not in self.by_number:
            raise DocumentError(f"player {number!r} has no name here")
        return PlayerNames({of: name for of, name in self.by_number.items() if of != number})

    @property
    def document(self) -> bytes:
        """The names file: JSON, one player per line, by number."""
        players = {number: self.by_number[number] for number in sorted(self.by_number, key=natural)}
        return pretty_json({"format": "twinwall-names-1", "players": players})


def read_names(content: bytes) -> PlayerNames:
    """Read a names file; raises DocumentError."""
    players = {number: cleaned(name) for number, name in read_as(parse_object(content), _NamesDocument).players.items()}
    for number, name in players.items():
        if name_problem(name) is not None:
            raise DocumentError(f"the name of player {number} cannot be shown: {name!r} has no letter, or signs that nothing shows")
    if twice := twins(players.values()):
        raise DocumentError(f"{twice[0]!r} is the name of two players: add something that tells them apart")
    return PlayerNames(players)


def _stands_in(part: str, text: str) -> bool:
    """Whether a part of a name is a word of the text; Chinese and Japanese names need no blanks around them."""
    if part.isascii():
        return len(part) > 2 and re.search(rf"\b{re.escape(part)}\b", text) is not None
    return len(part) > 1 and part in text
