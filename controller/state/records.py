"""A changed copy of a frozen record, cheaply: the fold of a journal makes two thousand of them for every wall that is built.

``replace`` gives what ``dataclasses.replace`` gives, for records whose fields are all slots and which compute nothing more when
they are made. For each kind of record and each choice of fields that change, a function is written once that copies slot by slot,
in the way in which ``dataclasses`` writes ``__init__``; asking a record for its fields every time takes three times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeVar

R = TypeVar("R")


@cache
def _copier(kind: type[R], changed: tuple[str, ...]) -> Callable[[R, Mapping[str, object]], R]:
    """The function that copies records of a kind with these fields changed; raises TypeError where there is no such copy."""
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    slots = getattr(kind, "__slots__", ())
    if not names or hasattr(kind, "__post_init__") or not all(name in slots for name in names):
        raise TypeError(f"{kind.__name__} is no record of plain slots: copy it with dataclasses.replace")
    if unknown := set(changed).difference(names):
        raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
    filled = (f"    fill_{name}(copy, {f'changes[{name!r}]' if name in changed else f'record.{name}'})" for name in names)
    scope: dict[str, object] = {f"fill_{name}": getattr(kind, name).__set__ for name in names}
    scope |= {"new": object.__new__, "kind": kind}
    lines = ("def copier(record, changes):", "    copy = new(kind)", *filled, "    return copy")
    exec("\n".join(lines), scope)  # noqa: S102 — written of the names of the class's own fields
    copier: Callable[[R, Mapping[str, object]], R] = scope["copier"]  # type: ignore[assignment]  # the function just written
    return copier


if TYPE_CHECKING:
    from dataclasses import replace as replace  # noqa: PLC0414 — exported; a type checker knows the fields of that one
else:

    def replace(record: R, /, **changes: object) -> R:
        """A copy of a record with these fields changed; raises TypeError for a field that it has not."""
        return _copier(record.__class__, tuple(changes))(record, changes)
