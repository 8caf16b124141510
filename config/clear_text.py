"""Which of a section's addresses carry something in clear over a network, and the refusal of that.

Loopback alone may be in clear. Everything else needs TLS, or the key ``allow_clear_text = true`` in its own section.
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

MAY_BE_READ = "so whoever listens on the network can read and change it"
ALLOW_CLEAR_TEXT = (
    "Whether this may travel in clear beyond this machine, where others can read and change it. Every page then says so, "
    "and each program when it starts."
)


class NetworkSection:
    """A section with an address in the network: it is refused when something would travel in clear that may not."""

    __slots__ = ()
    allow_clear_text: bool

    @property
    def in_clear(self) -> str | None:
        """What of it travels in clear beyond this machine, as the key with its value; None where nothing does."""
        raise NotImplementedError

    def refuse_clear_text(self, instead: str) -> None:
        """Raise ValueError where something would travel in clear and the section does not allow it; ``instead`` says what to write."""
        if self.in_clear is not None and not self.allow_clear_text:
            raise ValueError(f"{self.in_clear} is not encrypted, {MAY_BE_READ}: {instead}, or allow it with allow_clear_text = true")


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's loopback, whatever a name server says."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def in_clear(settings: object, name: str = "") -> Iterator[str]:
    """One sentence for each section of a form that sends something in clear beyond this machine."""
    if isinstance(settings, NetworkSection) and settings.in_clear is not None:
        yield f"allow_clear_text is set: [{name}] {settings.in_clear} is not encrypted, {MAY_BE_READ}"
    if is_dataclass(settings):
        for field in fields(settings):
            yield from in_clear(getattr(settings, field.name), f"{name}.{field.name}" if name else field.name)
