"""What the check of a bundle says: how much is proved, and each thing that is not, by file and line."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Unproved:
    """One thing that does not hold, in one sentence; ``line`` counts from 1, None where the file as a whole is meant."""

    file: str
    line: int | None
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}{'' if self.line is None else f', line {self.line}'}: {self.sentence}"


@dataclass(slots=True)
class BundleReport:
    """The result of a check.

    Attributes:
        start: the eight groups of the start code that was given.
        vault_key: the key under which the tables' keys were announced, in hex; empty where there is none.
        known_vault: whether that key was given by the person, and not by the bundle alone.
        counts: how many of each kind are proved.
        unproved: what does not hold, in the order of the files.
    """

    start: str
    event: str = ""
    vault_key: str = ""
    known_vault: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    deals: tuple[int, ...] = ()
    unproved: list[Unproved] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether everything is proved."""
        return not self.unproved

    def add(self, file: str, line: int | None, sentence: str) -> None:
        """Note something that does not hold; the same place is named once."""
        if not any((known.file, known.line) == (file, line) for known in self.unproved):
            self.unproved.append(Unproved(file, line, sentence))

    def names(self, file: str) -> bool:
        """Whether something of the file does not hold."""
        return any(known.file == file for known in self.unproved)

    def to_json(self) -> dict[str, object]:
        """The command's JSON."""
        return {
            "good": self.good,
            "event": self.event,
            "start": self.start,
            "vault_key": self.vault_key,
            "vault_key_given": self.known_vault,
            "proved": dict(self.counts),
            "deals": list(self.deals),
            "unproved": [asdict(each) for each in self.unproved],
            "notes": list(self.notes),
        }
