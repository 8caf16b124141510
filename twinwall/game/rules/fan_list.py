"""The fans of a rule set, from ``fans.toml`` in its folder, which explains its numbers."""

from functools import cache
from importlib.resources import files

from twinwall.game.documents import parse_toml
from twinwall.game.rules import folder_of
from twinwall.game.typed_json import read_as
from twinwall.values import frozen


@frozen
class FanKind:
    """One fan. Fields that a rule set does not use have their defaults."""

    id: str
    english: str
    chinese: str
    japanese: str
    meaning: str = ""
    value: int = 0
    open_value: int | None = None
    of_class: str | None = None
    double: bool = False
    """Whether it can count as a double yakuman."""
    option: str | None = None
    """The option that admits it."""
    excludes: tuple[str, ...] = ()
    """Fans that never count beside it."""
    bonus_for: tuple[str, ...] = ()
    """Two fans that are worth more together; then this is a bonus, not a fan."""
    library: tuple[str, ...] = ()
    """Its names in the scoring library."""


@cache
def fan_list(rules: str) -> tuple[FanKind, ...]:
    file = files("twinwall.game.rules").joinpath(folder_of(rules), "fans.toml")
    return read_as(parse_toml(file.read_bytes(), file.name)["fans"], tuple[FanKind, ...], file.name)
