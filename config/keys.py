"""Keys of the settings: what a key may hold, and the error of a file that holds something else."""

from __future__ import annotations

from dataclasses import dataclass


class SettingsError(Exception):
    """A settings file cannot be used; the message is one sentence that names the file, the key and what is allowed."""


@dataclass(frozen=True, slots=True)
class SettingKey:
    """What a settings file may say at one key: put into ``Annotated[type, Key(…)]`` of a section's field."""

    says: str
    """One line for the person who edits the file."""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    """A regular expression that a text must match as a whole."""
    shape: str | None = None
    """That pattern in words."""
    made_by: str | None = None
    """How the file is made that must be there before a process starts; None where the process makes it or does without."""
