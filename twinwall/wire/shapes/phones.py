"""Phones of a table, for their server and the dashboard: roles, and each phone's last state."""

from typing import Annotated

from msgspec import Meta

from twinwall.values import FrozenStruct


class PhoneState(FrozenStruct, tag="state"):
    """What a phone reports from time to time; None if its browser does not say."""

    battery: Annotated[float, Meta(ge=0, le=1)] | None = None
    charging: bool | None = None
    width: int | None = None
    height: int | None = None
    facing: Annotated[str, Meta(max_length=20)] | None = None
    in_front: bool = True


class PhoneNow(FrozenStruct):
    """What staff see of a role: whether a phone has it and is connected, and its last state."""

    table: str
    name: str
    given: bool
    connected: bool
    words: str | None = None
    """Also shown on the phone."""
    state: PhoneState | None = None

    @property
    def kind(self) -> str:
        """``gate``, ``table``, ``keys`` or ``builder``."""
        return self.name.partition("-")[0]

    @property
    def number(self) -> str:
        """The number of a gate or place, or empty."""
        return self.name.partition("-")[2]

    @property
    def is_low(self) -> bool:
        """Whether the battery is nearly empty and not charging."""
        return self.state is not None and self.state.battery is not None and self.state.battery < 0.2 and not self.state.charging
