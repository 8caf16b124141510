"""Phones of a table as their server and the dashboard exchange them: who has a role, and what the phone said of itself last."""

from typing import Annotated

from msgspec import Meta

from twinwall.values import FrozenStruct


class PhoneState(FrozenStruct, tag="state"):
    """What a phone says of itself now and then; None where its browser does not tell."""

    battery: Annotated[float, Meta(ge=0, le=1)] | None = None
    charging: bool | None = None
    width: int | None = None
    height: int | None = None
    facing: Annotated[str, Meta(max_length=20)] | None = None
    in_front: bool = True


class PhoneNow(FrozenStruct):
    """What staff see of a role: whether a phone has it and is connected, and what the phone said last."""

    table: str
    name: str
    given: bool
    connected: bool
    words: str | None = None
    """What the phone shows too."""
    state: PhoneState | None = None

    @property
    def kind(self) -> str:
        """``gate``, ``table``, ``keys`` or ``builder``."""
        return self.name.partition("-")[0]

    @property
    def number(self) -> str:
        """Of a gate or place, empty without one."""
        return self.name.partition("-")[2]

    @property
    def is_low(self) -> bool:
        """Whether the battery will soon be empty."""
        return self.state is not None and self.state.battery is not None and self.state.battery < 0.2 and not self.state.charging
