"""The list of a rule set's fans: ``fans.toml`` in its folder, which says what its numbers mean."""

from functools import cache
from importlib.resources import files

from twinwall.game.documents import parse_toml
from twinwall.game.rules import folder_of
from twinwall.game.typed_json import read_as
from twinwall.values import frozen


@frozen
class FanKind:
    """One fan; what only some rule sets say of theirs is left out by the others."""

    id: str
    english: str
    chinese: str
    japanese: str
    meaning: str = ""
    value: int = 0
    open_value: int | None = None
    of_class: str | None = None
    double: bool = False
    """Whether it is a double yakuman where those are played."""
    option: str | None = None
    """The switch that admits it."""
    excludes: tuple[str, ...] = ()
    """The fans that never count beside it."""
    bonus_for: tuple[str, ...] = ()
    """The two fans that are worth more together: then it is no fan itself."""
    library: tuple[str, ...] = ()
    """How the library calls it that finds it."""


@cache
def fan_list(rules: str) -> tuple[FanKind, ...]:
    """The fans of a rule set by its name."""
    file = files("twinwall.game.rules").joinpath(folder_of(rules), "fans.toml")
    return read_as(parse_toml(file.read_bytes(), file.name)["fans"], tuple[FanKind, ...], file.name)
